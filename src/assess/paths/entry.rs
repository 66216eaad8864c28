//! One entry of a list of paths: which paths it means, and which patterns point at it.

use super::super::overlap::{Ends, Name};
use super::super::written::Pattern;

/// Where an entry's path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Anywhere,
    Home,
    Root,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) anchor: Anchor,
    /// Everything below is meant too.
    pub(super) below: bool,
    pub(super) names: Vec<Name>,
    /// The ends of its first name, and of its last one.
    pub(super) start: Ends,
    pub(super) ends: Ends,
}

impl Entry {
    /// Whether a whole path matches, name by name from the end.
    pub(super) fn is(&self, path: &str) -> bool {
        let mut names = path.rsplit('/');
        let same = self.names.iter().rev().all(|name| names.next().is_some_and(|text| name.matches(text)));
        same && match self.anchor {
            Anchor::Anywhere => names.next().is_some(),
            Anchor::Home => names.eq(["~", ""]),
            Anchor::Root => names.eq([""]),
        }
    }

    /// Whether it is one name, wherever that stands: single names of a pattern say if it may be named.
    pub(super) fn single(&self) -> bool {
        self.anchor == Anchor::Anywhere && self.names.len() == 1
    }

    /// Whether a pattern, laid over the entry where that may begin, points at it and meets it.
    pub(super) fn may_be_named_by(&self, pattern: &Pattern) -> bool {
        let Some(last) = pattern.names.len().checked_sub(self.names.len()) else { return false };
        let begins = |start: usize| pattern.names[start].ends().agree(self.start);
        let fits = |start: usize| begins(start) && self.laid_over(&pattern.names[start..]);
        match self.anchor {
            Anchor::Anywhere if self.below => (0..=last).any(fits),
            Anchor::Anywhere => fits(last),
            Anchor::Root => (self.below || last == 0) && fits(0),
            Anchor::Home => {
                pattern.home.is_some_and(|start| start <= last && (self.below || start == last) && fits(start))
            }
        }
    }

    pub(super) fn laid_over(&self, pattern: &[Name]) -> bool {
        // Quick: most names differ at one of their ends.
        if !self.names.iter().zip(pattern).all(|(entry, name)| name.ends().agree(entry.ends())) {
            return false;
        }
        let Some((last, before)) = self.names.split_last() else { return false };
        let points = |(entry, name): (&Name, &Name)| name.points_at(entry) || entry.anything();
        let name = &pattern[before.len()];
        // A lone `*` doesn't name what begins with a dot.
        let spared = name.anything() && last.begins_with_dot();
        let led = before.iter().any(|entry| !entry.anything());
        let before_pointed_at = || before.iter().zip(pattern).all(points);
        // A plain name says enough by itself; an ending such as `*.json` needs its folder.
        let named = !last.anything() && name.points_at(last) && (last.literal() || before_pointed_at());
        let pointed_at = named || led && !spared && before_pointed_at();
        pointed_at && self.names.iter().zip(pattern).all(|(entry, name)| name.meets(entry))
    }
}
