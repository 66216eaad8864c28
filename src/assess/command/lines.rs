//! `read` and `mapfile`: variables that take what flows in, line by line, as far as it is known what that is.

use super::builtin::is_name;
use super::judge::{Feed, Judge};
use super::scope::blank;
use super::word::{Piece, Word};

impl Judge<'_> {
    /// `IFS` stands before `read`: what flows in comes apart there, and its first column may end elsewhere.
    pub(super) fn comes_apart_at(&mut self, signs: Word) {
        if matches!(self.feed, Feed::Hashed | Feed::Named) && !(blank(&signs) && signs.pattern().contains(' ')) {
            self.feed = Feed::Text;
        }
        self.signs = Some(signs);
    }
}

/// The words of a line that is known, for variables of these names: the last takes the rest of it.
fn parts(judge: &Judge<'_>, words: &[Word], names: &[&str], signs: Option<&Word>) -> Option<Vec<Word>> {
    let plain = |word: &Word| word.text().is_some_and(|text| text == "-r" || is_name(text));
    let sign = match signs {
        None => Some(' ').filter(|_| judge.scope.splits_usually()),
        Some(signs) => signs.text().and_then(|text| text.parse::<char>().ok()).filter(|sign| ".:,-/".contains(*sign)),
    }?;
    let line = judge.said()?.lines().next()?;
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b" ._/-:,".contains(&byte);
    // Of signs at its end some shells take away one.
    let ends = sign != ' ' && line.ends_with(sign);
    if names.is_empty() || !words.iter().all(plain) || !line.bytes().all(known) || ends {
        return None;
    }
    let trimmed = |text| if sign == ' ' { str::trim_matches(text, ' ') } else { text };
    let mut rest = trimmed(line);
    let mut values = Vec::new();
    for nth in 0..names.len() {
        let (value, behind) =
            if nth + 1 < names.len() { rest.split_once(sign).unwrap_or((rest, "")) } else { (rest, "") };
        values.push(Word::exact(value));
        rest = trimmed(behind);
    }
    Some(values)
}

/// `read`: its variables may be anything afterwards, unless one of them takes all of what flows in as it is.
pub(super) fn read(judge: &mut Judge<'_>, words: &[Word]) {
    judge.readers.insert("read".to_owned());
    let mut names = Vec::new();
    // Whether it ends at zero bytes, may end elsewhere or early, or takes what doesn't flow in.
    let (mut ended, mut cut, mut elsewhere) = (false, false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let flags = word.text().and_then(|text| text.strip_prefix('-')).filter(|flags| !flags.is_empty());
        // The first letter that takes a value takes the rest of the word, or the next one.
        let valued = flags.map(|flags| flags.trim_start_matches(['r', 's', 'e', 'E']));
        match (valued, word.text()) {
            (Some(""), _) => {}
            (Some("a"), _) => cut = true,
            (Some(valued), _) if valued.starts_with(['p', 'n', 'N', 't', 'd', 'u', 'i']) => {
                let (letter, value) = valued.split_at(1);
                let value = if value.is_empty() { rest.next().and_then(Word::text) } else { Some(value) };
                match letter {
                    "d" if value == Some("") => ended = true,
                    "d" | "n" | "N" | "t" => cut = true,
                    // One descriptor is what flows in, another isn't.
                    "u" | "i" => elsewhere = true,
                    _ => {}
                }
            }
            (None, Some(name)) if is_name(name) => names.push(name),
            _ => {
                judge.unreadable(
                    "command.assignment",
                    format!("Which variable {} sets is not known.", judge.spelt(word)),
                );
            }
        }
    }
    let signs = judge.signs.take();
    if let Some(values) = parts(judge, words, &names, signs.as_ref()) {
        names.into_iter().zip(values).for_each(|(name, value)| judge.assign(name, value));
        return;
    }
    let (spaced, apart) = (signs.is_some(), signs.is_none() && judge.scope.splits_usually());
    let one = names.len() == 1 && !elsewhere && !judge.scope.splits_oddly();
    let feed = judge.feed;
    let value = match feed {
        Feed::Number | Feed::Numbers if one => Piece::Digits.into(),
        Feed::Number | Feed::Numbers if apart && !elsewhere => Piece::Numbers.into(),
        // A piece of a name may be another one, or begin with a dash.
        _ if !one || cut => Word::any(),
        Feed::Whole(reach) if ended => Piece::Whole(reach).into(),
        Feed::Paths(reach) if !ended && judge.flows_in_whole() => Piece::Whole(reach).into(),
        Feed::Paths(reach) | Feed::Whole(reach) => Piece::Found(reach).into(),
        Feed::Hashes => Piece::Hashes.into(),
        Feed::Refs if !ended => Piece::Refs.into(),
        Feed::Names if !ended => Piece::Names.into(),
        Feed::Number
        | Feed::Numbers
        | Feed::Numbered
        | Feed::Counted
        | Feed::Hashed
        | Feed::Named
        | Feed::Refs
        | Feed::Names
        | Feed::Text
        | Feed::Download
        | Feed::Nothing => Word::any(),
    };
    // Of a line that begins with a number, a hash or a name the first of several variables takes just that; of numbers
    // alone each takes one, but the last.
    let column = match feed {
        Feed::Counted | Feed::Number | Feed::Numbers if apart => Some(Piece::Digits),
        Feed::Hashed if apart || spaced => Some(Piece::Hashes),
        Feed::Named if apart || spaced => Some(Piece::Names),
        _ => None,
    };
    let columns = match feed {
        _ if elsewhere || cut || ended => 0,
        Feed::Number | Feed::Numbers => names.len().saturating_sub(1),
        _ => usize::from(names.len() > 1),
    };
    for (nth, name) in names.into_iter().enumerate() {
        let taken = column.clone().filter(|_| nth < columns);
        judge.assign(name, taken.map_or_else(|| value.clone(), Word::from));
    }
}

/// `mapfile` and `readarray`: an array that may hold anything afterwards, unless each line of it is a path that a search
/// found. `-C` runs code.
pub(super) fn mapfile(judge: &mut Judge<'_>, words: &[Word]) {
    judge.readers.insert("mapfile".to_owned());
    judge.scope.forget(&["MAPFILE".to_owned()]);
    let members = match judge.feed {
        Feed::Paths(reach) => Some(Piece::Found(reach)),
        Feed::Hashes => Some(Piece::Hashes),
        Feed::Refs => Some(Piece::Refs),
        Feed::Names => Some(Piece::Names),
        _ => None,
    };
    if let ([flag, name], Some(members)) = (words, members)
        && flag.text() == Some("-t")
        && let Some(name) = name.text().filter(|name| is_name(name))
    {
        judge.assign(name, Word::any());
        judge.scope.fill(name, vec![members.into()]);
        return;
    }
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.text() {
            Some("-d" | "-n" | "-O" | "-s" | "-u") => {
                rest.next();
            }
            Some("-t" | "-td" | "-td," | "-d,") => {}
            Some(name) if is_name(name) => judge.assign(name, Word::any()),
            Some(_) | None => {
                judge.unreadable(
                    "command.assignment",
                    format!("What {} does to an array is not known.", judge.spelt(word)),
                );
            }
        }
    }
}
