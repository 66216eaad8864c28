//! A call of a tool that another program's server offers, and what that server says of the tool.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the name of every tool of an MCP server begins with, so that none can take the place of ours.
pub const MCP: &str = "mcp__";

/// A call of a tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpOperation {
    /// Name of the server in the person's configuration.
    pub server: String,
    /// The tool, as the server names it.
    pub tool: String,
    /// The arguments, as they will be sent.
    pub arguments: Map<String, Value>,
}

/// What a server says of one of its tools. It is somebody else's word: it can make a call look worse, never better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Digest of the server's address and of everything that it says of the tool.
    pub schema: String,
    /// The tool's description, not neutralised; its beginning, where it is long.
    pub description: String,
    /// Whether it says that the tool only reads.
    #[serde(default)]
    pub read_only: bool,
    /// Whether it says that the tool may destroy.
    #[serde(default)]
    pub destructive: bool,
    /// Whether its schema holds characters that nobody sees.
    #[serde(default)]
    pub hides: bool,
}

impl McpOperation {
    /// Server and tool in a few words.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} · {}", self.server, self.tool)
    }
}
