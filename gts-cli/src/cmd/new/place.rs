//! What a new crate depends on, and what is around it.

use crate::error::Failure;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a new crate finds `gts-graph`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Dependency {
    /// In this clone.
    Clone(PathBuf),
    /// On the registry, in this version.
    Version(&'static str),
}

impl Dependency {
    /// Finds the given clone, the one around `folder`, or the one that this command was built in; otherwise the version
    /// of this command.
    pub(super) fn find(given: Option<&Path>, folder: &Path) -> Result<Self, Failure> {
        if let Some(given) = given {
            let next = "give the folder of the repository, the one with `gts-graph` in it";
            let clone = given.canonicalize().map_err(|error| Failure::unread(given, error, next))?;
            return match is_clone(&clone) {
                true => Ok(Self::Clone(clone)),
                false => Err(Failure::usage(format!("`{}` is no clone of GTS", given.display()), next)),
            };
        }
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        let clone = folder.ancestors().chain(built).find(|folder| is_clone(folder));
        Ok(clone.map_or(Self::Version(env!("CARGO_PKG_VERSION")), |clone| Self::Clone(clone.to_owned())))
    }

    /// Returns the entries of the dependency in `Cargo.toml`.
    pub(super) fn source(&self) -> String {
        match self {
            Self::Clone(clone) => format!("path = {}", quoted(&clone.join("gts-graph"))),
            Self::Version(version) => format!("version = \"{version}\""),
        }
    }

    /// Returns the lock file of the clone: with it, the crate builds with the versions that GTS was tested with, and
    /// without the network if they are on this machine.
    pub(super) fn lock(&self) -> Option<String> {
        match self {
            Self::Clone(clone) => fs::read_to_string(clone.join("Cargo.lock")).ok(),
            Self::Version(_) => None,
        }
    }
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clone(clone) => write!(f, "the clone {}", clone.display()),
            Self::Version(version) => write!(f, "version {version}"),
        }
    }
}

fn is_clone(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("gts-graph/Cargo.toml"));
    manifest.is_ok_and(|text| text.lines().any(|line| line == "name = \"gts-graph\""))
}

/// Returns a path as a string of TOML. Characters that are not valid in UTF-8 are replaced.
fn quoted(path: &Path) -> String {
    let mut text = String::from("\"");
    for c in path.to_string_lossy().chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => text.push(c),
        }
    }
    text + "\""
}

/// Returns whether a folder is inside a package or workspace of Cargo, to which a new crate would seem to belong.
pub(super) fn is_in_a_package(folder: &Path) -> bool {
    folder.ancestors().any(|folder| folder.join("Cargo.toml").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_clone_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let clone = folder.path().canonicalize().expect("the folder").join("clone");
        let inner = clone.join("a/b");
        fs::create_dir_all(&inner).expect("a folder");
        assert_ne!(Dependency::find(None, &inner).ok(), Some(Dependency::Clone(clone.clone())));
        assert!(Dependency::find(Some(&clone), &inner).is_err());
        assert!(!is_in_a_package(&inner));
        fs::create_dir(clone.join("gts-graph")).expect("a folder");
        fs::write(clone.join("gts-graph/Cargo.toml"), "[package]\nname = \"gts-graph\"\n").expect("a file");
        fs::write(clone.join("Cargo.toml"), "[workspace]\n").expect("a file");
        assert_eq!(Dependency::find(None, &inner).ok(), Some(Dependency::Clone(clone.clone())));
        assert_eq!(Dependency::find(Some(&clone), folder.path()).ok(), Some(Dependency::Clone(clone)));
        assert!(is_in_a_package(&inner));
    }

    #[test]
    fn paths_are_strings_of_toml() {
        assert_eq!(quoted(Path::new("/a b/\"c\"\\d")), "\"/a b/\\\"c\\\"\\\\d\"");
        assert_eq!(quoted(Path::new("/a\nb")), "\"/a\\u000Ab\"");
    }
}
