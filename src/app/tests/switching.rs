//! Another model, connection or mode while a session runs.

use super::*;
use crate::app::{Switched, Wanted};

fn switched(model: &str, elsewhere: bool) -> Box<Switched> {
    let setting = Setting { model: model.to_owned(), ..Setting::default() };
    Box::new(Switched {
        setting,
        briefing: Briefing { system: "new".into(), tools: [].into(), notes: false },
        elsewhere,
    })
}

#[test]
fn another_model_goes_on_with_the_conversation() {
    let mut world = World::new();
    world.say("remember the word pear");
    world.model("I will.", &[]);
    world.say("/model small");
    assert_eq!(world.switches, [(1, Wanted::Named("small".to_owned()))]);
    assert!(world.adopted.is_empty(), "the one before is in use until the other is ready");
    world.feed(1, Event::Switched(1, Ok(switched("small (ollama)", false))));
    assert_eq!(world.adopted, [1]);
    world.say("which word?");
    let sent = world.requests.last().unwrap();
    assert!(matches!(sent[0].as_ref(), Message::User(text) if text.contains("pear")));
    assert_eq!(sent.len(), 3);
}

#[test]
fn a_switch_that_fails_changes_nothing_and_one_that_comes_late_neither() {
    let mut world = World::new();
    world.say("/model broken");
    world.feed(1, Event::Switched(1, Err("the key command pass ended with exit code 1".to_owned())));
    assert!(world.adopted.is_empty());
    let said = format!("{:?}", world.state.chat.entries());
    assert!(said.contains("the key command pass ended with exit code 1. Everything stays as it was."), "{said}");
    world.say("/model one");
    world.say("/model two");
    world.feed(1, Event::Switched(2, Ok(switched("one", false))));
    assert!(world.adopted.is_empty());
    world.feed(1, Event::Switched(3, Ok(switched("two", false))));
    assert_eq!((world.adopted.as_slice(), world.state.setting.model.as_str()), (&[3][..], "two"));
    let said = format!("{:?}", world.state.chat.entries());
    assert!(said.contains("two answers here."), "nothing goes on where nothing was said: {said}");
}

#[test]
fn connection_and_mode_end_the_approval_of_the_turn() {
    for switch in ["/db books", "/mode guarded"] {
        let mut world = World::new();
        world.say("go");
        world.model("", &[("make a", None)]);
        world.look();
        world.press(KeyCode::Char('A'));
        world.look();
        world.press(KeyCode::Char('y'));
        assert_eq!(world.commands(), ["make a"], "approved with all that follows of its kind");
        world.say(switch);
        if switch.starts_with("/db") {
            world.feed(1, Event::Switched(1, Ok(switched("", false))));
        }
        world.finish(1);
        world.model("", &[("make b", None)]);
        assert_eq!(*world.status(2), Status::Waiting, "{switch}");
    }
}

#[test]
fn notes_of_the_folder_count_as_read_from_the_moment_the_model_is_told_of_them() {
    let private = |state: &State| state.queue.gate.private_data_read();
    let told = |notes| {
        let briefing = Briefing { system: "Notes.".into(), tools: [].into(), notes };
        let (policy, setting) = (Policy::default(), Setting::default());
        State::new(briefing, policy, Enforceable::default(), Keymap::default(), setting, (120, 40))
    };
    assert!(private(&told(true)) && !private(&told(false)));
    // The practice model isn't told of them, the one after it is.
    let mut world = World::new();
    world.say("/model small");
    let mut small = switched("small", false);
    small.briefing.notes = true;
    assert!(!private(&world.state));
    world.feed(1, Event::Switched(1, Ok(small)));
    assert!(private(&world.state));
}

#[test]
fn nothing_that_waits_for_one_workspace_runs_in_another() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make a", None), ("make b", None)]);
    world.say("/model practice");
    assert_eq!(*world.status(1), Status::Waiting);
    world.feed(1, Event::Switched(1, Ok(switched("practice", true))));
    assert!(world.state.queue.waiting().next().is_none());
    assert!(world.executed.is_empty());
    assert_eq!(*world.state.chat.phase(), Phase::Idle);
    world.say("again");
    assert_eq!(world.results().len(), 2, "every call has its result");
}

#[test]
fn the_list_of_connections_says_what_each_is_and_which_is_in_use() {
    use crate::app::OwnDatabase;
    let mut world = World::new();
    let own = |label: &str| Some(OwnDatabase { label: label.to_owned(), production: false });
    world.state.setting.connection = Some("practice (sqlite)".to_owned());
    world.state.setting.own = own("shop (postgres)");
    let known = [("practice", "sqlite · the practice model's own"), ("notes", "sqlite · notes.db")];
    let known = known.into_iter().chain([("shop", "postgres · shop on db.example")]);
    world.state.setting.connections = known.map(|(name, what)| (name.to_owned(), what.to_owned())).collect();
    world.say("/db");
    let rows = world.state.picker().unwrap().fits(0, 9);
    let rows: Vec<_> = rows.iter().map(|fit| (fit.row.label.as_str(), fit.row.detail.as_str())).collect();
    let expected = [
        ("notes", "sqlite · notes.db"),
        ("practice", "sqlite · the practice model's own"),
        ("shop", "in use · postgres · shop on db.example"),
    ];
    assert_eq!(rows, expected);
    world.press(KeyCode::Enter);
    let mut to = switched("", false);
    to.setting.own = own("notes (sqlite)");
    world.feed(1, Event::Switched(1, Ok(to)));
    let said = format!("{:?}", world.state.chat.entries());
    assert!(said.contains("Your own SQL goes to notes (sqlite); the practice model keeps to its own"), "{said}");
}
