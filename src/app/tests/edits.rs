//! Editing before it runs: what was edited needs its own approval, and the model is told.

use super::*;
use crate::domain::{ApprovalMode, Enforceable, Policy};

/// A turn in which the model asks for a command, its dialog drawn, the editor opened with all its text gone.
fn opened(command: &str, claim: Option<&str>) -> World {
    let mut world = World::new();
    world.say("go");
    world.model("", &[(command, claim)]);
    world.look();
    world.press(KeyCode::Char('e'));
    assert!(matches!(world.state.modal, Some(Modal::Edit(_))));
    for _ in command.chars() {
        world.press(KeyCode::Backspace);
    }
    world
}

fn write(world: &mut World, text: &str) {
    for letter in text.chars() {
        world.press(KeyCode::Char(letter));
    }
}

fn use_it(world: &mut World) {
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL)));
}

fn draft(world: &World) -> &Draft {
    match &world.state.modal {
        Some(Modal::Edit(editor)) => &editor.draft,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_edited_operation_needs_its_own_approval_and_the_model_is_told() {
    let mut world = opened("make all", Some("low"));
    write(&mut world, "ls");
    use_it(&mut world);
    assert_eq!(world.dialog(), Some(OperationId(1)), "even what only reads waits: the person sees what they made");
    assert!(world.executed.is_empty());
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["ls"]);
    world.finish(1);
    let told = &world.results()[0].text;
    assert_eq!(told, "The person edited this call. It now reads: {\"command\":\"ls\"}\noutput of 1");
}

#[test]
fn every_change_is_judged_and_a_worse_one_is_shown_as_what_it_is() {
    let mut world = opened("make", None);
    assert!(matches!(draft(&world), Draft::Judged(_, judgement) if judgement.risk == RiskLevel::Medium));
    write(&mut world, "rm x");
    assert!(matches!(draft(&world), Draft::Judged(_, judgement) if judgement.risk == RiskLevel::High));
    use_it(&mut world);
    world.look();
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty(), "a high takes its number");
    world.look();
    world.press(KeyCode::Char('1'));
    assert_eq!(world.commands(), ["rm x"]);
}

#[test]
fn no_key_in_the_editor_approves_and_enter_is_a_new_line() {
    let mut world = opened("make", None);
    write(&mut world, "yA1");
    world.press(KeyCode::Enter);
    world.feed(500, Event::Paste("y\r\n1".to_owned()));
    assert!(world.executed.is_empty());
    let Some(Modal::Edit(editor)) = &world.state.modal else { panic!() };
    assert_eq!(editor.text(), "yA1\ny\n1");
}

#[test]
fn the_text_is_kept_for_the_next_time_and_nothing_was_changed_until_it_is_used() {
    let mut world = opened("make", None);
    write(&mut world, "ls -l");
    world.press(KeyCode::Esc);
    assert_eq!(world.dialog(), Some(OperationId(1)));
    world.look();
    world.press(KeyCode::Char('e'));
    let Some(Modal::Edit(editor)) = &world.state.modal else { panic!() };
    assert_eq!(editor.text(), "ls -l");
    world.press(KeyCode::Esc);
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"], "the dialog shows and runs what the model asked for");
}

#[test]
fn what_left_meanwhile_is_not_run_by_an_edit() {
    let mut world = opened("make", None);
    write(&mut world, "ls");
    world.feed(1, Event::JournalFailed("full".to_owned()));
    use_it(&mut world);
    assert!(world.executed.is_empty());
    let Some(Modal::Edit(editor)) = &world.state.modal else { panic!() };
    assert!(editor.hint.as_deref().is_some_and(|hint| hint.contains("changed or left")));
}

#[test]
fn an_answer_about_an_older_text_is_not_taken_for_the_newest() {
    let mut state = State::new(
        Briefing { system: "".into(), tools: [].into(), notes: false },
        Policy { mode: ApprovalMode::Guarded, ..Policy::default() },
        Enforceable::default(),
        Keymap::default(),
        Setting::default(),
        (120, 40),
    );
    let mut world = opened("make", None);
    std::mem::swap(&mut state, &mut world.state);
    let key = |letter| Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    let first = update(&mut state, Millis(100_000), key('r'));
    let second = update(&mut state, Millis(100_001), key('m'));
    let [Effect::Assess { draft: number, id, origin, call }] = &first[..] else { panic!("{first:?}") };
    assert!(second.is_empty(), "one is asked at a time");
    let late = Event::Assessed(*number, propose(*id, origin.clone(), call));
    let third = update(&mut state, Millis(100_002), late);
    assert!(matches!(&third[..], [Effect::Assess { call, .. }] if call.arguments.contains("rm")), "{third:?}");
    let hasty = KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL);
    assert!(update(&mut state, Millis(100_003), Event::Key(hasty)).is_empty(), "not judged yet");
}

#[test]
fn masked_secrets_are_shown_by_their_key_before_they_are_edited_and_never_told() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make KEY=hunter2", None)]);
    world.look();
    world.press(KeyCode::Char('e'));
    assert_eq!(world.dialog(), Some(OperationId(1)), "the editor stays closed");
    world.look();
    world.press(KeyCode::Char('s'));
    world.look();
    world.press(KeyCode::Char('e'));
    assert!(matches!(world.state.modal, Some(Modal::Edit(_))));
    write(&mut world, " all");
    use_it(&mut world);
    world.look();
    world.press(KeyCode::Char('y'));
    world.finish(1);
    let told = &world.results()[0].text;
    assert!(told.contains("all\"}") && !told.contains("hunter2"), "{told}");
}

#[test]
fn the_text_can_come_back_from_another_editor_and_needs_its_own_approval() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("rm a", Some("low"))]);
    world.look();
    world.press(KeyCode::Char('e'));
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL)));
    assert_eq!(world.opened, ["rm a"]);
    world.feed(60_000, Event::Edited(OperationId(1), Err("vi ended with a failure".to_owned())));
    assert!(matches!(&world.state.modal, Some(Modal::Edit(editor)) if !editor.changed() && editor.hint.is_some()));
    world.feed(60_000, Event::Edited(OperationId(1), Ok("make b".to_owned())));
    assert!(matches!(&world.state.modal, Some(Modal::Edit(editor)) if matches!(editor.draft, Draft::Judged(..))));
    use_it(&mut world);
    assert!(world.executed.is_empty());
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make b"]);
}

#[test]
fn ctrl_u_takes_the_line_back_as_in_the_composer() {
    let control = |world: &mut World, letter| {
        world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)));
    };
    let text = |world: &World| match &world.state.modal {
        Some(Modal::Edit(editor)) => editor.text(),
        other => panic!("{other:?}"),
    };
    let mut world = opened("make", None);
    write(&mut world, "ls a");
    control(&mut world, 'u');
    assert_eq!(text(&world), "");
    control(&mut world, 'z');
    assert_eq!(text(&world), "ls a");
    world.press(KeyCode::Esc);
    world.look();
    world.press(KeyCode::Char('r'));
    world.look();
    write(&mut world, "why");
    control(&mut world, 'u');
    write(&mut world, "late");
    world.press(KeyCode::Enter);
    assert!(
        matches!(world.status(1), Status::Denied { reason } if reason.ends_with(": late")),
        "{:?}",
        world.status(1)
    );
}

#[test]
fn the_screen_is_drawn_anew_whatever_floats_above_it() {
    let mut world = opened("make", None);
    let control_l = || Event::Key(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::CONTROL));
    let redraws = |world: &mut World| {
        let now = world.state.now;
        update(&mut world.state, now, control_l()).iter().any(|effect| matches!(effect, Effect::Redraw))
    };
    assert!(redraws(&mut world), "the editor");
    world.press(KeyCode::Esc);
    assert!(world.dialog().is_some() && redraws(&mut world) && world.dialog().is_some(), "a dialog");
    world.press(KeyCode::F(1));
    assert!(world.state.modal.is_some() && redraws(&mut world) && world.state.modal.is_some(), "a page");
}
