//! Arrays: their members where a script says them, so that `"${files[@]}"` is the words that it becomes. Places in an
//! array are arithmetic, which can run code; whether one really has keys instead, nobody can tell for sure.

use brush_parser::ast::Word as Raw;

use super::judge::Judge;
use super::word::{Piece, Word};

impl Judge<'_> {
    /// An array is assigned, or added to.
    pub(super) fn array(&mut self, name: &str, members: &[(Option<Raw>, Raw)], keyed: bool, append: bool) {
        let mut words = if append { self.scope.members(name).map(<[Word]>::to_vec) } else { Some(Vec::new()) };
        for (index, member) in members {
            if let Some(index) = index {
                self.computed(&index.value);
                words = None;
            } else if member.value.starts_with('[') {
                // To bash it may be one all the same: `[b[i]]=1`, `[ i ]=1`, `[i]+=1`.
                self.unreadable("command.array", "It assigns to a computed place in an array.");
            }
            let become_words = self.words(member);
            // Here a tilde behind `=` stays one.
            let tildes = member.value.trim_start_matches('~').contains('~');
            words = words.filter(|_| !tildes);
            if let Some(words) = &mut words {
                words.extend(become_words);
            }
        }
        self.assign(name, Word::any());
        // Behind one that may be none, or several, nobody knows which place is whose.
        let placed = |words: &[Word]| match words.split_last() {
            Some((last, before)) => !last.open() && !before.iter().any(|word| word.several() || word.may_be_none()),
            None => true,
        };
        if let Some(words) = words.filter(|words| !keyed && placed(words)) {
            self.scope.fill(name, words);
        }
    }

    /// One place of an array is assigned.
    pub(super) fn element(&mut self, name: &str, index: &str) {
        self.computed(index);
        self.assign(name, Word::any());
    }

    /// The words that a whole word of the script stands for, if it is every member of an array, or every argument of
    /// the function that is called, and these are known.
    pub(super) fn all_of(&self, raw: &str) -> Option<Vec<Word>> {
        let quoted = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let bare = quoted.unwrap_or(raw);
        if quoted.is_none() && self.scope.splits_oddly() {
            return None;
        }
        // Its places, as it surely has members without keys.
        if let Some(name) = bare.strip_prefix("${!").and_then(|bare| bare.strip_suffix("[@]}")) {
            return self.scope.members(name).map(|_| vec![Piece::Numbers.into()]);
        }
        let words = match bare {
            "$@" | "${@}" => self.words_given()?.get(1..)?,
            _ if quoted.is_none() && self.split(raw).is_some() => return self.split(raw),
            _ => {
                let (name, some) = bare.strip_prefix("${")?.strip_suffix('}')?.split_once("[@]")?;
                slice(self.scope.members(name)?, some)?
            }
        };
        // Without quotes each of them is split and expanded once more.
        let plain = |word: &Word| {
            word.text().is_some_and(|text| !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '[']))
        };
        (quoted.is_some() || words.iter().all(plain)).then(|| words.to_vec())
    }

    /// The values that a loop takes of some of an array that may have any number of members.
    pub(super) fn some_of(&self, raw: &str) -> Option<Vec<Word>> {
        let bare = raw.strip_prefix("\"${")?.strip_suffix("}\"")?;
        let (name, some) = bare.split_once("[@]:")?;
        let places = some.split(':').all(|place| !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit()));
        let members = self.scope.members(name)?;
        (places && members.iter().any(Word::several)).then(|| members.to_vec())
    }

    /// The words into which an unquoted variable comes apart, where its text is known and none of it is a pattern.
    fn split(&self, raw: &str) -> Option<Vec<Word>> {
        let bare = raw.strip_prefix('$')?;
        let name = bare.strip_prefix('{').map_or(Some(bare), |name| name.strip_suffix('}'))?;
        let text = self.scope.get(name)?.text()?;
        let known = text.contains([' ', '\t', '\n']) && !text.contains(['*', '?', '[', '\\']);
        let words: Vec<Word> = text.split([' ', '\t', '\n']).filter(|word| !word.is_empty()).map(Word::exact).collect();
        (known && self.scope.splits_usually() && !words.is_empty()).then_some(words)
    }

    /// The value of one member of an array.
    pub(super) fn member(&self, name: &str, index: &str) -> Option<&Word> {
        let members = self.scope.members(name)?;
        // Each line of what flowed in is such a one, or there is none at that place.
        if let [each] = members
            && each.several()
            && each.may_be_none()
        {
            return index.bytes().all(|byte| byte.is_ascii_digit()).then_some(each);
        }
        let before = members.get(..index.parse().ok()?)?;
        members.get(before.len()).filter(|_| !before.iter().any(Word::several))
    }
}

/// The members that a script takes of an array: all, or those behind a place (`:1`), at most so many (`:0:5`).
fn slice<'w>(members: &'w [Word], some: &str) -> Option<&'w [Word]> {
    let some = some.strip_prefix(':').or_else(|| some.is_empty().then_some("0"))?;
    let (from, most) = some.split_once(':').map_or((some, None), |(from, most)| (from, Some(most)));
    let number = |text: &str| text.parse::<usize>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let (from, most) = (number(from)?, most.map_or(Some(usize::MAX), number)?);
    if members.iter().any(Word::several) {
        return (from == 0 && most == usize::MAX).then_some(members);
    }
    let behind = members.get(from..).unwrap_or_default();
    Some(&behind[..behind.len().min(most)])
}
