//! Whether the words that were judged may become the words that a program really got.

use countersign::assess::{Piece, ReadCommand, Word};
use regex::bytes::Regex;

/// Whether a list of words may become these arguments.
pub fn fits(words: &[Word], argv: &[Vec<u8>]) -> bool {
    let Some((word, rest)) = words.split_first() else { return argv.is_empty() };
    if let Some(text) = word.text() {
        return argv.split_first().is_some_and(|(first, more)| first == text.as_bytes() && fits(rest, more));
    }
    let holds = |kind: fn(&Piece) -> bool| word.pieces().iter().any(kind);
    let hashes = holds(|piece| matches!(piece, Piece::Hashes | Piece::Names | Piece::Refs));
    if hashes || holds(|piece| matches!(piece, Piece::Words | Piece::Found(_) | Piece::Whole(_))) {
        // Any number of words; what is written before and after belongs to the first and the last.
        let least = usize::from(holds(|piece| matches!(piece, Piece::Exact(text) if !text.is_empty())));
        let flag = |word: &Vec<u8>| hashes && word.starts_with(b"-");
        let most = argv.iter().position(flag).unwrap_or(argv.len());
        return (least..=most).any(|count| fits(rest, &argv[count..]));
    }
    let numbers = holds(|piece| matches!(piece, Piece::Numbers));
    let pattern = pattern(word, numbers);
    let several = numbers || holds(|piece| matches!(piece, Piece::Pattern(_)));
    let most = if several { argv.len() } else { 1.min(argv.len()) };
    let none = numbers && word.pieces().len() == 1 && fits(rest, argv);
    none || (1..=most).take_while(|count| pattern.is_match(&argv[count - 1])).any(|count| fits(rest, &argv[count..]))
}

/// What each of the words that a word becomes looks like; in several numbers what stands around them is of one alone.
fn pattern(word: &Word, apart: bool) -> Regex {
    let mut pattern = String::from("(?s-u)^");
    let mut bracket = false;
    for piece in word.pieces() {
        match piece {
            _ if bracket => {}
            Piece::Exact(text) => {
                pattern += if apart { "(" } else { "" };
                for byte in text.bytes() {
                    pattern += &format!("\\x{byte:02x}");
                }
                pattern += if apart { ")?" } else { "" };
            }
            Piece::Pattern(sign) if sign == "?" => pattern += ".{1,4}",
            Piece::Pattern(sign) if sign == "[" => {
                bracket = true;
                pattern += ".*";
            }
            Piece::Number => pattern += "-?[0-9]+",
            Piece::Digits => pattern += "(-?[0-9]+)?",
            Piece::Numbers => pattern += "[-0-9\\n]*",
            Piece::Pattern(_)
            | Piece::Any
            | Piece::Words
            | Piece::Hashes
            | Piece::Names
            | Piece::Refs
            | Piece::Found(_) => pattern += ".*",
            Piece::Label => pattern += "[0-9A-Za-z][-0-9A-Za-z._+]*",
            Piece::Account => pattern += "([^-/ \\t\\n][^/ \\t\\n]*)?",
            Piece::Whole(_) => pattern += "[^-].*",
        }
    }
    Regex::new(&(pattern + "$")).unwrap()
}

/// What was read, for a person.
pub fn shown(read: &[ReadCommand]) -> String {
    let commands = read.iter().map(|command| command.words.iter().map(Word::pieces).collect::<Vec<_>>());
    format!("{:?}", commands.collect::<Vec<_>>())
}

#[test]
fn words_fit_what_they_may_become_and_nothing_else() {
    let place = countersign::domain::Facts::default();
    let settings = countersign::assess::AssessSettings::default();
    let read = |text: &str| countersign::assess::read(text, &place, &settings).pop().unwrap().words;
    let argv = |words: &[&str]| words.iter().map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>();
    assert!(fits(&read("echo 'a b' c"), &argv(&["echo", "a b", "c"])));
    assert!(!fits(&read("echo 'a b' c"), &argv(&["echo", "a", "b", "c"])));
    assert!(fits(&read("echo \"$x\" b"), &argv(&["echo", "any thing", "b"])));
    assert!(!fits(&read("echo \"$x\" b"), &argv(&["echo", "any", "thing", "b"])));
    assert!(fits(&read("echo $x b"), &argv(&["echo", "any", "thing", "b"])));
    assert!(fits(&read("echo *.rs b"), &argv(&["echo", "a.rs", "b.rs", "b"])));
    assert!(!fits(&read("echo *.rs b"), &argv(&["echo", "a.txt", "b"])));
}
