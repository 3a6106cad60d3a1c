//! Two name spaces: left and right vertices, whose keys may be equal.
//!
//! The original IDs of left vertices are smaller than those of right vertices. If keys are integers, a right vertex's
//! original ID is its key plus an offset. The offset is 2^63, so that every smaller key fits. If a file numbers both sides from
//! 1 to their sizes, the offset is the number of left vertices, and original IDs are consecutive.

use super::key::{Key, KeyForm, KeyKind, number_of_signed, signed_of_number};

/// The offset of right vertices unless original IDs are consecutive.
pub(crate) const RIGHT_OFFSET: u64 = 1 << 63;
/// The number that is subtracted from the number of a signed key, so that keys from -2^62 to 2^62 fit.
const SIGNED_BASE: u64 = 1 << 62;

/// Integer keys of left and right vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SidedNumbers {
    is_signed: bool,
    /// The number of left vertices.
    left: u64,
    /// The original IDs of right vertices begin here.
    first_right: u64,
    /// The difference between the original ID and the key of a right vertex.
    offset: u64,
}

impl SidedNumbers {
    /// Creates the keys of `left` left vertices, and of right vertices. `first` is the first original ID if original IDs
    /// are consecutive.
    pub(crate) fn new(kind: KeyKind, left: u64, first: Option<u64>) -> Self {
        let (first_right, offset) = match first {
            Some(first) => (first.saturating_add(left), left),
            None => (RIGHT_OFFSET, RIGHT_OFFSET),
        };
        Self { is_signed: kind == KeyKind::Signed, left, first_right, offset }
    }

    pub(crate) fn form(&self) -> KeyForm {
        KeyForm { kind: if self.is_signed { KeyKind::Signed } else { KeyKind::Number }, has_sides: true }
    }

    /// Returns the number of left vertices.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    pub(crate) fn is_left(&self, original: u64) -> bool {
        original < self.first_right
    }

    /// Returns the key of a vertex.
    pub(crate) fn key_of(&self, original: u64) -> Key<'static> {
        let key = |number: u64| {
            Box::new(match self.is_signed {
                true => Key::Signed(signed_of_number(number.wrapping_add(SIGNED_BASE))),
                false => Key::Number(number),
            })
        };
        match self.is_left(original) {
            true => Key::Left(key(original)),
            false => Key::Right(key(original.wrapping_sub(self.offset))),
        }
    }

    /// Returns the original ID that a vertex with this key has; `None` if there cannot be such a vertex.
    pub(crate) fn original_of(&self, key: &Key<'_>) -> Option<u64> {
        let number = |key: &Key<'_>| match *key {
            Key::Number(number) => Some(number),
            Key::Signed(number) => Some(number_of_signed(number).wrapping_sub(SIGNED_BASE)),
            _ => None,
        };
        match key {
            Key::Left(key) => number(key).filter(|original| *original < self.first_right),
            Key::Right(key) => number(key)?.checked_add(self.offset).filter(|original| *original >= self.first_right),
            _ => None,
        }
    }
}

/// Returns the number of a left vertex in a stream of two name spaces, given the number of its key. Returns `None` if the
/// key is out of range.
#[inline]
pub(crate) fn left_number(is_signed: bool, number: u64) -> Option<u64> {
    let number = if is_signed { number.wrapping_sub(SIGNED_BASE) } else { number };
    // The numbers of the last left vertex and the first right vertex must not be consecutive.
    (number < RIGHT_OFFSET - 1).then_some(number)
}
