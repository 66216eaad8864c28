//! Where the program keeps its files on this platform, and what may override that.

use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

use super::ConfigError;

/// Reads one variable of the environment. A parameter, so that tests need not change the process's own.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

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
    /// Journal and practice database.
    pub data: PathBuf,
    /// The log.
    pub state: PathBuf,
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
        let (data, state) = if let Some(folder) = environment("COUNTERSIGN_DATA") {
            let folder = absolute(folder.into());
            (folder.clone(), folder)
        } else {
            let own = own?;
            let state = own.state_dir().unwrap_or_else(|| own.data_local_dir());
            (own.data_dir().to_path_buf(), state.to_path_buf())
        };
        let home = BaseDirs::new().map(|base| base.home_dir().to_path_buf());
        Ok(Self { config, config_named, data, state, home })
    }

    /// The journal's database.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.data.join("journal.sqlite")
    }

    /// What operations replaced, for undo.
    #[must_use]
    pub fn images(&self) -> PathBuf {
        self.data.join("images")
    }

    /// The program's own places, as globs for the list of sensitive paths.
    #[must_use]
    pub fn own_globs(&self) -> Vec<String> {
        let mut globs = vec![globset::escape(&self.config.to_string_lossy())];
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
            home: None,
        };
        let matcher = |glob: &str| globset::Glob::new(glob).unwrap().compile_matcher();
        let globs = folders.own_globs();
        assert!(globs.iter().any(|glob| matcher(glob).is_match("/c/[x].toml")));
        assert!(!globs.iter().any(|glob| matcher(glob).is_match("/c/x.toml")));
        assert!(globs.iter().any(|glob| matcher(glob).is_match("/d/journal.sqlite")));
    }
}
