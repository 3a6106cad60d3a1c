//! Where the bytes of pages come from.

use crate::graph::PageId;
use crate::store::StoreError;
use bytemuck::{Pod, Zeroable};

/// Alignment of resident pages, and the unit of direct I/O.
pub const PAGE_ALIGNMENT: usize = 4096;

/// Gives pages by number.
pub trait PageSource: Send + Sync {
    /// Reads `count` pages from `first` on into the beginning of `buffer`.
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError>;

    /// All pages back to back, page j at j times the page size, where they are in memory.
    /// The first byte is aligned to [`PAGE_ALIGNMENT`].
    fn resident(&self) -> Option<&[u8]>;
}

/// The unit of allocation, so that pages are aligned.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(4096))]
struct Block([u8; PAGE_ALIGNMENT]);

/// Zeroed bytes, aligned to [`PAGE_ALIGNMENT`].
pub struct AlignedBytes {
    blocks: Vec<Block>,
    len: usize,
}

impl AlignedBytes {
    /// `len` zeros, or `None` where memory does not suffice.
    pub fn zeroed(len: usize) -> Option<Self> {
        let blocks = bytemuck::allocation::try_zeroed_vec(len.div_ceil(PAGE_ALIGNMENT)).ok()?;
        Some(Self { blocks, len })
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.blocks)[..self.len]
    }

    /// The bytes, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.blocks)[..self.len]
    }
}

/// Pages in memory.
pub(crate) struct ResidentPages {
    pub(crate) bytes: AlignedBytes,
    pub(crate) page_size: usize,
}

impl PageSource for ResidentPages {
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError> {
        let all = self.bytes.as_slice();
        let start = first.0 as usize * self.page_size;
        let len = count as usize * self.page_size;
        match (all.get(start..start.saturating_add(len)), buffer.get_mut(..len)) {
            (Some(pages), Some(target)) => {
                target.copy_from_slice(pages);
                Ok(())
            }
            _ => Err(StoreError::PageRange {
                first,
                count,
                pages: (all.len() / self.page_size) as u64,
                buffer: buffer.len() as u64,
            }),
        }
    }

    fn resident(&self) -> Option<&[u8]> {
        Some(self.bytes.as_slice())
    }
}
