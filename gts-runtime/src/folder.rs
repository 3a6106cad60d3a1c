//! The folder in which programs keep what they can make again.

use std::path::PathBuf;

/// The cache folder of this user: `GTS_CACHE_DIR`, else `gts` in `XDG_CACHE_HOME`, else in `~/.cache`. `None` where none
/// of them is set.
pub fn cache_folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("GTS_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("gts")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/gts")))
}
