//! Compression of text files.

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Write};

/// A compression of files. A compressed file consists of parts that are compressed on their own, as the formats allow,
/// so that all threads compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// Returns the compression with this ending of file names, in any case.
    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        [("gz", Self::Gzip), ("zst", Self::Zstd)]
            .into_iter()
            .find(|(known, _)| ending.eq_ignore_ascii_case(known))
            .map(|(_, packing)| packing)
    }

    /// Compresses a part of a file.
    pub(crate) fn pack(self, part: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(part)?;
                encoder.finish()
            }
            Self::Zstd => Ok(compress_to_vec(part, CompressionLevel::Fastest)),
        }
    }
}
