//! Lists above the panes, by keys, by the mouse and by lines: they narrow, they choose, they approve nothing.

use super::*;
use crate::app::{Pick, Picker, PickerId, Row};

impl World {
    pub fn labels(&self) -> Vec<String> {
        let picker = self.state.picker().unwrap();
        picker.fits(0, 1_000).into_iter().map(|fit| fit.row.label.clone()).collect()
    }

    /// The palette with a row for this command chosen; panics if there is none.
    fn palette(&mut self, typed: &str) {
        self.control('p');
        self.type_in(typed);
    }
}

#[test]
fn the_palette_runs_what_a_key_would_run_and_what_was_chosen_comes_first() {
    let mut world = World::new();
    world.palette("ran unasked");
    assert_eq!(world.labels()[0], "what ran unasked");
    world.press(KeyCode::Enter);
    assert!(matches!(world.state.modal, Some(Modal::Page { page: Page::Unasked, .. })));
    world.press(KeyCode::Esc);
    world.control('p');
    assert_eq!(world.labels()[0], "what ran unasked");
    let keys: Vec<String> = world.state.picker().unwrap().fits(0, 1).iter().map(|fit| fit.row.key.clone()).collect();
    assert_eq!(keys, ["f5"]);
}

#[test]
fn the_palette_goes_to_the_pane_that_a_command_belongs_to() {
    let mut world = World::new();
    world.palette("wrap lines");
    world.press(KeyCode::Enter);
    assert_eq!((world.state.focus, world.state.output.wrap), (Pane::Output, true));
}

#[test]
fn the_draft_survives_a_list_that_is_left() {
    let mut world = World::new();
    world.type_in("half a mess");
    world.palette("zzz");
    assert_eq!(world.labels().len(), 0);
    world.press(KeyCode::Enter);
    assert!(world.state.picker().is_some(), "nothing to choose: it stays open");
    world.press(KeyCode::Esc);
    assert!(world.state.modal.is_none());
    world.type_in("age");
    assert_eq!(world.state.composer.text(), "half a message");
}

#[test]
fn a_slash_command_that_needs_more_goes_to_the_composer_and_the_draft_to_the_history() {
    let mut world = World::new();
    world.type_in("draft");
    world.palette("/sql");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.composer.text(), "/sql ");
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Up, KeyModifiers::CONTROL)));
    assert_eq!(world.state.composer.text(), "draft");
}

#[test]
fn no_row_of_the_palette_approves_what_waits() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", None), ("rm b", None)]);
    world.look();
    world.press(KeyCode::Esc);
    world.control('p');
    let rows = world.labels().len();
    assert!(rows > 40);
    for row in 0..rows {
        world.state.modal = None;
        world.control('p');
        for _ in 0..row {
            world.press(KeyCode::Down);
        }
        world.press(KeyCode::Enter);
        // Whatever opened: no key that follows at once approves either.
        world.press(KeyCode::Enter);
        assert!(world.commands().is_empty(), "row {row}");
    }
}

#[test]
fn a_list_is_no_dialog_and_none_opens_over_it() {
    let mut world = World::new();
    world.say("go");
    world.control('p');
    world.model("", &[("rm a", None)]);
    world.feed(5_000, Event::Wake);
    assert!(world.state.picker().is_some());
    world.press(KeyCode::Esc);
    assert_eq!(world.dialog(), None);
    world.feed(1_100, Event::Wake);
    assert_eq!(world.dialog(), Some(OperationId(1)));
}

#[test]
fn a_list_that_is_open_stops_everything_by_the_usual_keys() {
    let mut world = World::new();
    world.control('p');
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::F(8), KeyModifiers::NONE)));
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Strict);
}

#[test]
fn rows_come_later_and_only_to_the_list_that_asked() {
    let mut world = World::new();
    let old = world.state.open_picker(Picker::reading("Sessions", "No session yet."));
    let new = world.state.open_picker(Picker::reading("Sessions", "No session yet."));
    let row = |label: &str| Row::new(label, Pick::Line("/mode strict".to_owned()));
    world.feed(1, Event::Filled(old, Ok(vec![row("old")])));
    assert_eq!(world.state.picker().unwrap().says(), "reading…");
    world.feed(1, Event::Filled(new, Ok(vec![row("new")])));
    assert_eq!(world.labels(), ["new"]);
    world.press(KeyCode::Enter);
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Strict);
    world.feed(1, Event::Filled(PickerId(2), Ok(Vec::new())));
    assert!(world.state.modal.is_none());
    let failed = world.state.open_picker(Picker::reading("Sessions", ""));
    world.feed(1, Event::Filled(failed, Err("The disk is full.".to_owned())));
    assert_eq!(world.state.picker().unwrap().says(), "The disk is full.");
}

#[test]
fn a_click_chooses_and_a_second_one_takes() {
    let mut world = World::new();
    let rows = ["strict", "smart"].map(|mode| Row::new(mode, Pick::Line(format!("/mode {mode}"))));
    world.state.open_picker(Picker::new("Mode", rows.into()));
    let sight = Sight {
        picks: vec![(5, 2, 40, 0), (6, 2, 40, 1)],
        rows: Rows { dialog: 2, ..Rows::default() },
        ..Sight::default()
    };
    world.feed(1, Event::Drawn(Box::new(sight)));
    let click = |row| {
        Event::Mouse(crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column: 9,
            row,
            modifiers: KeyModifiers::NONE,
        })
    };
    world.feed(1, click(6));
    assert_eq!(world.state.picker().unwrap().selected(), 1);
    world.feed(1, click(6));
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Smart);
}

#[test]
fn by_lines_a_number_chooses_words_narrow_and_anything_else_closes() {
    let mut world = World::new();
    world.state.go_linear();
    let line = |world: &mut World, text: &str| {
        let now = world.state.now;
        world.feed(1, Event::Said(Said::read(text), now));
    };
    line(&mut world, "/mode");
    assert_eq!(world.labels(), ["strict", "guarded", "smart"]);
    line(&mut world, "? sma");
    assert_eq!(world.labels(), ["smart"]);
    line(&mut world, "2");
    assert_eq!(world.state.hint.as_deref(), Some("There is no 2 in the list."));
    line(&mut world, "1");
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Smart);
    line(&mut world, "/mode");
    line(&mut world, "list");
    assert!(world.state.modal.is_none());
}
