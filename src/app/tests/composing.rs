//! The composer by keys: completion, history, pastes.

use super::*;

fn rows(world: &World) -> Vec<&str> {
    world.state.completion().map_or(Vec::new(), |offered| offered.rows.iter().map(|row| row.0.as_str()).collect())
}

/// A session whose workspace has these files.
fn with_files(files: &[&str]) -> World {
    let mut world = World::new();
    world.type_in("@");
    world.feed(1, Event::Files(files.iter().map(|file| (*file).to_owned()).collect()));
    world.press(KeyCode::Backspace);
    world
}

#[test]
fn slash_commands_complete_and_a_whole_one_is_sent() {
    let mut world = World::new();
    world.type_in("/");
    assert_eq!(rows(&world).len(), SLASH.len());
    world.type_in("mod");
    assert_eq!(rows(&world)[0], "/mode [MODE]");
    world.press(KeyCode::Enter);
    assert_eq!((world.state.composer.text().as_str(), rows(&world).len()), ("/mode ", 0));
    world.type_in("smart");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Smart);
    world.type_in("/help");
    assert_eq!(rows(&world), ["/help"]);
    world.press(KeyCode::Enter);
    assert_eq!(world.state.picker().unwrap().fits(0, 1)[0].row.detail, "typing a message");
}

#[test]
fn arrows_choose_tab_takes_and_esc_closes_until_something_else_begins() {
    let mut world = World::new();
    world.type_in("/");
    world.press(KeyCode::Down);
    world.press(KeyCode::Up);
    world.press(KeyCode::Up);
    world.press(KeyCode::Tab);
    assert_eq!((world.state.composer.text().as_str(), world.state.focus), ("/quit", Pane::Composer));
    world.press(KeyCode::Backspace);
    world.press(KeyCode::Esc);
    world.type_in("i");
    assert!(rows(&world).is_empty());
    for _ in 0..5 {
        world.press(KeyCode::Backspace);
    }
    world.type_in("/q");
    assert_eq!(rows(&world), ["/quit"]);
}

#[test]
fn an_at_offers_files_and_inserts_a_path_that_attaches_nothing() {
    let mut world = with_files(&["src/app/keys.rs", "src/main.rs", "docs/my notes.md"]);
    assert_eq!(world.listings, 1);
    world.type_in("look at @keys");
    assert_eq!(rows(&world), ["src/app/keys.rs"]);
    world.press(KeyCode::Enter);
    assert_eq!(world.state.composer.text(), "look at src/app/keys.rs ");
    world.type_in("and @notes");
    world.press(KeyCode::Tab);
    assert_eq!(world.state.composer.text(), "look at src/app/keys.rs and \"docs/my notes.md\" ");
    world.press(KeyCode::Enter);
    let sent = world.requests.last().unwrap().last().unwrap();
    assert!(matches!(sent.as_ref(), Message::User(text) if text.ends_with("\"docs/my notes.md\" ")), "{sent:?}");
    // The list is asked for again once it is old.
    world.feed(20_000, Event::Wake);
    world.type_in("@");
    assert_eq!(world.listings, 2);
}

#[test]
fn tab_completes_the_paths_of_a_command_and_says_where_none_fits() {
    let mut world = with_files(&["a.txt", "apps/one.rs", "apps/two.rs", "my notes.md", "b.txt"]);
    let text = |world: &World| world.state.composer.text();
    let list = |world: &mut World| {
        let files = ["a.txt", "apps/one.rs", "apps/two.rs", "my notes.md", "b.txt"];
        world.feed(1, Event::Files(files.map(str::to_owned).into()));
    };
    world.type_in("! cat b");
    world.press(KeyCode::Tab);
    assert_eq!((world.listings, text(&world).as_str()), (2, "! cat b"), "the person's own folder is listed first");
    list(&mut world);
    assert_eq!(text(&world), "! cat b.txt ");
    world.type_in("a");
    world.press(KeyCode::Tab);
    assert_eq!(rows(&world), ["a.txt", "apps/"]);
    world.type_in("p");
    assert_eq!(rows(&world), ["apps/"]);
    world.press(KeyCode::Tab);
    world.press(KeyCode::Tab);
    assert_eq!(rows(&world), ["apps/one.rs", "apps/two.rs"]);
    world.press(KeyCode::Down);
    world.press(KeyCode::Enter);
    world.type_in("my");
    world.press(KeyCode::Tab);
    assert_eq!(text(&world), "! cat b.txt apps/two.rs 'my notes.md' ");
    world.type_in("zz");
    world.press(KeyCode::Tab);
    assert_eq!(world.state.focus, Pane::Composer);
    assert!(world.state.hint.as_ref().unwrap().starts_with("No path here begins with `zz`."), "{:?}", world.state.hint);
    // In the middle of a word nothing is offered, whether or not something begins so.
    world.state.composer.put("! cat b.txt");
    for _ in 0..3 {
        world.press(KeyCode::Left);
    }
    world.press(KeyCode::Tab);
    assert_eq!(text(&world), "! cat b.txt");
    assert_eq!(world.state.hint.as_deref(), Some("Tab completes a path at its end: the cursor is inside a word."));
    // Without a command tab goes on to the next pane.
    world.state.composer.put("! ");
    world.press(KeyCode::Tab);
    assert_eq!(world.state.focus, Pane::Queue);
}

#[test]
fn an_address_and_a_path_are_no_completions() {
    let mut world = with_files(&["example.com"]);
    for text in ["mail ann@exam", "see /re", " /re"] {
        world.state.composer.put("");
        world.type_in(text);
        assert!(rows(&world).is_empty(), "{text}");
    }
    world.state.composer.put("");
    world.type_in("@nothing-like-it");
    world.press(KeyCode::Enter);
    assert!(!world.requests.is_empty(), "what fits nothing is sent as it is");
}

#[test]
fn arrows_at_the_edges_of_a_message_go_through_history() {
    let mut world = World::new();
    world.feed(1, Event::Earlier(vec!["yesterday".to_owned()]));
    world.say("first\tline");
    world.feed(1, Event::Paste("two\nlines".to_owned()));
    world.press(KeyCode::Up);
    assert_eq!(world.state.composer.text(), "two\nlines", "within a message an arrow moves");
    world.press(KeyCode::Up);
    world.press(KeyCode::Up);
    assert_eq!(world.state.composer.text(), "yesterday");
    world.press(KeyCode::Down);
    world.press(KeyCode::Down);
    assert_eq!(world.state.composer.text(), "two\nlines");
}

#[test]
fn earlier_messages_that_are_read_late_still_come_into_the_open_list() {
    let mut world = World::new();
    world.control('r');
    assert!(world.labels().is_empty());
    world.feed(1, Event::Earlier(vec!["show the tables".to_owned()]));
    assert_eq!(world.labels(), ["show the tables"]);
}

#[test]
fn earlier_messages_are_searched_and_what_was_sent_is_kept() {
    let mut world = World::new();
    world.feed(1, Event::Earlier(vec!["delete the cancelled orders".to_owned(), "show the tables".to_owned()]));
    world.say("! ls");
    assert_eq!(world.remembered, ["! ls"]);
    world.type_in("draft");
    world.control('r');
    assert_eq!(world.labels(), ["! ls", "show the tables", "delete the cancelled orders"]);
    world.type_in("cancel");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.composer.text(), "delete the cancelled orders");
    assert_eq!(world.remembered.len(), 1, "nothing was sent");
    world.press(KeyCode::Up);
    assert_eq!(world.state.composer.text(), "draft");
}

#[test]
fn a_session_by_lines_keeps_nothing_for_the_composer() {
    let mut world = World::new();
    world.state.go_linear();
    let now = world.state.now;
    world.feed(1, Event::Said(Said::read("! ls"), now));
    assert!(world.remembered.is_empty() && !world.executed.is_empty());
}

#[test]
fn a_folded_paste_reaches_the_model_whole() {
    let mut world = World::new();
    let pasted = "row\n".repeat(240);
    world.type_in("sum up ");
    world.feed(1, Event::Paste(pasted.clone()));
    assert_eq!(world.state.composer.area().lines().len(), 1);
    world.press(KeyCode::Enter);
    let sent = world.requests.last().unwrap().last().unwrap();
    assert!(matches!(sent.as_ref(), Message::User(text) if *text == format!("sum up {pasted}")));
    world.feed(1, Event::Paste(pasted));
    world.control('o');
    assert_eq!(world.state.composer.area().lines().len(), 241);
    world.control('o');
    assert_eq!(world.state.hint.as_deref(), Some("Nothing is folded."));
}

#[test]
fn ctrl_u_empties_the_line_as_in_a_shell_and_ctrl_z_brings_it_back() {
    let mut world = World::new();
    world.type_in("/mo");
    world.control('u');
    assert_eq!(world.state.composer.text(), "");
    world.control('z');
    assert_eq!(world.state.composer.text(), "/mo");
}

#[test]
fn what_is_not_sent_takes_a_second_key_to_leave() {
    let quit = |world: &mut World| {
        let key = Event::Key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::CONTROL));
        let now = world.state.now;
        let effects = update(&mut world.state, now, key);
        let kept = effects.iter().any(|effect| matches!(effect, Effect::KeepTyped(text) if text == "a draft"));
        (effects.iter().any(|effect| matches!(effect, Effect::Quit)), kept)
    };
    let mut world = World::new();
    assert_eq!(quit(&mut world), (true, false), "nothing is lost");
    world.type_in("a draft");
    assert_eq!(quit(&mut world), (false, false));
    let hint = world.state.hint.clone().unwrap();
    assert_eq!(hint, "ctrl+q again leaves. What isn't sent comes back by ↑, unless secret.");
    world.press(KeyCode::Left);
    assert_eq!(quit(&mut world), (false, false), "not right after the first");
    assert_eq!(quit(&mut world), (true, true));
    // Ctrl+c clears it at its first press, as a shell does.
    let mut world = World::new();
    world.type_in("a draft");
    world.control('c');
    assert_eq!(world.state.hint.as_deref(), Some("Cleared, ↑ brings it back. ctrl+c again leaves."));
    assert_eq!((world.state.composer.text(), world.remembered.clone()), (String::new(), vec!["a draft".to_owned()]));
    world.press(KeyCode::Up);
    assert_eq!(world.state.composer.text(), "a draft");
    world.control('c');
    let now = world.state.now;
    let key = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert!(update(&mut world.state, now, key).iter().any(|effect| matches!(effect, Effect::Quit)));
    // A message that waits for the end of the answer, and an edit that isn't used.
    let mut world = World::new();
    world.say("go");
    world.say("and then this");
    assert!(!quit(&mut world).0);
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make", None)]);
    world.look();
    world.press(KeyCode::Char('e'));
    world.press(KeyCode::Char('x'));
    assert!(!quit(&mut world).0);
    let Some(Modal::Edit(editor)) = &world.state.modal else { panic!() };
    assert_eq!(editor.hint.as_deref(), Some("ctrl+q again leaves. Your edit of #1 isn't used and goes."));
    assert!(quit(&mut world).0);
    // What runs would be stopped, whichever way is taken.
    let mut world = World::new();
    world.say("! ls -la");
    assert!(matches!(world.status(1), Status::Running { .. }), "{:?}", world.status(1));
    assert!(!quit(&mut world).0);
    assert_eq!(world.state.hint.as_deref(), Some("ctrl+q again leaves. #1 runs, and would be stopped."));
    assert!(quit(&mut world).0);
    world.feed(20_000, Event::Wake);
    world.type_in("/quit");
    let enter = |world: &mut World| {
        let now = world.state.now;
        let key = Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        update(&mut world.state, now, key).iter().any(|effect| matches!(effect, Effect::Quit))
    };
    assert!(!enter(&mut world));
    assert_eq!(world.state.hint.as_deref(), Some("ctrl+q leaves all the same. #1 runs, and would be stopped."));
    assert!(enter(&mut world));
}
