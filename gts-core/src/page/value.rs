//! Edge values and the visitor that receives edges.

use crate::graph::Vertex;
use gts_contract::ScalarType;

/// A value that an edge carries; `()` where none is wanted.
pub trait EdgeValue: Copy + Send + Sync + 'static {
    /// The type as data; none for `()`.
    const SCALAR: Option<ScalarType>;
    /// Bytes of a stored value.
    const BYTES: usize;
    /// The value from its bits, in the low bytes of `bits`.
    fn from_bits(bits: u64) -> Self;
    /// The value's bits, zero extended.
    fn to_bits(self) -> u64;
    /// Returns the value as a number, to the nearest one where it takes more than 53 bits; 0 for `()`.
    fn to_f64(self) -> f64;
    /// The value from the first [`Self::BYTES`] little-endian bytes; zero bits where `bytes` is shorter.
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

/// What an encoding hands edges to.
pub trait EdgeVisitor<V: EdgeValue> {
    /// What is computed once a source vertex and read for each of its edges.
    type Source: Copy;
    /// Whether [`EdgeVisitor::looks_ahead`] may say yes. Walks that tell of edges are compiled for no other visitor.
    const MAY_LOOK_AHEAD: bool = false;

    /// Called before the first edge of a visited vertex in a page; `None` skips the vertex there.
    /// Never called for a vertex without an edge in the visited part of the page.
    fn begin(&mut self, src: Vertex) -> Option<Self::Source>;

    /// Whether to be told of edges some time before they come, by [`EdgeVisitor::expect`].
    #[inline(always)]
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Called once for an edge that will come soon, if the visitor looks ahead or vertices are visited one after the other:
    /// time to fetch what it needs.
    #[inline(always)]
    fn expect(&self, _dst: Vertex) {}

    /// Told where in the list of its vertex the next edge stands, and those after it one by one, by
    /// [`PageView::scan_within`](super::PageView::scan_within) and [`PageView::visit_each`](super::PageView::visit_each).
    #[inline(always)]
    fn at(&mut self, _position: u64) {}

    /// Called for each edge.
    fn edge(&mut self, source: Self::Source, src: Vertex, dst: Vertex, value: V);

    /// Whether the visited vertex needs no more of its edges; the rest of them may be left out.
    #[inline(always)]
    fn enough(&self) -> bool {
        false
    }

    /// Called after the last edge of a visited vertex in a page, unless it was skipped.
    #[inline(always)]
    fn end(&mut self, _: Vertex) {}
}
