//! When a folder last changed, so that what was seen in it needn't be looked at again.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

/// A folder that changed this recently is looked at again the next time: it may change again under the same time.
const SETTLED: Duration = Duration::from_millis(50);

/// When something last changed, and which one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(i64, i64, u64, u64);

impl Stamp {
    /// That of a folder as it is.
    pub fn of(about: &Metadata) -> Self {
        Self(about.mtime(), about.mtime_nsec(), about.ino(), about.dev())
    }

    /// That of a folder which won't change any more without another stamp.
    pub fn settled(about: &Metadata) -> Option<Self> {
        let since = about.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        since.filter(|since| *since >= SETTLED).map(|_| Self::of(about))
    }
}
