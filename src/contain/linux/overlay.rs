//! The workspace as a layer: an overlay, mounted in the namespaces of the command, over the workspace that everything
//! else of the disk is read-only beside. What is written lands in a private folder of the program's.

use std::path::Path;

use nix::mount::{MntFlags, MsFlags, mount, umount2};

use super::super::layer::Layer;
use super::raw;
use super::spaces::{at, bind, descriptor, handle};

/// Lays the layer over its workspace. Called once the disk is read-only, and before anything is covered or hidden: what
/// is kept or hidden within the workspace is then kept or hidden in the layer.
///
/// # Errors
/// One sentence: the kernel or the file system has no such layers.
pub fn lay(layer: &Layer) -> Result<(), String> {
    let folder = layer.folder.as_path();
    // A mount of its own that may be written to, for as long as the overlay takes to hold on to it.
    bind(&descriptor(&handle(folder)?), folder, false)?;
    raw::unseal(folder, raw::READ_ONLY).map_err(|error| at(folder, &error))?;
    let (lower, upper, work) = (handle(&layer.workspace)?, handle(&layer.upper())?, handle(&layer.work())?);
    // By their numbers: a path may hold what means something else in the options. Marks of its own go to `user.`
    // attributes, as nobody without rights has others; no folder is redirected and no file half copied.
    let options = format!(
        "userxattr,lowerdir={},upperdir={},workdir={}",
        descriptor(&lower),
        descriptor(&upper),
        descriptor(&work)
    );
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("overlay"), &layer.workspace, Some("overlay"), flags, Some(options.as_str()))
        .map_err(|error| format!("no layer can be laid over {}: {error}", layer.workspace.display()))?;
    gone(folder)
}

fn gone(folder: &Path) -> Result<(), String> {
    umount2(folder, MntFlags::MNT_DETACH).map_err(|error| at(folder, &error))
}
