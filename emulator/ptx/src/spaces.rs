//! State spaces, and the generic address ranges of the spaces outside allocations.

/// State spaces of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Parameter,
}

/// First generic address of a block's shared memory.
pub(crate) const SHARED: u64 = 1 << 60;
/// First generic address of a lane's local memory.
pub(crate) const LOCAL: u64 = 2 << 60;
/// First generic address of a kernel's parameters.
pub(crate) const PARAMETERS: u64 = 3 << 60;
/// Maximum bytes per such range.
const WINDOW: u64 = 1 << 32;

/// Location of an access: a memory address, or an offset in a space.
pub(crate) enum Place {
    Memory(u64),
    Shared(u64),
    Local(u64),
    Parameter(u64),
}

impl Space {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "global" | "const" => Self::Global,
            "shared" | "shared::cta" => Self::Shared,
            "local" => Self::Local,
            "param" => Self::Parameter,
            _ => return None,
        })
    }

    /// Returns the first generic address of the space.
    pub(crate) fn base(self) -> u64 {
        match self {
            Self::Generic | Self::Global => 0,
            Self::Shared => SHARED,
            Self::Local => LOCAL,
            Self::Parameter => PARAMETERS,
        }
    }

    /// Returns the location of an address in this space. Addresses in shared, local and parameter space may also be
    /// generic.
    #[inline(always)]
    pub(crate) fn place(self, address: u64) -> Place {
        match self {
            Self::Global => Place::Memory(address),
            Self::Shared => Place::Shared(address & (WINDOW - 1)),
            Self::Local => Place::Local(address & (WINDOW - 1)),
            Self::Parameter => Place::Parameter(address & (WINDOW - 1)),
            Self::Generic => match address >> 60 {
                1 => Place::Shared(address - SHARED),
                2 => Place::Local(address - LOCAL),
                3 => Place::Parameter(address - PARAMETERS),
                _ => Place::Memory(address),
            },
        }
    }
}
