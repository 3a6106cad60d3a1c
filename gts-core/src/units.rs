//! Numbers for people.

use crate::advice::Advice;

/// `64.0 KiB`.
pub fn bytes(number: u64) -> String {
    match number {
        0..1024 => format!("{number} B"),
        _ => scaled(number as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"]),
    }
}

/// Returns a size as a flag takes it, such as `49MiB`: this many bytes or more.
pub fn at_least(number: u64) -> String {
    match number.div_ceil(1 << 20) {
        mebibytes @ 0..10_240 => format!("{mebibytes}MiB"),
        mebibytes => format!("{}GiB", mebibytes.div_ceil(1 << 10)),
    }
}

/// Returns the next step where a build needs this many bytes of memory.
pub(crate) fn memory_advice(needed: u64) -> Advice {
    Advice::new(
        format!("give --memory {} or more", at_least(needed)),
        format!("allow a `memory` of {needed} bytes or more in the options"),
    )
}

/// A number by three digits and the largest of some units that leaves a digit before the point; each unit is `step` times
/// the one before.
pub fn scaled(number: f64, step: f64, units: &[&str]) -> String {
    let last = units.len().saturating_sub(1);
    let power = (0..last).find(|power| number / step.powi(*power as i32) < step * 0.9995).unwrap_or(last);
    let number = number / step.powi(power as i32);
    let digits = if number < 9.995 {
        2
    } else if number < 99.95 {
        1
    } else {
        0
    };
    format!("{number:.digits$} {}", units.get(power).unwrap_or(&""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        let sizes = [512, 65_536, 1 << 20, (1 << 20) - 1, 3 << 30, u64::MAX].map(bytes);
        assert_eq!([at_least(1), at_least(1 << 20), at_least(96 << 30)], ["1MiB", "1MiB", "96GiB"]);
        assert_eq!(sizes, ["512 B", "64.0 KiB", "1.00 MiB", "1.00 MiB", "3.00 GiB", "16384 PiB"]);
    }
}
