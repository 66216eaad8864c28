//! Patches as some agents write them (`*** Begin Patch` … `*** End Patch`): which files they add, change, move and
//! delete. Each is judged as what it does to its file; a patch that isn't understood whole isn't read.

use super::Wants;
use super::tools::named;
use crate::domain::{FileOperation, OperationKind};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// One file's part of a patch.
struct Part<'a> {
    verb: &'a str,
    path: &'a str,
    to: Option<&'a str>,
    old: String,
    new: String,
}

impl Part<'_> {
    fn operations(self) -> Result<Vec<(String, OperationKind)>, String> {
        let path = self.path.to_owned();
        let file = match self.verb {
            "Add" => FileOperation::Write { path, content: self.new },
            "Update" => FileOperation::Edit { path, old: self.old, new: self.new, all: false },
            "Delete" => FileOperation::Delete { path },
            other => return Err(format!("its patch has a part `{other} File`, which isn't known")),
        };
        let moved = self.to.map(|to| FileOperation::Move { path: self.path.to_owned(), destination: to.to_owned() });
        Ok([Some(file), moved].into_iter().flatten().map(|file| named(OperationKind::File(file))).collect())
    }
}

/// Reads a patch.
///
/// # Errors
/// Why it isn't understood, as the end of a sentence.
pub(super) fn read(text: &str) -> Result<Wants, String> {
    let mut lines = text.trim().lines();
    if lines.next().map(str::trim) != Some(BEGIN) {
        return Err("its patch doesn't begin as one".to_owned());
    }
    let (mut parts, mut ended): (Vec<Part<'_>>, bool) = (Vec::new(), false);
    for line in lines {
        if ended {
            return Err("its patch goes on after its end".to_owned());
        }
        match line.strip_prefix("*** ") {
            Some(_) if line.trim() == END => ended = true,
            Some("End of File") => {}
            Some(head) => match (head.split_once(" File: "), head.strip_prefix("Move to: "), parts.last_mut()) {
                (Some((verb, path)), _, _) => {
                    parts.push(Part { verb, path: path.trim(), to: None, old: String::new(), new: String::new() });
                }
                (None, Some(to), Some(part)) => part.to = Some(to.trim()),
                _ => return Err("its patch has a line that isn't known".to_owned()),
            },
            None => {
                let Some(part) = parts.last_mut() else { return Err("its patch names no file".to_owned()) };
                let (sign, rest) = line.split_at(line.len().min(usize::from(line.starts_with(['+', '-', ' ']))));
                let targets = match sign {
                    "+" => [None, Some(&mut part.new)],
                    "-" => [Some(&mut part.old), None],
                    _ => [Some(&mut part.old), Some(&mut part.new)],
                };
                for target in targets.into_iter().flatten() {
                    target.push_str(rest);
                    target.push('\n');
                }
            }
        }
    }
    if !ended || parts.is_empty() || parts.iter().any(|part| part.path.is_empty()) {
        return Err("its patch isn't whole".to_owned());
    }
    let operations: Vec<Vec<_>> = parts.into_iter().map(Part::operations).collect::<Result<_, _>>()?;
    Ok(Wants::Operations(operations.into_iter().flatten().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_told() {
        let text = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: b.rs\n*** Move to: c.rs\n@@ fn x\n \
                    same\n-old\n+new\n*** Delete File: d\n*** End Patch\n";
        let Wants::Operations(operations) = read(text).unwrap() else { panic!() };
        let gists: Vec<_> = operations.iter().map(|(_, kind)| kind.gist()).collect();
        assert_eq!(gists, ["write a.txt", "edit b.rs", "move b.rs → c.rs", "delete d"]);
        let OperationKind::File(FileOperation::Edit { old, new, .. }) = &operations[1].1 else { panic!() };
        assert!(old.ends_with("same\nold\n") && new.ends_with("same\nnew\n"), "{old:?} {new:?}");
    }

    #[test]
    fn a_patch_that_is_not_understood_whole_is_not_read() {
        for text in [
            "",
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n+x\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\n+x",
            "*** Begin Patch\n*** Add File: \n+x\n*** End Patch",
            "*** Begin Patch\n*** Link File: a\n*** End Patch",
            "*** Begin Patch\n*** Add File: a\n*** End Patch\n*** Delete File: b",
            "*** Begin Patch\n*** Add File: a\n*** Chmod: a\n*** End Patch",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
