//! The dialog: which operation, which seal, drawn yet, and what the next key would do. It decides nothing;
//! it tells `keys` whether a key counts.

use std::collections::BTreeSet;

use crossterm::event::KeyEvent;
use tui_textarea::TextArea;

use super::composer::type_into;
use super::dialog::AMONG;
use super::edit::Editor;
use super::event::{Millis, Sight};
use super::picker::Picker;
use super::remember::Remembering;
use super::scroll::Scroll;
use super::setup::Setup;
use crate::domain::{OperationId, RiskLevel, Seal};

/// How long after it was first drawn a dialog takes no deciding key, in milliseconds.
pub const GUARD: u64 = 400;

/// How a dialog shows its preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// As the preview needs it: it was there first, or came before anybody could read.
    Free,
    /// Room is kept, nothing has come yet.
    Kept,
    /// It came while the person read: in the room that was kept, so that nothing moves. What is longer waits for
    /// the person to scroll.
    Late,
    /// The person scrolled on to what came late: it stands below the text.
    Below,
}

/// What the dialog is asking right now.
#[derive(Debug)]
pub enum Asking {
    /// Approve, deny, or one of the others.
    Choice,
    /// A High was approved once; its number confirms.
    Confirm {
        /// Digits of the number typed so far.
        typed: String,
    },
    /// Why it is denied.
    Reason(Box<TextArea<'static>>),
    /// Several that wait, listed; a second key approves all of them.
    All {
        /// What was listed, with the seals of what was shown.
        listed: Vec<(OperationId, Seal)>,
        /// Which of them are high.
        high: Vec<OperationId>,
        /// What approving covers beside them.
        reach: Reach,
    },
    /// The rule that would be saved.
    Remember(Box<Remembering>),
    /// Which of those that wait are listed next.
    Pick {
        /// The numbers typed so far.
        typed: String,
    },
}

/// What approving a list covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The rest of the turn's operations like them, too.
    Turn,
    /// What is listed and nothing else.
    Listed,
}

/// The dialog about one operation.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts about what was on the screen
pub struct Dialog {
    /// The operation.
    pub id: OperationId,
    /// Exactly what is shown.
    pub seal: Seal,
    /// Its risk.
    pub risk: RiskLevel,
    /// What it asks.
    pub asking: Asking,
    /// Where its text is scrolled to.
    pub scroll: Scroll,
    /// How its preview is shown.
    pub placing: Placing,
    /// Whether the derivation is shown.
    pub derivation: bool,
    /// Whether secrets are shown, not masked.
    pub revealed: bool,
    /// When the operation, or the list of all, was first drawn.
    pub drawn: Option<Millis>,
    /// Whether what it asks now was drawn.
    pub prompted: bool,
    /// Whether the end of the text has been on the screen.
    pub end_seen: bool,
    /// The high operations of the list of all whose ends have been on the screen.
    pub ends_seen: BTreeSet<OperationId>,
    /// What it would do was measured anew behind what floats above it.
    pub(super) outdated: bool,
    /// It was opened to list several: who goes back from the list goes back to where that was asked for.
    pub for_list: bool,
    /// It opened without a key of the person's: whoever types into its first moment was typing a message.
    pub by_itself: bool,
    /// A sentence about the last key, such as why it didn't count.
    pub hint: Option<String>,
}

impl Dialog {
    /// A dialog that was not drawn yet.
    #[must_use]
    pub fn new(id: OperationId, seal: Seal, risk: RiskLevel, placing: Placing) -> Self {
        Self {
            placing,
            id,
            seal,
            risk,
            asking: Asking::Choice,
            scroll: Scroll::START,
            derivation: false,
            revealed: false,
            drawn: None,
            prompted: false,
            end_seen: false,
            ends_seen: BTreeSet::new(),
            outdated: false,
            for_list: false,
            by_itself: false,
            hint: None,
        }
    }

    /// The first high operation of a list of which nobody saw the end, and whether that is above what is in sight.
    pub(super) fn unseen(&self, sight: &Sight) -> Option<(OperationId, bool)> {
        let Asking::All { listed, high, .. } = &self.asking else { return None };
        let id = high.iter().find(|id| !self.ends_seen.contains(id)).copied()?;
        let place = |id: &OperationId| listed.iter().position(|(listed, _)| listed == id);
        let further = sight.ends.iter().any(|end| place(end) > place(&id));
        Some((id, further || self.scroll.top > 0 && self.scroll.top >= sight.limits.dialog))
    }

    /// A frame that showed `seal` was drawn at `now`, with the `end` of its text, or the `ends` of those in a list.
    pub(super) fn seen(&mut self, seal: Seal, end: bool, ends: &[OperationId], now: Millis) {
        if seal == self.seal {
            self.drawn.get_or_insert(now);
            self.prompted = true;
            // What the last key lacked is there now.
            let shown = match &self.asking {
                Asking::All { .. } => ends.iter().any(|id| !self.ends_seen.contains(id)),
                Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) => end && !self.end_seen,
                Asking::Pick { .. } | Asking::Remember(_) => false,
            };
            if shown && self.live(now) {
                self.hint = None;
            }
            match &self.asking {
                Asking::All { .. } => self.ends_seen.extend(ends),
                Asking::Choice | Asking::Confirm { .. } | Asking::Reason(_) => self.end_seen |= end,
                Asking::Pick { .. } | Asking::Remember(_) => {}
            }
        }
    }

    /// A preview came. In the first moment, when no key counts, it takes its best place, and if it `leads` that
    /// moves the text, so that the moment begins anew. Later nothing that the person reads may move.
    pub(super) fn landed(&mut self, leads: bool, now: Millis) {
        if self.placing != Placing::Kept {
            return;
        }
        let first = self.fresh(now) && self.scroll == Scroll::START && matches!(self.asking, Asking::Choice);
        if first && leads {
            self.drawn = None;
        }
        self.placing = if first { Placing::Free } else { Placing::Late };
    }

    /// It comes back from behind what floated above it: as new as any, and its secrets masked.
    pub(super) fn shown_anew(&mut self, placing: Placing) {
        self.placing = placing;
        self.drawn = None;
        self.prompted = false;
        self.revealed = false;
        self.hint = None;
        (self.end_seen, self.ends_seen) = (false, BTreeSet::new());
        if std::mem::take(&mut self.outdated) {
            self.changed();
        }
    }

    /// What it would do was measured anew, and is something else than the person read: no key counts before that was
    /// on the screen for a moment.
    pub(super) fn changed(&mut self) {
        self.drawn = None;
        self.prompted = false;
        self.hint = Some("Measured anew after what ran: it would do something else now.".to_owned());
    }

    /// Whether keys count: drawn, and the first moment after that is over.
    #[must_use]
    pub fn live(&self, now: Millis) -> bool {
        self.prompted && !self.fresh(now)
    }

    /// Whether it appeared a moment ago, so that a key was meant for something else.
    #[must_use]
    pub fn fresh(&self, now: Millis) -> bool {
        self.drawn.is_none_or(|drawn| now.since(drawn) < GUARD)
    }

    /// When keys begin to count, if that is still to come.
    #[must_use]
    pub fn live_at(&self) -> Option<Millis> {
        self.drawn.map(|drawn| drawn.plus(GUARD))
    }

    /// Asks something else, which must be drawn before a key counts again. A list that was not on the screen
    /// before is as new as a dialog.
    pub(super) fn ask(&mut self, asking: Asking) {
        if matches!(asking, Asking::All { .. }) {
            self.drawn = None;
            self.ends_seen.clear();
        }
        let listed = |asking: &Asking| matches!(asking, Asking::All { .. } | Asking::Pick { .. } | Asking::Remember(_));
        if listed(&asking) || listed(&self.asking) {
            self.scroll = Scroll::START;
        }
        self.asking = asking;
        self.prompted = false;
        self.hint = None;
    }

    /// Takes a key as typing of the reason.
    pub(super) fn reason_key(&mut self, key: KeyEvent) {
        if let Asking::Reason(area) = &mut self.asking {
            type_into(area, key);
        }
    }

    /// Whether it asks for the number that confirms.
    pub(super) fn confirms(&self) -> bool {
        match &self.asking {
            Asking::Confirm { .. } => true,
            Asking::Remember(remembering) => remembering.typed.is_some(),
            Asking::Choice | Asking::Reason(_) | Asking::All { .. } | Asking::Pick { .. } => false,
        }
    }

    /// Takes a digit of the number that confirms, if it counts: whether that is the operation's number now. None if it
    /// begins anew.
    pub(super) fn digit(&mut self, digit: char, counts: bool) -> Option<bool> {
        let number = self.id.0.to_string();
        let (typed, does) = match &mut self.asking {
            Asking::Confirm { typed } => (typed, "approve"),
            Asking::Remember(remembering) => (remembering.typed.as_mut()?, "save the rule and run it"),
            Asking::Choice | Asking::Reason(_) | Asking::All { .. } | Asking::Pick { .. } => return None,
        };
        typed.push(digit);
        if counts && number.starts_with(typed.as_str()) {
            return Some(*typed == number);
        }
        typed.clear();
        self.hint = Some(if counts {
            format!("That is not its number: type {number} to {does}.")
        } else {
            format!("{AMONG} type {number} by itself to {does}.")
        });
        None
    }
}

/// What floats above the panes.
#[derive(Debug)]
pub enum Modal {
    /// A dialog about an operation.
    Confirm(Box<Dialog>),
    /// The editor of an operation.
    Edit(Box<Editor>),
    /// A list to choose from.
    Pick(Box<Picker>),
    /// The page of the first start, over everything.
    Setup(Box<Setup>),
    /// Something to read.
    Page {
        /// What.
        page: Page,
        /// Where it is scrolled to.
        scroll: Scroll,
    },
}

/// What can be read above the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// What ran without a question in this session, why, and how it was contained.
    Unasked,
    /// One operation: its whole text, how it was judged and decided, and what came of it.
    Details(OperationId),
}

impl Modal {
    /// A page from its start.
    #[must_use]
    pub(super) fn page(page: Page) -> Self {
        Self::Page { page, scroll: Scroll::START }
    }
}
