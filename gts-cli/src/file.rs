//! Output files of a command: created before the work whose result they will contain, and complete when they get their
//! names. No file is replaced unless the user requests it.
//!
//! Until then a file has no name, so that a killed process leaves nothing. If the file system does not support such
//! files, the file has a temporary name and is locked: an unlocked one is left over.

use crate::error::Failure;
use crate::interrupt::Temporary;
use crate::leftovers;
use gts_graph::contract::language::Code;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A new output file.
#[derive(Debug)]
pub struct NewFile {
    /// The path as given.
    path: PathBuf,
    /// The path with the canonical name of its folder: it identifies the file.
    place: PathBuf,
    replace: bool,
    draft: Draft,
}

/// A file before it gets its name.
#[derive(Debug)]
enum Draft {
    /// A file without a name.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(Named),
}

/// A file under a temporary name.
#[derive(Debug)]
struct Named {
    // Dropped in this order: the file is removed here, and need not be removed on interruption any more.
    temporary: NamedTempFile,
    _guard: Temporary,
}

impl NewFile {
    /// Creates the file before the work whose result it will contain, so that a file that cannot be written or must not
    /// be replaced is reported early. Removes files left by killed commands from the folder.
    pub fn new(path: &Path, replace: bool) -> Result<Self, Failure> {
        match fs::symlink_metadata(path) {
            Ok(_) if !replace => return Err(Failure::Exists(path.to_owned())),
            Ok(found) if !found.is_file() && !found.is_symlink() => {
                return Err(Failure::Other {
                    code: Code::UnwritableFile,
                    what: format!("{} is no file", path.display()),
                    next: Some("give another name".into()),
                });
            }
            _ => {}
        }
        let fail = |error| Failure::unwritten(path, error, "name a file in a folder that can be written to");
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().map_err(fail)?;
        let name = path.file_name().ok_or_else(|| fail(io::ErrorKind::InvalidFilename.into()))?;
        leftovers::sweep(&folder);
        let draft = Draft::new(&folder).map_err(fail)?;
        Ok(Self { path: path.to_owned(), place: folder.join(name), replace, draft })
    }

    /// Returns whether both would be the same file.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
    }

    /// Writes the file. Returns its path as given.
    pub fn write(mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<PathBuf, Failure> {
        let fail = |error| Failure::unwritten(&self.path, error, "check the folder and the space left on the disk");
        let file = self.draft.file();
        let mut writer = BufWriter::new(&mut *file);
        content(&mut writer).and_then(|()| writer.flush()).map_err(fail)?;
        drop(writer);
        file.sync_all().map_err(fail)?;
        match self.draft.publish(&self.place, self.replace) {
            Ok(()) => Ok(self.path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Failure::Exists(self.path)),
            Err(error) => Err(Failure::unwritten(self.path, error, "check the folder's permissions")),
        }
    }
}

impl Draft {
    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = unnamed::create(folder) {
            return Ok(Self::Unnamed(file));
        }
        Named::new(folder).map(Self::Named)
    }

    fn file(&mut self) -> &mut File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(file) => file,
            Self::Named(named) => named.temporary.as_file_mut(),
        }
    }

    /// Gives the file its name.
    fn publish(self, place: &Path, replace: bool) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed(mut file) => match unnamed::publish(&file, place, replace) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    // Some file systems create files without names but cannot name them. Copy the result in this case.
                    let mut named = Named::new(place.parent().unwrap_or(Path::new(".")))?;
                    file.rewind()?;
                    io::copy(&mut file, named.temporary.as_file_mut())?;
                    named.temporary.as_file().sync_all()?;
                    named.publish(place, replace)
                }
                published => published,
            },
            Self::Named(named) => named.publish(place, replace),
        }
    }
}

impl Named {
    fn new(folder: &Path) -> io::Result<Self> {
        loop {
            let mut builder = leftovers::file();
            permit_as_others(&mut builder);
            let temporary = builder.tempfile_in(folder)?;
            // If another process has taken the file for a leftover before it was locked, create another one.
            if leftovers::lock(temporary.as_file(), temporary.path())? != leftovers::Lock::Other {
                let guard = Temporary::new(temporary.path());
                return Ok(Self { temporary, _guard: guard });
            }
        }
    }

    fn publish(self, place: &Path, replace: bool) -> io::Result<()> {
        let renamed = if replace { self.temporary.persist(place) } else { self.temporary.persist_noclobber(place) };
        renamed.map(drop).map_err(|error| error.error)
    }
}

/// Files without names.
#[cfg(target_os = "linux")]
mod unnamed {
    use super::{Temporary, leftovers};
    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::{Path, PathBuf};

    /// Creates a file in the file system of a folder, with the default permissions of this user's files.
    pub(super) fn create(folder: &Path) -> io::Result<File> {
        let flags = OFlags::TMPFILE.bits() as i32;
        let file = OpenOptions::new().read(true).write(true).mode(0o666).custom_flags(flags).open(folder)?;
        // If the system does not show a process its files, they cannot be given a name.
        path(&file).metadata()?;
        // Locked for the moment in which the file may have a temporary name.
        file.try_lock()?;
        Ok(file)
    }

    /// Gives a file its name. Replaces an existing file in one step, which requires a temporary name.
    pub(super) fn publish(file: &File, place: &Path, replace: bool) -> io::Result<()> {
        match link(file, place) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && replace => {}
            linked => return linked,
        }
        let folder = place.parent().unwrap_or(Path::new("."));
        let mut guard = None;
        let named = leftovers::file().make_in(folder, |path| {
            guard = Some(Temporary::new(path));
            link(file, path)
        })?;
        named.persist(place).map_err(|error| error.error)
    }

    fn link(file: &File, to: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path(file), CWD, to, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn path(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }
}

/// Gives a file the default permissions of this user's files: temporary files are private by default.
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
        // A file cannot replace a folder, even on request.
        let inner = folder.path().join("inner.csv");
        fs::create_dir(&inner).unwrap();
        assert!(matches!(NewFile::new(&inner, false), Err(Failure::Exists(_))));
        assert!(matches!(NewFile::new(&inner, true), Err(Failure::Other { .. })));
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

    fn write(file: NewFile, text: &[u8]) -> Result<PathBuf, Failure> {
        file.write(|writer| writer.write_all(text))
    }

    /// Creates a file as on a file system without unnamed files.
    fn named(path: &Path, replace: bool) -> NewFile {
        let mut file = NewFile::new(path, replace).unwrap();
        file.draft = Draft::Named(Named::new(path.parent().unwrap()).unwrap());
        file
    }

    #[test]
    fn a_file_is_replaced_when_asked_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let new = |path: &Path, replace| NewFile::new(path, replace).unwrap();
        for make in [new, named] {
            let late = make(&path, false);
            write(make(&path, false), b"1").unwrap();
            assert!(matches!(write(late, b"2"), Err(Failure::Exists(_))), "it came while the other was written");
            assert_eq!(fs::read(&path).unwrap(), b"1");
            write(make(&path, true), b"3").unwrap();
            assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"3".to_vec(), 1));
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let plain = folder.path().join("plain");
                fs::write(&plain, "").unwrap();
                let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
                assert_eq!(mode(&path), mode(&plain));
                fs::remove_file(plain).unwrap();
            }
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn files_that_are_being_written_are_not_taken_for_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let file = named(&path, false);
        let dead = folder.path().join(".gts-output-AbC123");
        fs::write(&dead, "half").unwrap();
        let other = NewFile::new(&folder.path().join("b.csv"), false).unwrap();
        assert!(!dead.exists(), "the next file written there removes what was left");
        write(other, b"b").unwrap();
        write(file, b"a").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"a");
        assert_eq!(names(folder.path()), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_gets_no_name_is_copied_to_one_that_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = NewFile::new(&path, false).unwrap();
        // A file that was opened and then unlinked cannot be linked.
        let gone = folder.path().join("gone");
        let options = |options: &mut fs::OpenOptions| options.read(true).write(true).create_new(true).open(&gone);
        file.draft = Draft::Unnamed(options(&mut fs::OpenOptions::new()).unwrap());
        fs::remove_file(&gone).unwrap();
        write(file, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names(folder.path()), 1);
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
