//! Formats numbers for users and parses sizes that users write.

pub use gts_core::units::{bytes, scaled};

/// Parses a size such as `4096`, `64KiB` or `8GiB`.
///
/// # Errors
///
/// The text is not a size. The error message contains examples.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let size = text.parse::<bytesize::ByteSize>();
    size.map(|size| size.as_u64()).map_err(|_| "expected a size such as 4096, 64KiB or 8GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_bytes("64KiB"), Ok(65536));
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert!(parse_bytes("much").is_err());
    }
}
