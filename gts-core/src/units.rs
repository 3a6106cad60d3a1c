//! Numbers in messages.

/// `3.40 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let power = (0..UNITS.len() - 1).find(|power| bytes >> (10 * power) < 1024).unwrap_or(UNITS.len() - 1);
    match power {
        0 => format!("{bytes} B"),
        _ => format!("{:.2} {}", bytes as f64 / 1024f64.powi(power as i32), UNITS[power]),
    }
}
