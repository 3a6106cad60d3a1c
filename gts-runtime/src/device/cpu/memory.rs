//! Memory of attributes: bytes aligned for every element type.

use crate::error::{Error, Result};
use crate::kernel::RawColumn;

/// Bytes aligned to 8, of a fixed number.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    words: Vec<u64>,
    length: usize,
}

impl Bytes {
    /// Zeros.
    pub(super) fn zeroed(length: usize, what: &str) -> Result<Self> {
        let mut words = Vec::new();
        words.try_reserve_exact(length.div_ceil(8)).map_err(|_| Error::OutOfMemory {
            device: "cpu".into(),
            what: what.into(),
            needed: length as u64,
            free: 0,
            remedy: "use a smaller graph or a machine with more memory".into(),
        })?;
        words.resize(length.div_ceil(8), 0);
        Ok(Self { words, length })
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.length]
    }

    /// Repeats a value over all bytes, whose number is a multiple of the value's.
    pub(super) fn fill(&mut self, value: &[u8]) {
        match value {
            [byte] => self.as_mut_slice().fill(*byte),
            _ => self.as_mut_slice().chunks_exact_mut(value.len()).for_each(|bytes| bytes.copy_from_slice(value)),
        }
    }

    pub(super) fn column(&mut self) -> RawColumn {
        RawColumn::new(self.as_mut_slice())
    }
}
