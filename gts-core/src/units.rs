//! Formats numbers for display.

use crate::advice::Advice;

/// Formats a number of bytes, such as `64.0 KiB`.
pub fn bytes(number: u64) -> String {
    match number {
        0..1024 => format!("{number} B"),
        _ => scaled(number as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"]),
    }
}

/// Formats an integer with thousands separators, such as `57,823`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Formats a count with its noun, such as `1 page` or `57,823 pages`; `one` is the singular.
pub fn counted(number: u64, one: &str) -> String {
    let many = match one.strip_suffix("ex") {
        Some(stem) => format!("{stem}ices"),
        None => format!("{one}s"),
    };
    format!("{} {}", count(number), if number == 1 { one } else { &many })
}

/// Formats the size of a graph, such as `1,024 vertices, 78 undirected edges, 156 arcs` or `1,024 vertices, 156
/// directed edges`.
pub fn graph_size(vertices: u64, arcs: u64, undirected: Option<u64>) -> String {
    let edges = match undirected {
        Some(edges) => format!("{}, {}", counted(edges, "undirected edge"), counted(arcs, "arc")),
        None => counted(arcs, "directed edge"),
    };
    format!("{}, {edges}", counted(vertices, "vertex"))
}

/// Formats `number` bytes in the syntax of a command-line flag, rounded up, such as `49MiB`.
pub fn at_least(number: u64) -> String {
    match number.div_ceil(1 << 20) {
        mebibytes @ 0..10_240 => format!("{mebibytes}MiB"),
        mebibytes => format!("{}GiB", mebibytes.div_ceil(1 << 10)),
    }
}

/// Returns the advice to allow at least `needed` bytes of memory for a build.
pub(crate) fn memory_advice(needed: u64) -> Advice {
    Advice::new(
        format!("give --memory {} or more", at_least(needed)),
        format!("allow a `memory` of {needed} bytes or more in the options"),
    )
}

/// Formats a number with three digits, in the largest unit that leaves a digit before the decimal point. Each unit is
/// `step` times the previous one.
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
    fn one_of_a_kind_is_not_plural() {
        assert_eq!(
            [0, 1, 2, 57_823].map(|number| counted(number, "vertex")),
            ["0 vertices", "1 vertex", "2 vertices", "57,823 vertices"]
        );
        assert_eq!(counted(1_234_567_890, "page"), "1,234,567,890 pages");
        assert_eq!(graph_size(34, 156, Some(78)), "34 vertices, 78 undirected edges, 156 arcs");
        assert_eq!(graph_size(1, 1, Some(1)), "1 vertex, 1 undirected edge, 1 arc");
        assert_eq!(graph_size(2, 1, None), "2 vertices, 1 directed edge");
    }

    #[test]
    fn sizes_have_three_digits() {
        let sizes = [512, 65_536, 1 << 20, (1 << 20) - 1, 3 << 30, u64::MAX].map(bytes);
        assert_eq!([at_least(1), at_least(1 << 20), at_least(96 << 30)], ["1MiB", "1MiB", "96GiB"]);
        assert_eq!(sizes, ["512 B", "64.0 KiB", "1.00 MiB", "1.00 MiB", "3.00 GiB", "16384 PiB"]);
    }
}
