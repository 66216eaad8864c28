//! When a folder last changed, so that what was seen in it needn't be looked at again. By the time that nobody can set
//! (`ctime`, stat(2)): archives and copies put the other one back.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A folder that changed this recently is looked at again the next time: it may change again under the same time.
const SETTLED: Duration = Duration::from_millis(50);
/// The same where the disk may keep times of whole seconds, or of two (FAT).
const COARSE: Duration = Duration::from_secs(3);

/// When something last changed, and which one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(i64, i64, u64, u64);

impl Stamp {
    /// That of a folder as it is.
    pub fn of(about: &Metadata) -> Self {
        Self(about.ctime(), about.ctime_nsec(), about.ino(), about.dev())
    }

    /// That of a folder which won't change any more without another stamp.
    pub fn settled(about: &Metadata) -> Option<Self> {
        let changed = Duration::new(about.ctime().try_into().ok()?, about.ctime_nsec().try_into().ok()?);
        let since = SystemTime::now().duration_since(UNIX_EPOCH + changed).ok()?;
        let settled = if about.ctime_nsec() == 0 { COARSE } else { SETTLED };
        (since >= settled).then(|| Self::of(about))
    }
}
