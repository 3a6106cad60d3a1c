//! Operand types of PTX.

/// Type of an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F32,
    F64,
    Pred,
}

impl Type {
    /// Returns the type with this name, such as `u32`. Untyped bits count as unsigned.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "u8" | "b8" => Self::U8,
            "u16" | "b16" => Self::U16,
            "u32" | "b32" => Self::U32,
            "u64" | "b64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    /// Returns the bytes per value.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::S8 | Self::Pred => 1,
            Self::U16 | Self::S16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns the register value for loaded `bits`: signed types are sign-extended.
    pub(crate) fn extend(self, bits: u64) -> u64 {
        match self {
            Self::S8 => bits as i8 as i64 as u64,
            Self::S16 => bits as i16 as i64 as u64,
            Self::S32 => bits as i32 as i64 as u64,
            _ => bits,
        }
    }
}
