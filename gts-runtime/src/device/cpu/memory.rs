//! Memory of attributes: bytes aligned for every element type.

use crate::error::Result;
use crate::kernel::RawColumn;
use gts_core::memory;

/// Bytes aligned to 8, of a fixed number.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    words: Vec<u64>,
    length: usize,
}

impl Bytes {
    /// Zeros.
    pub(super) fn zeroed(length: usize, what: &'static str) -> Result<Self> {
        Ok(Self { words: memory::zeroed(what, length.div_ceil(8))?, length })
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
