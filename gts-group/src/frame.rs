//! Frames between processes: a header of fixed length, a text, and bytes. A reader turns any input into a frame or an
//! error, and allocates memory for the bytes that arrive, not for the length that a header claims.

use super::Stamp;
use super::place::MOST_TEXT;
use gts_core::memory::{self, NoMemory};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};

/// Maximum bytes of the head of a message, including its text.
pub const MESSAGE_HEAD: usize = HEADER + MOST_TEXT;
/// Bytes of a header.
const HEADER: usize = 40;
/// Bytes of the header that its checksum covers.
const COVERED: usize = HEADER - 8;
const MAGIC: [u8; 4] = *b"GTSg";
/// The version of frames.
const VERSION: u8 = 1;
/// Bytes per read: each read is a sign of life.
const READ: usize = 1 << 20;

/// Kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Introduces the sender: the text is the version of the program.
    Hello = 1,
    /// A message of an exchange: the text is the sender's place.
    Message = 2,
    /// A sign of life.
    Beat = 3,
    /// The sender has done its work.
    Leave = 4,
    /// The group has ended: the text is the reason, the number the rank at fault.
    Abort = 5,
    /// The group has ended because a rank was lost; fields as for `Abort`.
    Lost = 6,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Hello, Self::Message, Self::Beat, Self::Leave, Self::Abort, Self::Lost];
}

/// A frame without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Kind of the frame.
    pub kind: Kind,
    /// A number that depends on the kind.
    pub number: u64,
    /// The hash of the sender's place, in a message.
    pub hash: u64,
    /// A text that depends on the kind.
    pub text: String,
}

/// The reason why bytes are not a frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The bytes do not begin like a frame.
    #[error("it sent what is no frame of a group")]
    Foreign,
    /// The frame has another version.
    #[error("its frames have version {0}, those of this process {VERSION}")]
    Version(u8),
    /// A checksum or a text is wrong.
    #[error("it sent a damaged frame")]
    Damaged,
    /// The frame is longer than allowed.
    #[error("it sent a frame of {0} bytes, which is too long")]
    TooLong(u64),
    /// The input ends within a frame.
    #[error("it ended within a frame")]
    Cut,
    /// Memory for the bytes is too small.
    #[error(transparent)]
    Memory(#[from] NoMemory),
    /// The bytes cannot be read.
    #[error("{0}")]
    Io(io::Error),
}

impl FrameError {
    /// Returns whether the sender closed the connection within a frame, or before it had read all its input.
    pub fn is_end(&self) -> bool {
        match self {
            Self::Cut => true,
            Self::Io(error) => matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }
}

fn checksum(covered: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(covered);
    hasher.finish()
}

impl Head {
    /// Creates the head of a frame without further content.
    pub fn of(kind: Kind) -> Self {
        Self { kind, number: 0, hash: 0, text: String::new() }
    }

    /// Creates the head of a message.
    pub fn of_message(stamp: &Stamp) -> Self {
        Self { kind: Kind::Message, number: stamp.number, hash: stamp.hash, text: stamp.text.clone() }
    }

    /// Returns the stamp of a message.
    pub fn into_stamp(self) -> Stamp {
        Stamp { number: self.number, hash: self.hash, text: self.text }
    }

    /// Returns the header and the text of a frame that `length` bytes follow. A text beyond 64 KiB is cut.
    pub fn bytes(&self, length: usize) -> Vec<u8> {
        let end = (0..=self.text.len().min(u16::MAX.into())).rev().find(|&end| self.text.is_char_boundary(end));
        let text = &self.text[..end.unwrap_or(0)];
        let mut bytes = Vec::with_capacity(HEADER + text.len());
        bytes.extend(MAGIC);
        bytes.extend([VERSION, self.kind as u8]);
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend([self.number, self.hash, length as u64].iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    /// Parses a header. Returns the head without its text, and the lengths of the text and the bytes.
    fn parse(header: &[u8; HEADER], most: usize) -> Result<(Self, usize, usize), FrameError> {
        let number = |at: usize| u64::from_le_bytes(bytemuck::pod_read_unaligned(&header[at..at + 8]));
        if header[..4] != MAGIC {
            return Err(FrameError::Foreign);
        }
        if header[4] != VERSION {
            return Err(FrameError::Version(header[4]));
        }
        let kind = Kind::ALL.into_iter().find(|&kind| kind as u8 == header[5]);
        let (Some(kind), true) = (kind, number(COVERED) == checksum(&header[..COVERED])) else {
            return Err(FrameError::Damaged);
        };
        let length = number(24);
        if length > most as u64 {
            return Err(FrameError::TooLong(length));
        }
        let text = usize::from(u16::from_le_bytes([header[6], header[7]]));
        Ok((Self { kind, number: number(8), hash: number(16), text: String::new() }, text, length as usize))
    }

    /// Reads the head of a frame. Returns the head and the number of bytes that follow, or `None` if the sender has
    /// closed. Calls `alive` for each part that arrives.
    ///
    /// # Errors
    ///
    /// The bytes are not a frame, or more than `most` bytes follow.
    pub fn begin(from: &mut impl Read, most: usize, alive: impl Fn()) -> Result<Option<(Self, usize)>, FrameError> {
        let mut header = [0; HEADER];
        let mut filled = 0;
        while filled < HEADER {
            match from.read(&mut header[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(FrameError::Cut),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(FrameError::Io(error)),
            }
            // A part of a header is also a sign of life.
            alive();
        }
        let (mut head, text, length) = Self::parse(&header, most)?;
        let mut characters = vec![0; text];
        fill(from, &mut characters, alive)?;
        head.text = String::from_utf8(characters).map_err(|_| FrameError::Damaged)?;
        Ok(Some((head, length)))
    }

    /// Reads a frame of at most `most` bytes into `bytes`. Returns `None` if the sender has closed. Calls `alive` for
    /// each part that arrives.
    ///
    /// # Errors
    ///
    /// The bytes are not such a frame, or memory is too small.
    pub fn read(
        from: &mut impl Read,
        most: usize,
        bytes: &mut Vec<u8>,
        alive: impl Fn(),
    ) -> Result<Option<Self>, FrameError> {
        let Some((head, length)) = Self::begin(from, most, &alive)? else { return Ok(None) };
        read_bytes(from, bytes, length, alive)?;
        Ok(Some(head))
    }
}

/// Reads the bytes after a head. Calls `alive` for each part that arrives.
///
/// # Errors
///
/// The input ends too soon or cannot be read, or memory is too small.
pub fn read_bytes(
    from: &mut impl Read,
    bytes: &mut Vec<u8>,
    length: usize,
    alive: impl Fn(),
) -> Result<(), FrameError> {
    make_room(bytes, length)?;
    bytes.chunks_mut(READ).try_for_each(|part| fill(from, part, &alive))
}

/// Sets the length of `bytes` to the length of a message.
///
/// # Errors
///
/// Memory is too small.
pub fn make_room(bytes: &mut Vec<u8>, length: usize) -> Result<(), NoMemory> {
    if bytes.capacity() < length {
        *bytes = memory::reserved("a message of a rank", length)?;
    }
    bytes.resize(length, 0);
    Ok(())
}

/// Fills a part of a frame completely.
fn fill(from: &mut impl Read, part: &mut [u8], alive: impl Fn()) -> Result<(), FrameError> {
    from.read_exact(part).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => FrameError::Cut,
        _ => FrameError::Io(error),
    })?;
    alive();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOST: usize = 1000;

    fn read(mut from: &[u8]) -> Result<Option<(Head, Vec<u8>)>, FrameError> {
        let mut bytes = Vec::new();
        let head = Head::read(&mut from, MOST, &mut bytes, || ())?;
        Ok(head.map(|head| (head, bytes)))
    }

    fn frame() -> impl Strategy<Value = (Head, Vec<u8>)> {
        let kind = proptest::sample::select(Kind::ALL.to_vec());
        let parts = (kind, any::<u64>(), any::<u64>(), ".{0,80}", proptest::collection::vec(any::<u8>(), 0..MOST));
        parts.prop_map(|(kind, number, hash, text, bytes)| (Head { kind, number, hash, text }, bytes))
    }

    proptest! {
        #[test]
        fn frames_come_back_as_they_went((head, bytes) in frame()) {
            let sent = [head.bytes(bytes.len()), bytes.clone()].concat();
            prop_assert_eq!(read(&sent).expect("a frame"), Some((head, bytes)));
        }

        #[test]
        fn any_bytes_are_a_frame_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200), magic: bool) {
            let bytes = if magic { [&MAGIC[..], &[VERSION], &bytes].concat() } else { bytes };
            prop_assert_eq!(read(&bytes).is_ok_and(|frame| frame.is_none()), bytes.is_empty());
        }

        #[test]
        fn a_cut_frame_is_told((head, bytes) in frame(), cut in any::<prop::sample::Index>()) {
            let sent = [head.bytes(bytes.len()), bytes].concat();
            let end = 1 + cut.index(sent.len() - 1);
            prop_assert!(matches!(read(&sent[..end]), Err(FrameError::Cut)));
        }

        #[test]
        fn a_changed_header_is_told((head, bytes) in frame(), at in 0..HEADER, flipped in 1..=255u8) {
            let mut sent = [head.bytes(bytes.len()), bytes].concat();
            sent[at] ^= flipped;
            prop_assert!(read(&sent).is_err());
        }
    }

    #[test]
    fn a_length_beyond_a_message_is_refused_before_memory_is_taken() {
        let sent = Head::of(Kind::Message).bytes(usize::MAX);
        assert!(matches!(read(&sent), Err(FrameError::TooLong(_))));
    }
}
