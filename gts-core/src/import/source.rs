//! Opens a file and decompresses it. The first bytes identify the compression format.

use super::{ImportError, foreign};
use crate::files::{self, Readable};
use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of bytes per read from the file.
const BUFFER: usize = 1 << 18;
/// Maximum number of bytes of text per byte of a compressed file: zstd can encode 128 KiB of one repeated byte in 4
/// bytes.
const MOST_UNPACKED: u64 = 1 << 15;

/// The advice for a damaged compressed file.
const COMPRESS: &str = "fetch or compress it again";

/// The decompressed text of a file.
pub(super) struct Source {
    path: PathBuf,
    text: Text,
    read: Arc<AtomicU64>,
    /// The size of the file; `None` for a pipe.
    size: Option<u64>,
}

/// The origin of the text.
enum Text {
    /// The file itself, which is read directly into the caller's memory.
    Plain(File),
    /// A pipe, with the bytes that identified its compression format.
    Pipe(BufReader<Counted>),
    /// The output of a decoder, with the name of the compression format.
    Packed(&'static str, Box<dyn Read + Send>),
}

impl Source {
    /// Opens a file or a pipe of text, and detects its compression format. Fails if its first bytes are those of another
    /// type of file.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        Self::open_as(path, true)
    }

    /// Opens a file or a pipe of any bytes, and detects its compression format.
    pub(super) fn open_binary(path: &Path) -> Result<Self, ImportError> {
        Self::open_as(path, false)
    }

    fn open_as(path: &Path, is_text: bool) -> Result<Self, ImportError> {
        let io = |source: io::Error| ImportError::io(path, source);
        let Readable { file, bytes: size } = files::open_readable(path).map_err(|error| {
            let what = match error.kind() {
                io::ErrorKind::IsADirectory => "a directory",
                io::ErrorKind::InvalidInput => "something other than a file or a pipe",
                _ => return io(error),
            };
            ImportError::Unsupported {
                path: path.into(),
                what: what.into(),
                advice: "name a graph file, or a pipe from another program",
            }
        })?;
        let read = Arc::new(AtomicU64::new(0));
        let file = Counted { file, read: read.clone() };
        let mut file = BufReader::with_capacity(BUFFER, file);
        let head = file.fill_buf().map_err(io)?;
        let shown = PathBuf::from(files::shown(path).to_string());
        if let Some(kind) = foreign::by_bytes(&shown, head).filter(|_| is_text) {
            return Err(kind.error(&shown));
        }
        let compression = compression(&shown, head)?;
        let text = match compression {
            Some(name @ "gzip") => Text::Packed(name, Box::new(Members { decoder: Some(GzDecoder::new(file)) })),
            Some(name) => {
                let frames = Frames { file, decoder: Box::new(FrameDecoder::new()), inside: false };
                Text::Packed(name, Box::new(frames))
            }
            None if size.is_none() => Text::Pipe(file),
            None => {
                let mut file = file.into_inner().file;
                file.rewind().map_err(io)?;
                read.store(0, Ordering::Relaxed);
                Text::Plain(file)
            }
        };
        Ok(Self { path: shown, text, read, size })
    }

    /// Appends at most `count` bytes to `text`. Returns the number of bytes appended; 0 at the end.
    pub(super) fn append(&mut self, text: &mut Vec<u8>, count: usize) -> Result<usize, ImportError> {
        match &mut self.text {
            Text::Plain(file) => {
                let read =
                    file.take(count as u64).read_to_end(text).map_err(|error| ImportError::io(&self.path, error))?;
                self.read.fetch_add(read as u64, Ordering::Relaxed);
                Ok(read)
            }
            Text::Pipe(pipe) => {
                pipe.take(count as u64).read_to_end(text).map_err(|error| ImportError::io(&self.path, error))
            }
            Text::Packed(format, reader) => reader.take(count as u64).read_to_end(text).map_err(|error| {
                if error.get_ref().is_some_and(|error| error.is::<Appended>()) {
                    return ImportError::Unsupported {
                        path: self.path.clone(),
                        what: "a gzip file that is whole, but has other bytes after its end,".into(),
                        advice: "unpack it with gzip, which leaves them out, or fetch it again",
                    };
                }
                let detail = match error.kind() {
                    io::ErrorKind::UnexpectedEof => "it ends too early".into(),
                    _ => error.to_string(),
                };
                let advice = match self.size {
                    Some(_) => COMPRESS,
                    None => "see why the program that writes the pipe ended, and run both again",
                };
                ImportError::Compressed { path: self.path.clone(), format, detail, advice }
            }),
        }
    }

    /// Returns an upper bound on the number of bytes of text in the file; `None` for a pipe.
    pub(super) fn most_text(&self) -> Option<u64> {
        match self.text {
            Text::Plain(_) | Text::Pipe(_) => self.size,
            Text::Packed(..) => self.size.map(|size| size.saturating_mul(MOST_UNPACKED)),
        }
    }

    /// Returns whether the size of the file is that of its text.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.text, Text::Plain(_))
    }

    /// Returns whether the text can be read only once.
    pub(super) fn is_pipe(&self) -> bool {
        self.size.is_none()
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes read from the file, and the size of the file; `None` for a pipe.
    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        (self.read.load(Ordering::Relaxed), self.size)
    }
}

/// Returns the compression format indicated by the first bytes. Fails if the file name indicates a compression format
/// that the bytes do not have.
fn compression(path: &Path, head: &[u8]) -> Result<Option<&'static str>, ImportError> {
    // A zstd file may begin with a skippable frame, which has one of 16 magic numbers.
    let skippable = head.len() >= 4 && head[0] & 0xf0 == 0x50 && head[1..4] == [0x2a, 0x4d, 0x18];
    match head {
        [0x1f, 0x8b, ..] => Ok(Some("gzip")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Ok(Some("zstd")),
        _ if skippable => Ok(Some("zstd")),
        _ => match path.extension().and_then(|e| e.to_str()) {
            Some("gz") => Err(not_compressed(path, "gzip")),
            Some("zst") => Err(not_compressed(path, "zstd")),
            _ => Ok(None),
        },
    }
}

fn not_compressed(path: &Path, format: &'static str) -> ImportError {
    let detail = "it does not begin like one, as its name promises".into();
    ImportError::Compressed { path: path.into(), format, detail, advice: COMPRESS }
}

/// A file that counts the bytes read, for reporting progress.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A decoder for all members of a gzip file, one after the other.
struct Members {
    /// The decoder of the current member; `None` after the last member.
    decoder: Option<GzDecoder<BufReader<Counted>>>,
}

/// The error for bytes after the last member of a gzip file that are not another member.
#[derive(Debug, thiserror::Error)]
#[error("bytes that are no gzip follow its end")]
struct Appended;

impl Read for Members {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            match decoder.get_mut().fill_buf()? {
                [] => self.decoder = None,
                [0x1f] | [0x1f, 0x8b, ..] => self.decoder = self.decoder.take().map(|d| GzDecoder::new(d.into_inner())),
                _ => return Err(io::Error::other(Appended)),
            }
        }
        Ok(0)
    }
}

/// A decoder for all frames of a zstd file, one after the other.
struct Frames {
    file: BufReader<Counted>,
    decoder: Box<FrameDecoder>,
    /// Whether the decoder is inside a frame.
    inside: bool,
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.inside {
                while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let one = BlockDecodingStrategy::UptoBlocks(1);
                    self.decoder.decode_blocks(&mut self.file, one).map_err(io::Error::other)?;
                }
                if self.decoder.can_collect() > 0 {
                    return self.decoder.read(buffer);
                }
                self.end_frame()?;
            } else if self.file.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.begin_frame()?;
            }
        }
    }
}

impl Frames {
    fn begin_frame(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.file) {
            Ok(()) => self.inside = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let skipped = io::copy(&mut self.file.by_ref().take(length.into()), &mut io::sink())?;
                if skipped < u64::from(length) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.inside = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("a frame's checksum is wrong"));
        }
        Ok(())
    }
}
