//! Options of a CUDA device.

use crate::error::Error;
use crate::tuning;
use std::fmt;
use std::str::FromStr;

/// The maximum number of streams for page copies and kernel launches.
pub const MAX_STREAMS: u32 = 32;

/// Options of a CUDA device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaOptions {
    /// The limit on device memory in bytes. `None` allows all free memory except a margin.
    pub memory: Option<u64>,
    /// The number of streams that copy and process pages outside the page cache, from 1 to [`MAX_STREAMS`].
    pub streams: u32,
    /// Selects the pages that stay in the device's page cache.
    pub cache: CacheChoice,
    /// Selects how kernels access pages outside the page cache.
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

/// Selects the streamed pages that stay in the device's page cache between passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheChoice {
    /// Selects by the kernel's kind: `scan` for scans, `lru` for traversals.
    #[default]
    Auto,
    /// Caches the most recently used pages.
    Lru,
    /// Caches a fixed subset of a scan's pages.
    Scan,
    /// Caches no pages, so every pass copies all of its pages.
    Off,
}

/// Selects how kernels access pages that are not in the device's page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransferChoice {
    /// Chooses for each page of a traversal, based on the active share of the page.
    #[default]
    Auto,
    /// Copies whole pages.
    Copy,
    /// Leaves a traversal's pages in host memory, where kernels read the active parts over the bus.
    InPlace,
}

/// Implements `FromStr` and `Display` with the names that the command line uses.
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
