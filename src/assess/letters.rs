//! Letters that nobody sees, or that are drawn like others: which they are, and what they are called.

pub(super) fn name(letter: char) -> &'static str {
    match letter {
        '\0' => "null",
        '\r' => "carriage return",
        '\u{1b}' => "escape",
        '\u{08}' => "backspace",
        '\u{7f}' => "delete",
        '\u{00}'..='\u{1f}' | '\u{80}'..='\u{9f}' => "control character",
        '\u{ad}' => "soft hyphen",
        '\u{a0}' => "no-break space",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "end of a change of direction",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{2060}' => "word joiner",
        '\u{2066}'..='\u{2069}' => "isolate of a direction",
        '\u{feff}' => "byte order mark",
        '\u{e0000}'..='\u{e007f}' => "tag character",
        letter if unusual_blank(letter) => "unusual blank",
        letter if cyrillic_twin(letter) => "Cyrillic letter among Latin ones",
        letter if greek_twin(letter) => "Greek letter among Latin ones",
        letter if dressed(letter) => "dressed-up form of a plain letter",
        _ => "invisible character",
    }
}

pub(super) fn invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A blank that isn't the usual one, and that no shell takes for one.
#[must_use]
pub fn unusual_blank(letter: char) -> bool {
    matches!(letter, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Joiners are part of how emoji and some scripts are written.
pub(super) fn joins(before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let script =
        |letter: char| matches!(letter, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}');
    (takes_variation(before) || before == '\u{fe0f}') && takes_variation(after) || script(before) && script(after)
}

/// Symbols that have a plain and a colourful form, and emoji.
pub(super) fn takes_variation(letter: char) -> bool {
    matches!(letter,
        '0'..='9' | '#' | '*' | '©' | '®' | '\u{203c}' | '\u{2049}' | '\u{2100}'..='\u{2bff}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// A foreign form of a letter in a name that is otherwise plain Latin. A name written in one script throughout
/// is what it shows, and one with letters that only its own script has misleads nobody.
pub(super) fn disguised(name: &[(usize, char)]) -> Option<(usize, char)> {
    let latin = name.iter().any(|(_, letter)| letter.is_ascii_alphabetic());
    let own = name.iter().any(|(_, letter)| letter.is_alphabetic() && !letter.is_ascii() && !foreign_form(*letter));
    name.iter().find(|(_, letter)| dressed(*letter)).filter(|_| latin && !own).copied().or_else(|| twin(name))
}

fn foreign_form(letter: char) -> bool {
    dressed(letter) || cyrillic_twin(letter) || greek_twin(letter)
}

/// A Cyrillic or Greek letter in a Latin word, where every such letter of the word has a Latin twin: a word
/// that shows its own script misleads nobody.
pub(super) fn twin(word: &[(usize, char)]) -> Option<(usize, char)> {
    let twin = |letter: char| cyrillic_twin(letter) || greek_twin(letter);
    let foreign = |letter: char| matches!(letter, '\u{370}'..='\u{52f}' | '\u{1f00}'..='\u{1fff}');
    let latin = word.iter().any(|(_, letter)| letter.is_ascii_alphabetic());
    let own = word.iter().any(|(_, letter)| foreign(*letter) && !twin(*letter));
    word.iter().find(|(_, letter)| twin(*letter)).filter(|_| latin && !own).copied()
}

fn cyrillic_twin(letter: char) -> bool {
    "аеорсухіјѕԁһԛԝһѵԍԚԜАВЕЗКМНОРСТУХІЈЅҮӀӏ".contains(letter)
}

fn greek_twin(letter: char) -> bool {
    "αγικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹ".contains(letter)
}

/// Full-width and mathematical forms of plain letters, and signs that are drawn like `/`, `\` and `.`.
pub(super) fn dressed(letter: char) -> bool {
    sign(letter) || matches!(letter, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}')
}

/// Signs that are drawn like those that part the names of a path or a host.
pub(super) fn sign(letter: char) -> bool {
    matches!(
        letter,
        '\u{2024}'
            | '\u{2044}'
            | '\u{2215}'
            | '\u{29f8}'
            | '\u{fe52}'
            | '\u{fe68}'
            | '\u{29f5}'
            | '\u{2216}'
            | '\u{ff0e}'
            | '\u{ff0f}'
            | '\u{ff3c}'
    )
}
