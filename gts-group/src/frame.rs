//! Frames between processes. A frame consists of a header of fixed length, a text, and bytes. A reader turns any input
//! into a frame or an error. A reader checks the length of a frame against the maximum before it allocates memory.

use super::Stamp;
use super::place::MOST_TEXT;
use gts_contract::language::Code;
use gts_core::advice::{Advice, Explain};
use gts_core::memory::{self, NoMemory};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};

/// The maximum number of bytes in the head of a message, including the text.
pub const MESSAGE_HEAD: usize = HEADER + MOST_TEXT;
/// The number of bytes in a header.
const HEADER: usize = 40;
/// The number of header bytes that the checksum covers.
const COVERED: usize = HEADER - 8;
const MAGIC: [u8; 4] = *b"GTSg";
/// The version of the frame format.
const VERSION: u8 = 1;
/// The maximum number of bytes per read. Each completed read is a sign of life.
const READ: usize = 1 << 20;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Introduces the sender. The text is the version of the program.
    Hello = 1,
    /// A message of an exchange. The text describes the sender's place.
    Message = 2,
    /// A sign of life.
    Beat = 3,
    /// The sender has finished its work.
    Leave = 4,
    /// The group has ended. The text is the reason, and the number is the rank at fault.
    Abort = 5,
    /// The group has ended because a rank was lost. The text is the reason, and the number is the lost rank.
    Lost = 6,
}

impl FrameKind {
    const ALL: [Self; 6] = [Self::Hello, Self::Message, Self::Beat, Self::Leave, Self::Abort, Self::Lost];
}

/// The head of a frame, which precedes the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameHead {
    /// The kind of the frame, which determines the meaning of the other fields.
    pub kind: FrameKind,
    /// The number of the exchange, or the rank at fault, depending on the kind.
    pub number: u64,
    /// The hash of the sender's place, if the frame is a message.
    pub hash: u64,
    /// The version, the text of a place, or the reason, depending on the kind.
    pub text: String,
}

/// The reason why input is not a valid frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The input does not start with the magic number of frames.
    #[error("it sent what is no frame of a group")]
    Foreign,
    /// The frame has a different version.
    #[error("its frames have version {0}, those of this process {VERSION}")]
    Version(u8),
    /// The checksum, the kind or the text is invalid.
    #[error("it sent a damaged frame")]
    Damaged,
    /// The frame exceeds the maximum length.
    #[error("it sent a frame of {0} bytes, which is too long")]
    TooLong(u64),
    /// The input ends within a frame.
    #[error("it ended within a frame")]
    Cut,
    /// There is too little memory for the bytes.
    #[error(transparent)]
    Memory(#[from] NoMemory),
    /// The input cannot be read.
    #[error("{0}")]
    Io(io::Error),
}

impl Explain for FrameError {
    fn code(&self) -> Code {
        match self {
            Self::Foreign | Self::Version(_) => Code::ForeignFrame,
            Self::Damaged | Self::TooLong(_) => Code::DamagedFrame,
            Self::Cut | Self::Io(_) => Code::LostConnection,
            Self::Memory(error) => error.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

impl FrameError {
    /// Returns whether the sender closed the connection within a frame, or before reading all data sent to it.
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

impl FrameHead {
    /// Creates the head of a frame that contains only a kind.
    pub fn of(kind: FrameKind) -> Self {
        Self { kind, number: 0, hash: 0, text: String::new() }
    }

    /// Creates the head of a message from its stamp.
    pub fn of_message(stamp: &Stamp) -> Self {
        Self { kind: FrameKind::Message, number: stamp.number, hash: stamp.hash, text: stamp.text.clone() }
    }

    /// Returns the stamp of a message.
    pub fn into_stamp(self) -> Stamp {
        Stamp { number: self.number, hash: self.hash, text: self.text }
    }

    /// Returns the encoded header and text of a frame. `length` is the number of bytes that will follow. A text of 64
    /// KiB or more is truncated.
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

    /// Parses a header. Returns the head without its text, the length of the text, and the number of bytes after the
    /// head.
    fn parse(header: &[u8; HEADER], most: usize) -> Result<(Self, usize, usize), FrameError> {
        let number = |at: usize| u64::from_le_bytes(bytemuck::pod_read_unaligned(&header[at..at + 8]));
        if header[..4] != MAGIC {
            return Err(FrameError::Foreign);
        }
        if header[4] != VERSION {
            return Err(FrameError::Version(header[4]));
        }
        let kind = FrameKind::ALL.into_iter().find(|&kind| kind as u8 == header[5]);
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
    /// closed the connection. Calls `alive` for each part that arrives.
    ///
    /// # Errors
    ///
    /// The input is not a valid frame, or more than `most` bytes follow the head.
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

    /// Reads a frame of at most `most` bytes into `bytes`. Returns `None` if the sender has closed the connection.
    /// Calls `alive` for each part that arrives.
    ///
    /// # Errors
    ///
    /// The input is not a valid frame of at most `most` bytes, or there is too little memory.
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

/// Reads the `length` bytes after a head. Calls `alive` for each part that arrives.
///
/// # Errors
///
/// The input ends early or cannot be read, or there is too little memory.
pub fn read_bytes(
    from: &mut impl Read,
    bytes: &mut Vec<u8>,
    length: usize,
    alive: impl Fn(),
) -> Result<(), FrameError> {
    make_room(bytes, length)?;
    bytes.chunks_mut(READ).try_for_each(|part| fill(from, part, &alive))
}

/// Resizes `bytes` to the length of a message.
///
/// # Errors
///
/// There is too little memory.
pub fn make_room(bytes: &mut Vec<u8>, length: usize) -> Result<(), NoMemory> {
    if bytes.capacity() < length {
        *bytes = memory::reserved("a message of a rank", length)?;
    }
    bytes.resize(length, 0);
    Ok(())
}

/// Reads a part of a frame completely, then calls `alive`.
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

    fn read(mut from: &[u8]) -> Result<Option<(FrameHead, Vec<u8>)>, FrameError> {
        let mut bytes = Vec::new();
        let head = FrameHead::read(&mut from, MOST, &mut bytes, || ())?;
        Ok(head.map(|head| (head, bytes)))
    }

    fn frame() -> impl Strategy<Value = (FrameHead, Vec<u8>)> {
        let kind = proptest::sample::select(FrameKind::ALL.to_vec());
        let parts = (kind, any::<u64>(), any::<u64>(), ".{0,80}", proptest::collection::vec(any::<u8>(), 0..MOST));
        parts.prop_map(|(kind, number, hash, text, bytes)| (FrameHead { kind, number, hash, text }, bytes))
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
    fn other_programs_and_other_versions_are_told_apart_from_damage() {
        let mut sent = FrameHead::of(FrameKind::Beat).bytes(0);
        sent[MAGIC.len()] ^= 1;
        assert_eq!(read(&sent).err().map(|error| error.code()), Some(Code::ForeignFrame));
        assert!(matches!(read(&[b'x'; HEADER]), Err(FrameError::Foreign)));
    }

    #[test]
    fn a_length_beyond_a_message_is_refused_before_memory_is_taken() {
        let sent = FrameHead::of(FrameKind::Message).bytes(usize::MAX);
        assert!(matches!(read(&sent), Err(FrameError::TooLong(_))));
    }
}
