//! Texts in which a name is found without reading them: a line for each name, what is known of it after a tab, and a
//! table of where the lines begin. The build makes them of the rule files (`assets/rules/build.rs`); the program has
//! them as they lie in its file, so that looking one name up costs nothing for the others.

use std::collections::BTreeMap;

/// Bytes of a slot: where a line begins, plus one; zero where there is none.
const SLOT: usize = 4;

/// A text and the hash table of its lines, with open addressing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    pub(super) text: &'static str,
    pub(super) slots: &'static [u8],
}

impl Index {
    /// What is known of a name.
    pub(super) fn find(&self, name: &str) -> Option<&'static str> {
        let slots = self.slots.len() / SLOT;
        let mut at = hash(name).checked_rem(slots)?;
        for _ in 0..slots {
            let slot = self.slots.get(at * SLOT..)?.first_chunk::<SLOT>()?;
            let line = self.text.get((u32::from_le_bytes(*slot) as usize).checked_sub(1)?..)?;
            if let Some(known) = line.strip_prefix(name).and_then(|rest| rest.strip_prefix('\t')) {
                return known.split('\n').next();
            }
            at = (at + 1) % slots;
        }
        None
    }

    /// Whether there is such a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether some name begins with this: the lines stand in the order of their names.
    pub(super) fn begins(&self, start: &str) -> bool {
        let bytes = self.text.as_bytes();
        let line = |at: usize| bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let name = |from: usize| bytes[from..].split(|byte| *byte == b'\t').next().unwrap_or_default();
        let (mut low, mut high) = (0, bytes.len());
        while low < high {
            let from = line(low + (high - low) / 2);
            if name(from) < start.as_bytes() {
                let end = bytes[from..].iter().position(|byte| *byte == b'\n');
                low = end.map_or(bytes.len(), |end| from + end + 1);
            } else {
                high = from;
            }
        }
        bytes[low..].starts_with(start.as_bytes())
    }

    /// Each name and what is known of it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.text.lines().filter_map(|line| line.split_once('\t'))
    }
}

/// The text and the slots of an index.
#[cfg_attr(not(test), allow(dead_code))] // the build calls it
pub(super) fn made(lines: &BTreeMap<String, String>) -> (String, Vec<u8>) {
    let (mut text, count) = (String::new(), (lines.len() * 2).next_power_of_two());
    let mut slots = vec![[0; SLOT]; count];
    for (name, known) in lines {
        let mut at = hash(name) % count;
        while slots[at] != [0; SLOT] {
            at = (at + 1) % count;
        }
        slots[at] = u32::try_from(text.len() + 1).unwrap_or_default().to_le_bytes();
        text.extend([name, "\t", known, "\n"]);
    }
    (text, slots.concat())
}

/// The names of the groups that a subcommand is in: `a` and `a b` of `a b c`.
pub(super) fn groups(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(' ').map(|(at, _)| &name[..at])
}

/// FNV-1a (<http://www.isthe.com/chongo/tech/comp/fnv/>); what it is asked for is looked up and then compared.
fn hash(name: &str) -> usize {
    let mixed = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, mixed) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let lines: BTreeMap<_, _> = (0..999).map(|number| (format!("n{number}"), format!("{number}\tx"))).collect();
        let (text, slots) = made(&lines);
        let index = Index { text: text.leak(), slots: slots.leak() };
        for (name, known) in &lines {
            assert_eq!(index.find(name), Some(known.as_str()));
        }
        assert!(["", "n", "n1000", "n1\t1", "1"].iter().all(|name| !index.has(name)));
        assert_eq!(index.iter().count(), lines.len());
        for start in ["", "n", "n0", "n99", "n998", "n37"] {
            assert!(index.begins(start), "{start}");
        }
        assert!(["a", "m", "n1000", "n998x", "z"].iter().all(|start| !index.begins(start)));
        let empty = Index { text: "", slots: &[] };
        assert_eq!((empty.find("a"), empty.begins("a")), (None, false));
    }

    #[test]
    fn groups_are_the_names_above() {
        assert_eq!(groups("a b c").collect::<Vec<_>>(), ["a", "a b"]);
        assert_eq!(groups("a").count(), 0);
    }
}
