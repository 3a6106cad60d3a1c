//! Globals in device memory. Each element has a cell of eight bytes, which a single atomic operation can update, or two
//! cells if its total has 128 bits.
//!
//! Sums are accumulated as on the CPU, in [`total_bytes`] bytes. If the merge is not a sum, elements of 8 and 16 bits are
//! stored in 32 bits.

use gts_contract::{AttributeKind, Merge, ScalarType, Schema};
use gts_device::kernel::{identity, total_bytes, total_scalar};

/// The size of a cell in bytes: `GTS_CELL_BYTES`.
pub(super) const CELL: usize = gts_core::cost::holding::CELL as usize;

/// The element type, merge operation and cells of one global.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlobalCells {
    pub(super) attribute: usize,
    scalar: ScalarType,
    merge: Merge,
    /// The number of cells.
    length: usize,
    /// The index of the first cell.
    pub(super) first: usize,
}

impl GlobalCells {
    /// Returns an entry per global of an attribute struct. The cells of all globals are consecutive.
    pub(super) fn of(schema: &Schema) -> Vec<Self> {
        let mut first = 0;
        let mut globals = Vec::new();
        for (attribute, declared) in schema.attributes.iter().enumerate() {
            if let AttributeKind::Global { merge } = declared.kind {
                let (scalar, elements) = (declared.ty.scalar, declared.ty.length as usize);
                let length = elements * total_bytes(scalar, merge).div_ceil(CELL);
                globals.push(Self { attribute, scalar, merge, length, first });
                first += length;
            }
        }
        globals
    }

    /// Returns the initial cells of these globals: for each element, the identity of the global's merge.
    pub(super) fn identities(globals: &[Self]) -> Vec<u64> {
        globals
            .iter()
            .flat_map(|global| {
                std::iter::repeat_n(identity(total_scalar(global.scalar, global.merge), global.merge), global.length)
            })
            .collect()
    }

    /// Returns the total number of cells of the first globals of a struct.
    pub(super) fn count(globals: &[Self]) -> usize {
        globals.last().map_or(0, Self::end)
    }

    /// Returns the index after the last cell.
    pub(super) fn end(&self) -> usize {
        self.first + self.length
    }

    /// Extracts the global's totals from the cells of all globals. Returns the totals in the host's byte format.
    pub(super) fn elements(&self, cells: &[u64]) -> Vec<u8> {
        let cells = &cells[self.first..self.first + self.length];
        let size = total_bytes(self.scalar, self.merge);
        cells.iter().flat_map(|cell| cell.to_le_bytes().into_iter().take(size)).collect()
    }
}
