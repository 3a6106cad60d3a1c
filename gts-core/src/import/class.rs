//! The types of columns in typed tables.

/// The types of columns that edges can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnClass {
    /// Integers without a sign.
    Unsigned,
    /// Integers with a sign.
    Signed,
    /// Floating-point numbers.
    Real,
    /// Text.
    Text,
    /// UUIDs of 16 bytes.
    Uuid,
    /// A type that is neither a key nor a weight.
    Other,
}
