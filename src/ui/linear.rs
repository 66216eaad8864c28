//! The session as plain lines, for screen readers and pipes: each thing that happens is a line, nothing moves. What
//! others wrote stands behind `| `, where no line of the program's own begins.

use std::collections::BTreeMap;

use ratatui::text::Line;

use super::cache::Cache;
use super::details;
use super::item;
use super::number;
use super::paint::View;
use super::picker;
use super::preview;
use super::read::{self, Reading};
use super::remember;
use super::text;
use super::theme::Theme;
use super::{twice, unasked};
use crate::app::{Entry, Item, LINES, Numbers, Phase, PickerId, Said, State, Status, typed};
use crate::domain::{Foresight, Look, OperationId, Outcome, Page, RiskLevel, Seal};

/// Characters of what an operation would do that its line holds.
const GIST: usize = 300;
/// Columns that nothing is wrapped at: the reader wraps.
const COLUMNS: usize = 4_000;

/// What so many would change is told one after the other.
const EFFECTS: usize = 10;
/// Rows of a list that are told at once.
const LISTED: usize = 30;

/// What was told of an operation that waits: exactly what, and whether all of its text was.
pub type Shown = (OperationId, Seal, bool);

/// What was told so far.
#[derive(Debug)]
pub struct Teller {
    theme: Theme,
    cache: Cache,
    /// Entries of the conversation that are told whole.
    entries: usize,
    /// Lines of the entry after them that are told.
    said: usize,
    operations: BTreeMap<OperationId, Step>,
    /// How many effects were told since what waits was, or the person typed.
    effects: usize,
    ready: bool,
    /// The list that was told, as it was narrowed then.
    list: Option<(PickerId, String, bool)>,
    /// The lines of the first start that were told last.
    setup: Vec<String>,
    /// How far outputs were read.
    read: Reading,
}

/// How far an operation was told.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Under this seal, and with what it would change, once that was told.
    Waits(Seal, Option<String>),
    Runs,
    Over,
}

impl Default for Teller {
    fn default() -> Self {
        let theme = Theme::named("mono").unwrap_or_default();
        let (cache, operations) = (Cache::default(), BTreeMap::new());
        let (setup, read) = (Vec::new(), Reading::default());
        Self { theme, cache, entries: 0, said: 0, operations, effects: 0, ready: false, list: None, setup, read }
    }
}

impl Teller {
    /// What was told before a session was left is not told again, except for its latest turn.
    #[must_use]
    pub fn since(state: &State) -> Self {
        let person = |entry: &Entry| matches!(entry, Entry::Person(_));
        let entries = state.chat.entries().iter().rposition(person).unwrap_or_default();
        // What the latest turn cut off is news.
        let news = |item: &&Item| {
            item.turn == state.chat.turn() && matches!(item.status, Status::Ended { outcome: Outcome::Lost, .. })
        };
        let over = state.queue.done().filter(|item| !news(item)).map(|item| (item.id, Step::Over)).collect();
        Self { entries, operations: over, ..Self::default() }
    }

    /// The first lines.
    #[must_use]
    pub fn greet(state: &State) -> Vec<String> {
        let setting = &state.setting;
        let model = if setting.practice { "practice model".to_owned() } else { text::line(&setting.model) };
        let database = setting.connection.as_deref().map_or_else(|| "no database".to_owned(), text::line);
        let mode = super::status::mode(state.queue.gate().policy());
        let mut lines = vec![format!(
            "countersign: mode {mode}, {model}, {database}, workspace {}",
            text::line(&setting.workspace)
        )];
        let messages = state.chat.entries().iter().filter(|entry| matches!(entry, Entry::Person(_))).count();
        let operations = state.queue.all().count();
        if messages + operations > 0 {
            let (messages, operations) = (number::count(messages, "message"), number::count(operations, "operation"));
            lines.push(format!("this session goes on after {messages} and {operations}; its latest turn:"));
        }
        if setting.practice {
            lines.push(format!("your ! and / lines run in {}", text::line(&setting.folder)));
        }
        lines.push("type a message, ! and a command, or help".to_owned());
        lines
    }

    /// A sentence about the last line.
    #[must_use]
    pub fn hint(said: &str) -> String {
        format!("note: {}", text::line(said))
    }

    /// What happened since, as lines; and which operations that wait were told.
    pub fn tell(&mut self, state: &State) -> (Vec<String>, Vec<Shown>) {
        let (mut lines, mut shown) = (Vec::new(), Vec::new());
        if let Some(setup) = state.setup() {
            let asked = super::setup::lines(setup);
            if asked != self.setup {
                lines.clone_from(&asked);
                self.setup = asked;
            }
            return (lines, shown);
        }
        self.conversation(state, &mut lines);
        for item in state.queue.all() {
            if self.operations.get(&item.id) != Some(&Step::Over) {
                self.operation(state, item, &mut lines, &mut shown);
            }
        }
        self.list(state, &mut lines);
        let ready = *state.chat.phase() == Phase::Idle;
        if ready && !self.ready && !lines.is_empty() {
            let said = match state.chat.question() {
                Some(question) if question.choices.is_empty() => "the model asks you: type an answer",
                Some(_) => "the model asks you: type an answer, or the number of a choice",
                None => "ready",
            };
            lines.push(said.to_owned());
        }
        self.ready = ready;
        (lines, shown)
    }

    /// A list that opened, was filled or narrowed since.
    fn list(&mut self, state: &State, lines: &mut Vec<String>) {
        let open = state.picker().map(|picker| (picker.id, picker.typed.clone(), picker.reading));
        if let Some(picker) = state.picker().filter(|_| open != self.list) {
            lines.extend(picker::told(picker, LISTED));
        }
        self.list = open;
    }

    fn conversation(&mut self, state: &State, lines: &mut Vec<String>) {
        let entries = state.chat.entries();
        while let Some(entry) = entries.get(self.entries) {
            let last = self.entries + 1 == entries.len();
            let growing = last && matches!(state.chat.phase(), Phase::Streaming { .. });
            match entry {
                Entry::Model { text: said, .. } => {
                    // A line is told once it is whole, and those of a table together. All of them are looked at for
                    // secrets, which may have several.
                    let end = if growing { said.rfind('\n').map_or(0, |at| at + 1) } else { said.len() };
                    let shown = state.masks.hide(&said[..end]);
                    let mut whole: Vec<&str> = shown.lines().collect();
                    while growing && whole.last().is_some_and(|line| twice::tabular(line)) {
                        whole.pop();
                    }
                    if whole.len() > self.said {
                        lines.extend((self.said == 0).then(|| "the model says:".to_owned()));
                        self.says(state, &whole[self.said..], lines);
                        self.said = whole.len();
                    }
                    if growing {
                        return;
                    }
                }
                Entry::Notice { text: said, trouble } => {
                    let word = if *trouble { "trouble" } else { "note" };
                    let said = state.masks.hide(said);
                    let (first, rest) = said.split_once('\n').unwrap_or((&said, ""));
                    lines.push(format!("{word}: {}", text::line(first)));
                    behind(rest.lines(), lines);
                }
                Entry::Person(_) | Entry::Operation(_) => {}
            }
            self.entries += 1;
            self.said = 0;
        }
    }

    /// What a model says, without rows that were told already.
    fn says(&self, state: &State, said: &[&str], lines: &mut Vec<String>) {
        for block in said.chunk_by(|one, other| twice::tabular(one) == twice::tabular(other)) {
            let told = |id| self.operations.get(&id) == Some(&Step::Over);
            let again = block.first().filter(|line| twice::tabular(line));
            match again.and_then(|_| twice::again(state, block, read::SHOWN, told)) {
                Some(again) => lines.push(again),
                None => behind(block.iter().copied(), lines),
            }
        }
    }

    fn operation(&mut self, state: &State, item: &Item, lines: &mut Vec<String>, shown: &mut Vec<Shown>) {
        let before = self.operations.get(&item.id).cloned();
        let number = item.id.0;
        let what = || format!("{} {}", text::line(item.word()), brief(state, item).0);
        let step = match &item.status {
            Status::Waiting => {
                let Some(seal) = state.queue.gate().seal(item.id) else { return };
                let foresight = state.queue.foresight(item.id);
                let foresight = foresight.filter(|foresight| **foresight != Foresight::Measuring);
                let effect = foresight.and_then(preview::brief);
                match before {
                    Some(Step::Waits(old, told)) if old == seal => {
                        let news = effect.filter(|effect| told.as_ref() != Some(effect));
                        if let Some(effect) = &news {
                            self.effect(state, number, effect, lines);
                        }
                        Step::Waits(seal, news.or(told))
                    }
                    _ => {
                        self.effects = 0;
                        lines.push(waits(state, item, foresight));
                        shown.push((item.id, seal, brief(state, item).1));
                        Step::Waits(seal, effect)
                    }
                }
            }
            Status::Running { .. } => {
                if before != Some(Step::Runs) {
                    lines.push(format!("operation {number} runs: {}", what()));
                }
                Step::Runs
            }
            Status::Ended { outcome, took } => {
                let took =
                    if *outcome == Outcome::Lost { String::new() } else { format!(", {}", number::duration(*took)) };
                lines.push(format!("operation {number} {}{took}", ended(outcome)));
                lines.extend(item.note.as_deref().map(|note| format!("note: {}", text::line(note))));
                lines.extend(read::ending(View { state, theme: &self.theme }, item.id));
                Step::Over
            }
            Status::Denied { .. } => {
                let why = item::trouble(item).and(item.judgement.as_ref()).map(|judgement| judgement.reason.as_str());
                let why = why.map_or_else(String::new, |why| format!(": {}", text::line(&state.masks.hide(why))));
                lines.push(format!("operation {number} {}{why}", item::denied(&state.masks, item)));
                Step::Over
            }
            Status::Refused { reason } => {
                lines.push(format!("operation {number} refused: {}, {}", text::line(reason), what()));
                Step::Over
            }
            Status::Preparing | Status::Allowed { .. } => return,
        };
        self.operations.insert(item.id, step);
    }

    /// What one that waits would change, measured after it was told: of many the first ones, then how many more.
    fn effect(&mut self, state: &State, number: u64, effect: &str, lines: &mut Vec<String>) {
        self.effects += 1;
        if self.effects <= EFFECTS {
            lines.push(format!("operation {number} would change: {effect}"));
        } else if self.effects == EFFECTS + 1 {
            let untold = |item: &&Item| match (self.operations.get(&item.id), state.queue.foresight(item.id)) {
                (_, None | Some(Foresight::Nothing | Foresight::Unmeasurable(_))) => false,
                (Some(Step::Waits(_, told)), Some(foresight)) => preview::brief(foresight) != *told,
                (Some(Step::Runs | Step::Over) | None, Some(_)) => true,
            };
            let more = state.queue.waiting().filter(untold).count();
            lines.push(format!("what {more} more would change: list tells it"));
        }
    }

    /// What a line asks to be told.
    pub fn answer(&mut self, state: &State, said: &Said) -> (Vec<String>, Vec<Shown>) {
        let (mut lines, mut shown) = (Vec::new(), Vec::new());
        self.effects = 0;
        match said {
            Said::Show(numbers) => {
                for id in chosen(state, numbers) {
                    let theme = self.theme.clone();
                    let view = View { state, theme: &theme };
                    lines.push(format!("operation {}:", id.0));
                    let rows = details::lines(view, &mut self.cache, id, COLUMNS);
                    lines.extend(rows.iter().map(|row| format!("| {}", flat(row))));
                    lines.push(format!("end of operation {}", id.0));
                    // What counts as told is what the rows were made of.
                    let told = self.cache.details.as_ref().filter(|details| details.key.id == id);
                    shown.extend(told.and_then(|details| details.key.seal).map(|seal| (id, seal, true)));
                }
            }
            Said::Output(numbers, end) => {
                for id in chosen(state, numbers) {
                    let view = View { state, theme: &self.theme };
                    lines.extend(self.read.go_on(view, id, *end));
                }
            }
            Said::Remember(id, never, ruling) => lines.extend(remember::told(state, *id, *never, *ruling)),
            Said::List => {
                let open = state.queue.all().filter(|item| !item.status.closed());
                for item in open {
                    match &item.status {
                        Status::Waiting => lines.push(waits(state, item, state.queue.foresight(item.id))),
                        _ => lines.push(format!("operation {} {}: {}", item.id.0, stands(item), brief(state, item).0)),
                    }
                }
                if lines.is_empty() {
                    lines.push("nothing waits and nothing runs".to_owned());
                }
            }
            Said::Unasked(numbers) => {
                let view = View { state, theme: &self.theme };
                lines.extend(unasked::told(view, numbers.as_ref(), LISTED));
            }
            Said::Help => {
                lines.extend(LINES.iter().map(|(typed, says)| format!("{typed}: {says}")));
                lines.extend(typed().map(|(typed, says)| format!("{typed}: {says}")));
            }
            _ => {}
        }
        if lines.is_empty() && matches!(said, Said::Show(_) | Said::Output(..)) {
            lines.push("there is no such operation".to_owned());
        }
        (lines, shown)
    }

    /// The parts of outputs that are wanted from the disk.
    pub fn looks(&mut self) -> Vec<(OperationId, Look)> {
        self.read.looks()
    }

    /// A part of an output came from the disk, as lines.
    pub fn looked(&mut self, state: &State, id: OperationId, page: Option<&Page>) -> Vec<String> {
        self.read.looked(View { state, theme: &self.theme }, id, page)
    }
}

/// `operation 3 waits: HIGH sql DELETE FROM orders – 12 of 340 rows – deletes rows – type approve 3, deny 3 or show 3`
fn waits(state: &State, item: &Item, foresight: Option<&Foresight>) -> String {
    let risk = match item.judgement.as_ref().map(|judgement| judgement.risk) {
        Some(RiskLevel::Low) => "low",
        Some(RiskLevel::Medium) => "medium",
        Some(RiskLevel::High) | None => "HIGH",
    };
    let production = item.prepared.as_ref().is_some_and(|prepared| prepared.assessment.hits_production());
    let production = if production { " PRODUCTION" } else { "" };
    let (gist, whole) = brief(state, item);
    let mut parts = vec![format!("{risk}{production} {} {gist}", text::line(item.word()))];
    if let Some(prepared) = &item.prepared {
        parts.extend(Some(item::brief_target(prepared)).filter(|target| !target.is_empty()));
        let reason = item.judgement.as_ref().map_or("", |judgement| &judgement.reason);
        parts.extend(foresight.and_then(preview::brief));
        parts.push(text::line(prepared.hidden(reason).trim_end_matches('.')));
    }
    parts.extend(item.requeued.as_deref().map(|why| format!("it came back: {}", text::line(why))));
    parts.extend(state.queue.lacks(item.id).map(|lack| item::lacks(&lack)));
    parts.extend(state.queue.waits_for(item.id).map(|before| format!("after {}", before.0)));
    let number = item.id.0;
    parts.push(if item.is_open_form() {
        format!("type show {number}, then fill {number} FIELD: ANSWER, or deny {number}")
    } else if (risk == "HIGH" || item.answers().is_some()) && !whole {
        format!("type show {number}, then approve {number}, or deny {number}")
    } else {
        format!("type approve {number}, deny {number} or show {number}")
    });
    format!("operation {number} waits: {}", parts.join(" – "))
}

/// The beginning of what an operation would do, and whether that is all of its text.
fn brief(state: &State, item: &Item) -> (String, bool) {
    let gist = item::gist(&state.masks, item);
    let kept = text::fit(&gist, GIST).into_owned();
    let body = item.prepared.as_ref().map(|prepared| text::line(&prepared.operation.kind.text().body));
    let whole = body.is_some_and(|body| body == kept);
    (kept, whole)
}

fn stands(item: &Item) -> &'static str {
    match &item.status {
        Status::Preparing => "is being read",
        Status::Waiting => "waits",
        Status::Allowed { .. } => "starts when it is its turn",
        Status::Running { .. } => "runs",
        Status::Ended { .. } | Status::Denied { .. } | Status::Refused { .. } => "is over",
    }
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Succeeded { summary } => format!("done: {}", text::line(summary)),
        Outcome::Failed { reason } => {
            format!("failed: {}", text::line(&reason[..reason.floor_char_boundary(4_000)]))
        }
        Outcome::Cancelled => "was stopped".to_owned(),
        Outcome::TimedOut { seconds } => format!("timed out after {}", number::duration(seconds.saturating_mul(1_000))),
        Outcome::Lost => "was interrupted, outcome unknown".to_owned(),
    }
}

/// Operations that there are, of the numbers.
fn chosen(state: &State, numbers: &Numbers) -> Vec<OperationId> {
    state.queue.all().map(|item| item.id).filter(|id| numbers.contains(*id)).collect()
}

/// Others' text, line by line behind its sign.
fn behind<'a>(said: impl Iterator<Item = &'a str>, lines: &mut Vec<String>) {
    lines.extend(said.map(|line| format!("| {}", text::plain(line))));
}

pub fn flat(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect::<String>().trim_end().to_owned()
}
