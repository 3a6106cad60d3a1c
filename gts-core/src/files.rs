//! Opens and reads files named by the user. Opening never blocks, and the number of bytes read is limited.

use crate::advice::{Advice, Explain};
use gts_contract::language::Code;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// Limit in bytes for a line, and for a file that is read as a whole.
const LONGEST: usize = 1 << 20;

/// Opens a regular file for reading.
///
/// # Errors
///
/// Returns the system's error, [`ErrorKind::IsADirectory`] for a directory, and [`ErrorKind::InvalidInput`] for a pipe,
/// a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "a directory"));
    }
    if !found.is_file() {
        return Err(not_regular());
    }
    Ok(file)
}

pub(crate) fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "not a regular file")
}

/// Opens a path of any file type. Opening a pipe without a writer does not block.
#[cfg(target_os = "linux")]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_setfl};
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
        // Opening a socket fails with ENXIO.
        if error.raw_os_error() == Some(libc::ENXIO) { not_regular() } else { error }
    })?;
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}

#[cfg(not(target_os = "linux"))]
fn open_at_once(path: &Path) -> io::Result<File> {
    let found = std::fs::metadata(path)?;
    if found.is_file() || found.is_dir() { File::open(path) } else { Err(not_regular()) }
}

/// Returns the properties of a file or folder; `None` if there is none at `path`. Follows symbolic links.
///
/// # Errors
///
/// Returns the system's error if the system cannot determine whether the file exists.
pub fn find(path: &Path) -> io::Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a small regular text file.
///
/// # Errors
///
/// Fails as [`open`] does, and with [`ErrorKind::InvalidData`] if the file exceeds 1 MiB or is not UTF-8.
pub fn read_small(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.take(LONGEST as u64 + 1).read_to_string(&mut text)?;
    if text.len() > LONGEST {
        return Err(io::Error::new(ErrorKind::InvalidData, "the file is longer than 1 MiB"));
    }
    Ok(text)
}

/// A reader of text lines of up to 1 MiB. Skips a leading byte order mark.
pub struct Lines<R> {
    reader: BufReader<R>,
    bytes: Vec<u8>,
    line: u64,
}

/// A line that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{fault}")]
pub struct LineError {
    /// The line number, counted from 1.
    pub line: u64,
    /// The problem with the line.
    #[source]
    pub fault: LineFault,
}

/// A problem with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// The file cannot be read.
    #[error(transparent)]
    Read(io::Error),
    /// The line exceeds the limit.
    #[error("the line is longer than 1 MiB")]
    Long,
    /// The line is not UTF-8.
    #[error("byte {column} of the line is no UTF-8")]
    Encoding {
        /// The position of the first invalid byte in the line, counted from 1.
        column: usize,
    },
}

impl Explain for LineError {
    fn code(&self) -> Code {
        self.fault.code()
    }

    fn advice(&self) -> Option<Advice> {
        self.fault.advice()
    }
}

impl Explain for LineFault {
    fn code(&self) -> Code {
        match self {
            Self::Read(_) => Code::FileAccess,
            Self::Long => Code::LongLine,
            Self::Encoding { .. } => Code::TextEncoding,
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Read(_) => None,
            Self::Long => Some("check that it is the right file, or break the line up".into()),
            Self::Encoding { .. } => {
                Some("convert the file to UTF-8, as `iconv -f latin1 -t utf-8` does from Latin-1".into())
            }
        }
    }
}

impl<R: Read> Lines<R> {
    /// Creates a reader for the lines of `text`.
    pub fn new(text: R) -> Self {
        Self { reader: BufReader::new(text), bytes: Vec::new(), line: 0 }
    }

    /// Returns the next line without its ending, and the line's number, counted from 1. Returns `None` at the end of
    /// the text.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be read, or if the line is too long or not UTF-8.
    pub fn next_line(&mut self) -> Result<Option<(u64, &str)>, LineError> {
        self.line += 1;
        let line = self.line;
        let fail = |fault| LineError { line, fault };
        self.bytes.clear();
        // A line ending has at most two bytes.
        let mut bounded = self.reader.by_ref().take(LONGEST as u64 + 2);
        let read = bounded.read_until(b'\n', &mut self.bytes).map_err(|error| fail(LineFault::Read(error)))?;
        if read == 0 {
            return Ok(None);
        }
        let bytes = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() > LONGEST {
            return Err(fail(LineFault::Long));
        }
        let bytes = if line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
        let text =
            str::from_utf8(bytes).map_err(|error| fail(LineFault::Encoding { column: error.valid_up_to() + 1 }))?;
        Ok(Some((line, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_no_ends_and_no_byte_order_mark() {
        let mut lines = Lines::new(&b"\xef\xbb\xbfone\r\n\ntwo"[..]);
        assert_eq!(lines.next_line().unwrap(), Some((1, "one")));
        assert_eq!(lines.next_line().unwrap(), Some((2, "")));
        assert_eq!(lines.next_line().unwrap(), Some((3, "two")));
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused_and_one_at_the_limit_read() {
        let long = |bytes: usize, end: &str| format!("{}{end}", "a".repeat(bytes)).into_bytes();
        for end in ["\n", "\r\n", ""] {
            let text = long(LONGEST, end);
            assert_eq!(Lines::new(&text[..]).next_line().unwrap().map(|(_, line)| line.len()), Some(LONGEST));
            let error = Lines::new(&long(LONGEST + 1, end)[..]).next_line().unwrap_err();
            assert!(matches!(error, LineError { line: 1, fault: LineFault::Long }), "{error}");
        }
        // Reading an endless line stops at the length limit.
        let error = Lines::new(io::repeat(b'a')).next_line().unwrap_err();
        assert!(matches!(error.fault, LineFault::Long) && error.advice().is_some(), "{error}");
    }

    #[test]
    fn other_encodings_are_refused_by_line_and_byte() {
        let mut lines = Lines::new(&b"0\ta\ncaf\xe9\n"[..]);
        lines.next_line().unwrap();
        let error = lines.next_line().unwrap_err();
        assert!(matches!(error, LineError { line: 2, fault: LineFault::Encoding { column: 4 } }), "{error}");
    }

    #[test]
    fn a_file_that_is_not_small_is_not_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(&path, "a".repeat(LONGEST)).unwrap();
        assert_eq!(read_small(&path).unwrap().len(), LONGEST);
        std::fs::write(&path, "a".repeat(LONGEST + 1)).unwrap();
        assert_eq!(read_small(&path).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_regular_files_are_opened_and_nothing_waits() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [&pipe, &socket, Path::new("/dev/zero")] {
            assert_eq!(open(path).unwrap_err().kind(), ErrorKind::InvalidInput, "{}", path.display());
        }
        assert_eq!(open(folder.path()).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(open(&folder.path().join("absent")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
