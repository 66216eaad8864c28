//! The session by plain lines: what a typed line means, and decisions by number. A line approves only what was told
//! under its seal before the line was typed; a High only by its own number, once all of its text was told.

use super::State;
use super::event::{Effect, Millis};
use super::modal::{GUARD, Reach};
use super::numbers::Numbers;
use super::queue::Status;
use super::second::EARLY;
use crate::domain::{OperationId, Seal};

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing: the key that goes on.
    Nothing,
    /// `approve 1,3-5`
    Approve(Numbers),
    /// `approve all`
    ApproveAll,
    /// `deny 2`, `deny 2 because …`
    Deny(Numbers, Option<String>),
    /// `deny all`
    DenyAll,
    /// `cancel 3`
    Cancel(Numbers),
    /// `undo 3`
    Undo(OperationId),
    /// `again 3`
    Again(OperationId),
    /// `show 3`: everything about it.
    Show(Numbers),
    /// `output 3`: what it printed, a part at a time; `output 3 end`: the last part.
    Output(Numbers, bool),
    /// `remember 3`, `remember 3 wider 2`, `remember 3 always`; `never 3`: whether it is the second, and what of it.
    Remember(OperationId, bool, Ruling),
    /// `fill 3 name: Ann`: an answer in a form.
    Fill(OperationId, String),
    /// `edit 3: ls -l`: the text that takes the place of what would run; empty if none was typed.
    Edit(OperationId, String),
    /// `list`
    List,
    /// `unasked`, `unasked 1-40`: what ran without a question.
    Unasked(Option<Numbers>),
    /// `stop`
    Stop,
    /// `stop all`
    StopAll,
    /// `help`
    Help,
    /// A message, `!` and a command, or a line that begins with `/`.
    Line(String),
}

/// What can be typed, and what it does, for `help`.
pub const LINES: [(&str, &str); 14] = [
    (
        "approve 1,3-5",
        "let them run; a high one needs its own number in two lines, and `show` before if it is long; `approve all`: all that was told, by a second line",
    ),
    ("deny 2", "don't; `deny 2 because …` tells the model why; `deny all`: everything of this turn"),
    (
        "remember 3",
        "the rule that would ask no more; `remember 3 wider 2` (or narrower) changes its second part; `remember 3 session` (or turn, workspace, always) saves it and runs 3; `never 3`: the same to deny",
    ),
    ("show 3", "the whole operation, what it would do, why it asks, who decided"),
    (
        "output 3",
        "what it printed, |! before what came on standard error; once more: the next part; `output 3 end`: the last one",
    ),
    ("fill 3 name: Ann", "type an answer into a form that waits; then approve 3"),
    (
        "edit 3: ls -l",
        "put a text of yours in the place of its command, statement or content; it is judged anew, and waits for its own approve 3",
    ),
    ("list", "what waits and what runs"),
    ("unasked", "what ran without a question, why, and what was enforced; `unasked 1-40`: of these"),
    ("cancel 3", "stop it while it runs"),
    ("undo 3", "propose to take it back"),
    ("again 3", "propose it once more"),
    ("stop", "stop the model and what runs; `stop all`: and from now on everything asks"),
    ("help", "this"),
];

impl Said {
    /// Reads a line. A word counts only with what belongs to it: `show the tables` is a message.
    #[must_use]
    pub fn read(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
        let numbers = || Numbers::parse(rest);
        let single = || numbers().and_then(|numbers| numbers.single());
        let read = match word.to_ascii_lowercase().as_str() {
            "" => Some(Self::Nothing),
            "approve" if rest == "all" => Some(Self::ApproveAll),
            "approve" => numbers().map(Self::Approve),
            "deny" if rest == "all" => Some(Self::DenyAll),
            "deny" => match rest.split_once(" because ") {
                Some((which, why)) => Numbers::parse(which).map(|numbers| Self::Deny(numbers, Some(why.to_owned()))),
                // Whatever follows a number says why: a denial that isn't understood would let it wait.
                None => numbers().map(|numbers| Self::Deny(numbers, None)).or_else(|| {
                    let (which, why) = rest.split_once(char::is_whitespace)?;
                    Some(Self::Deny(Numbers::parse(which)?, Some(why.trim().to_owned())))
                }),
            },
            "remember" | "never" => ruled(word.eq_ignore_ascii_case("never"), rest),
            "cancel" => numbers().map(Self::Cancel),
            "undo" => single().map(Self::Undo),
            "again" => single().map(Self::Again),
            "show" => numbers().map(Self::Show),
            "output" => match rest.strip_suffix(" end") {
                Some(which) => Numbers::parse(which).map(|numbers| Self::Output(numbers, true)),
                None => numbers().map(|numbers| Self::Output(numbers, false)),
            },
            "fill" => rest.split_once(char::is_whitespace).filter(|(_, answer)| answer.contains(':')).and_then(
                |(which, answer)| {
                    let id = Numbers::parse(which).and_then(|numbers| numbers.single())?;
                    Some(Self::Fill(id, answer.trim().to_owned()))
                },
            ),
            "edit" => {
                let (which, text) = rest.split_once(':').unwrap_or((rest, ""));
                let id = Numbers::parse(which).and_then(|numbers| numbers.single());
                id.map(|id| Self::Edit(id, text.trim().to_owned()))
            }
            "list" if rest.is_empty() => Some(Self::List),
            "unasked" if rest.is_empty() => Some(Self::Unasked(None)),
            "unasked" => numbers().map(|numbers| Self::Unasked(Some(numbers))),
            "stop" if rest.is_empty() => Some(Self::Stop),
            "stop" if rest == "all" => Some(Self::StopAll),
            "help" | "/help" if rest.is_empty() => Some(Self::Help),
            "quit" if rest.is_empty() => Some(Self::Line("/quit".to_owned())),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Line(line.to_owned()))
    }
}

impl Said {
    /// Whether it counts at once, also while lines that were piped in before it still wait: it approves nothing and
    /// says nothing to the model.
    #[must_use]
    pub fn at_once(&self) -> bool {
        match self {
            Self::Stop | Self::StopAll | Self::Cancel(_) | Self::List | Self::Unasked(_) | Self::Help => true,
            Self::Nothing
            | Self::Approve(_)
            | Self::ApproveAll
            | Self::Deny(..)
            | Self::DenyAll
            | Self::Undo(_)
            | Self::Again(_)
            | Self::Show(_)
            | Self::Output(..)
            | Self::Remember(..)
            | Self::Fill(..)
            | Self::Edit(..)
            | Self::Line(_) => false,
        }
    }
}

/// What follows `remember` and `never`.
fn ruled(never: bool, rest: &str) -> Option<Said> {
    const SCOPES: [&str; 4] = ["turn", "session", "workspace", "always"];
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (number, words) = words.split_first()?;
    let id = Numbers::parse(number).and_then(|numbers| numbers.single())?;
    let ruling = match words {
        [] => Ruling::Tell,
        [word @ ("wider" | "narrower"), part] => Ruling::Part(part.parse().ok()?, *word == "wider"),
        [scope] => Ruling::Save(SCOPES.into_iter().find(|known| known == scope)?),
        _ => return None,
    };
    Some(Said::Remember(id, never, ruling))
}

/// What a line says of a rule that is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It is to be told.
    Tell,
    /// One of its parts, by its number, is made wider or narrower, and it is told.
    Part(usize, bool),
    /// It is saved for as long as this scope.
    Save(&'static str),
}

/// Whether a line is meant for what waits, not for the model, and says not what or which: also a number alone, as the
/// second line of a high one that something else was typed before, and `approve 1 please`.
fn decides_nothing(line: &str) -> bool {
    const WORDS: [&str; 8] = ["y", "yes", "n", "no", "ok", "approve", "deny", "approve it"];
    let line = line.trim_end_matches(['.', '!']);
    let numbered = |text: &str| text.trim_start_matches('#').starts_with(|letter: char| letter.is_ascii_digit());
    WORDS.iter().any(|word| line.eq_ignore_ascii_case(word))
        || line.trim_start_matches('#').parse::<u64>().is_ok()
        || line.split_once(' ').is_some_and(|(word, rest)| matches!(word, "approve" | "deny") && numbered(rest))
}

/// What was told of an operation that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Exactly what.
    seal: Seal,
    /// When.
    at: Millis,
    /// When all of its text was, if it was.
    whole: Option<Millis>,
}

impl State {
    /// No dialog opens from now on: decisions come as lines.
    pub fn go_linear(&mut self) {
        self.linear = true;
    }

    /// Whether decisions come as lines: there are no keys then.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.linear
    }

    /// An operation was told under a seal.
    pub(super) fn told(&mut self, id: OperationId, seal: Seal, whole: bool) {
        let at = self.now;
        let whole = whole.then_some(at);
        let told = self.told.entry(id).and_modify(|told| {
            if told.seal == seal {
                told.whole = told.whole.or(whole);
            } else {
                *told = Told { seal, at, whole };
            }
        });
        told.or_insert(Told { seal, at, whole });
    }

    /// A line that was typed at `typed`.
    pub(super) fn said(&mut self, said: Said, typed: Millis, effects: &mut Vec<Effect>) {
        self.hint = None;
        let before = self.stops.pressed();
        self.said_now(said, typed, effects);
        self.stops.settle(before);
    }

    fn said_now(&mut self, said: Said, typed: Millis, effects: &mut Vec<Effect>) {
        if self.setup().is_some() {
            return match said {
                Said::Line(line) => self.setup_line(&line, effects),
                Said::Nothing => self.setup_line("", effects),
                _ => self.hint = Some("First the questions above: type a number, or skip.".to_owned()),
            };
        }
        if self.list_line(&said, effects) {
            return;
        }
        // Whatever else is typed waits for the answer about the folder, but for leaving.
        if self.arriving() && !matches!(&said, Said::Line(line) if matches!(line.as_str(), "/quit" | "/exit")) {
            return;
        }
        if self.second_line(&said, typed, effects) {
            return;
        }
        match said {
            Said::Line(line) if decides_nothing(&line) && self.queue.waiting().next().is_some() => {
                let waits: Vec<String> = self.queue.waiting().map(|item| item.id.to_string()).collect();
                self.hint = Some(format!(
                    "Nothing was decided or sent: say which, approve or deny and a number. {} {}.",
                    waits.join(", "),
                    if waits.len() == 1 { "waits" } else { "wait" },
                ));
            }
            Said::Approve(numbers) => self.approve_told(&numbers, typed, effects),
            Said::ApproveAll => self.approve_all_told(typed),
            Said::Deny(numbers, why) => self.deny_told(&numbers, why.as_deref(), effects),
            Said::DenyAll => self.deny_all(effects),
            Said::Cancel(numbers) => self.cancel_told(&numbers, effects),
            Said::Undo(id) => self.undo(id, effects),
            Said::Again(id) => self.run_again(id, effects),
            Said::Remember(id, never, ruling) => self.remember_line((id, never), ruling, typed, effects),
            Said::Fill(id, answer) => self.fill_in(id, &answer, effects),
            Said::Edit(id, text) => self.edit_line(id, &text, effects),
            Said::Stop => {
                if !self.stop(effects) {
                    self.hint = Some("Nothing runs.".to_owned());
                }
            }
            Said::StopAll => self.stop_everything(effects),
            Said::Nothing => self.line("", effects),
            Said::Line(text) => self.line(&text, effects),
            Said::Output(numbers, _) => self.read_back_some(&numbers, effects),
            // They change nothing: the front end tells them.
            Said::Show(_) | Said::List | Said::Unasked(_) | Said::Help => {}
        }
    }

    /// Takes a number, or a yes or no, as a row of the list that is open, and what follows a `?` as what narrows it. False for every
    /// other line, which closes it.
    fn list_line(&mut self, said: &Said, effects: &mut Vec<Effect>) -> bool {
        let Some(picker) = self.picker_mut() else { return false };
        let line = if let Said::Line(line) = said { line.as_str() } else { "" };
        if let Some(words) = line.strip_prefix('?') {
            words.trim().clone_into(&mut picker.typed);
            picker.narrow();
            return true;
        }
        let row = picker.row_said(line);
        if let Some(number) = line.parse::<usize>().ok().or(row) {
            let at = number.checked_sub(1).filter(|at| picker.pick(*at).is_some());
            match at {
                Some(at) => self.choose_row(at, effects),
                None => self.hint = Some(format!("There is no {number} in the list.")),
            }
            return true;
        }
        self.modal = None;
        false
    }

    /// A message or a line of the person's own, as from the composer.
    fn line(&mut self, text: &str, effects: &mut Vec<Effect>) {
        if let Some(choice) = self.chosen(text) {
            return self.send(choice, effects);
        }
        self.composer.put(text);
        self.enter(effects);
        // What couldn't be read is typed anew: a line has no draft.
        self.composer.put("");
    }

    fn approve_told(&mut self, numbers: &Numbers, typed: Millis, effects: &mut Vec<Effect>) {
        let waiting: Vec<OperationId> =
            self.queue.waiting().map(|item| item.id).filter(|id| numbers.contains(*id)).collect();
        let (mut kept, mut high) = (Vec::new(), Vec::new());
        for id in &waiting {
            match (self.objection_to(*id, numbers, typed), self.queue.gate.seal(*id)) {
                (None, Some(seal)) if self.is_high(*id) => high.push((*id, seal)),
                (None, Some(seal)) => drop(self.approve(*id, seal, effects)),
                (refusal, _) => kept.extend(refusal),
            }
        }
        if waiting.is_empty() {
            kept.push("none of them waits".to_owned());
        }
        let asked = if high.is_empty() { None } else { Some(self.ask_second(high, Reach::Listed)) };
        let refused = (!kept.is_empty()).then(|| format!("Not approved: {}", kept.join("; ")));
        let said = refused.into_iter().chain(asked).collect::<Vec<_>>().join(". ");
        self.hint = (!said.is_empty()).then(|| format!("{said}."));
    }

    /// Why an operation that waits isn't approved by a line about it alone.
    pub(super) fn not_told(&self, id: OperationId, typed: Millis) -> Option<String> {
        self.objection_to(id, &Numbers::one(id), typed)
    }

    /// The same for a line about several.
    pub(super) fn objection_to(&self, id: OperationId, numbers: &Numbers, typed: Millis) -> Option<String> {
        match (self.queue.gate.seal(id), self.told.get(&id)) {
            (Some(seal), Some(told)) if told.seal == seal => self.objection(id, *told, numbers, typed),
            _ => Some(format!("{id} was not told yet: look first")),
        }
    }

    /// Why an operation that was told isn't approved by this line.
    fn objection(&self, id: OperationId, told: Told, numbers: &Numbers, typed: Millis) -> Option<String> {
        let high = self.is_high(id);
        let early = |told: Millis| typed < told.plus(GUARD);
        // What is sent to a server, defaults and all, isn't in the first line.
        let sends = self.queue.get(id).is_some_and(|item| item.answers().is_some());
        let is = if high { "is high" } else { "answers a server" };
        if self.queue.get(id).is_some_and(super::Item::is_open_form) {
            Some(format!("{id} is still open: fill {} FIELD: ANSWER", id.0))
        } else if early(told.at) {
            Some(format!("{id}: {EARLY}: look first"))
        } else if high && !numbers.names(id) {
            Some(format!("{id} is high: type approve {}", id.0))
        } else if (high || sends) && told.whole.is_none() {
            Some(format!("{id} {is}: type show {} first", id.0))
        } else if (high || sends) && told.whole.is_some_and(early) {
            Some(format!("{id} {is}, and {EARLY}: look first"))
        } else {
            None
        }
    }

    fn deny_told(&mut self, numbers: &Numbers, why: Option<&str>, effects: &mut Vec<Effect>) {
        let waiting: Vec<OperationId> =
            self.queue.waiting().map(|item| item.id).filter(|id| numbers.contains(*id)).collect();
        if waiting.is_empty() {
            self.hint = Some("None of them waits.".to_owned());
        }
        match why {
            Some(why) => {
                for id in waiting {
                    self.deny_one(id, Some(why.to_owned()), effects);
                }
            }
            None => self.deny_several(waiting, effects),
        }
    }

    fn cancel_told(&mut self, numbers: &Numbers, effects: &mut Vec<Effect>) {
        let runs = |item: &&super::Item| matches!(item.status, Status::Running { .. }) && numbers.contains(item.id);
        let running: Vec<OperationId> = self.queue.running().filter(runs).map(|item| item.id).collect();
        if running.is_empty() {
            self.hint = Some("None of them runs.".to_owned());
        }
        effects.extend(running.into_iter().map(Effect::Cancel));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_with_what_belongs_to_them_and_everything_else_is_a_message() {
        assert!(matches!(Said::read("approve 1,3-5"), Said::Approve(_)));
        assert!(matches!(Said::read("Approve 1"), Said::Approve(_)));
        assert!(matches!(Said::read(" deny 2 because it is wrong "), Said::Deny(_, Some(why)) if why == "it is wrong"));
        assert!(matches!(Said::read("deny 2 not that one"), Said::Deny(_, Some(why)) if why == "not that one"));
        assert_eq!([Said::read("deny all"), Said::read("approve all")], [Said::DenyAll, Said::ApproveAll]);
        assert!(matches!(Said::read("output 3 end"), Said::Output(_, true)));
        assert_eq!(Said::read("unasked"), Said::Unasked(None));
        assert!(matches!(Said::read("unasked 1-40"), Said::Unasked(Some(_))));
        assert_eq!(Said::read(""), Said::Nothing);
        for message in
            ["show the tables", "approve", "approve it", "undo that", "list the files", "unasked questions", "y"]
        {
            assert_eq!(Said::read(message), Said::Line(message.to_owned()));
        }
    }
}
