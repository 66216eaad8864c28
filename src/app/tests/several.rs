//! Several operations decided together: marked, picked by number, skipped, listed in another order.

use super::*;
use crate::app::{Order, Reach, Typing};

/// Five that wait, of which the second and the fourth are high.
fn five() -> World {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make a", None), ("rm b", None), ("make c", None), ("rm d", None), ("make e", None)]);
    world.look();
    world
}

/// The same with the dialog put off and the list in front.
fn listed() -> World {
    let mut world = five();
    world.press(KeyCode::Esc);
    world.press(KeyCode::F(2));
    world
}

fn type_in(world: &mut World, text: &str) {
    text.chars().for_each(|letter| world.press(KeyCode::Char(letter)));
}

fn asked(world: &World) -> Vec<u64> {
    match &world.state.modal {
        Some(Modal::Confirm(dialog)) => match &dialog.asking {
            Asking::All { listed, .. } => listed.iter().map(|(id, _)| id.0).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

#[test]
fn numbers_typed_in_the_list_are_marked_and_approved_by_a_second_key() {
    let mut world = listed();
    type_in(&mut world, "1,3-4");
    world.press(KeyCode::Enter);
    let marked: Vec<u64> = world.state.queue.marked().map(|item| item.id.0).collect();
    assert_eq!(marked, [1, 3, 4]);
    world.press(KeyCode::Char('A'));
    assert_eq!(asked(&world), [1, 3, 4]);
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty(), "the list was not drawn yet");
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make a"]);
    world.finish(1);
    assert_eq!(*world.status(2), Status::Waiting);
    assert!(matches!(world.status(4), Status::Allowed { .. }));
    assert!(world.state.queue.marked().next().is_none());
}

#[test]
fn approving_some_covers_nothing_but_them() {
    let mut world = listed();
    type_in(&mut world, "1,3");
    world.press(KeyCode::Enter);
    world.press(KeyCode::Char('A'));
    world.look();
    world.press(KeyCode::Char('y'));
    world.look();
    world.press(KeyCode::Char('D'));
    world.finish(1);
    world.finish(3);
    world.model("", &[("make a", None)]);
    assert!(!matches!(world.status(6), Status::Running { .. }), "no approval of the turn was given");
}

#[test]
fn space_marks_and_denying_takes_the_marked_ones_alone() {
    let mut world = listed();
    world.press(KeyCode::Char(' '));
    world.press(KeyCode::Char(' '));
    world.press(KeyCode::Char('n'));
    let denied = (1..=5).filter(|id| matches!(world.status(*id), Status::Denied { .. })).collect::<Vec<_>>();
    assert_eq!(denied, [1, 2]);
    assert_eq!(*world.status(3), Status::Waiting);
}

#[test]
fn the_dialog_takes_numbers_and_letters_decide_nothing_meanwhile() {
    let mut world = five();
    world.press(KeyCode::Char('p'));
    world.look();
    type_in(&mut world, "1,yA3n");
    world.press(KeyCode::Enter);
    assert_eq!(asked(&world), [1, 3]);
    world.look();
    world.press(KeyCode::Enter);
    assert!(world.executed.is_empty());
    world.feed(300, Event::Wake);
    world.press(KeyCode::Char('n'));
    assert!(matches!(world.status(1), Status::Denied { .. }) && matches!(world.status(3), Status::Denied { .. }));
    assert_eq!(*world.status(2), Status::Waiting);
}

#[test]
fn one_number_opens_that_one_as_itself() {
    let mut world = five();
    world.press(KeyCode::Char('p'));
    world.look();
    type_in(&mut world, "3");
    world.press(KeyCode::Enter);
    assert_eq!(world.dialog(), Some(OperationId(3)));
    assert!(asked(&world).is_empty());
}

#[test]
fn back_from_a_list_leads_to_where_it_was_asked_for() {
    let mut world = five();
    world.press(KeyCode::Esc);
    world.press(KeyCode::F(2));
    world.press(KeyCode::Char('A'));
    world.look();
    assert_eq!(asked(&world), [1, 2, 3, 4, 5]);
    world.press(KeyCode::Esc);
    assert!(world.state.modal.is_none() && world.executed.is_empty());
}

#[test]
fn with_a_filter_all_means_those_that_it_shows() {
    let mut world = listed();
    world.type_in("/make");
    world.press(KeyCode::Enter);
    world.press(KeyCode::Char('A'));
    world.look();
    assert_eq!(asked(&world), [1, 3, 5]);
    assert!(matches!(&world.state.modal, Some(Modal::Confirm(dialog))
        if matches!(&dialog.asking, Asking::All { reach: Reach::Listed, .. })));
    world.press(KeyCode::Esc);
    world.press(KeyCode::Char('D'));
    let denied = |id: &u64| matches!(world.status(*id), Status::Denied { .. });
    assert_eq!((1..=5).filter(denied).collect::<Vec<_>>(), [1, 3, 5]);
    assert_eq!(world.state.hint.as_deref(), Some("Denied: 3 of 5. The others wait."));
}

#[test]
fn only_low_and_medium_leaves_the_high_ones_waiting() {
    let mut world = five();
    world.press(KeyCode::Char('A'));
    world.look();
    assert_eq!(asked(&world), [1, 2, 3, 4, 5]);
    world.press(KeyCode::Char('l'));
    assert_eq!(asked(&world), [1, 3, 5]);
    assert!(matches!(&world.state.modal, Some(Modal::Confirm(dialog))
        if matches!(&dialog.asking, Asking::All { high, reach: Reach::Turn, .. } if high.is_empty())));
    world.press(KeyCode::Char('y'));
    assert!(world.executed.is_empty(), "the shorter list was not drawn yet");
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make a"]);
    assert_eq!((world.status(2), world.status(4)), (&Status::Waiting, &Status::Waiting));
}

#[test]
fn skipping_decides_nothing_and_what_was_skipped_comes_last() {
    let mut world = five();
    world.press(KeyCode::Tab);
    assert_eq!(world.dialog(), Some(OperationId(2)));
    world.press(KeyCode::Char('n'));
    assert_eq!(*world.status(2), Status::Waiting, "a dialog that was skipped to is as new as any");
    world.look();
    for next in [3, 4, 5] {
        world.press(KeyCode::Char('n'));
        assert_eq!(world.dialog(), Some(OperationId(next)));
        world.look();
    }
    world.press(KeyCode::Char('n'));
    assert_eq!(world.dialog(), Some(OperationId(1)));
}

#[test]
fn the_list_is_sorted_and_filtered_and_esc_brings_it_back() {
    let mut world = listed();
    let shown = |world: &World| world.state.queue.listed().iter().map(|item| item.id.0).collect::<Vec<_>>();
    world.press(KeyCode::Char('S'));
    assert_eq!(world.state.queue.plan().order(), Order::Risk);
    assert_eq!(shown(&world), [2, 4, 1, 3, 5]);
    world.press(KeyCode::Char('/'));
    type_in(&mut world, "high 4");
    assert_eq!(shown(&world), [4]);
    assert_eq!(world.state.queue.selected(), Some(OperationId(4)));
    world.feed(5_000, Event::Wake);
    assert!(world.state.modal.is_none());
    world.press(KeyCode::Enter);
    world.press(KeyCode::Char('n'));
    assert!(matches!(world.status(4), Status::Denied { .. }));
    assert_eq!(*world.status(2), Status::Waiting);
    world.press(KeyCode::Esc);
    assert_eq!(shown(&world).len(), 5);
    assert_eq!(world.state.queue.plan().order(), Order::Risk);
    world.press(KeyCode::Esc);
    assert_eq!((world.state.queue.plan().order(), world.state.focus), (Order::State, Pane::Queue));
    world.press(KeyCode::Esc);
    assert_eq!(world.state.focus, Pane::Composer);
}

#[test]
fn no_dialog_opens_by_itself_while_a_filter_is_typed() {
    let mut world = World::new();
    world.say("go");
    world.press(KeyCode::F(2));
    world.press(KeyCode::Char('/'));
    world.feed(2_000, Event::Wake);
    world.model("", &[("make a", None)]);
    assert!(world.state.modal.is_none());
    world.press(KeyCode::Esc);
    world.feed(2_000, Event::Wake);
    assert_eq!(world.dialog(), Some(OperationId(1)));
}

#[test]
fn a_denial_that_comes_again_is_counted() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make a", None)]);
    world.look();
    world.press(KeyCode::Char('n'));
    for again in 1..=3 {
        world.model("", &[("make a", None)]);
        let item = world.state.queue.get(OperationId(1 + again as u64)).unwrap();
        assert!(matches!(item.status, Status::Denied { .. }));
        assert_eq!(item.again, again);
    }
    assert!(world.results()[0].text.contains("Denied again ×3"), "{:?}", world.results());
}

/// A click on a key that the screen names.
fn click(world: &mut World, key: &str) {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let dialog = match &world.state.modal {
        Some(Modal::Confirm(dialog)) => Some((dialog.seal, true)),
        _ => None,
    };
    let sight = Sight { dialog, keys: vec![(9, 10, 14, key.to_owned())], ..Sight::default() };
    world.feed(1, Event::Drawn(Box::new(sight)));
    let kind = MouseEventKind::Down(MouseButton::Left);
    world.feed(GUARD, Event::Mouse(MouseEvent { kind, column: 11, row: 9, modifiers: KeyModifiers::NONE }));
}

#[test]
fn a_click_on_a_key_acts_like_it_unless_it_approves() {
    let mut world = five();
    click(&mut world, "y");
    assert!(world.executed.is_empty() && *world.status(1) == Status::Waiting);
    click(&mut world, ">");
    assert_eq!(world.dialog(), Some(OperationId(2)));
    world.look();
    click(&mut world, "y");
    assert!(
        matches!(&world.state.modal, Some(Modal::Confirm(dialog)) if matches!(dialog.asking, Asking::Confirm { .. }))
    );
    world.look();
    click(&mut world, "2");
    assert!(world.executed.is_empty(), "the number of a high one is typed, not clicked");
    click(&mut world, "esc");
    click(&mut world, "n");
    assert!(matches!(world.status(2), Status::Denied { .. }));
    world.look();
    click(&mut world, "A");
    world.look();
    click(&mut world, "y");
    assert!(world.executed.is_empty());
}

#[test]
fn what_names_the_file_of_a_denied_write_says_so() {
    use crate::domain::FileOperation;
    let mut world = five();
    let write = OperationKind::File(FileOperation::Write { path: "report.md".to_owned(), content: String::new() });
    let prepare = |world: &mut World, id: u64, kind: OperationKind| {
        let item = world.state.queue.item_mut(OperationId(id)).unwrap();
        item.prepared.as_mut().unwrap().operation.kind = kind;
    };
    prepare(&mut world, 1, write);
    let reads = |command: &str| {
        OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false })
    };
    prepare(&mut world, 3, reads("wc -l ./report.md > count"));
    prepare(&mut world, 5, reads("wc -l old-report.md"));
    assert_eq!(world.state.queue.lacks(OperationId(3)), None);
    world.press(KeyCode::Char('n'));
    let lack = world.state.queue.lacks(OperationId(3)).unwrap();
    assert_eq!((lack.name.as_str(), lack.what, lack.by), ("report.md", "write", OperationId(1)));
    assert_eq!(world.state.queue.lacks(OperationId(5)), None);
}

#[test]
fn what_needs_a_denied_redirection_or_table_says_so() {
    use crate::domain::{Shape, SqlOperation, SqlWay};
    let mut world = five();
    let set = |world: &mut World, id: u64, kind: OperationKind, shape: &[(&str, &str)]| {
        let prepared = world.state.queue.item_mut(OperationId(id)).unwrap().prepared.as_mut().unwrap();
        prepared.operation.kind = kind;
        prepared.assessment.shapes = vec![Shape::new(shape.iter().copied())];
    };
    let command = |command: &str| {
        OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false })
    };
    let sql = |sql: &str| {
        let (connection, sql) = ("main".to_owned(), sql.to_owned());
        OperationKind::Sql(SqlOperation { connection, dialect: None, sql, way: SqlWay::default() })
    };
    set(&mut world, 1, command("echo 1 > gen.py"), &[]);
    set(&mut world, 2, sql("CREATE TEMP TABLE t (i int)"), &[("statement", "create"), ("table", "t")]);
    set(&mut world, 3, command("python3 gen.py"), &[("program", "python3")]);
    set(&mut world, 4, sql("INSERT INTO t VALUES (1)"), &[("statement", "insert"), ("table", "t")]);
    world.press(KeyCode::Char('n'));
    world.look();
    world.press(KeyCode::Char('n'));
    let lack = |id| world.state.queue.lacks(OperationId(id)).map(|lack| (lack.name, lack.what, lack.by));
    assert_eq!(lack(3), Some(("gen.py".to_owned(), "write", OperationId(1))));
    assert_eq!(lack(4), Some(("t".to_owned(), "create", OperationId(2))));
    assert_eq!(lack(5), None);
}

#[test]
fn what_needs_what_a_denied_command_was_to_make_says_so() {
    let command = |command: &str| {
        OperationKind::Command(CommandOperation { command: command.to_owned(), timeout: None, terminal: false })
    };
    for (denied, needs, lacking) in [
        ("git clone https://a.example/shop.git", "cd shop && make", Some(("create", "shop"))),
        ("git clone a:b/shop there", "git -C ./there log", Some(("create", "there"))),
        ("mkdir -p out", "touch out/a", Some(("create", "out"))),
        ("ls | tee list", "sort --parallel=2 < list", Some(("write", "list"))),
        ("install -t dir a", "dir/a --version", Some(("write", "dir/a"))),
        ("cd sub && touch a", "wc sub/a", Some(("create", "a"))),
        ("sed -i s/a/b/ conf", "cat conf", Some(("change", "conf"))),
        ("touch a", "sed -i s/a/b/ a", Some(("create", "a"))),
        // It makes that itself, or means another file.
        ("echo 1 > a", "echo 2 > a", None),
        ("touch a", "cd sub && cat a", None),
        ("touch sub/a", "cat a", None),
        ("rm a", "cat a", None),
    ] {
        let mut world = five();
        for (id, text) in [(1, denied), (2, needs)] {
            let item = world.state.queue.item_mut(OperationId(id)).unwrap();
            let mut prepared = item.prepared.clone().unwrap();
            prepared.operation.kind = command(text);
            prepared.facts.place = crate::domain::Place { cwd: "/w".into(), workspace: "/w".into(), home: None };
            item.prepare(Some(prepared));
        }
        world.press(KeyCode::Char('n'));
        let lack = world.state.queue.lacks(OperationId(2)).map(|lack| (lack.what, lack.name));
        assert_eq!(lack, lacking.map(|(what, name)| (what, name.to_owned())), "{denied} / {needs}");
    }
}

#[test]
fn a_key_of_the_list_means_the_row_under_the_cursor_or_none() {
    let mut world = listed();
    world.press(KeyCode::Char('n'));
    assert!(matches!(world.status(1), Status::Denied { .. }));
    while world.state.queue.selected() != Some(OperationId(1)) {
        world.press(KeyCode::Char('j'));
    }
    for key in ['n', 'r'] {
        world.press(KeyCode::Char(key));
        assert!(world.state.hint.as_ref().unwrap().contains("doesn't wait"), "{key}: {:?}", world.state.hint);
        assert_eq!(world.dialog(), None, "{key}");
    }
    assert_eq!((2..=5).filter(|id| *world.status(*id) == Status::Waiting).count(), 4);
}

#[test]
fn only_two_in_a_row_leave() {
    let mut world = World::new();
    let mut left = |keys: &str| {
        let mut effects = Vec::new();
        for key in keys.chars() {
            let way = if key == 'c' { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
            effects.extend(update(&mut world.state, Millis(0), Event::Key(KeyEvent::new(KeyCode::Char(key), way))));
        }
        effects.iter().any(|effect| matches!(effect, Effect::Quit))
    };
    assert!(!left("cac"));
    assert!(left("cc"));
}

#[test]
fn all_means_all_that_waits_wherever_the_cursor_is() {
    let mut world = listed();
    world.press(KeyCode::Char('n'));
    world.press(KeyCode::End);
    assert_eq!(world.state.queue.selected(), Some(OperationId(1)), "what is done is listed last");
    world.press(KeyCode::Char('A'));
    assert_eq!(asked(&world), [2, 3, 4, 5]);
}

#[test]
fn numbers_that_cant_be_meant_stay_in_their_field() {
    let mut world = listed();
    world.type_in("p1,4-6x");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.queue.plan().typing(), Some(&Typing::Pick("1,4-6x".to_owned())));
    assert!(world.state.hint.as_ref().unwrap().contains("such as 1,3-5"));
    world.press(KeyCode::Backspace);
    world.press(KeyCode::Enter);
    assert_eq!(world.state.hint.as_deref(), Some("#6 doesn't wait."));
    world.press(KeyCode::Backspace);
    world.press(KeyCode::Char('5'));
    world.press(KeyCode::Enter);
    assert_eq!(world.state.queue.marked().map(|item| item.id.0).collect::<Vec<_>>(), [1, 4, 5]);
    assert_eq!(world.state.queue.plan().typing(), None);

    let mut world = five();
    world.press(KeyCode::Char('p'));
    world.look();
    world.type_in("1,9");
    world.press(KeyCode::Enter);
    assert!(matches!(&world.state.modal, Some(Modal::Confirm(dialog))
        if matches!(&dialog.asking, Asking::Pick { typed } if typed == "1,9")));
}

#[test]
fn the_help_over_a_list_leads_back_to_it() {
    for key in [KeyCode::F(1), KeyCode::Char('?')] {
        let mut world = five();
        world.press(KeyCode::Char('A'));
        world.look();
        world.press(key);
        assert!(world.state.picker().is_some(), "{key:?}");
        world.feed(300, Event::Wake);
        world.press(KeyCode::Esc);
        assert_eq!(asked(&world), [1, 2, 3, 4, 5], "{key:?}");
        world.press(KeyCode::Char('n'));
        assert_eq!(world.state.queue.counts().0, 5, "it is as new as any");
    }
}

#[test]
fn f1_helps_in_every_dialog_and_keys_of_panes_say_how_to_get_there() {
    for before in [' ', 'r', 'p', 'm', 'A'] {
        let mut world = five();
        world.press(KeyCode::Char(before));
        world.look();
        world.press(KeyCode::F(1));
        assert!(world.state.picker().is_some(), "{before}");
        world.press(KeyCode::Esc);
        assert_eq!(world.dialog(), Some(OperationId(1)), "{before}");
    }
    for before in [' ', 'A', 'm'] {
        for key in [2, 5, 6] {
            let mut world = five();
            world.press(KeyCode::Char(before));
            world.look();
            world.press(KeyCode::F(key));
            let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
            let told = format!("esc first: it keeps waiting, then f{key}.");
            assert_eq!(dialog.hint.as_ref(), Some(&told), "{before}");
        }
    }
}

#[test]
fn leaving_the_high_ones_out_says_where_it_works() {
    let mut world = five();
    world.press(KeyCode::Char('l'));
    let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
    assert_eq!(dialog.hint.as_deref(), Some("A lists all that waits; this key leaves the high ones out there."));
}

#[test]
fn the_way_to_a_high_one_that_nobody_saw_is_the_one_that_leads_to_it() {
    for (seen, way) in [(1, "pagedown goes on to it"), (4, "pageup goes back to it")] {
        let mut world = World::new();
        world.say("go");
        world.model("", &[("rm a", None), ("rm b", None), ("rm c", None), ("rm d", None)]);
        world.look();
        world.press(KeyCode::Char('A'));
        let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
        let sight = Sight { dialog: Some((dialog.seal, true)), ends: vec![OperationId(seen)], ..Sight::default() };
        world.feed(1, Event::Drawn(Box::new(sight)));
        world.feed(GUARD, Event::Wake);
        world.press(KeyCode::Char('y'));
        let Some(Modal::Confirm(dialog)) = &world.state.modal else { panic!() };
        assert!(dialog.hint.as_ref().unwrap().contains(way), "{:?}", dialog.hint);
    }
}
