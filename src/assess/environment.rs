//! The secrets of an environment, as programs get it.

use std::ffi::OsString;

use super::Known;

impl Known {
    /// The values of an environment whose names say that they are secrets. What isn't text is passed over.
    #[must_use]
    pub fn of_environment(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Self::of(Self::values_of(variables.into_iter().filter_map(text)))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn what_is_no_text_is_passed_over() {
        let bytes = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let variables = [
            (bytes(b"A_TOKEN"), bytes(b"hunter2222")),
            (bytes(b"B_TOKEN"), bytes(b"hunter\xff222")),
            (bytes(b"EDITOR"), bytes(b"hunter3333")),
        ];
        assert_eq!(Known::of_environment(variables).values(), ["hunter2222"]);
    }
}
