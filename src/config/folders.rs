//! Where the program keeps its files on this platform, and what may override that.

use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

use super::ConfigError;

/// Reads one variable of the environment. A parameter, so that tests need not change the process's own.
pub type Environment<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// The environment of this process. A variable that is empty counts as not set.
#[must_use]
pub fn process_environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The files and folders of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// The configuration file, whether it exists or not.
    pub config: PathBuf,
    /// True if the person named that file: then it must exist.
    pub config_named: bool,
    /// Journal and practice worlds.
    pub data: PathBuf,
    /// The log.
    pub state: PathBuf,
    /// True if the person named both: then they may lie in a folder that others use too.
    pub data_named: bool,
    /// The person's home folder, where known.
    pub home: Option<PathBuf>,
}

impl Folders {
    /// Finds them: `named` and `COUNTERSIGN_CONFIG` name the configuration file, `COUNTERSIGN_DATA` the data
    /// and state folder; else the platform's own places.
    ///
    /// # Errors
    /// No home folder, and not both variables instead.
    pub fn find(named: Option<&Path>, environment: Environment<'_>) -> Result<Self, ConfigError> {
        let platform = ProjectDirs::from("", "", "countersign");
        let own = platform.as_ref().ok_or(ConfigError::NoHome);
        let named = named.map(Path::to_path_buf).or_else(|| environment("COUNTERSIGN_CONFIG").map(PathBuf::from));
        let config_named = named.is_some();
        let config = match named {
            Some(file) => absolute(file),
            None => own.as_ref().map(|own| own.config_dir().join("config.toml")).map_err(|_| ConfigError::NoHome)?,
        };
        let (data, state, data_named) = if let Some(folder) = environment("COUNTERSIGN_DATA") {
            let folder = absolute(folder.into());
            (folder.clone(), folder, true)
        } else {
            let own = own?;
            let state = own.state_dir().unwrap_or_else(|| own.data_local_dir());
            (own.data_dir().to_path_buf(), state.to_path_buf(), false)
        };
        let home = BaseDirs::new().map(|base| base.home_dir().to_path_buf());
        Ok(Self { config, config_named, data, state, data_named, home })
    }

    /// Takes everybody else's rights on the program's own folders away, where they are its own: a backup that was
    /// unpacked, or a hand, may have opened them. What is named by the person is left as it is.
    ///
    /// # Errors
    /// The rights can't be changed, though the folder is there and ours.
    #[cfg(unix)]
    pub fn close(&self) -> std::io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        let config = self.config.parent().filter(|_| !self.config_named);
        let data = [self.data.as_path(), self.state.as_path()].into_iter().filter(|_| !self.data_named);
        for folder in data.chain(config) {
            let Ok(about) = std::fs::symlink_metadata(folder) else { continue };
            let ours = about.is_dir() && about.uid() == nix::unistd::geteuid().as_raw();
            if ours && about.mode() & 0o077 != 0 {
                std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
            }
        }
        Ok(())
    }

    /// Rights are not this platform's way.
    #[cfg(not(unix))]
    pub fn close(&self) -> std::io::Result<()> {
        Ok(())
    }

    /// The journal's database.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.data.join("journal.sqlite")
    }

    /// What the person sent, for the composer.
    #[must_use]
    pub fn history(&self) -> PathBuf {
        self.data.join("history")
    }

    /// What the person typed and didn't send, while the program runs.
    #[must_use]
    pub fn unsent(&self) -> PathBuf {
        self.data.join("unsent")
    }

    /// Says by being there that the person was asked at the first start and wanted nothing written.
    #[must_use]
    pub fn asked(&self) -> PathBuf {
        self.data.join("setup-skipped")
    }

    /// What operations replaced, for undo.
    #[must_use]
    pub fn images(&self) -> PathBuf {
        self.data.join("images")
    }

    /// Where what staged runs change lands.
    #[must_use]
    pub fn layers(&self) -> PathBuf {
        self.data.join("layers")
    }

    /// The program's own files and folders, which no tool writes.
    #[must_use]
    pub fn own(&self) -> Vec<PathBuf> {
        let folder = self.config.parent().filter(|_| !self.config_named).map(Path::to_path_buf);
        let mut own = vec![self.config.clone(), self.servers(), self.data.clone(), self.state.clone()];
        own.extend(folder);
        own.dedup();
        own
    }

    /// Those of them that decide what runs unasked.
    #[must_use]
    pub fn deciding(&self) -> Vec<PathBuf> {
        let kept = ["rules.toml", "trusted.toml"].map(|name| self.data.join(name));
        [self.config.clone(), self.servers()].into_iter().chain(kept).collect()
    }

    /// The MCP servers.
    #[must_use]
    pub fn servers(&self) -> PathBuf {
        self.config.with_file_name("mcp.json")
    }

    /// What MCP servers say on standard error.
    #[must_use]
    pub fn server_logs(&self) -> PathBuf {
        self.state.join("mcp")
    }

    /// The practice model's worlds, one for each session, which lie among them.
    #[must_use]
    pub fn practice(&self) -> PathBuf {
        self.data.join("practice")
    }

    /// The folders beside the journal that hold one of its own for each session, which goes with it.
    #[must_use]
    pub fn of_sessions(&self) -> [PathBuf; 5] {
        [self.images(), self.outputs(), self.layers(), self.practice(), self.unsent()]
    }

    /// What operations printed.
    #[must_use]
    pub fn outputs(&self) -> PathBuf {
        self.data.join("outputs")
    }

    /// The program's own places, as globs for the list of sensitive paths.
    #[must_use]
    pub fn own_globs(&self) -> Vec<String> {
        let mut globs: Vec<String> =
            [&self.config, &self.servers()].map(|file| globset::escape(&file.to_string_lossy())).into();
        for folder in [&self.data, &self.state] {
            globs.push(globset::escape(&folder.to_string_lossy()));
            globs.push(format!("{}/**", globset::escape(&folder.to_string_lossy())));
        }
        globs.dedup();
        globs
    }
}

/// The same path from the root, without looking at the disk.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_the_option_override_the_platform() {
        let environment = |name: &str| match name {
            "COUNTERSIGN_CONFIG" => Some("/from/variable.toml".to_owned()),
            "COUNTERSIGN_DATA" => Some("/data".to_owned()),
            _ => None,
        };
        let folders = Folders::find(None, &environment).unwrap();
        assert_eq!(folders.config, Path::new("/from/variable.toml"));
        assert_eq!(folders.journal(), Path::new("/data/journal.sqlite"));
        assert!(folders.config_named);
        let folders = Folders::find(Some(Path::new("/from/option.toml")), &environment).unwrap();
        assert_eq!(folders.config, Path::new("/from/option.toml"));
    }

    #[test]
    fn own_places_are_globs_that_match_only_themselves() {
        let folders = Folders {
            config: "/c/[x].toml".into(),
            config_named: true,
            data: "/d".into(),
            state: "/d".into(),
            data_named: true,
            home: None,
        };
        let matcher = |glob: &str| globset::Glob::new(glob).unwrap().compile_matcher();
        let globs = folders.own_globs();
        assert!(globs.iter().any(|glob| matcher(glob).is_match("/c/[x].toml")));
        assert!(!globs.iter().any(|glob| matcher(glob).is_match("/c/x.toml")));
        assert!(globs.iter().any(|glob| matcher(glob).is_match("/d/journal.sqlite")));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_programs_own_folders_are_closed() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let [config, data] = ["config", "data"].map(|name| home.path().join(name));
        let open = || {
            for folder in [&config, &data] {
                std::fs::create_dir_all(folder).unwrap();
                std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
        };
        let rights = |folder: &Path| std::fs::metadata(folder).unwrap().permissions().mode() & 0o777;
        let mut folders = Folders {
            config: config.join("config.toml"),
            config_named: false,
            data: data.clone(),
            state: data.join("not there"),
            data_named: false,
            home: None,
        };
        open();
        folders.close().unwrap();
        assert_eq!((rights(&config), rights(&data)), (0o700, 0o700));
        open();
        folders.data_named = true;
        folders.close().unwrap();
        assert_eq!((rights(&config), rights(&data)), (0o700, 0o755));
    }
}
