//! How much a layer may hold. The kernel bounds no folder on a disk, so what is in it is counted while the run lasts.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::domain::number::{size, thousands};

/// Most bytes of a layer, as the disk holds them.
const BYTES: u64 = 8 << 30;
/// Most files and folders of a layer.
const ENTRIES: u64 = 300_000;
/// Bytes that must stay free on the disk.
const FREE: u64 = 1 << 30;
/// How often the free room is looked at, and at most how much of the time is spent on counting: a tenth.
const PACE: Duration = Duration::from_millis(250);

/// Waits until a layer holds too much, and says so. Never returns while it doesn't.
pub(in crate::tools) async fn over(upper: PathBuf) -> String {
    let mut pause = PACE;
    loop {
        tokio::time::sleep(pause).await;
        let upper = upper.clone();
        let (began, looked) = (Instant::now(), tokio::task::spawn_blocking(move || too_much(&upper)));
        if let Ok(Some(why)) = looked.await {
            return why;
        }
        pause = PACE.max(began.elapsed() * 9);
    }
}

/// Why a layer holds too much, if it does.
fn too_much(upper: &Path) -> Option<String> {
    let disk = nix::sys::statvfs::statvfs(upper).ok()?;
    #[allow(clippy::useless_conversion)] // other systems count in 32 bits
    let free = u64::from(disk.blocks_available()).saturating_mul(u64::from(disk.fragment_size()));
    if free < FREE {
        return Some(format!("less than {} are free on the disk that its changes go to", size(FREE)));
    }
    let (mut bytes, mut entries) = (0, 0);
    let mut waiting = vec![upper.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let found = match fs::read_dir(&folder) {
            Ok(found) => found,
            Err(error) if error.raw_os_error() == Some(nix::libc::ENAMETOOLONG) => {
                return Some("it made folders deeper than a path can be long".to_owned());
            }
            Err(_) => continue,
        };
        for entry in found.flatten() {
            let Ok(about) = entry.metadata() else { continue };
            entries += 1;
            bytes += about.blocks() * 512;
            if about.is_dir() {
                waiting.push(entry.path());
            }
        }
        if bytes > BYTES {
            return Some(format!("it wrote more than {} to the workspace", size(BYTES)));
        }
        if entries > ENTRIES {
            return Some(format!("it wrote more than {} files to the workspace", thousands(ENTRIES)));
        }
    }
    None
}
