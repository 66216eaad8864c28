//! Paths as they are written down: a name on the disk may hold any bytes, and the text of an entry may not. One that is
//! text is written as text; any other as the list of its bytes, so that all of them are read back as they were.
//! For fields: `#[serde(with = "…::path")]`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, DeserializeOwned, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A path, or what holds some.
pub trait Paths: Sized {
    /// The same, with each path as it is written.
    type Written: Serialize + DeserializeOwned;

    /// As it is written.
    fn written(&self) -> Self::Written;

    /// As it was before.
    fn read(written: Self::Written) -> Self;
}

/// Writes paths down.
///
/// # Errors
/// Those of what they are written to.
pub fn serialize<S: Serializer>(paths: &impl Paths, serializer: S) -> Result<S::Ok, S::Error> {
    paths.written().serialize(serializer)
}

/// Reads them back.
///
/// # Errors
/// There is something else.
pub fn deserialize<'de, D: Deserializer<'de>, P: Paths>(deserializer: D) -> Result<P, D::Error> {
    P::Written::deserialize(deserializer).map(P::read)
}

/// One path as it is written.
#[derive(Debug)]
pub struct Written(PathBuf);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_seq(self.0.as_os_str().as_bytes()),
        }
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrBytes)
    }
}

struct TextOrBytes;

impl<'de> Visitor<'de> for TextOrBytes {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path: text, or a list of bytes")
    }

    fn visit_str<E>(self, text: &str) -> Result<Written, E> {
        Ok(Written(Path::new(text).to_path_buf()))
    }

    fn visit_string<E>(self, text: String) -> Result<Written, E> {
        Ok(Written(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Written, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(Written(OsString::from_vec(bytes).into()))
    }
}

impl Paths for PathBuf {
    type Written = Written;

    fn written(&self) -> Written {
        Written(self.clone())
    }

    fn read(written: Written) -> Self {
        written.0
    }
}

impl<P: Paths> Paths for Option<P> {
    type Written = Option<P::Written>;

    fn written(&self) -> Self::Written {
        self.as_ref().map(P::written)
    }

    fn read(written: Self::Written) -> Self {
        written.map(P::read)
    }
}

impl<P: Paths> Paths for Vec<P> {
    type Written = Vec<P::Written>;

    fn written(&self) -> Self::Written {
        self.iter().map(P::written).collect()
    }

    fn read(written: Self::Written) -> Self {
        written.into_iter().map(P::read).collect()
    }
}

impl<P: Paths> Paths for BTreeMap<String, P> {
    type Written = BTreeMap<String, P::Written>;

    fn written(&self) -> Self::Written {
        self.iter().map(|(name, path)| (name.clone(), path.written())).collect()
    }

    fn read(written: Self::Written) -> Self {
        written.into_iter().map(|(name, path)| (name, P::read(path))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Facts, Image, Need, PathFact, PathKind};

    fn odd() -> PathBuf {
        OsString::from_vec(b"/w/b\xff.txt".to_vec()).into()
    }

    fn again<T: Serialize + DeserializeOwned>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }

    #[test]
    fn any_path_comes_back_as_it_was() {
        let mut facts = Facts::default();
        facts.place.cwd = odd();
        facts.place.home = Some(odd());
        facts.programs.insert("odd".to_owned(), Some(odd()));
        facts.programs.insert("none".to_owned(), None);
        let fact = PathFact { real: odd(), kind: PathKind::File, size: 1, content: None };
        facts.paths.insert("link".to_owned(), fact);
        assert_eq!(again(&facts), facts);
        let link = Image::Link { target: odd() };
        assert_eq!(again(&link), link);
        let need = Need::Socket(odd());
        assert_eq!(again(&need), need);
    }

    #[test]
    fn text_is_written_as_text_and_nothing_else_is_read_as_a_path() {
        let fact = PathFact { real: "/w/ü".into(), kind: PathKind::File, size: 1, content: None };
        let text = r#"{"real":"/w/ü","kind":"File","size":1,"content":null}"#;
        assert_eq!(serde_json::to_string(&fact).unwrap(), text);
        assert_eq!(serde_json::from_str::<PathFact>(text).unwrap(), fact);
        for wrong in ["[256]", "[\"a\"]", "7", "null"] {
            let text = text.replace("\"/w/ü\"", wrong);
            assert!(serde_json::from_str::<PathFact>(&text).is_err(), "{wrong}");
        }
    }
}
