//! The picker: a list above the panes that typing narrows. It opens only by a key or a line of the person's, it
//! never approves an operation, and what stands in the composer stays there.
//!
//! # Opening one
//!
//! ```text
//! let rows = vec![Row::new("careful", Pick::Line("/model careful".to_owned())).detail("claude-opus-4-1")];
//! state.open_picker(Picker::new("Models", rows));
//! ```
//!
//! What choosing a row does is its [`Pick`]; most are a [`Pick::Line`]: a `/` line as if it were typed, so that the
//! list, the composer and a session by plain lines do the same. Rows that come from disk: open
//! `Picker::reading("Sessions", "No session yet.")`, put the number that `open_picker` returns into your effect, and
//! answer with [`Event::Filled`](super::Event::Filled); an answer for a picker that is closed is dropped.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::State;
use super::event::Effect;
use super::fuzzy::Fuzzy;
use super::keymap::{Command, Context};
use super::modal::{Dialog, Modal};
use super::row::LONGEST;
use super::row::{Fit, Pick, Row};
use super::sight::page;

/// Most rows of a picker; further ones are dropped, and it says so.
pub const MOST: usize = 2_000;

/// Which picker, for rows that come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickerId(pub u64);

/// How a list is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Row below row.
    List,
    /// A question: sentences, and its few answers below. What is typed narrows nothing: `y` and `n` go to their rows.
    Question(Vec<String>),
    /// Rows with the same detail below it as their heading, in columns. They keep their order.
    Grouped,
}

/// The list.
#[derive(Debug)]
pub struct Picker {
    /// What it lists.
    pub title: String,
    /// What a row of it is, as in `12 rules`.
    pub noun: &'static str,
    /// What was typed to narrow it.
    pub typed: String,
    /// Which one it is.
    pub id: PickerId,
    /// Its rows are still being read.
    pub reading: bool,
    /// How many rows there were no room for.
    pub dropped: usize,
    /// How it is laid out.
    pub form: Form,
    empty: String,
    /// The dialog that it was opened from, and leads back to.
    pub(super) over: Option<Box<Dialog>>,
    rows: Vec<Row>,
    /// The rows that fit, best first.
    fits: Vec<usize>,
    /// Which of those is chosen by enter.
    at: usize,
    /// Which of those is drawn first.
    top: usize,
}

impl Picker {
    /// A list of rows, in their order until something is typed.
    #[must_use]
    pub fn new(title: &str, rows: Vec<Row>) -> Self {
        let mut picker = Self::reading(title, "There is nothing to choose from.");
        picker.fill(rows);
        picker
    }

    /// A list whose rows come later, and what it says if there are none.
    #[must_use]
    pub fn reading(title: &str, empty: &str) -> Self {
        Self {
            title: title.to_owned(),
            noun: "row",
            typed: String::new(),
            id: PickerId(0),
            reading: true,
            dropped: 0,
            form: Form::List,
            empty: empty.to_owned(),
            over: None,
            rows: Vec::new(),
            fits: Vec::new(),
            at: 0,
            top: 0,
        }
    }

    /// The same with a row chosen at first, by its place in the list.
    #[must_use]
    pub fn at(mut self, row: usize) -> Self {
        self.at = row.min(self.fits.len().saturating_sub(1));
        self
    }

    /// The same, a row of it being called so.
    #[must_use]
    pub(super) fn of(self, noun: &'static str) -> Self {
        Self { noun, ..self }
    }

    /// The same, saying this where it has no rows.
    #[must_use]
    pub(super) fn or_else(mut self, empty: &str) -> Self {
        empty.clone_into(&mut self.empty);
        self
    }

    /// The same, laid out so.
    #[must_use]
    pub(super) fn laid_out(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// The same, leading back to a dialog.
    #[must_use]
    pub(super) fn over(mut self, dialog: Option<Box<Dialog>>) -> Self {
        self.over = dialog;
        self
    }

    fn fill(&mut self, mut rows: Vec<Row>) {
        self.dropped = rows.len().saturating_sub(MOST);
        rows.truncate(MOST);
        self.rows = rows;
        self.reading = false;
        self.narrow();
    }

    /// Finds the rows that fit what was typed, and goes to the best.
    pub(super) fn narrow(&mut self) {
        if matches!(self.form, Form::Question(_)) {
            self.at = self.row_said(&self.typed).map_or(self.at, |row| row - 1);
            return;
        }
        let mut fuzzy = Fuzzy::new(&self.typed);
        let mut fits: Vec<(u32, usize)> = Vec::new();
        // Where rows have what was typed as it was typed, those that have its letters somewhere are none.
        let typed = self.typed.to_lowercase();
        let holds = |row: &Row| {
            let said = format!("{} {} {}", row.label, row.detail, row.key).to_lowercase();
            typed.split_whitespace().all(|word| said.contains(word))
        };
        let exact = typed.trim().len() > 2 && self.rows.iter().any(holds);
        for (at, row) in self.rows.iter().enumerate().filter(|(_, row)| !exact || holds(row)) {
            // A fit of the label alone is worth more than one that needs the detail.
            let own = fuzzy.score(&row.label).map(|score| score.saturating_mul(2));
            let score = own.or_else(|| fuzzy.score(&format!("{} {}", row.label, row.detail)));
            // A key, or what is typed in its place, is looked for as it begins.
            let begins = |key: &str| self.typed.len() > 1 && key.starts_with(self.typed.as_str());
            let score = score.or_else(|| (begins(&row.key) || begins(row.key.trim_start_matches('/'))).then_some(0));
            fits.extend(score.map(|score| (score, at)));
        }
        let best = |(score, at): &(u32, usize)| (std::cmp::Reverse(*score), *at);
        (self.at, self.top) = (0, 0);
        if self.form == Form::Grouped {
            self.at = (0..fits.len()).min_by_key(|place| best(&fits[*place])).unwrap_or(0);
        } else {
            fits.sort_by_key(best);
        }
        self.fits = fits.into_iter().map(|(_, at)| at).collect();
    }

    /// How many rows fit, and of how many.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.fits.len(), self.rows.len())
    }

    /// Which of the rows that fit is chosen by enter.
    #[must_use]
    pub fn selected(&self) -> usize {
        self.at
    }

    /// The first of the rows that fit to be drawn where so many can be: the chosen one is among them.
    #[must_use]
    pub fn first(&self, height: usize) -> usize {
        let least = (self.at + 1).saturating_sub(height);
        self.top.clamp(least, self.at)
    }

    /// Rows that fit, from one on, with the letters that do.
    #[must_use]
    pub fn fits(&self, first: usize, count: usize) -> Vec<Fit<'_>> {
        let mut fuzzy = Fuzzy::new(&self.typed);
        let rows = self.fits.iter().skip(first).take(count).filter_map(|at| self.rows.get(*at));
        rows.map(|row| {
            let (label, detail) = match fuzzy.score(&row.label) {
                Some(_) => (fuzzy.marks(&row.label), Vec::new()),
                None => parted(&row.label, fuzzy.marks(&format!("{} {}", row.label, row.detail))),
            };
            Fit { row, label, detail }
        })
        .collect()
    }

    /// What it says where no row is.
    #[must_use]
    pub fn says(&self) -> &str {
        if self.reading {
            "reading…"
        } else if self.rows.is_empty() {
            &self.empty
        } else {
            "Nothing fits."
        }
    }

    /// What is chosen by enter, if anything is.
    #[must_use]
    pub fn pick(&self, at: usize) -> Option<&Pick> {
        self.fits.get(at).and_then(|at| self.rows.get(*at)).map(|row| &row.pick)
    }

    /// The row, counted from 1, that a yes or a no means in a list that asks for one.
    pub(super) fn row_said(&self, line: &str) -> Option<usize> {
        let word = match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => "Yes",
            "n" | "no" => "No",
            _ => return None,
        };
        let means = |at: &usize| self.rows[*at].label.split([',', ' ']).next() == Some(word);
        self.fits.iter().position(means).map(|at| at + 1)
    }

    /// Whether what was typed is no answer to the question.
    fn misses(&self) -> bool {
        let asks = matches!(self.form, Form::Question(_));
        asks && !self.typed.is_empty() && self.row_said(&self.typed).is_none()
    }

    fn by(&mut self, rows: isize, height: usize) {
        self.top = self.first(height);
        self.at = self.at.saturating_add_signed(rows).min(self.fits.len().saturating_sub(1));
        self.top = self.first(height);
    }

    /// Types a letter, or takes letters back. False if the key does neither.
    fn typing(&mut self, key: KeyEvent) -> bool {
        match (key.code, key.modifiers) {
            (KeyCode::Backspace, KeyModifiers::CONTROL | KeyModifiers::ALT)
            | (KeyCode::Char('w'), KeyModifiers::CONTROL) => {
                let kept = self.typed.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.typed.truncate(kept);
            }
            (KeyCode::Backspace, _) => drop(self.typed.pop()),
            (KeyCode::Char('u'), KeyModifiers::CONTROL) => self.typed.clear(),
            (KeyCode::Char(letter), KeyModifiers::NONE | KeyModifiers::SHIFT) => {
                // Who changes their mind means the letter that came last.
                let answer = |letter: char| matches!(letter, 'y' | 'n');
                if answer(letter) && self.typed.chars().all(answer) && matches!(self.form, Form::Question(_)) {
                    self.typed.clear();
                }
                self.add(&letter.to_string());
            }
            _ => return false,
        }
        self.narrow();
        true
    }

    fn add(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.typed.len());
        let text = &text[..text.floor_char_boundary(room)];
        self.typed.extend(text.chars().filter(|letter| !letter.is_control()));
    }
}

/// The marks of `label detail`, parted into those of each.
fn parted(label: &str, marks: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
    let own = u32::try_from(unicode_segmentation::UnicodeSegmentation::graphemes(label, true).count()).unwrap_or(0);
    let (own_marks, rest): (Vec<u32>, Vec<u32>) = marks.into_iter().partition(|mark| *mark < own);
    (own_marks, rest.into_iter().filter_map(|mark| mark.checked_sub(own + 1)).collect())
}

impl State {
    /// Opens a picker in the place of what floats. Gives back its number, for rows that come later.
    pub fn open_picker(&mut self, mut picker: Picker) -> PickerId {
        self.pickers += 1;
        picker.id = PickerId(self.pickers);
        let id = picker.id;
        self.modal = Some(Modal::Pick(Box::new(picker)));
        id
    }

    /// The picker that is open, if one is.
    #[must_use]
    pub fn picker(&self) -> Option<&Picker> {
        match &self.modal {
            Some(Modal::Pick(picker)) => Some(picker),
            Some(Modal::Confirm(_) | Modal::Edit(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        }
    }

    pub(super) fn picker_mut(&mut self) -> Option<&mut Picker> {
        match &mut self.modal {
            Some(Modal::Pick(picker)) => Some(picker),
            Some(Modal::Confirm(_) | Modal::Edit(_) | Modal::Page { .. } | Modal::Setup(_)) | None => None,
        }
    }

    /// The rows of a picker came, or why they don't. False if it is no longer open.
    pub(super) fn filled(&mut self, id: PickerId, rows: Result<Vec<Row>, String>) -> bool {
        let Some(picker) = self.picker_mut().filter(|picker| picker.id == id) else { return false };
        match rows {
            Ok(rows) => picker.fill(rows),
            Err(why) => {
                picker.fill(Vec::new());
                picker.empty = why;
            }
        }
        true
    }

    pub(super) fn picker_key(&mut self, key: KeyEvent, effects: &mut Vec<Effect>) {
        // Whoever chooses is busy: no dialog opens under their fingers.
        let paused = self.last_typed.replace(self.now).is_none_or(|typed| self.now.since(typed) >= super::QUIET);
        let height = self.sight.rows.dialog.max(1);
        let command = self.keymap.command(Context::Picker, key);
        let Some(picker) = self.picker_mut() else { return };
        // What was typed long before is no part of an answer.
        if paused && picker.misses() && matches!(key.code, KeyCode::Char(_)) {
            picker.typed.clear();
        }
        match command {
            Some(Command::LineUp) => picker.by(-1, height),
            Some(Command::LineDown) => picker.by(1, height),
            Some(Command::PageUp) => picker.by(-page(height), height),
            Some(Command::PageDown) => picker.by(page(height), height),
            Some(Command::ToStart) => picker.by(isize::MIN, height),
            Some(Command::ToEnd) => picker.by(isize::MAX, height),
            // Who was typing a message when the question came has not answered it.
            Some(Command::Choose) if picker.misses() => {
                picker.typed.clear();
                self.hint = Some("That is no answer: y or n, then enter.".to_owned());
            }
            Some(Command::Choose) => {
                let at = picker.selected();
                self.choose_row(at, effects);
            }
            Some(Command::Interrupt) => self.interrupt(effects),
            Some(Command::Quit) => self.leave(effects),
            Some(Command::StopAll) => self.stop_everything(effects),
            Some(Command::Back) => self.close_picker(),
            // However the keys are bound, a list can be left.
            _ if key.code == KeyCode::Esc => self.close_picker(),
            _ => {
                picker.typing(key);
                if picker.misses() {
                    self.hint = Some("That is no answer: y or n, then enter.".to_owned());
                }
            }
        }
    }

    /// Closes it; the dialog that it was opened from is shown anew.
    fn close_picker(&mut self) {
        let over = self.picker_mut().and_then(|picker| picker.over.take());
        self.modal = None;
        let Some(mut dialog) = over else { return };
        if self.queue.gate.seal(dialog.id) == Some(dialog.seal) {
            dialog.shown_anew(self.placing(dialog.id));
            self.modal = Some(Modal::Confirm(dialog));
        } else {
            self.open(dialog.id);
        }
    }

    pub(super) fn paste_picker(&mut self, text: &str) {
        if let Some(picker) = self.picker_mut().filter(|picker| !matches!(picker.form, Form::Question(_))) {
            picker.add(text.lines().next().unwrap_or_default());
            picker.narrow();
        }
    }

    /// The wheel moves what is chosen, a click chooses a row, a second one takes it. True if the screen changes.
    pub(super) fn picker_mouse(&mut self, rows: isize, (x, y): (u16, u16), effects: &mut Vec<Effect>) -> bool {
        let height = self.sight.rows.dialog.max(1);
        let under = |(row, from, to, _): &&(u16, u16, u16, usize)| *row == y && (*from..*to).contains(&x);
        let hit = self.sight.picks.iter().find(under).map(|(.., at)| *at);
        let Some(picker) = self.picker_mut() else { return false };
        match (rows, hit) {
            (0, Some(at)) if at == picker.at => self.choose_row(at, effects),
            (0, Some(at)) => picker.at = at,
            (0, None) => return false,
            _ => picker.by(rows, height),
        }
        true
    }

    /// Closes the picker and does what a row says; a row that does nothing leaves it open.
    pub(super) fn choose_row(&mut self, at: usize, effects: &mut Vec<Effect>) {
        let Some(pick) = self.picker().and_then(|picker| picker.pick(at)).cloned() else { return };
        if pick == Pick::Nothing {
            return self.say_key(at);
        }
        self.modal = None;
        match pick {
            Pick::Command(context, command) => {
                self.picked_lately(Pick::Command(context, command));
                self.command_there(context, command, effects);
            }
            Pick::Line(line) => {
                self.slash_line(&line, effects);
                self.picked_lately(Pick::Line(line));
            }
            Pick::Type(text) => {
                // A command that is completed in the composer; a whole message is none.
                if text.starts_with('/') && text.ends_with(' ') {
                    self.picked_lately(Pick::Type(text.clone()));
                }
                self.composer.set_aside();
                self.composer.put(&text);
                self.go(super::Pane::Composer);
            }
            Pick::Folder(yes) => self.folder_answer(yes, effects),
            Pick::Theme(name) => self.set_theme(name),
            Pick::Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(labels: &[(&str, &str)]) -> Vec<Row> {
        labels.iter().map(|(label, detail)| Row::new(label, Pick::Nothing).detail(detail)).collect()
    }

    fn labels(picker: &Picker) -> Vec<&str> {
        picker.fits(0, MOST).into_iter().map(|fit| fit.row.label.as_str()).collect()
    }

    #[test]
    fn typing_narrows_and_a_label_counts_more_than_a_detail() {
        let mut picker = Picker::new("T", rows(&[("books", "notes of a dealer"), ("deal", ""), ("other", "")]));
        assert_eq!(labels(&picker), ["books", "deal", "other"]);
        picker.typed = "deal".to_owned();
        picker.narrow();
        assert_eq!(labels(&picker), ["deal", "books"]);
        let fits = picker.fits(0, 2);
        assert_eq!((fits[0].label.as_slice(), fits[0].detail.as_slice()), (&[0, 1, 2, 3][..], &[][..]));
        assert_eq!((fits[1].label.as_slice(), fits[1].detail.as_slice()), (&[][..], &[11, 12, 13, 14][..]));
        assert_eq!(picker.counts(), (2, 3));
    }

    #[test]
    fn the_chosen_row_stays_in_sight() {
        let many: Vec<Row> = (0..100).map(|n| Row::new(&n.to_string(), Pick::Nothing)).collect();
        let mut picker = Picker::new("T", many);
        picker.by(25, 10);
        assert_eq!((picker.selected(), picker.first(10)), (25, 16));
        picker.by(-3, 10);
        assert_eq!((picker.selected(), picker.first(10)), (22, 16));
        assert_eq!(picker.first(3), 20);
        picker.by(isize::MAX, 10);
        assert_eq!((picker.selected(), picker.first(10)), (99, 90));
    }

    #[test]
    fn rows_are_bounded_and_on_one_line() {
        let long = format!("one\n\n two\r\n{}", "x".repeat(10_000));
        let picker = Picker::new("T", vec![Row::new(&long, Pick::Nothing); MOST + 5]);
        assert_eq!((picker.counts().1, picker.dropped), (MOST, 5));
        let label = &picker.fits(0, 1)[0].row.label.clone();
        assert!(label.starts_with("one two xxx") && label.len() <= LONGEST);
    }

    #[test]
    fn an_empty_list_says_why() {
        let mut picker = Picker::reading("T", "No session yet.");
        assert_eq!(picker.says(), "reading…");
        picker.fill(Vec::new());
        assert_eq!(picker.says(), "No session yet.");
        picker.fill(rows(&[("a", "")]));
        picker.typed = "z".to_owned();
        picker.narrow();
        assert_eq!((picker.says(), picker.pick(0)), ("Nothing fits.", None));
    }
}
