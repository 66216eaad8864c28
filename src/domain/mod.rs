//! Pure values and the gate: what a model said, what would happen, how it is judged, and the one
//! type that may run. Imports only `std`, `serde` and `serde_json`; everything else stands on it.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod answer;
mod arguments;
mod catalog;
mod chat;
mod cost;
mod edit;
mod facts;
mod gate;
mod gist;
mod grants;
mod mask;
mod mcp;
mod memory;
mod near;
mod need;
pub mod number;
mod operation;
mod output;
pub mod path;
mod policy;
mod preview;
mod reading;
mod record;
mod risk;
mod rule;
mod staged;
mod table;
mod target;
mod title;
mod undo;
mod wall;

pub use answer::{ANSWER, AnswerOperation, Asks};
pub use arguments::{Arguments, ArgumentsError, CLAIM, Strict};
pub use catalog::{Catalog, CatalogEntry, Maker, Meaning, Role, Sort};
pub use chat::{
    FailureKind, MOST_CALLS, Message, ModelEvent, ModelFailure, ModelRequest, StepId, StopReason, ToolCall, ToolResult,
    ToolSpec, TurnId, Usage,
};
pub use cost::{Amount, Cost, Prices};
pub use edit::{Edit, Editable, unclaimed};
pub use facts::{
    Facts, FolderFact, GlobFact, PathFact, PathKind, Place, RepositoryFact, SecretFact, Shell, below_home, each,
    named_in, only_of, pattern_of,
};
pub use gate::{Admission, Countersigned, Gate, Release, Seal, Standing};
pub use grants::Grants;
pub use mask::{mask, masked, masked_part};
pub use mcp::{Declared, MCP, McpOperation};
pub use memory::{
    Draft, FINDING, Lasting, Lift, Neighbour, Pattern, Remembered, Row, RuleId, Says, Scope, Setting, Want, runs_code,
};
pub use near::nearest;
pub use need::Need;
pub use operation::{
    CommandOperation, Dialect, FileOperation, FindOperation, HttpOperation, Operation, OperationId, OperationKind,
    Origin, Prepared, SearchOperation, SqlOperation, SqlWay, TakeBack, Text,
};
pub use output::{
    Glass, Kept, Look, Outcome, Page, Part, Printed, Recalled, RunEvent, RunReport, Stream, Tail, Typed, sought,
};
pub use policy::{ApprovalMode, Containment, Enforceable, Judgement, Policy, Step, Verdict, judge};
pub use preview::{Detail, Foresight, Measurement, Preview, Remedy, Share, Trial, WOULD_FAIL};
pub use record::{CONTAINED, Decider, Finder, Forgetting, JournalEntry, JournalEvent, Left};
pub use risk::{Assessment, Claim, Class, Danger, Finding, RiskLevel, Span};
pub use rule::{Effect as RuleEffect, Rule, Shape};
pub use staged::{APPLY, ApplyOperation, Deed, StagedChange, brief, change_lines, moves, some_of, staged_brief};
pub use table::{Cells, Leaf, Table, number as number_of};
pub use target::{PRODUCTION, PROTECTED, Target};
pub use title::joined;
pub use undo::{Change, Image, UNDO, UndoOperation, Undoable};
pub use wall::Wall;
