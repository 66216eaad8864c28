//! From text to a syntax tree: the limits that keep the parser's stack and time bounded, and the parser.
//! Judges nothing. What is refused here is unreadable. Called by the walk, once for each text and substitution.

use std::cell::RefCell;
use std::rc::Rc;

use brush_parser::ast::Program;
use brush_parser::word::{self, WordPieceWithSource};
use brush_parser::{ParserOptions, Token, parse_tokens, uncached_tokenize_str};

use super::{brackets, documents};

/// Most expansions (`$(`, `${`, `$[`, a backtick) in one word: the parser's time doubles with each level.
const EXPANSIONS_IN_A_WORD: usize = 6;
/// Most elements (`name[`) in one word, where they aren't in single quotes: its time doubles with each that isn't closed.
const ELEMENTS_IN_A_WORD: usize = 10;
/// Deepest nesting of expansions and of brackets anywhere in the text, counted without regard to quotes.
const EXPANSIONS_IN_THE_TEXT: usize = 200;
/// Deepest nesting of compound commands and brackets.
const DEPTH: usize = 10;
/// Most words and operators.
const TOKENS: usize = 4_000;

/// Most texts whose trees are kept from one walk to the next.
const KEPT: usize = 16;

/// Most words whose pieces are kept so.
const WORDS: usize = 64;

/// A tree, or why there is none.
type Parsed = Result<Rc<Program>, String>;
/// The pieces of a word, if it could be parsed.
pub(super) type Pieces = Option<Rc<Vec<WordPieceWithSource>>>;

thread_local! {
    /// A command is walked twice, to learn what it mentions and to be judged: the trees of the first walk.
    static TREES: RefCell<Vec<(String, Parsed)>> = const { RefCell::new(Vec::new()) };
    /// The same of words: one in a loop is expanded again and again.
    static PIECES: RefCell<Vec<(String, Tildes, Pieces)>> = const { RefCell::new(Vec::new()) };
}

/// Lets go of the trees.
pub(super) fn forget() {
    TREES.with_borrow_mut(Vec::clear);
    PIECES.with_borrow_mut(Vec::clear);
}

/// Where tildes stand for folders in a word, besides where they always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tildes {
    /// Nowhere else.
    Usual,
    /// After colons, as in the value of an assignment.
    AfterColons,
    /// Not even where it begins.
    NotFirst,
}

/// Parses one word.
pub(super) fn pieces(raw: &str, tildes: Tildes) -> Pieces {
    let same = |word: &&(String, Tildes, Pieces)| word.1 == tildes && word.0 == raw;
    if let Some(pieces) = PIECES.with_borrow(|words| words.iter().find(same).map(|word| word.2.clone())) {
        return pieces;
    }
    let options = match tildes {
        Tildes::Usual => options(),
        Tildes::AfterColons => ParserOptions { tilde_expansion_after_colon: true, ..options() },
        Tildes::NotFirst => ParserOptions { tilde_expansion_at_word_start: false, ..options() },
    };
    let pieces = word::parse(raw, &options).ok().map(Rc::new);
    PIECES.with_borrow_mut(|words| {
        if words.len() < WORDS {
            words.push((raw.to_owned(), tildes, pieces.clone()));
        }
    });
    pieces
}

/// Parses a whole text, or says in one sentence why it can't be read.
pub(super) fn parse(text: &str) -> Parsed {
    let kept = |trees: &Vec<(String, Parsed)>| trees.iter().find(|tree| tree.0 == text).map(|tree| tree.1.clone());
    if let Some(parsed) = TREES.with_borrow(kept) {
        return parsed;
    }
    let parsed = tree(text).map(Rc::new);
    TREES.with_borrow_mut(|trees| {
        if trees.len() < KEPT {
            trees.push((text.to_owned(), parsed.clone()));
        }
    });
    parsed
}

/// The options of `bash -c`: no extended globs, no POSIX mode.
pub(super) fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

fn tree(text: &str) -> Result<Program, String> {
    plain(text)?;
    delimited(text)?;
    // Without an end of line behind it the tokenizer may look for the end of a here-document for ever (0.4.0).
    let ended = text.contains("<<").then(|| format!("{text}\n\n"));
    if ended.is_some() && text.ends_with('\\') {
        return Err("The shell text is not complete: a backslash ends it.".to_owned());
    }
    let text = ended.as_deref().unwrap_or(text);
    let options = options();
    let tokens = uncached_tokenize_str(text, &options.tokenizer_options())
        .map_err(|error| format!("The shell text is not complete: {error}."))?;
    nested(&tokens)?;
    brackets::agreed(text, &tokens)?;
    documents::told_apart(text, &tokens)?;
    parse_tokens(&tokens, &options).map_err(|_| "The shell text could not be parsed.".to_owned())
}

/// Refuses characters and runs that the parser and bash could read differently, or that make it fail.
fn plain(text: &str) -> Result<(), String> {
    let strange =
        |c: char| c.is_control() && c != '\n' && c != '\t' || c.is_whitespace() && !matches!(c, ' ' | '\n' | '\t');
    if let Some(c) = text.chars().find(|&c| strange(c)) {
        return Err(format!(
            "It holds the character U+{:04X}, which shells and people read differently.",
            u32::from(c)
        ));
    }
    let mut openers = 0;
    let mut digits = 0;
    let (mut before, mut last) = (' ', ' ');
    for (at, c) in text.char_indices() {
        openers += usize::from(c == '`' || last == '$' && matches!(c, '(' | '{' | '['));
        match c {
            '<' | '>' | '.' | '}' if digits > 9 => return Err("It holds a number that is too long.".to_owned()),
            '0'..='9' => digits += 1,
            _ => digits = 0,
        }
        let begins = matches!(before, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | '<' | '>' | '{' | ',');
        // In arithmetic it turns bits round.
        let computes = || text[..at].rfind("$((").is_some_and(|open| !text[open..at].contains("))"));
        if last == '~' && begins && (c.is_ascii_digit() || matches!(c, '+' | '-')) && !computes() {
            return Err("It uses the shell's stack of folders (`~+`, `~-`, `~1`).".to_owned());
        }
        (before, last) = (last, c);
    }
    if openers > EXPANSIONS_IN_THE_TEXT {
        return Err(format!("It has {openers} expansions; only up to {EXPANSIONS_IN_THE_TEXT} are judged."));
    }
    Ok(())
}

/// Refuses a here-document whose delimiter has an expansion in it, which bash doesn't expand: the parser may look for its
/// end for ever.
fn delimited(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices("<<") {
        let rest = &text[at + 2..];
        if rest.starts_with('<') {
            continue;
        }
        let (mut quote, mut escaped) = (None, false);
        for letter in rest.trim_start_matches(['-', ' ', '\t']).chars() {
            match (quote, letter) {
                _ if escaped => escaped = false,
                (None | Some('"'), '\\') => escaped = true,
                (None | Some('"'), '$' | '`') => {
                    return Err("The word that ends a here-document has an expansion in it.".to_owned());
                }
                (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => break,
                (None, '"' | '\'') => quote = Some(letter),
                (Some(open), _) if open == letter => quote = None,
                _ => {}
            }
        }
    }
    Ok(())
}

/// Refuses words and structures that are nested so deep that parsing would take too long or overflow the stack.
fn nested(tokens: &[Token]) -> Result<(), String> {
    if tokens.len() > TOKENS {
        return Err(format!("It has {} words and operators; only up to {TOKENS} are judged.", tokens.len()));
    }
    let too_deep = || format!("It is nested deeper than {DEPTH} levels.");
    if tokens.windows(2).any(|pair| into_variable(&pair[0], &pair[1])) {
        return Err("It opens a descriptor and puts its number into a variable (`{name}>`).".to_owned());
    }
    let mut depth = 0_usize;
    let mut bangs = 0_usize;
    for token in tokens {
        match token.to_str() {
            "(" | "{" | "if" | "for" | "while" | "until" | "case" | "[[" | "select" | "coproc" | "function" => {
                depth += 1;
            }
            ")" | "}" | "fi" | "done" | "esac" | "]]" => depth = depth.saturating_sub(1),
            "!" => bangs += 1,
            word => {
                bangs = 0;
                if expansions(word) > EXPANSIONS_IN_A_WORD {
                    return Err(format!("A word has more than {EXPANSIONS_IN_A_WORD} expansions."));
                }
                if elements(word) > ELEMENTS_IN_A_WORD {
                    return Err(format!("A word has more than {ELEMENTS_IN_A_WORD} elements of arrays."));
                }
            }
        }
        if depth > DEPTH || bangs > DEPTH {
            return Err(too_deep());
        }
    }
    Ok(())
}

/// Whether a word is `{name}` right before a redirection: the parser takes it for a word that is passed, bash doesn't.
fn into_variable(word: &Token, operator: &Token) -> bool {
    let (Token::Word(text, place), Token::Operator(sign, next)) = (word, operator) else { return false };
    let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    sign.starts_with(['<', '>'])
        && place.end.index == next.start.index
        && name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// How many elements of arrays may begin in a word, as far as it isn't in single quotes.
fn elements(word: &str) -> usize {
    let (mut count, mut last, mut quote, mut escaped) = (0, ' ', None, false);
    for letter in word.chars() {
        // Of a word in `$'…'` the backslash counts, of one in `'…'` it doesn't.
        let plain = quote == Some(('\'', false));
        if escaped {
            escaped = false;
        } else if letter == '\\' && !plain {
            escaped = true;
        } else if let Some((open, _)) = quote {
            quote = quote.filter(|_| letter != open);
        } else if matches!(letter, '\'' | '"') {
            quote = Some((letter, letter == '"' || last == '$'));
        }
        let quoted = matches!(quote, Some(('\'', _)));
        count += usize::from(!quoted && letter == '[' && (last.is_ascii_alphanumeric() || last == '_'));
        last = letter;
    }
    count
}

/// How many expansions begin in a word.
fn expansions(word: &str) -> usize {
    let bytes = word.as_bytes();
    let dollars = bytes.windows(2).filter(|pair| pair[0] == b'$' && matches!(pair[1], b'(' | b'{' | b'[')).count();
    let backticks = word.matches('`').count();
    let (brackets, elements) = match dollars {
        0 => (0, 0),
        _ => (word.matches('(').count().saturating_sub(dollars) / 2, word.matches('[').count().saturating_sub(2)),
    };
    dollars + backticks.div_ceil(2) + brackets + 2 * elements
}
