//! Where a command makes names mean something else than their letters tell: patterns that match otherwise, folders that
//! are gone into by links. Asked by `acts`.

use super::programs::plain_name;
use super::reading::ReadCommand;
use super::word::{Piece, Word};

/// Whether a command changes what patterns match from there on.
pub(super) fn matches_otherwise(command: &ReadCommand) -> bool {
    match command.words.first().and_then(Word::text).map(plain_name) {
        Some("shopt") => true,
        Some("set") => may_have(command, 'f') || command.words.iter().any(|word| word.text() == Some("noglob")),
        Some("bash") => may_have(command, 'f') || may_have(command, 'O'),
        Some(_) | None => false,
    }
}

/// Whether `..` leads out of where links lead, from there on, not out of how they are spelled.
pub(super) fn goes_by_links(command: &ReadCommand) -> bool {
    (goes(command) || command.words.first().and_then(Word::text) == Some("set")) && may_have(command, 'P')
}

/// Whether it goes into another folder.
pub(super) fn goes(command: &ReadCommand) -> bool {
    matches!(command.words.first().and_then(Word::text), Some("cd" | "pushd"))
}

/// Whether a letter is among its flags, or may be.
fn may_have(command: &ReadCommand, letter: char) -> bool {
    let flag = |text: &str| text.starts_with(['-', '+']) && text.contains(letter);
    command.words.iter().skip(1).any(|word| word.text().map_or(word.may_be_flag(), flag))
}

pub(super) fn patterned(word: &Word) -> bool {
    word.pieces().iter().any(|piece| matches!(piece, Piece::Pattern(_)))
}
