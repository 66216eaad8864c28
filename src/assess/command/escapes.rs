//! The escapes of `$'…'`, as far as every locale reads them alike.

/// The text of `$'…'`; none if it has an escape that isn't known here.
pub(super) fn ansi_c(text: &str) -> Option<String> {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        decoded.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        let (kind, radix, longest) = match chars.next()? {
            'n' => ('\n', 0, 0),
            't' => ('\t', 0, 0),
            'e' | 'E' => ('\u{1b}', 0, 0),
            '\\' => ('\\', 0, 0),
            '\'' => ('\'', 0, 0),
            '"' => ('"', 0, 0),
            'x' => ('x', 16, 2),
            'u' => ('u', 16, 4),
            'U' => ('U', 16, 8),
            _ => return None,
        };
        rest = chars.as_str();
        if radix == 0 {
            decoded.push(kind);
            continue;
        }
        let length = rest.bytes().take(longest).take_while(u8::is_ascii_hexdigit).count();
        let code = u32::from_str_radix(&rest[..length], radix).ok()?;
        // What other characters become depends on the locale.
        if code == 0 || code > 127 {
            return None;
        }
        decoded.push(char::from_u32(code)?);
        rest = &rest[length..];
    }
    decoded.push_str(rest);
    Some(decoded)
}
