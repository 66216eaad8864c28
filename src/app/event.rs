//! What happens to the state, and what the state wants done. Events carry their time; the state has no clock.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};

use super::export::Export;
use super::find::Within;
use super::foresee::Expected;
use super::linear::Said;
use super::picker::PickerId;
use super::row::Row;
use crate::domain::{
    Countersigned, Draft, Enforceable, Foresight, JournalEntry, Leaf, Look, ModelEvent, ModelRequest, Operation,
    OperationId, Origin, Page, Prepared, Recalled, Remembered, RuleId, RunEvent, Seal, StepId, Table, Tail, ToolCall,
    Typed,
};

/// Milliseconds since the program started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub u64);

impl Millis {
    /// This time and so many milliseconds.
    #[must_use]
    pub fn plus(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }

    /// Milliseconds from `earlier` to this.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// What came of reading a proposed call.
#[derive(Clone, Debug)]
pub enum Proposal {
    /// It was read, looked at, judged and journalled.
    Ready(Box<Prepared>),
    /// It isn't an operation: an unknown tool, bad arguments, or no journal. In one sentence.
    Refused(String),
}

/// What the last frame showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// Height of the visible part of each scrolling pane, in rows: chat, queue, output, dialog.
    pub rows: Rows,
    /// How far each can be scrolled, in rows.
    pub limits: Rows,
    /// Where each pane was drawn: pane, x, y, width, height.
    pub areas: Vec<(Pane, u16, u16, u16, u16)>,
    /// The dialog that was on the screen, and whether the end of its text was.
    pub dialog: Option<(Seal, bool)>,
    /// The high operations of a list in it the ends of whose texts were.
    pub ends: Vec<OperationId>,
    /// Keys that the screen names: row, first column, column after the last, and the key as the keymap writes it.
    pub keys: Vec<(u16, u16, u16, String)>,
    /// Operations by the row of the screen that shows them.
    pub queue_rows: Vec<(u16, OperationId)>,
    /// Rows of the list that is open: row of the screen, first column, column after the last, and which it is.
    pub picks: Vec<(u16, u16, u16, usize)>,
    /// First row of each entry of the conversation.
    pub entries: Vec<usize>,
    /// Rows that hold what is looked for.
    pub found: Found,
    /// Rows and columns that a terminal has in the output pane.
    pub terminal: Option<(u16, u16)>,
    /// Where a line that is asked for goes on.
    pub cursor: Option<(u16, u16)>,
    /// The line of the output that the first row in sight belongs to, and the one that was jumped to.
    pub lines: Option<(usize, Option<usize>)>,
    /// The rows where the lines are that were to stay in sight.
    pub held: Option<(usize, Option<usize>)>,
}

/// Rows that hold what is looked for, from the start of each text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Conversation.
    pub chat: Arc<[usize]>,
    /// Output.
    pub output: Arc<[usize]>,
    /// The page that floats above the panes.
    pub page: Arc<[usize]>,
}

impl Found {
    /// Those of one place.
    #[must_use]
    pub fn within(&self, within: Within) -> &[usize] {
        match within {
            Within::Chat => &self.chat,
            Within::Output => &self.output,
            Within::Page => &self.page,
        }
    }
}

/// One number for each scrolling pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Conversation.
    pub chat: usize,
    /// Operations.
    pub queue: usize,
    /// Output.
    pub output: usize,
    /// Dialog.
    pub dialog: usize,
}

/// A part of the screen that can have the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Where messages are typed.
    #[default]
    Composer,
    /// The conversation.
    Chat,
    /// The operations.
    Queue,
    /// Output.
    Output,
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// Keys that came at once: typed ahead, or pasted by a terminal that doesn't say so. None of them decides.
    Keys(Vec<KeyEvent>),
    /// Text was pasted. Never a key, so never an approval.
    Paste(String),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// The terminal has another size.
    Resize(u16, u16),
    /// A frame was drawn.
    Drawn(Box<Sight>),
    /// The model said something in a step.
    Model(StepId, ModelEvent),
    /// A call was read.
    Proposed(OperationId, Proposal),
    /// The draft of an edited call with this number was read and judged.
    Assessed(u64, Proposal),
    /// An allowed operation was looked at again, right before its start.
    Refreshed(OperationId, Proposal),
    /// The same, but it would do something else now than the person was shown.
    Otherwise(OperationId, Box<Prepared>, Foresight, String),
    /// The effects of a waiting operation were measured, or can't be; only while it still has this seal.
    Measured(OperationId, Seal, Foresight),
    /// A running operation said something.
    Run(OperationId, RunEvent),
    /// A part of an operation's kept output, or none where it isn't kept or nothing was found.
    Looked(OperationId, Look, Option<Page>),
    /// Rows around this one of a result that is kept, or none where it isn't.
    Leafed(OperationId, u64, Option<Leaf>),
    /// So many lines of all that is kept of an operation's output hold this text.
    Counted(OperationId, String, u64),
    /// The rows of a list were read, or why they can't be.
    Filled(PickerId, Result<Vec<Row>, String>),
    /// What an operation printed in an earlier sitting, or nothing where it isn't kept.
    Recalled(OperationId, Option<Recalled>),
    /// The person's pager ended; with a sentence if it couldn't be used.
    Paged(Option<String>),
    /// What is kept of an output was read to be copied.
    Collected(Content, Collected),
    /// What became of saving, in a sentence; before it the name that can't be used.
    Saved(Result<String, (String, String)>),
    /// What the person sent in earlier sessions, the newest last.
    Earlier(Vec<String>),
    /// The files of the workspace that can be named.
    Files(Arc<[String]>),
    /// The journal can't be written: nothing more runs.
    JournalFailed(String),
    /// It was proved what this machine enforces.
    Proved(Enforceable),
    /// Something came of a step of the first start.
    SetUp(super::setup::Done),
    /// The switch with this number is ready, or failed.
    Switched(u64, Result<Box<super::switch::Switched>, String>),
    /// Tokens that one request to the model may hold, as its server says.
    Context(u64),
    /// A connection was reached, or wasn't.
    Reached(String, bool),
    /// What the model is told of the folder's notes was made, once the person had said to work there; empty if there
    /// are none.
    Briefed(String),
    /// A sentence for the person.
    Notice(String),
    /// An operation that waits was told in a line, under this seal; whether all of its text was.
    Told(OperationId, Seal, bool),
    /// A line was typed, and when: it approves only what was told before.
    Said(Said, Millis),
    /// The one message of a run without a person, and what was piped in with it.
    Task(String, Option<String>),
    /// An operation's text comes back from the person's own editor, or why it doesn't.
    Edited(OperationId, Result<String, String>),
    /// The time by the wall's clock, in seconds since 1970.
    Clock(u64),
    /// Operations of earlier sessions, for a rule that is being made.
    History(Vec<Prepared>),
    /// A rule of the person's was saved, or why it couldn't be.
    Remembered(Box<Result<Remembered, String>>),
    /// The rules that outlive a session are these now, and what is wrong with them, if that is news.
    Ruled(Vec<Remembered>, Option<String>),
    /// The terminal has the focus again, or lost it.
    Focus(bool),
    /// A deadline passed.
    Wake,
}

/// What the state wants done.
#[derive(Debug)]
pub enum Effect {
    /// Read, look at and judge a call, and journal its proposal.
    Prepare {
        /// The number it gets.
        id: OperationId,
        /// Who asks.
        origin: Origin,
        /// The call.
        call: ToolCall,
    },
    /// Read and judge a call that is being edited.
    Assess {
        /// Number of the draft, to tell an answer that came late.
        draft: u64,
        /// The operation that it is to become.
        id: OperationId,
        /// Who asks for it.
        origin: Origin,
        /// The call as it is now.
        call: ToolCall,
    },
    /// Look at an operation again, right before its start, and measure it again where more may come of it than is
    /// expected.
    Refresh(Box<Operation>, Option<Expected>),
    /// Measure what a waiting operation would do, for as long as it has this seal.
    Measure(Box<Prepared>, Seal),
    /// Nobody needs the measure of it any more.
    StopMeasuring(OperationId),
    /// Nobody wants what this staged run changed.
    DropStaged(OperationId),
    /// What would have answered a server by this call is not given.
    Decline(ToolCall),
    /// Journal it, with how long it waited for the person in milliseconds, then run it.
    Execute(Box<Countersigned>, Option<u64>),
    /// Stop a running operation; it still reports its end.
    Cancel(OperationId),
    /// Give a running operation's terminal what was typed, or another size.
    Type(OperationId, Typed),
    /// Write to the journal, in this order and before what the later effects add to it.
    Record(Vec<JournalEntry>),
    /// Ask the model.
    StartStep(StepId, ModelRequest),
    /// Cancel the model's stream.
    StopStep,
    /// A step of the first start.
    Setup(super::setup::Step),
    /// Make another model ready.
    SwitchModel(u64, super::switch::Wanted),
    /// Ask which models there are, for this list.
    ListModels(super::picker::PickerId),
    /// Choose the connection that is meant where none is named.
    ChooseConnection(u64, String),
    /// Take the model of this switch into use.
    Adopt(u64),
    /// Open an operation's text in the person's own editor, which gets the terminal meanwhile.
    OpenEditor {
        /// The operation.
        id: OperationId,
        /// The text.
        text: String,
        /// What a file of such a text ends in, without the dot.
        suffix: String,
    },
    /// The person works in this folder from now on, and isn't asked again. Only now are its notes read, and told by
    /// `Event::Briefed`.
    KnowFolder,
    /// Keep which theme was chosen, for later sessions.
    KeepTheme(String),
    /// Read operations of earlier sessions.
    ReadHistory,
    /// Save a rule that outlives the session.
    Remember(Box<Draft>),
    /// Take such a rule back.
    Forget(RuleId),
    /// Put text on the person's clipboard.
    Copy(String),
    /// Read what is kept of an output, to copy it.
    Collect(Content),
    /// Read back what an operation printed in an earlier sitting.
    Recall(OperationId),
    /// Read a part of an operation's kept output.
    Look(OperationId, Look),
    /// Read the rows around this one of a result that is kept.
    Leaf(OperationId, u64),
    /// Count the lines of an operation's kept output that hold a text.
    Count(OperationId, String),
    /// Write a file that the person named, where there is none yet.
    Save(String, Content),
    /// Show text in the person's pager, and come back.
    Page(Content),
    /// Say how the MCP servers stand; start the one that is named once more.
    Servers(Option<String>),
    /// Keep what the person sent for later sessions.
    KeepTyped(String),
    /// Keep what the person typed and didn't send, in the place of what was kept of it; nothing is kept of an empty text.
    KeepUnsent(String),
    /// List the files that can be named: where the person's own commands run, or where the model works.
    ListFiles {
        /// Where the person's own commands run.
        own: bool,
    },
    /// Show everything in this look: a theme's name or file.
    Theme(String),
    /// Tell the person, who looks at something else, this sentence.
    Notify(String),
    /// Clear the screen and draw it anew.
    Redraw,
    /// Read which sessions were left, for this picker.
    ListSessions(PickerId),
    /// Go on with another session.
    Switch(Another),
    /// Leave.
    Quit,
}

/// Another session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Another {
    /// A new one.
    New,
    /// One that was left, by its id.
    Left(String),
}

/// What came of reading what is kept of an output, as far as a clipboard takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collected {
    /// All that is kept.
    Whole(String),
    /// The end of a longer text, from the start of a line on.
    End(String),
    /// More rows than a clipboard takes.
    TooLong,
    /// Nothing is kept.
    Gone,
}

/// What is saved, paged or copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The rows of a table as they are shown, and how many these are where they aren't all: `12 of 5,000 rows`.
    Text(String, Option<String>),
    /// What an operation printed: all that is kept of it, or the end where nothing is.
    Printed(OperationId, Tail),
    /// All rows that are kept of a result like this one, in this form.
    Rows(OperationId, Arc<Table>, Export),
    /// A part of an operation's result that is no text.
    Part(OperationId, usize),
}
