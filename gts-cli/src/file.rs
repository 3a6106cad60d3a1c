//! Files that a command writes: whole under a temporary name, then renamed; nothing is replaced unasked.

use crate::error::Failure;
use crate::interrupt::Temporary;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file to be written.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    replace: bool,
}

impl NewFile {
    /// Checks, before the work whose result goes there, that nothing would be lost.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, Failure> {
        if path.exists() && !replace {
            return Err(Failure::Exists(path.to_owned()));
        }
        Ok(Self { path: path.to_owned(), replace })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file.
    pub(crate) fn write(&self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let fail = |error| Failure::file(&self.path, error, "check the folder and the space left on the disk");
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".gts-output-").tempfile_in(folder).map_err(fail)?;
        let _guard = Temporary::new(file.path());
        let mut writer = BufWriter::new(file.as_file_mut());
        content(&mut writer).and_then(|()| writer.flush()).map_err(fail)?;
        drop(writer);
        file.as_file().sync_all().map_err(fail)?;
        self.rename(file)
    }

    fn rename(&self, file: NamedTempFile) -> Result<(), Failure> {
        make_readable(&file);
        let renamed = if self.replace { file.persist(&self.path) } else { file.persist_noclobber(&self.path) };
        match renamed {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(Failure::Exists(self.path.clone())),
            Err(error) => Err(Failure::file(&self.path, error.error, "check the folder's permissions")),
        }
    }
}

/// Gives a file the permissions of any other: temporary ones are for their owner alone.
fn make_readable(file: &NamedTempFile) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A file that stays private is still whole.
        let _ = file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = file;
}
