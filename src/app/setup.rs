//! The first start, and `countersign setup`: who serves the model, which one, what runs unasked. Pure: it asks for
//! lists and trials by effects, and what was chosen is written by another. A key is never typed here.

use super::chosen::{Chosen, KeyWay, Offer, Sort};
use super::event::Effect;
use crate::domain::ApprovalMode;

/// The word of the built-in model.
pub(super) const PRACTICE: &str = "practice";
/// Longest line that is typed here, in bytes.
pub(super) const LONGEST: usize = 300;

/// What the first start wants done. Each carries its number: what comes late for an older one is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Look which servers answer on this machine.
    Probe,
    /// Ask the provider for its models.
    List(u64, Chosen),
    /// Try the model.
    Try(u64, Chosen),
    /// Write it down, and switch to it.
    Write(u64, Chosen),
    /// Remember that nothing is wanted.
    Skip,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// A server on this machine answers, with so many models.
    Answers(String, usize),
    /// The models that there are.
    Listed(u64, Result<Vec<String>, String>),
    /// What the model answered.
    Tried(u64, Result<String, String>),
    /// Where it was written; or why it wasn't.
    Written(u64, Result<String, String>),
}

/// What is asked right now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Who serves the model.
    #[default]
    Provider,
    /// Where the server is.
    Address,
    /// Where the key comes from.
    Key,
    /// What the variable, the command or the keyring's entry is.
    KeyName,
    /// Which model.
    Model,
    /// What runs unasked.
    Mode,
}

/// Something that is fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fetched<T> {
    /// Nobody asked.
    #[default]
    No,
    /// It is under way.
    Waits,
    /// Here it is.
    Here(T),
    /// It failed, with what to do.
    Failed(String),
}

/// The page of the first start.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub struct Setup {
    /// Who can be chosen.
    pub offers: Vec<Offer>,
    /// What is asked.
    pub stage: Stage,
    /// The row that is chosen in what is asked.
    pub at: usize,
    /// The line that is typed.
    pub typed: String,
    /// What was chosen so far.
    pub chosen: Chosen,
    /// The name of the provider that was chosen.
    pub name: String,
    /// Its models.
    pub models: Fetched<Vec<String>>,
    /// What the model answered when it was tried.
    pub trial: Fetched<String>,
    /// What the last key had to say.
    pub hint: Option<String>,
    /// Whether it was asked for, and there may be a configuration already.
    pub again: bool,
    /// What the configuration names already: it is chosen until the person chooses something else. Its provider is
    /// empty where the environment decides.
    pub configured: Option<Chosen>,
    /// What kind of row was taken.
    taken: Sort,
    /// The person said to write it although the model didn't answer.
    anyway: bool,
    writing: bool,
    pub(super) number: u64,
    pub(super) probed: bool,
}

/// The ways to a key, as they are offered: what it is, and an example.
pub const KEYS: [(&str, &str); 3] = [
    ("another variable of the environment", "TEAM_KEY"),
    ("a command that prints it", "pass show openai"),
    ("an entry of the system's keyring", "openai"),
];

/// The modes that are offered, each with what it means.
pub const MODES: [(ApprovalMode, &str); 2] = [
    (
        ApprovalMode::Guarded,
        "what clearly only reads runs unasked; tests, and commands that the model calls low risk, on a copy of the folder, where new files alone are put in place; everything else asks you",
    ),
    (ApprovalMode::Smart, "what the model calls low risk runs too, even deleting: fewer questions, on its word"),
];

/// Offered where it is configured: nobody loses it by asking again.
const STRICT: (ApprovalMode, &str) = (ApprovalMode::Strict, "everything asks you, reads too");

impl Setup {
    /// The page, with who can be chosen.
    #[must_use]
    pub fn new(mut offers: Vec<Offer>, again: bool) -> Self {
        offers.sort_by_key(Offer::rank);
        Self { offers, again, ..Self::default() }
    }

    /// The same where the configuration names something already.
    #[must_use]
    pub fn already(mut self, configured: Chosen) -> Self {
        let typed = |offer: &Offer| offer.sort == Sort::Address;
        let named = |offer: &Offer| offer.word == configured.provider;
        let elsewhere = configured.address.is_some() && self.offers.iter().any(|offer| named(offer) && typed(offer));
        if let Some(offer) = self.offers.iter_mut().find(|offer| named(offer) && typed(offer) == elsewhere) {
            offer.configured = true;
        }
        self.offers.sort_by_key(Offer::rank);
        Self { configured: Some(configured), ..self }
    }

    /// The modes that are offered, each with what it means.
    #[must_use]
    pub fn modes(&self) -> Vec<(ApprovalMode, &'static str)> {
        let strict = self.configured.as_ref().is_some_and(|configured| configured.mode == ApprovalMode::Strict);
        MODES.into_iter().chain(strict.then_some(STRICT)).collect()
    }

    /// What is configured, if what was chosen so far is the same provider at the same place.
    #[must_use]
    pub fn unchanged(&self) -> Option<&Chosen> {
        let chosen = &self.chosen;
        self.configured.as_ref().filter(|old| old.provider == chosen.provider && old.address == chosen.address)
    }

    /// The models whose names hold what is typed.
    #[must_use]
    pub fn matching(&self) -> Vec<&str> {
        let Fetched::Here(models) = &self.models else { return Vec::new() };
        let typed = self.typed.to_lowercase();
        models.iter().map(String::as_str).filter(|model| model.to_lowercase().contains(&typed)).collect()
    }

    /// How many rows can be chosen.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self.stage {
            Stage::Provider => self.offers.len(),
            Stage::Address | Stage::KeyName => 0,
            Stage::Key => KEYS.len() + 1,
            Stage::Model => self.matching().len(),
            Stage::Mode => self.modes().len(),
        }
    }

    /// Whether a line is typed.
    #[must_use]
    pub fn types(&self) -> bool {
        matches!(self.stage, Stage::Address | Stage::KeyName | Stage::Model)
    }

    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn go(&mut self, stage: Stage) {
        (self.stage, self.at, self.hint) = (stage, 0, None);
        self.typed.clear();
        match stage {
            Stage::Provider | Stage::KeyName => {}
            Stage::Address => self.typed = self.chosen.address.clone().unwrap_or_default(),
            Stage::Key => self.at = self.unchanged().map_or(0, |configured| configured.key.row()),
            Stage::Model => self.choose_model(),
            Stage::Mode => {
                let mode = self.chosen.mode;
                self.at = self.modes().iter().position(|(offered, _)| *offered == mode).unwrap_or(0);
            }
        }
    }

    /// The model that was chosen already is chosen in the list; one that isn't listed is typed.
    fn choose_model(&mut self) {
        let Some(model) = self.chosen.model.clone() else { return };
        match &self.models {
            Fetched::No | Fetched::Waits => {}
            Fetched::Here(models) if models.contains(&model) => {
                self.at = models.iter().position(|listed| *listed == model).unwrap_or(0);
            }
            Fetched::Here(_) | Fetched::Failed(_) => (self.at, self.typed) = (usize::MAX, model),
        }
    }

    /// Whether the chosen provider has a usual place.
    #[must_use]
    pub fn at_home(&self) -> bool {
        self.taken == Sort::Provider
    }

    /// Whether it is asked where the key comes from.
    fn asks_key(&self) -> bool {
        self.lacks().is_some() || self.unchanged().is_some_and(|configured| configured.key != KeyWay::Usual)
    }

    /// Goes on once it is known where the server is.
    fn placed(&mut self, effects: &mut Vec<Effect>) {
        if self.asks_key() {
            self.go(Stage::Key);
        } else {
            self.list(effects);
        }
    }

    /// Takes the row or the line.
    pub(super) fn take(&mut self, effects: &mut Vec<Effect>) {
        match self.stage {
            Stage::Provider => self.take_provider(effects),
            Stage::Address => {
                let typed = self.typed.trim().to_owned();
                let usual = typed.is_empty() && self.at_home();
                if !usual && (typed.is_empty() || typed.contains(char::is_whitespace)) {
                    self.hint = Some("Type its address, such as http://127.0.0.1:8080/v1".to_owned());
                    return;
                }
                self.chosen.address = (!usual).then_some(typed);
                if self.unchanged().is_none() {
                    // A key that is configured for one server never goes to another.
                    self.chosen.key = KeyWay::Usual;
                }
                self.placed(effects);
            }
            Stage::Key if self.at == 0 => {
                self.chosen.key = KeyWay::Usual;
                match self.lacks() {
                    Some(variable) => {
                        self.hint = Some(format!(
                            "Leave with ctrl+q, set {variable} in your shell, start again. Or choose another way."
                        ));
                    }
                    None => self.list(effects),
                }
            }
            Stage::Key => {
                let way = self.at;
                self.go(Stage::KeyName);
                self.at = way;
                self.typed = self.configured_key().map(KeyWay::typed).unwrap_or_default();
            }
            Stage::KeyName => {
                let typed = self.typed.trim().to_owned();
                if typed.is_empty() {
                    self.hint = Some("Type its name. The key itself is never typed here.".to_owned());
                    return;
                }
                self.chosen.key = match (self.configured_key(), self.at) {
                    // A word of a command may hold spaces: what wasn't changed stays as it is.
                    (Some(key), _) if key.typed() == typed => key.clone(),
                    (_, 1) => KeyWay::Variable(typed.trim_start_matches('$').to_owned()),
                    (_, 2) => KeyWay::Command(typed.split_whitespace().map(str::to_owned).collect()),
                    _ => KeyWay::Keyring(typed),
                };
                self.list(effects);
            }
            Stage::Model => {
                let typed = self.typed.trim();
                let listed = self.matching().get(self.at).map(|model| (*model).to_owned());
                match listed.or_else(|| (!typed.is_empty()).then(|| typed.to_owned())) {
                    Some(model) => {
                        self.chosen.model = Some(model);
                        self.try_out(effects);
                    }
                    None if self.models == Fetched::Waits => {
                        self.hint = Some("The list is on its way. Or type the model's name.".to_owned());
                    }
                    None => self.hint = Some("Type the model's name.".to_owned()),
                }
            }
            Stage::Mode => self.finish(effects),
        }
    }

    /// The key that is configured, if the way to it is the one that is chosen now.
    fn configured_key(&self) -> Option<&KeyWay> {
        self.unchanged().map(|configured| &configured.key).filter(|key| key.row() == self.at)
    }

    /// The usual variable of the chosen provider, where it isn't set.
    #[must_use]
    pub fn lacks(&self) -> Option<String> {
        let taken = |offer: &&Offer| offer.word == self.chosen.provider && offer.sort == self.taken;
        self.offers.iter().find(taken)?.lacks.clone()
    }

    fn take_provider(&mut self, effects: &mut Vec<Effect>) {
        let Some(offer) = self.offers.get(self.at).cloned() else { return };
        self.chosen = match &self.configured {
            Some(configured) if offer.configured => configured.clone(),
            other => {
                let mode = other.as_ref().map(|configured| configured.mode).unwrap_or_default();
                Chosen { provider: offer.word, mode, ..Chosen::default() }
            }
        };
        (self.name, self.taken) = (offer.name, offer.sort);
        (self.models, self.trial, self.anyway) = (Fetched::No, Fetched::No, false);
        match offer.sort {
            Sort::Practice => self.go(Stage::Mode),
            Sort::Address => self.go(Stage::Address),
            Sort::Provider if self.chosen.address.is_some() => self.go(Stage::Address),
            Sort::Provider => self.placed(effects),
        }
    }

    fn list(&mut self, effects: &mut Vec<Effect>) {
        self.models = Fetched::Waits;
        self.go(Stage::Model);
        let number = self.next();
        effects.push(Effect::Setup(Step::List(number, self.chosen.clone())));
    }

    fn try_out(&mut self, effects: &mut Vec<Effect>) {
        self.go(Stage::Mode);
        (self.trial, self.anyway) = (Fetched::Waits, false);
        let number = self.next();
        effects.push(Effect::Setup(Step::Try(number, self.chosen.clone())));
    }

    fn finish(&mut self, effects: &mut Vec<Effect>) {
        if self.writing {
            return;
        }
        match &self.trial {
            Fetched::Failed(_) | Fetched::Waits if !self.anyway => {
                self.anyway = true;
                let how = if self.trial == Fetched::Waits { "It hasn't answered yet" } else { "It didn't answer" };
                self.hint = Some(format!("{how}. Enter again writes it all the same; left goes back."));
                return;
            }
            Fetched::No | Fetched::Here(_) | Fetched::Failed(_) | Fetched::Waits => {}
        }
        self.chosen.mode = self.modes().get(self.at).map_or(ApprovalMode::Guarded, |(mode, _)| *mode);
        self.writing = true;
        let number = self.next();
        effects.push(Effect::Setup(Step::Write(number, self.chosen.clone())));
    }

    /// One question back. False at the first.
    pub(super) fn back(&mut self) -> bool {
        let to = match self.stage {
            Stage::Provider => return false,
            Stage::KeyName => Stage::Key,
            Stage::Model if self.asks_key() => Stage::Key,
            Stage::Key | Stage::Model if self.chosen.address.is_some() => Stage::Address,
            Stage::Address | Stage::Key | Stage::Model => Stage::Provider,
            Stage::Mode if self.trial == Fetched::No => Stage::Provider,
            Stage::Mode => Stage::Model,
        };
        // What is still on its way belongs to a question that is no longer asked.
        self.number += 1;
        if self.models == Fetched::Waits {
            self.models = Fetched::No;
        }
        self.trial = Fetched::No;
        self.go(to);
        true
    }

    pub(super) fn type_in(&mut self, letter: char) {
        if self.typed.len() < LONGEST && !letter.is_control() {
            self.typed.push(letter);
            if self.stage == Stage::Model {
                self.at = 0;
            }
        }
    }

    /// Puts a text in the place of what is typed.
    pub(super) fn type_over(&mut self, text: &str) {
        text.clone_into(&mut self.typed);
        if self.stage == Stage::Model {
            self.at = 0;
        }
    }

    pub(super) fn done(&mut self, done: Done) {
        match done {
            Done::Answers(word, models) => self.answers(&word, models),
            Done::Listed(number, listed) if number == self.number => {
                self.models = match listed {
                    Ok(models) => Fetched::Here(models),
                    Err(why) => Fetched::Failed(without_message(&why)),
                };
                if self.typed.is_empty() {
                    self.choose_model();
                }
            }
            Done::Tried(number, tried) if number == self.number => {
                self.anyway = false;
                self.hint = None;
                self.trial = match tried {
                    Ok(said) => Fetched::Here(said),
                    Err(why) => Fetched::Failed(without_message(&why)),
                };
            }
            Done::Written(number, Err(why)) if number == self.number => {
                self.writing = false;
                self.hint = Some(why);
            }
            Done::Listed(..) | Done::Tried(..) | Done::Written(..) => {}
        }
    }

    /// A server on this machine answers: it moves up to what was found, unless the person already moved.
    fn answers(&mut self, word: &str, models: usize) {
        let Some(from) = self.offers.iter().position(|offer| offer.word == word && offer.sort == Sort::Provider) else {
            return;
        };
        let offer = &mut self.offers[from];
        let models =
            if models == 0 { "no model yet".to_owned() } else { crate::domain::number::count(models, "model") };
        offer.note = format!("answers at {}, {models}", offer.place);
        if !std::mem::replace(&mut offer.found, true) && self.stage == Stage::Provider {
            let chosen = self.offers.get(self.at).map(|offer| offer.word.clone());
            let moved = self.at > 0;
            self.offers.sort_by_key(Offer::rank);
            self.at = match chosen {
                Some(word) if moved => self.offers.iter().position(|offer| offer.word == word).unwrap_or(0),
                _ => 0,
            };
        }
    }
}

/// A failure, told where no message was sent that could be sent again.
fn without_message(why: &str) -> String {
    why.replace("then send the message again", "then go back and try again")
}
