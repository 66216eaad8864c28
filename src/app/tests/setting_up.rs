//! The first start by keys: what is asked in which order, what is tried, what is written, and how one gets out.

use super::*;
use crate::app::{Done, KeyWay, Offer, Setup, SetupStep, Sort, Stage, Wanted};

fn offer(word: &str, found: bool, lacks: Option<&str>, sort: Sort) -> Offer {
    Offer {
        word: word.to_owned(),
        name: word.to_owned(),
        note: String::new(),
        found,
        place: "127.0.0.1:11434".to_owned(),
        lacks: lacks.map(str::to_owned),
        sort,
    }
}

fn first() -> World {
    let mut world = World::new();
    world.state.setting.practice = true;
    let offers = vec![
        offer("openai", false, Some("OPENAI_API_KEY"), Sort::Provider),
        offer("anthropic", true, None, Sort::Provider),
        offer("ollama", false, None, Sort::Provider),
        offer("openai", false, None, Sort::Address),
        offer("practice", true, None, Sort::Practice),
    ];
    world.state.set_up(Setup::new(offers, false));
    world.draw(true);
    world
}

fn page(world: &World) -> &Setup {
    world.state.setup().expect("the page is open")
}

fn number(world: &World) -> u64 {
    match world.setups.last() {
        Some(SetupStep::List(number, _) | SetupStep::Try(number, _) | SetupStep::Write(number, _)) => *number,
        other => panic!("{other:?}"),
    }
}

/// Goes to a row by its word.
fn to(world: &mut World, wanted: &str) {
    while page(world).offers[page(world).at].word != wanted {
        world.press(KeyCode::Down);
    }
}

#[test]
fn three_questions_a_trial_and_the_file_says_it() {
    let mut world = first();
    assert_eq!(world.setups, [SetupStep::Probe], "only after the first frame is anything looked for");
    assert_eq!(page(&world).offers[0].word, "anthropic", "what was found comes first");
    to(&mut world, "ollama");
    world.press(KeyCode::Enter);
    assert_eq!(page(&world).stage, Stage::Model);
    let models = ["qwen3", "llama3.2", "qwen2.5-coder"].map(str::to_owned).to_vec();
    let asked = number(&world);
    world.feed(1, Event::SetUp(Done::Listed(asked, Ok(models))));
    for letter in "qwen2".chars() {
        world.press(KeyCode::Char(letter));
    }
    assert_eq!(page(&world).matching(), ["qwen2.5-coder"]);
    world.press(KeyCode::Enter);
    let Some(SetupStep::Try(tried, chosen)) = world.setups.last().cloned() else { panic!("{:?}", world.setups) };
    assert_eq!((chosen.provider.as_str(), chosen.model.as_deref()), ("ollama", Some("qwen2.5-coder")));
    assert_eq!((page(&world).stage, page(&world).at), (Stage::Mode, 0), "guarded is chosen already");
    world.feed(1, Event::SetUp(Done::Tried(tried, Ok("it answered".to_owned()))));
    world.press(KeyCode::Down);
    world.press(KeyCode::Enter);
    let Some(SetupStep::Write(written, chosen)) = world.setups.last().cloned() else { panic!("{:?}", world.setups) };
    assert_eq!(chosen.mode, ApprovalMode::Smart);
    world.feed(1, Event::SetUp(Done::Written(written, Ok("/home/ann/config.toml".to_owned()))));
    assert!(world.state.setup().is_none());
    assert_eq!(world.state.queue.gate.policy().mode, ApprovalMode::Smart);
    assert!(matches!(&world.switches[..], [(_, Wanted::Chosen(chosen))] if chosen.provider == "ollama"));
}

#[test]
fn esc_at_any_point_writes_nothing_and_says_how_to_come_back() {
    for keys in [0, 1, 2] {
        let mut world = first();
        for _ in 0..keys {
            world.press(KeyCode::Enter);
            if page(&world).stage == Stage::Model {
                world.press(KeyCode::Char('m'));
            }
        }
        world.press(KeyCode::Esc);
        assert!(world.state.setup().is_none());
        assert_eq!(world.setups.last(), Some(&SetupStep::Skip), "it isn't asked again");
        assert!(!world.setups.iter().any(|step| matches!(step, SetupStep::Write(..))));
        assert!(world.switches.is_empty());
        let said = format!("{:?}", world.state.chat.entries());
        assert!(said.contains("countersign setup") && said.contains("nothing was written"), "{said}");
    }
}

#[test]
fn a_key_is_named_and_never_typed() {
    let mut world = first();
    to(&mut world, "openai");
    world.press(KeyCode::Enter);
    assert_eq!(page(&world).stage, Stage::Key);
    world.press(KeyCode::Enter);
    assert!(
        page(&world).hint.as_deref().is_some_and(|hint| hint.contains("OPENAI_API_KEY")),
        "{:?}",
        page(&world).hint
    );
    for (row, typed, wanted) in [
        (1, "$TEAM_KEY", KeyWay::Variable("TEAM_KEY".to_owned())),
        (2, "pass show openai", KeyWay::Command("pass show openai".to_owned())),
        (3, "openai", KeyWay::Keyring("openai".to_owned())),
    ] {
        world.press(KeyCode::Char(char::from_digit(row + 1, 10).unwrap()));
        world.press(KeyCode::Enter);
        world.feed(1, Event::Paste(typed.to_owned()));
        world.press(KeyCode::Enter);
        let Some(SetupStep::List(_, chosen)) = world.setups.last() else { panic!("{:?}", world.setups) };
        assert_eq!(chosen.key, wanted);
        world.press(KeyCode::Left);
        assert_eq!(page(&world).stage, Stage::Key);
    }
}

#[test]
fn a_model_that_does_not_answer_is_written_only_on_a_second_word() {
    let mut world = first();
    world.press(KeyCode::Enter);
    world.press(KeyCode::Char('m'));
    world.press(KeyCode::Enter);
    let tried = number(&world);
    world.press(KeyCode::Enter);
    assert!(!world.setups.iter().any(|step| matches!(step, SetupStep::Write(..))), "it hasn't answered yet");
    world.feed(1, Event::SetUp(Done::Tried(tried, Err("refused the key (401)".to_owned()))));
    world.press(KeyCode::Enter);
    assert!(!world.setups.iter().any(|step| matches!(step, SetupStep::Write(..))), "and then it failed");
    world.press(KeyCode::Enter);
    assert!(matches!(world.setups.last(), Some(SetupStep::Write(..))));
    let written = number(&world);
    world.feed(1, Event::SetUp(Done::Written(written, Err("the disk is full".to_owned()))));
    assert_eq!(page(&world).hint.as_deref(), Some("the disk is full"), "the page stays, and says why");
}

#[test]
fn what_comes_late_for_an_older_question_is_dropped() {
    let mut world = first();
    world.press(KeyCode::Enter);
    let first = number(&world);
    world.press(KeyCode::Left);
    to(&mut world, "ollama");
    world.press(KeyCode::Enter);
    world.feed(1, Event::SetUp(Done::Listed(first, Ok(vec!["claude".to_owned()]))));
    assert!(page(&world).matching().is_empty());
}

#[test]
fn a_server_that_answers_moves_up_while_nobody_has_moved() {
    let mut world = first();
    world.feed(1, Event::SetUp(Done::Answers("ollama".to_owned(), 3)));
    assert!(page(&world).offers[..3].iter().any(|offer| offer.word == "ollama" && offer.note.contains("3 models")));
    let mut moved = self::first();
    moved.press(KeyCode::Down);
    let before = page(&moved).offers[1].word.clone();
    moved.feed(1, Event::SetUp(Done::Answers("ollama".to_owned(), 1)));
    assert_eq!(page(&moved).offers[page(&moved).at].word, before, "what the person chose stays chosen");
}

#[test]
fn the_same_by_lines() {
    let mut world = first();
    world.state.go_linear();
    let say = |world: &mut World, line: &str| world.feed(1, Event::Said(Said::read(line), Millis(0)));
    say(&mut world, "7");
    assert!(page(&world).hint.as_deref().is_some_and(|hint| hint.contains("from 1 to 5")));
    say(&mut world, "1");
    say(&mut world, "claude-x");
    assert!(
        matches!(world.setups.last(), Some(SetupStep::Try(_, chosen)) if chosen.model.as_deref() == Some("claude-x"))
    );
    say(&mut world, "back");
    assert_eq!(page(&world).stage, Stage::Model);
    say(&mut world, "skip");
    assert!(world.state.setup().is_none());
}

#[test]
fn in_a_new_folder_the_page_comes_first_and_the_folder_after_it() {
    let mut world = World::new();
    world.state.ask_folder();
    let offers = vec![offer("openai", false, None, Sort::Provider), offer("practice", true, None, Sort::Practice)];
    world.state.set_up(Setup::new(offers, false));
    world.draw(true);
    world.press(KeyCode::Down);
    assert_eq!(page(&world).at, 1, "the question about the folder doesn't take the page's place");
    world.press(KeyCode::Esc);
    assert!(world.state.setup().is_none() && world.state.arriving() && world.state.picker().is_some());
    world.press(KeyCode::Enter);
    assert!(!world.state.arriving());
}
