//! Edge values, and the visitor that receives edges.

use crate::vertex::Vertex;
use gts_contract::ScalarType;

/// The value of an edge; `()` if none is used.
pub trait EdgeValue: Copy + Send + Sync + 'static {
    /// The type as data; `None` for `()`.
    const SCALAR: Option<ScalarType>;
    /// Bytes of a stored value.
    const BYTES: usize;
    /// Creates the value from its bits, in the low bytes of `bits`.
    fn from_bits(bits: u64) -> Self;
    /// Returns the value's bits, zero-extended.
    fn to_bits(self) -> u64;
    /// Returns the value as a number, rounded to the nearest if it takes more than 53 bits; 0 for `()`.
    fn to_f64(self) -> f64;
    /// Creates the value from the first [`Self::BYTES`] little-endian bytes; zero bits if `bytes` is shorter.
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

/// Receives the edges of an encoding.
pub trait EdgeVisitor<V: EdgeValue> {
    /// The value computed once per source vertex and passed with each of its edges.
    type Source: Copy;
    /// Whether [`EdgeVisitor::looks_ahead`] may return true. Announcing walks are compiled only for such visitors.
    const MAY_LOOK_AHEAD: bool = false;

    /// Called before the first edge of a visited vertex in a page; `None` skips the vertex there. Never called for a
    /// vertex without an edge in the visited part of the page.
    fn begin(&mut self, src: Vertex) -> Option<Self::Source>;

    /// Returns whether to announce edges some time before their visit, by [`EdgeVisitor::expect`].
    #[inline(always)]
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Called once for an edge that is visited soon, if the visitor looks ahead or vertices are visited one after the
    /// other: time to fetch the data of the edge.
    #[inline(always)]
    fn expect(&self, _dst: Vertex) {}

    /// Receives the position of the next edge in its vertex's list; later edges are consecutive. Called by
    /// [`PageView::scan_within`](super::PageView::scan_within) and
    /// [`PageView::visit_each`](super::PageView::visit_each).
    #[inline(always)]
    fn at(&mut self, _position: u64) {}

    /// Called for each edge.
    fn edge(&mut self, source: Self::Source, src: Vertex, dst: Vertex, value: V);

    /// Returns whether the visited vertex needs no more of its edges; the rest of them may be skipped.
    #[inline(always)]
    fn enough(&self) -> bool {
        false
    }

    /// Called after the last edge of a visited vertex in a page, unless it was skipped.
    #[inline(always)]
    fn end(&mut self, _: Vertex) {}
}
