//! Files that a command writes: whole under a temporary name, which is taken before the work whose result goes there, then
//! renamed; nothing is replaced unasked.

use crate::error::Failure;
use crate::interrupt::Temporary;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file to be written.
#[derive(Debug)]
pub(crate) struct NewFile {
    /// As it was asked for.
    path: PathBuf,
    /// The same in its folder's own name, which no other path has.
    place: PathBuf,
    replace: bool,
    // Dropped in this order: what an interruption would remove is removed here.
    temporary: NamedTempFile,
    _guard: Temporary,
}

impl NewFile {
    /// Makes the temporary file, before the work whose result goes there: what cannot be written, or would replace
    /// something unasked, is found out now.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, Failure> {
        match fs::symlink_metadata(path) {
            Ok(_) if !replace => return Err(Failure::Exists(path.to_owned())),
            Ok(found) if !found.is_file() && !found.is_symlink() => {
                return Err(Failure::Other(format!("{} is no file; give another name", path.display())));
            }
            _ => {}
        }
        let fail = |error| Failure::file(path, error, "name a file in a folder that can be written to");
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().map_err(fail)?;
        let name = path.file_name().ok_or_else(|| fail(io::ErrorKind::InvalidFilename.into()))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".gts-output-");
        permit_as_others(&mut builder);
        let temporary = builder.tempfile_in(&folder).map_err(fail)?;
        let guard = Temporary::new(temporary.path());
        Ok(Self { path: path.to_owned(), place: folder.join(name), replace, temporary, _guard: guard })
    }

    /// Whether both would be the same file.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
    }

    /// Writes the file; answers its path as it was asked for.
    pub(crate) fn write(mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<PathBuf, Failure> {
        let fail = |error| Failure::file(&self.path, error, "check the folder and the space left on the disk");
        let mut writer = BufWriter::new(self.temporary.as_file_mut());
        content(&mut writer).and_then(|()| writer.flush()).map_err(fail)?;
        drop(writer);
        self.temporary.as_file().sync_all().map_err(fail)?;
        let place = &self.place;
        let renamed =
            if self.replace { self.temporary.persist(place) } else { self.temporary.persist_noclobber(place) };
        match renamed {
            Ok(_) => Ok(self.path),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(Failure::Exists(self.path)),
            Err(error) => Err(Failure::file(self.path, error.error, "check the folder's permissions")),
        }
    }
}

/// Gives a file the permissions of any other that this user makes: temporary ones are for their owner alone.
fn permit_as_others(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = builder;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_cannot_be_written_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let missing = NewFile::new(&folder.path().join("missing").join("a.csv"), false).err().unwrap();
        assert!(matches!(missing, Failure::File { .. }) && missing.to_string().contains("a.csv"), "{missing}");
        // A folder cannot be replaced by a file, asked or not.
        let inner = folder.path().join("inner.csv");
        fs::create_dir(&inner).unwrap();
        assert!(matches!(NewFile::new(&inner, false), Err(Failure::Exists(_))));
        assert!(matches!(NewFile::new(&inner, true), Err(Failure::Other(_))));
        assert_eq!(names(folder.path()), 1, "a temporary file was left behind");
    }

    #[test]
    fn a_file_is_known_by_whatever_path() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        let file = |path: &str| NewFile::new(&folder.path().join(path), false).unwrap();
        assert!(file("a.json").is_same(&file("inner/../a.json")));
        assert!(!file("a.json").is_same(&file("inner/a.json")));
        assert_eq!(names(folder.path()), 1, "a temporary file was left behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_not_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("a.csv");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(matches!(NewFile::new(&link, false), Err(Failure::Exists(_))));
        assert_eq!(NewFile::new(&link, true).unwrap().write(|writer| writer.write_all(b"1")).unwrap(), link);
        assert_eq!(fs::read_to_string(&link).unwrap(), "1");
    }
}
