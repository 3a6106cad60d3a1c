//! Measured constants of the machine, and the file that stores them.

use crate::folder::{Distrusted, cache_folder, create_private, distrust, write_whole};
use gts_contract::language::Code;
use gts_core::advice::{Advice, Explain};
use gts_core::cost::{AccessConstants, LinkConstants, MachineConstants, VERSION};
use gts_core::files;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An error from loading or saving constants.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConstantsError {
    /// No environment variable determines the cache folder.
    #[error("no cache folder is known")]
    NoFolder,
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The path of the constants file.
        path: PathBuf,
        /// The error that the system returned.
        source: io::Error,
    },
    /// Another user may have written the file, or can write to it.
    #[error(transparent)]
    Distrusted(#[from] Distrusted),
    /// The file does not contain valid constants.
    #[error("{}: no measured constants ({why})", path.display())]
    Content {
        /// The path of the constants file.
        path: PathBuf,
        /// The reason why the content is invalid.
        why: String,
    },
}

gts_core::debug_by_explaining!(ConstantsError);

impl Explain for ConstantsError {
    fn code(&self) -> Code {
        match self {
            Self::NoFolder => Code::NoCacheFolder,
            Self::File { .. } | Self::Content { .. } => Code::ConstantsFile,
            Self::Distrusted(why) => why.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::NoFolder => "set GTS_CACHE_DIR or HOME".into(),
            Self::Distrusted(why) => return why.advice(),
            Self::File { .. } => "check the folder, or set GTS_CACHE_DIR to another".into(),
            Self::Content { .. } => "measure them again with `gts devices --measure`".into(),
        })
    }
}

/// Returns the path of the user's constants file, or `None` if there is no cache folder.
pub fn path() -> Option<PathBuf> {
    Some(cache_folder()?.join("constants.json"))
}

/// Loads the user's constants. Returns `None` if there is no constants file.
///
/// # Errors
///
/// The file cannot be read, has invalid content or a different version, or may have been written by another user.
pub fn load() -> Result<Option<MachineConstants>, ConstantsError> {
    match path() {
        Some(path) => load_from(&path),
        None => Ok(None),
    }
}

fn load_from(path: &Path) -> Result<Option<MachineConstants>, ConstantsError> {
    let file = |source| ConstantsError::File { path: path.to_owned(), source };
    if files::find(path).map_err(file)?.is_none() {
        return Ok(None);
    }
    distrusted(path)?;
    let text = files::read_small(path).map_err(file)?;
    let content = |why: String| ConstantsError::Content { path: path.to_owned(), why };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| content(error.to_string()))?;
    if value["version"] != VERSION {
        return Err(content(format!("version {} where this program keeps version {VERSION}", value["version"])));
    }
    serde_json::from_value(value).map(Some).map_err(|error| content(error.to_string()))
}

/// Saves the user's constants atomically and returns the path of the file.
///
/// # Errors
///
/// There is no cache folder, the file cannot be written, or other users can write to the folder or the file.
pub fn save(constants: &MachineConstants) -> Result<PathBuf, ConstantsError> {
    let path = path().ok_or(ConstantsError::NoFolder)?;
    save_to(&path, constants)?;
    Ok(path)
}

fn save_to(path: &Path, constants: &MachineConstants) -> Result<(), ConstantsError> {
    let fail = |source| ConstantsError::File { path: path.to_owned(), source };
    let text = format!("{:#}\n", serde_json::json!(constants));
    create_private(path.parent().unwrap_or(Path::new("."))).map_err(fail)?;
    distrusted(path)?;
    write_whole(path, |file| file.write_all(text.as_bytes())).map_err(fail)
}

/// Returns an error if another user can write to a file or to its folder.
fn distrusted(path: &Path) -> Result<(), Distrusted> {
    path.parent().and_then(distrust).or_else(|| distrust(path)).map_or(Ok(()), Err)
}

/// Measured constants of a device: its memory, the cost of a launch, and its link to the host.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceMeasurement {
    /// Rate at which a kernel reads the device's memory, in bytes per second.
    pub memory_rate: f64,
    /// Average launch time in seconds.
    pub launch: f64,
    /// The times of random accesses to the device's memory.
    pub accesses: AccessConstants,
    /// The rates of the link between host and device.
    pub link: LinkConstants,
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::cost::{HostConstants, ProcessorConstants};

    fn constants() -> MachineConstants {
        let host = HostConstants::default_of(1 << 34);
        let processors = vec![ProcessorConstants::default_cpu(&host, 3), ProcessorConstants::default_cuda()];
        MachineConstants { version: VERSION, host, processors }
    }

    #[test]
    fn what_is_kept_is_read_again_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/constants.json");
        assert_eq!(load_from(&path).unwrap(), None);
        save_to(&path, &constants()).unwrap();
        save_to(&path, &constants()).unwrap();
        assert_eq!(load_from(&path).unwrap(), Some(constants()));
        assert_eq!(std::fs::read_dir(folder.path().join("deep")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_to_is_neither_read_nor_written() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("folder/constants.json");
        save_to(&path, &constants()).unwrap();
        for (changed, mode) in [(path.parent().unwrap(), 0o777), (path.parent().unwrap(), 0o770), (&path, 0o602)] {
            let permit = |mode| std::fs::set_permissions(changed, std::fs::Permissions::from_mode(mode)).unwrap();
            permit(mode);
            for error in [load_from(&path).unwrap_err(), save_to(&path, &constants()).unwrap_err()] {
                let told = format!("{error:?}");
                assert_eq!(error.code(), Code::SharedCache);
                assert!(told.contains("may be written to by other users") && told.contains("chmod go-w"), "{told}");
            }
            permit(0o700);
            assert_eq!(load_from(&path).unwrap(), Some(constants()));
        }
    }

    #[test]
    fn other_versions_and_other_content_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("constants.json");
        let bare = format!("{{\"version\": {VERSION}}}");
        for (text, why) in [("{", "EOF"), ("{\"version\": 1}", "version 1"), (&*bare, "missing field")] {
            std::fs::write(&path, text).unwrap();
            let error = format!("{:?}", load_from(&path).unwrap_err());
            assert!(error.contains(why) && error.contains("--measure"), "{error}");
        }
    }
}
