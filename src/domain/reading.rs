//! Reads the arguments of the built-in tools into operations, strictly: an argument that the tool, or this
//! use of it, doesn't take is an error, never ignored. Called by the tools' `prepare` and by `assess`.

use serde_json::Value;

use super::arguments::{Arguments, ArgumentsError};
use super::operation::{
    CommandOperation, FileOperation, FindOperation, HttpOperation, OperationKind, SearchOperation, SqlOperation, SqlWay,
};

/// Every argument of `file_operations`; which of them count depends on the operation.
const FILE: [&str; 9] =
    ["operation", "path", "destination", "content", "old_text", "new_text", "all", "offset", "limit"];

impl SqlOperation {
    /// Reads the arguments of `execute_sql`: `sql` and `connection`. Without a connection its name is empty
    /// and the tool fills it in; so does the dialect.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument.
    pub fn read(arguments: &Arguments) -> Result<Self, ArgumentsError> {
        arguments.only(&["sql", "connection"])?;
        let connection = arguments.optional_text("connection")?.unwrap_or_default();
        Ok(Self { connection, dialect: None, sql: arguments.text("sql")?, way: SqlWay::Plain })
    }
}

impl CommandOperation {
    /// Reads the arguments of `execute_command`: `command`, `timeout` and `terminal`.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument.
    pub fn read(arguments: &Arguments) -> Result<Self, ArgumentsError> {
        arguments.only(&["command", "timeout", "terminal"])?;
        Ok(Self {
            command: arguments.text("command")?,
            timeout: arguments.optional_number("timeout")?,
            terminal: arguments.flag("terminal")?,
        })
    }
}

impl FileOperation {
    /// Reads the arguments of `file_operations`.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument, an unknown operation, or an argument that the
    /// operation doesn't take.
    pub fn read(arguments: &Arguments) -> Result<Self, ArgumentsError> {
        arguments.only(&FILE)?;
        let verb = arguments.text("operation")?;
        let takes: &[&str] = match verb.as_str() {
            "read" => &["offset", "limit"],
            "list" | "exists" | "delete" => &[],
            "write" => &["content"],
            "edit" => &["old_text", "new_text", "all"],
            "move" => &["destination"],
            _ => {
                let known = "read, list, exists, write, edit, delete or move";
                return Err(ArgumentsError(format!("the operation `{}` is not known; use {known}", brief(&verb))));
            }
        };
        refuse_misplaced(arguments, &verb, takes)?;
        let path = arguments.text("path")?;
        Ok(match verb.as_str() {
            "read" => Self::Read {
                path,
                offset: arguments.optional_number("offset")?,
                limit: arguments.optional_number("limit")?,
            },
            "list" => Self::List { path },
            "exists" => Self::Exists { path },
            "delete" => Self::Delete { path },
            "write" => Self::Write { path, content: arguments.text("content")? },
            "edit" => Self::Edit {
                path,
                old: arguments.text("old_text")?,
                new: arguments.text("new_text")?,
                all: arguments.flag("all")?,
            },
            _ => Self::Move { path, destination: arguments.text("destination")? },
        })
    }
}

impl HttpOperation {
    /// Reads the arguments of `http_request`: `method`, `url`, `headers` and `body`. The method may be left
    /// out where there is no body: then it is `GET`.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument, or a body without a method.
    pub fn read(arguments: &Arguments) -> Result<Self, ArgumentsError> {
        arguments.only(&["method", "url", "headers", "body"])?;
        let url = arguments.text("url")?;
        let body = arguments.optional_text("body")?;
        let method = match (arguments.optional_text("method")?, &body) {
            (Some(method), _) => method,
            (None, None) => "GET".to_owned(),
            (None, Some(_)) => {
                return Err(ArgumentsError("a request with a `body` needs a `method`, such as POST".to_owned()));
            }
        };
        Ok(Self { method, url, headers: headers(arguments)?, body })
    }
}

impl SearchOperation {
    /// Reads the arguments of `search_files`: `pattern`, `path`, `glob` and `ignore_case`.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument.
    pub fn read(arguments: &Arguments) -> Result<Self, ArgumentsError> {
        arguments.only(&["pattern", "path", "glob", "ignore_case"])?;
        Ok(Self {
            pattern: arguments.text("pattern")?,
            path: arguments.optional_text("path")?,
            glob: arguments.optional_text("glob")?,
            ignore_case: arguments.flag("ignore_case")?,
        })
    }
}

impl FindOperation {
    /// Reads the arguments of `find_files`: `glob` and `path`.
    ///
    /// # Errors
    /// A missing, wrongly typed or unknown argument.
    pub fn read(arguments: &Arguments) -> Result<Self, ArgumentsError> {
        arguments.only(&["glob", "path"])?;
        Ok(Self { glob: arguments.text("glob")?, path: arguments.optional_text("path")? })
    }
}

impl OperationKind {
    /// Reads the arguments of the built-in tool of that name; none for any other name.
    ///
    /// # Errors
    /// What the reader of that tool says.
    pub fn read(tool: &str, arguments: &Arguments) -> Option<Result<Self, ArgumentsError>> {
        Some(match tool {
            "execute_sql" => SqlOperation::read(arguments).map(Self::Sql),
            "execute_command" => CommandOperation::read(arguments).map(Self::Command),
            "file_operations" => FileOperation::read(arguments).map(Self::File),
            "http_request" => HttpOperation::read(arguments).map(Self::Http),
            "search_files" => SearchOperation::read(arguments).map(Self::Search),
            "find_files" => FindOperation::read(arguments).map(Self::Find),
            _ => return None,
        })
    }
}

/// Refuses arguments of `file_operations` that this operation has no use for. Null counts as left out, as
/// some models send every argument of a schema.
fn refuse_misplaced(arguments: &Arguments, verb: &str, takes: &[&str]) -> Result<(), ArgumentsError> {
    let misplaced = arguments.values.iter().find(|(name, value)| {
        !value.is_null() && !matches!(name.as_str(), "operation" | "path") && !takes.contains(&name.as_str())
    });
    match misplaced {
        None => Ok(()),
        Some((name, _)) => Err(ArgumentsError(format!("the operation `{verb}` takes no `{name}`"))),
    }
}

/// The `headers` argument: an object whose values are strings.
fn headers(arguments: &Arguments) -> Result<Vec<(String, String)>, ArgumentsError> {
    let refused = || ArgumentsError("the argument `headers` must be an object of strings".to_owned());
    match arguments.values.get("headers") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| value.as_str().map(|text| (name.clone(), text.to_owned())).ok_or_else(refused))
            .collect(),
        Some(_) => Err(refused()),
    }
}

/// A word of a caller, short enough for a sentence.
fn brief(word: &str) -> String {
    word.chars().take(40).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: &str, text: &str) -> Result<OperationKind, String> {
        OperationKind::read(tool, &Arguments::parse(text).unwrap()).unwrap().map_err(|error| error.0)
    }

    #[test]
    fn each_tool_reads_its_own_arguments() {
        let calls = [
            ("execute_sql", r#"{"sql":"SELECT 1","connection":"shop"}"#),
            ("execute_command", r#"{"command":"ls","timeout":5}"#),
            ("file_operations", r#"{"operation":"read","path":"a","offset":1,"limit":2}"#),
            ("file_operations", r#"{"operation":"edit","path":"a","old_text":"b","new_text":"c","all":true}"#),
            ("file_operations", r#"{"operation":"move","path":"a","destination":"b","content":null}"#),
            ("http_request", r#"{"url":"https://example.org","headers":{"Accept":"text/html"}}"#),
            ("search_files", r#"{"pattern":"x","path":"src","glob":"*.rs","ignore_case":true}"#),
            ("find_files", r#"{"glob":"*.rs"}"#),
        ];
        for (tool, text) in calls {
            assert!(read(tool, text).is_ok(), "{tool} {text}");
        }
        assert!(OperationKind::read("send_letter", &Arguments::parse("{}").unwrap()).is_none());
    }

    #[test]
    fn an_argument_that_the_use_does_not_take_is_refused() {
        let calls = [
            ("execute_sql", r#"{"sql":"SELECT 1","dialect":"x"}"#),
            ("execute_command", r#"{"command":["ls"]}"#),
            ("file_operations", r#"{"operation":"read","path":"a","content":"b"}"#),
            ("file_operations", r#"{"operation":"copy","path":"a"}"#),
            ("file_operations", r#"{"operation":"write","path":"a"}"#),
            ("file_operations", r#"{"operation":"READ","path":"a"}"#),
            ("http_request", r#"{"url":"https://example.org","headers":["a"]}"#),
            ("http_request", r#"{"url":"https://example.org","headers":{"a":1}}"#),
            ("find_files", r#"{"path":"."}"#),
        ];
        for (tool, text) in calls {
            assert!(read(tool, text).is_err(), "{tool} {text}");
        }
    }

    #[test]
    fn a_request_is_a_get_only_without_a_body() {
        let Ok(OperationKind::Http(http)) = read("http_request", r#"{"url":"https://example.org"}"#) else { panic!() };
        assert_eq!(http.method, "GET");
        let error = read("http_request", r#"{"url":"https://example.org","body":""}"#).unwrap_err();
        assert_eq!(error, "a request with a `body` needs a `method`, such as POST");
    }
}
