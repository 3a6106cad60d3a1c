//! The choice of what separates the fields of a table.

use super::Format;

/// The delimiter of the fields of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Any number of blanks and tabs.
    Any,
    /// One sign.
    Sign(u8),
}

impl Delimiter {
    /// Returns the delimiter with a given name on the command line: `any`, or a sign, which may be written as `\t`. Returns
    /// `None` for any other text. A blank means `any`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.as_bytes() {
            b"any" | b" " => Some(Self::Any),
            b"\\t" => Some(Self::Sign(b'\t')),
            &[sign] => Some(Self::Sign(sign)).filter(|delimiter| delimiter.is_valid()),
            _ => None,
        }
    }

    /// Returns the format of tables with this delimiter.
    pub(super) fn format(self) -> Format {
        match self {
            Self::Any => Format::Edges,
            Self::Sign(_) => Format::Csv,
        }
    }

    /// Returns whether a sign can separate fields. Signs of numbers and quotes cannot.
    pub(super) fn is_valid(self) -> bool {
        match self {
            Self::Any => true,
            Self::Sign(sign) => {
                sign == b'\t' || (sign.is_ascii_punctuation() && !matches!(sign, b'"' | b'.' | b'-' | b'+'))
            }
        }
    }
}
