//! Options of a CUDA device.

use crate::error::Error;
use crate::tuning;
use std::fmt;
use std::str::FromStr;

/// Maximum number of streams of copies and launches.
pub const MAX_STREAMS: u32 = 32;

/// Options of a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaOptions {
    /// Memory limit in bytes; `None` means the free device memory, less a margin.
    pub memory: Option<u64>,
    /// Number of streams of copies and launches for pages that are not resident: 1 to [`MAX_STREAMS`].
    pub streams: u32,
    /// Selects the pages that stay in the device's cache.
    pub cache: CacheChoice,
    /// Access to pages that are not in the cache.
    pub transfer: TransferChoice,
}

impl Default for CudaOptions {
    fn default() -> Self {
        Self {
            memory: None,
            streams: tuning::CUDA_STREAMS,
            cache: CacheChoice::default(),
            transfer: TransferChoice::default(),
        }
    }
}

/// Selects the pages that stay in the device's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheChoice {
    /// By the kernel's kind: `scan` for scans, `lru` for traversals.
    #[default]
    Auto,
    /// The most recently used pages.
    Lru,
    /// The part of a scan's pages that fits, the same in every pass.
    Scan,
    /// No pages: every pass copies every page again.
    Off,
}

/// Access to pages that are not in the device's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransferChoice {
    /// Decides for each page of a traversal by its active share.
    #[default]
    Auto,
    /// Copies every page as a whole.
    Copy,
    /// Leaves pages of a traversal in host memory, from which kernels read the active parts.
    InPlace,
}

/// Names for the command line.
macro_rules! names {
    ($choice:ty, $what:literal, $($name:literal => $value:expr),+ $(,)?) => {
        impl FromStr for $choice {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                match text {
                    $($name => Ok($value),)+
                    _ => Err(Error::argument(
                        format_args!(concat!($what, " `{}`"), text),
                        format_args!("expected one of {}", [$($name),+].join(", ")),
                    )),
                }
            }
        }

        impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(if *self == $value {
                    return f.pad($name);
                })+
                Ok(())
            }
        }
    };
}

names!(CacheChoice, "cache", "auto" => Self::Auto, "lru" => Self::Lru, "scan" => Self::Scan, "off" => Self::Off);
names!(TransferChoice, "transfer", "auto" => Self::Auto, "copy" => Self::Copy, "in-place" => Self::InPlace);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for name in ["auto", "lru", "scan", "off"] {
            assert_eq!(name.parse::<CacheChoice>().unwrap().to_string(), name);
        }
        for name in ["auto", "copy", "in-place"] {
            assert_eq!(name.parse::<TransferChoice>().unwrap().to_string(), name);
        }
        let error = "fifo".parse::<CacheChoice>().unwrap_err().to_string();
        assert_eq!(error, "cache `fifo`: expected one of auto, lru, scan, off");
    }
}
