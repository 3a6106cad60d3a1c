//! Edge values, and the trait of visitors that receive edges.

use crate::vertex::Vertex;
use gts_contract::ScalarType;

/// The type of an edge value; `()` if the value is not used.
pub trait EdgeValue: Copy + Send + Sync + 'static {
    /// The scalar type of the value; `None` for `()`.
    const SCALAR: Option<ScalarType>;
    /// Bytes per stored value.
    const BYTES: usize;
    /// Creates a value from its bits, which are in the low bytes of `bits`.
    fn from_bits(bits: u64) -> Self;
    /// Returns the value's bits, zero-extended to 64 bits.
    fn to_bits(self) -> u64;
    /// Returns the value as a number, rounded to the nearest `f64` if it needs more than 53 bits. Returns 0 for `()`.
    fn to_f64(self) -> f64;
    /// Creates a value from the first [`Self::BYTES`] little-endian bytes. If `bytes` is shorter, missing bytes are
    /// zero.
    #[inline]
    fn from_le(bytes: &[u8]) -> Self {
        let bits = bytes.iter().take(Self::BYTES).rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
        Self::from_bits(bits)
    }
}

impl EdgeValue for () {
    const SCALAR: Option<ScalarType> = None;
    const BYTES: usize = 0;
    #[inline]
    fn from_bits(_: u64) {}
    #[inline]
    fn to_bits(self) -> u64 {
        0
    }
    #[inline]
    fn to_f64(self) -> f64 {
        0.0
    }
}

macro_rules! edge_value {
    ($($type:ty, $scalar:ident, $from:expr, $to:expr;)*) => {$(
        impl EdgeValue for $type {
            const SCALAR: Option<ScalarType> = Some(ScalarType::$scalar);
            const BYTES: usize = size_of::<$type>();
            #[inline]
            fn from_bits(bits: u64) -> Self {
                let from: fn(u64) -> $type = $from;
                from(bits)
            }
            #[inline]
            fn to_bits(self) -> u64 {
                let to: fn($type) -> u64 = $to;
                to(self)
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

edge_value! {
    u32, U32, |bits| bits as u32, u64::from;
    i32, I32, |bits| bits as i32, |value| u64::from(value as u32);
    f32, F32, |bits| f32::from_bits(bits as u32), |value| u64::from(value.to_bits());
    u64, U64, |bits| bits, |value| value;
    f64, F64, f64::from_bits, f64::to_bits;
}

/// A visitor that receives the edges of pages.
pub trait EdgeVisitor<V: EdgeValue> {
    /// A value computed once per source vertex and passed with each of the vertex's edges.
    type Source: Copy;
    /// Whether [`EdgeVisitor::looks_ahead`] may return true. If false, the code that announces edges is not compiled
    /// for this visitor.
    const MAY_LOOK_AHEAD: bool = false;

    /// Called before the first edge of a visited vertex in a page. Returns `None` to skip the vertex in this page. Not
    /// called if the visited part of the page contains no edge of the vertex.
    fn begin(&mut self, src: Vertex) -> Option<Self::Source>;

    /// Returns whether edges should be announced through [`EdgeVisitor::expect`] some time before their visit.
    #[inline(always)]
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Called once per edge shortly before its visit, so that the visitor can prefetch the edge's data. Called only if
    /// the visitor looks ahead, or if vertices are visited one after the other.
    #[inline(always)]
    fn expect(&self, _dst: Vertex) {}

    /// Receives the position of the next edge within its vertex's list. Subsequent edges have consecutive positions.
    /// Called by [`PageView::scan_within`](super::PageView::scan_within) and
    /// [`PageView::visit_each`](super::PageView::visit_each).
    #[inline(always)]
    fn at(&mut self, _position: u64) {}

    /// Called once for each visited edge.
    fn edge(&mut self, source: Self::Source, src: Vertex, dst: Vertex, value: V);

    /// Returns whether the visitor needs no more edges of the current vertex. If so, the remaining edges may be
    /// skipped.
    #[inline(always)]
    fn enough(&self) -> bool {
        false
    }

    /// Called after the last edge of a visited vertex in a page, unless the vertex was skipped.
    #[inline(always)]
    fn end(&mut self, _: Vertex) {}
}
