//! The first start by keys: what is asked in which order, what is tried, what is written, and how one gets out.

use super::*;
use crate::app::{Chosen, Done, Fetched, KeyWay, Offer, Setup, SetupStep, Sort, Stage, Wanted};

fn offer(word: &str, found: bool, lacks: Option<&str>, sort: Sort) -> Offer {
    Offer {
        word: word.to_owned(),
        name: word.to_owned(),
        note: String::new(),
        found,
        place: "127.0.0.1:11434".to_owned(),
        lacks: lacks.map(str::to_owned),
        sort,
        configured: false,
    }
}

fn offers() -> Vec<Offer> {
    vec![
        offer("openai", false, Some("OPENAI_API_KEY"), Sort::Provider),
        offer("anthropic", true, None, Sort::Provider),
        offer("ollama", false, None, Sort::Provider),
        offer("openai", false, None, Sort::Address),
        offer("practice", true, None, Sort::Practice),
    ]
}

fn first() -> World {
    opened(Setup::new(offers(), false))
}

/// The page asked for again, where the configuration names this already.
fn again(configured: Chosen) -> World {
    opened(Setup::new(offers(), true).already(configured))
}

fn opened(page: Setup) -> World {
    let mut world = World::new();
    world.state.setting.practice = true;
    world.state.set_up(page);
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
        assert!(said.contains("no settings were written"), "{said}");
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
        (2, "pass show openai", KeyWay::Command(["pass", "show", "openai"].map(str::to_owned).to_vec())),
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

fn configured(provider: &str, model: &str) -> Chosen {
    let (provider, model) = (provider.to_owned(), Some(model.to_owned()));
    Chosen { provider, model, mode: ApprovalMode::Strict, ..Chosen::default() }
}

/// What is written if nothing but Enter is pressed, while the provider lists these models.
fn enters(world: &mut World, models: &[&str]) -> Chosen {
    for _ in 0..9 {
        if let Some(SetupStep::Write(_, chosen)) = world.setups.last() {
            return chosen.clone();
        }
        let asked = world.setups.len();
        world.press(KeyCode::Enter);
        match world.setups.last().filter(|_| world.setups.len() > asked) {
            Some(SetupStep::List(number, _)) => {
                let listed = models.iter().map(|model| (*model).to_owned()).collect();
                world.feed(1, Event::SetUp(Done::Listed(*number, Ok(listed))));
            }
            Some(SetupStep::Try(number, _)) => {
                world.feed(1, Event::SetUp(Done::Tried(*number, Ok("it answered".to_owned()))));
            }
            _ => {}
        }
    }
    panic!("{:?}", world.setups)
}

#[test]
fn asked_again_what_is_configured_is_chosen_and_enter_alone_changes_nothing() {
    let words = ["sh", "-c", "pass show ai | head -1"].map(str::to_owned).to_vec();
    let plain = configured("openai", "gpt-b");
    for configured in [
        configured("ollama", "qwen3"),
        configured("practice", "/home/ann/script.json"),
        Chosen { key: KeyWay::Variable("TEAM_KEY".to_owned()), ..plain.clone() },
        Chosen { key: KeyWay::Command(words), ..plain.clone() },
        Chosen { address: Some("http://127.0.0.1:8080/v1".to_owned()), ..plain.clone() },
        Chosen {
            address: Some("https://proxy.example".to_owned()),
            key: KeyWay::Keyring("team".to_owned()),
            ..configured("anthropic", "gpt")
        },
    ] {
        for models in [&["gpt-a", "gpt-b", "qwen3"][..], &["gpt-a", "gpt-b-mini"]] {
            let mut world = again(configured.clone());
            let first = &page(&world).offers[0];
            assert!(first.configured && first.word == configured.provider, "{first:?}");
            assert_eq!(page(&world).offers.iter().filter(|offer| offer.configured).count(), 1);
            assert_eq!(enters(&mut world, models), configured);
        }
    }
}

#[test]
fn a_server_that_answers_does_not_push_aside_what_is_configured() {
    let mut world = again(configured("openai", "gpt"));
    world.feed(1, Event::SetUp(Done::Answers("ollama".to_owned(), 3)));
    assert_eq!((page(&world).at, page(&world).offers[0].word.as_str()), (0, "openai"));
    assert_eq!(page(&world).offers[1].word, "anthropic", "what was found follows");
}

#[test]
fn another_provider_keeps_the_configured_mode_and_another_server_never_gets_the_configured_key() {
    let mut world = again(configured("anthropic", "claude"));
    to(&mut world, "ollama");
    let chosen = enters(&mut world, &["qwen3"]);
    assert_eq!((chosen.provider.as_str(), chosen.model.as_deref()), ("ollama", Some("qwen3")));
    assert_eq!(chosen.mode, ApprovalMode::Strict);
    let address = Some("http://127.0.0.1:8080/v1".to_owned());
    let mut world = again(Chosen { address, key: KeyWay::Keyring("team".to_owned()), ..configured("openai", "gpt") });
    world.press(KeyCode::Enter);
    assert_eq!((page(&world).stage, page(&world).typed.as_str()), (Stage::Address, "http://127.0.0.1:8080/v1"));
    world.press(KeyCode::Char('2'));
    world.press(KeyCode::Enter);
    let Some(SetupStep::List(_, chosen)) = world.setups.last() else { panic!("{:?}", world.setups) };
    assert_eq!(chosen.key, KeyWay::Usual);
}

#[test]
fn by_lines_an_empty_line_takes_what_is_configured() {
    let mut world = again(Chosen { key: KeyWay::Variable("TEAM_KEY".to_owned()), ..configured("openai", "gpt-b") });
    world.state.go_linear();
    let say = |world: &mut World, line: &str| world.feed(1, Event::Said(Said::read(line), Millis(0)));
    for _ in 0..3 {
        say(&mut world, "");
    }
    let listed = number(&world);
    world.feed(1, Event::SetUp(Done::Listed(listed, Ok(["gpt-a", "gpt-b"].map(str::to_owned).to_vec()))));
    say(&mut world, "");
    let Some(SetupStep::Try(_, chosen)) = world.setups.last() else { panic!("{:?}", world.setups) };
    assert_eq!((chosen.model.as_deref(), &chosen.key), (Some("gpt-b"), &KeyWay::Variable("TEAM_KEY".to_owned())));
}

#[test]
fn what_is_typed_is_taken_back_as_in_a_shell_and_no_answer_with_it() {
    let mut world = first();
    let at = page(&world).offers.iter().position(|offer| offer.sort == Sort::Address).unwrap();
    for _ in 0..at {
        world.press(KeyCode::Down);
    }
    world.press(KeyCode::Enter);
    assert_eq!(page(&world).stage, Stage::Address);
    let typed = |world: &mut World| {
        for letter in "http://a b".chars() {
            world.press(KeyCode::Char(letter));
        }
    };
    typed(&mut world);
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL)));
    assert_eq!(page(&world).typed, "http://a ");
    world.feed(20, Event::Key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL)));
    assert_eq!(page(&world).typed, "");
    typed(&mut world);
    for _ in 0..40 {
        world.press(KeyCode::Backspace);
    }
    assert_eq!((page(&world).stage, page(&world).typed.as_str()), (Stage::Address, ""));
    world.press(KeyCode::Left);
    assert_eq!(page(&world).stage, Stage::Provider);
}

#[test]
fn a_trial_that_fails_speaks_of_no_message() {
    let mut world = first();
    to(&mut world, "anthropic");
    world.press(KeyCode::Enter);
    let listed = Done::Listed(number(&world), Ok(vec!["small".to_owned()]));
    world.feed(1, Event::SetUp(listed));
    world.press(KeyCode::Enter);
    let why = "x.test has trouble (500). Wait a little, then send the message again.".to_owned();
    world.feed(1, Event::SetUp(Done::Tried(number(&world), Err(why))));
    let Fetched::Failed(said) = &page(&world).trial else { panic!("{:?}", page(&world).trial) };
    assert_eq!(said, "x.test has trouble (500). Wait a little, then go back and try again.");
}
