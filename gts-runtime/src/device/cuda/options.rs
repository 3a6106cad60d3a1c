//! What can be chosen about a CUDA device.

use crate::error::Error;
use crate::tuning;
use std::fmt;
use std::str::FromStr;

/// Most streams of copies and launches.
pub const MAX_STREAMS: u32 = 32;

/// How a CUDA device works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaOptions {
    /// Bytes of device memory that may be taken; what is free, less a margin, without a number.
    pub memory: Option<u64>,
    /// Streams of copies and launches through which pages come that are not resident: 1 to [`MAX_STREAMS`].
    pub streams: u32,
    /// Which pages stay in the device's cache.
    pub cache: CacheChoice,
    /// How pages come that are not in the cache.
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

/// Which pages stay in the device's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheChoice {
    /// As the kernel's kind wants it: `scan` for scans, `lru` for traversals.
    #[default]
    Auto,
    /// The pages used last.
    Lru,
    /// The share of a scan that fits, the same in every pass.
    Scan,
    /// None: every page comes anew in every pass.
    Off,
}

/// How pages come that are not in the device's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransferChoice {
    /// Each page of a traversal by the share of it that is active.
    #[default]
    Auto,
    /// Every page is copied whole.
    Copy,
    /// Pages of a traversal stay where they are; kernels read from there what is active.
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
