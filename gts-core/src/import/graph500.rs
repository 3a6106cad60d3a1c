//! Imports binary edge lists of the Graph500 benchmark: only edges, without a header.
//!
//! An edge has 16 bytes (two 64-bit numbers, little-endian) or, packed, 12 bytes: the low 32 bits of both numbers, then
//! 32 bits with the high 16 bits of the first number in their low half, and those of the second in their high half.
//! Each edge is read as one arc; the benchmark's graphs are undirected, and are read so with
//! [`GraphReader::undirected`](crate::read::GraphReader::undirected).

use super::parts::FileStream;
use super::serial::{Parser, SerialStream};
use super::source::Source;
use super::value::{Reading, Seen};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, Direction, EdgeBatch};
use std::path::Path;

/// The number of edges that are read together.
const EDGES: usize = 1 << 18;
/// The first ID that is too large: it has a sign.
const NEGATIVE: u64 = 1 << 63;

/// Opens a list of edges of `width` bytes as a stream.
pub(super) fn open(path: &Path, width: usize, options: &ImportOptions) -> Result<Box<dyn FileStream>, ImportError> {
    let source = Source::open_binary(path)?;
    let path = source.path().to_owned();
    if matches!(options.weights, Weights::As(_)) {
        let problem = "the edges of Graph500 have no weights".into();
        let advice = "leave --weights out, or give `--weights 1`, which gives every edge weight 1".into();
        return Err(ImportError::Misfit { path, line: 1, problem, advice });
    }
    let whole = source.progress().1.filter(|_| source.is_plain()).map(|bytes| bytes / width as u64);
    let declared = Declared { direction: options.direction(Direction::Directed), edges: whole, ..Declared::default() };
    let parser = Edges { source, width, bytes: Vec::new(), done: 0 };
    Ok(Box::new(SerialStream::new(
        path,
        parser,
        (Reading::None, declared),
        (EdgeBatch::default(), Seen::default()),
        "binary edges",
    )))
}

struct Edges {
    source: Source,
    /// The bytes of an edge.
    width: usize,
    bytes: Vec<u8>,
    /// The bytes of the edges before `bytes`.
    done: u64,
}

impl Parser for Edges {
    fn parse(&mut self, batch: &mut EdgeBatch, _: &mut Seen) -> Result<bool, ImportError> {
        self.bytes.clear();
        let wanted = EDGES * self.width;
        while self.bytes.len() < wanted {
            let missing = wanted - self.bytes.len();
            if self.source.append(&mut self.bytes, missing)? == 0 {
                break;
            }
        }
        let fault = |at: usize, expected: &str, found: String, advice| ImportError::Malformed {
            path: self.source.path().into(),
            line: 1,
            column: self.done + at as u64 + 1,
            expected: expected.into(),
            found,
            advice,
        };
        let (edges, rest) = self.bytes.split_at(self.bytes.len() - self.bytes.len() % self.width);
        for (place, edge) in edges.chunks_exact(self.width).enumerate() {
            let (src, dst) = ends(edge);
            if (src | dst) >= NEGATIVE {
                let advice = "check the width of the edges: `graph500` has 16 bytes, `graph500-packed` 12";
                let found = format!("{} and {}", src.cast_signed(), dst.cast_signed());
                return Err(fault(place * self.width, "two IDs that are not negative", found, advice));
            }
            batch.src.push(src);
            batch.dst.push(dst);
        }
        if !rest.is_empty() {
            let expected = format!("an edge of {} bytes", self.width);
            let found = format!("{} bytes", rest.len());
            let advice = "fetch the file again if it was cut short, or check the width of the edges";
            return Err(fault(edges.len(), &expected, found, advice));
        }
        self.done += edges.len() as u64;
        Ok(!edges.is_empty())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.source.progress()
    }
}

/// Returns the ends of an edge of 16 or 12 bytes.
#[inline]
fn ends(edge: &[u8]) -> (u64, u64) {
    let word = |at: usize| u64::from(u32::from_le_bytes([edge[at], edge[at + 1], edge[at + 2], edge[at + 3]]));
    if edge.len() == 16 {
        return (word(4) << 32 | word(0), word(12) << 32 | word(8));
    }
    let high = word(8);
    ((high & 0xffff) << 32 | word(0), (high >> 16) << 32 | word(4))
}
