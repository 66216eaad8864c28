//! Landlock: which files may be read, that none is written but in a layer and in private temporary folders, no TCP, no signal and no abstract socket out of the
//! walls. Beside the namespaces a second wall of its own making; without them the only one around files. It can
//! only add up what is allowed, so a hidden file is one that no rule names.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, NetPort, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::super::door::PROXY;
use super::super::plan::{Need, Plan};

/// The newest version whose rights are asked for; an older kernel gives what it has, and the self-test tells.
const NEWEST: ABI = ABI::V9;
/// Most folders and files that may be named one by one beside hidden ones.
const RULES: usize = 20_000;
/// Devices that every program may write to.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Puts the wall up.
///
/// # Errors
/// The kernel has no Landlock, or a rule can't be made.
pub fn restrict(plan: &Plan) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| format!("Landlock can't be put up: {error}");
    let status = build(plan).and_then(RulesetCreated::restrict_self).map_err(|error| told(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(told(&"this kernel doesn't enforce it"));
    }
    Ok(())
}

fn build(plan: &Plan) -> Result<RulesetCreated, RulesetError> {
    let network = plan.needs.contains(&Need::Network) && plan.door.is_none();
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?;
    if !network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut ruleset = ruleset.scope(Scope::from_all(NEWEST))?.create()?;
    let (all, read) = (AccessFs::from_all(NEWEST), AccessFs::ReadFile | AccessFs::Execute | AccessFs::ReadDir);
    if plan.layers.namespaces {
        ruleset = allow(ruleset, Path::new("/"), read)?;
        for cover in plan.covers.iter().filter(|cover| cover.writable) {
            ruleset = allow(ruleset, &cover.at, all)?;
        }
        // What lies there by now is the layer.
        if let Some(layer) = &plan.layer {
            ruleset = allow(ruleset, &layer.workspace, all)?;
        }
    } else {
        // Names may be seen anywhere, content only where nothing is hidden.
        ruleset = allow(ruleset, Path::new("/"), AccessFs::ReadDir.into())?;
        for path in readable(&plan.hidden_paths(), plan.covers.iter().flat_map(|cover| &cover.keep)) {
            ruleset = allow(ruleset, &path, read)?;
        }
    }
    for device in DEVICES {
        ruleset = allow(ruleset, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    if plan.door.is_some() {
        ruleset = ruleset.add_rule(NetPort::new(PROXY, AccessNet::ConnectTcp))?;
    }
    for need in &plan.needs {
        if let Need::Socket(path) = need {
            ruleset = allow(ruleset, path, AccessFs::ResolveUnix.into())?;
        }
    }
    Ok(ruleset)
}

/// Allows something at a path and below. What can't be opened is not there, or not for this person.
fn allow(ruleset: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    ruleset.add_rule(PathBeneath::new(opened, access))
}

/// Everything on the disk beside the hidden paths, and all that is kept within those, named as few times as can be.
/// Links are left out: what they lead to is named by itself, or hidden.
fn readable<'a>(hidden: &BTreeSet<PathBuf>, kept: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let within = |path: &&PathBuf| path.ancestors().any(|folder| hidden.contains(folder));
    let mut folders: Vec<PathBuf> = kept.filter(within).cloned().chain([PathBuf::from("/")]).collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            let Ok(kind) = kind else { continue };
            if kind.is_symlink() || kind.is_socket() || hidden.contains(&path) {
                continue;
            }
            if hidden.range(path.clone()..).next().is_some_and(|next| next.starts_with(&path)) {
                folders.push(path);
            } else {
                found.push(path);
            }
            if found.len() > RULES {
                return found;
            }
        }
    }
    found
}
