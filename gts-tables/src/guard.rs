//! Runs decoders of other crates, which panic on damaged files.

use gts_core::import::ImportError;
use std::cell::Cell;
#[cfg(feature = "arrow")]
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;
use std::thread;

thread_local! {
    /// Whether this thread runs a decoder.
    static DECODES: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder, and returns its result or its panic, which is not printed.
pub(crate) fn quietly<T>(decode: impl FnOnce() -> T) -> thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !DECODES.get() {
                usual(panic);
            }
        }));
    });
    let outer = DECODES.replace(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    DECODES.set(outer);
    decoded
}

/// Runs a decoder, which may panic if the file is damaged. Returns the message of the failure.
#[cfg(feature = "arrow")]
pub(crate) fn guarded<T, E: Display>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match quietly(decode) {
        Ok(decoded) => decoded.map_err(|error| error.to_string()),
        Err(_) => Err("its contents contradict each other".into()),
    }
}

/// Returns the error for a damaged file.
pub(crate) fn damaged(path: &Path, format: &'static str, detail: String) -> ImportError {
    ImportError::DamagedTable { path: path.into(), format, detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn panics_are_printed_unless_a_decoder_runs() {
        static PRINTED: AtomicUsize = AtomicUsize::new(0);
        panic::set_hook(Box::new(|_| {
            PRINTED.fetch_add(1, Ordering::Relaxed);
        }));
        assert!(quietly(|| panic!("a decoder")).is_err());
        assert_eq!(PRINTED.load(Ordering::Relaxed), 0);
        assert!(catch_unwind(|| panic!("another panic")).is_err());
        assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
    }
}
