//! Looks, keys of the person's choice, help, and what is told to somebody who looks at something else.

use super::*;

fn themed() -> World {
    let mut world = World::new();
    let themes = ["dark", "light", "mono"].map(|name| (name.to_owned(), String::new()));
    world.state.looks = Looks::new(themes.into(), "dark", false);
    world
}

#[test]
fn a_theme_is_shown_while_one_moves_and_put_back_when_the_list_is_left() {
    let mut world = themed();
    world.say("/theme ");
    world.press(KeyCode::Down);
    world.press(KeyCode::Down);
    assert_eq!(world.looks_shown, ["light", "mono"]);
    world.press(KeyCode::Esc);
    assert_eq!((world.looks_shown.last().unwrap().as_str(), world.state.looks.theme.as_str()), ("dark", "dark"));
    world.say("/theme ");
    world.type_in("li");
    world.press(KeyCode::Enter);
    assert_eq!((world.looks_shown.last().unwrap().as_str(), world.state.looks.theme.as_str()), ("light", "light"));
    assert_eq!(world.state.hint.as_deref(), Some("Theme light, from now on."));
    // Whatever takes the list's place puts the look back.
    world.say("/theme ");
    world.press(KeyCode::Down);
    world.control('c');
    assert_eq!(world.looks_shown.last().unwrap(), "light");
    world.say("/theme neon");
    assert_eq!(world.state.hint.as_deref(), Some("There is no theme neon. Choose one of dark, light, mono."));
}

#[test]
fn a_theme_that_the_configuration_names_holds_from_the_next_start_on() {
    let mut world = themed();
    world.state.looks = Looks::new(world.state.looks.themes.clone(), "dark", true);
    world.say("/theme light");
    assert!(world.state.hint.as_ref().unwrap().contains("theme = \"light\" in the configuration"));
}

#[test]
fn help_begins_where_one_is_and_is_searched_by_typing() {
    let mut world = World::new();
    world.press(KeyCode::F(2));
    world.press(KeyCode::Char('?'));
    let picker = world.state.picker().unwrap();
    assert_eq!(picker.title, "Keys");
    assert!(picker.fits(0, 20).iter().all(|fit| fit.row.detail == "in the operations"));
    let every = Context::ALL.iter().map(|place| world.state.keymap.of(*place).len()).sum::<usize>();
    let words = 4 + 5;
    assert_eq!(world.labels().len(), every + 2 + typed().count() + words, "modes and words of the status line");
    world.type_in("deny");
    let picker = world.state.picker().unwrap();
    let places: Vec<&str> = picker.fits(0, 99).into_iter().map(|fit| fit.row.detail.as_str()).collect();
    let mut grouped = places.clone();
    grouped.dedup();
    assert_eq!(grouped, ["in the operations", "in a dialog"], "they keep their order");
    assert_eq!(picker.fits(picker.selected(), 1)[0].row.label, "deny", "the best is chosen");
    world.control('u');
    world.type_in("undo");
    assert!(world.labels().iter().all(|label| label.contains("undo")), "{:?}", world.labels());
    world.control('u');
    world.type_in("sideways derivation");
    assert!(world.labels().is_empty());
    world.control('u');
    world.type_in("stop everything");
    world.press(KeyCode::Enter);
    assert_eq!(world.state.queue.gate().policy().mode, ApprovalMode::Strict);
}

#[test]
fn help_over_a_dialog_leads_back_to_it_and_its_keys_wait_anew() {
    let mut world = World::new();
    world.say("go");
    world.model("", &[("make", None)]);
    world.look();
    world.press(KeyCode::Char('?'));
    assert_eq!(world.state.picker().unwrap().fits(0, 1)[0].row.detail, "in a dialog");
    world.type_in("approve");
    world.press(KeyCode::Enter);
    assert!(world.state.picker().is_some() && world.commands().is_empty(), "rows of a dialog say and do nothing");
    world.press(KeyCode::Esc);
    assert_eq!(world.dialog(), Some(OperationId(1)));
    world.press(KeyCode::Char('y'));
    assert!(world.commands().is_empty(), "not drawn yet");
    world.look();
    world.press(KeyCode::Char('y'));
    assert_eq!(world.commands(), ["make"]);
}

#[test]
fn vim_keys_work_in_panes_and_letters_are_typed_elsewhere() {
    let mut world = World::new();
    world.state.keymap = Keymap::named("vim").unwrap();
    for _ in 0..3 {
        world.say("! ls");
    }
    world.press(KeyCode::F(2));
    world.type_in("gg");
    assert_eq!(world.state.queue.selected(), Some(OperationId(1)));
    world.type_in("G");
    assert_eq!(world.state.queue.selected(), Some(OperationId(3)));
    // A letter that begins nothing with the next one leaves the next one its meaning.
    world.type_in("gk");
    assert_eq!(world.state.queue.selected(), Some(OperationId(2)));
    world.type_in(":");
    assert!(world.state.picker().is_some());
    world.press(KeyCode::Esc);
    world.type_in("agg");
    assert_eq!((world.state.focus, world.state.composer.text().as_str()), (Pane::Composer, "gg"));
}

#[test]
fn who_looks_at_something_else_is_told_once_what_waits_and_that_the_turn_ended() {
    let mut world = World::new();
    world.say("first");
    world.model("done", &[]);
    assert!(world.tidings.is_empty(), "who looks is told nothing");
    world.say("the secret is hunter2");
    world.feed(1, Event::Focus(false));
    world.model("hunter2", &[("rm hunter2", None), ("rm b", None)]);
    assert_eq!(world.tidings, ["command waits for you"]);
    world.feed(1, Event::Focus(true));
    world.say("");
    world.look();
    world.press(KeyCode::Char('D'));
    world.feed(1, Event::Focus(false));
    world.model("hunter2 again", &[]);
    assert_eq!(world.tidings, ["command waits for you", "The model is done"]);
    world.feed(1, Event::Wake);
    assert_eq!(world.tidings.len(), 2);
}
