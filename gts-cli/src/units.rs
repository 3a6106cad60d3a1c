//! Numbers for people, and the numbers that people write.

use gts_runtime::units::scaled;
use std::time::Duration;

pub(crate) use gts_runtime::core::units::at_least;
pub(crate) use gts_runtime::units::{bytes, parse_bytes};

/// `57,823`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// `1.25 G edges/s`.
pub(crate) fn edges_per_second(edges: u64, time: Duration) -> String {
    match time.as_secs_f64() {
        0.0 => "-".to_owned(),
        seconds => per_second(edges as f64 / seconds, "edges"),
    }
}

/// `1.25 G vertices/s`, of whatever is counted.
pub(crate) fn per_second(count: f64, what: &str) -> String {
    format!("{}{what}/s", scaled(count, 1000.0, &["", "k ", "M ", "G ", "T "]))
}

/// `55.1 GB/s`: rates of hardware are told in powers of ten.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    format!("{}/s", scaled(bytes_per_second, 1000.0, &["B", "kB", "MB", "GB", "TB"]))
}

/// A time given in seconds; `-` for none.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "-".to_owned(),
        _ if seconds < 1e-5 => format!("{:.2} us", seconds * 1e6),
        _ => time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
    }
}

/// `340 us`, `12.3 ms`, `4.56 s`, `3 min 20 s`.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds >= 120.0 => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
        _ if seconds >= 1.0 => format!("{seconds:.2} s"),
        _ if seconds >= 0.01 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds >= 0.001 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.0} us", seconds * 1e6),
    }
}

/// Reads a time such as `500ms`, `30s`, `5min` or `2h`; a bare number is seconds.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time such as 500ms, 30s, 5min or 2h".to_owned();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "min" | "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    let seconds = number.trim().parse::<f64>().map_err(|_| expected())? * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| expected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(count(0), "0");
        assert_eq!(count(57823), "57,823");
        assert_eq!(count(1234567890), "1,234,567,890");
        assert_eq!(edges_per_second(244_526, Duration::from_millis(1)), "245 M edges/s");
        assert_eq!(edges_per_second(1, Duration::ZERO), "-");
        assert_eq!(time(Duration::from_micros(340)), "340 us");
        assert_eq!(time(Duration::from_millis(12)), "12.0 ms");
        assert_eq!(time(Duration::from_secs(200)), "3 min 20 s");
    }

    #[test]
    fn rates_and_seconds_are_for_people() {
        assert_eq!(rate(55.06e9), "55.1 GB/s");
        assert_eq!(seconds(0.0), "-");
        assert_eq!(seconds(3.456e-6), "3.46 us");
        assert_eq!(seconds(0.25), "250.0 ms");
        assert_eq!(seconds(f64::INFINITY), time(Duration::MAX));
    }

    #[test]
    fn times_are_read() {
        assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("1.5min"), Ok(Duration::from_secs(90)));
        assert!(parse_time("-1s").is_err());
        assert!(parse_time("3 fortnights").is_err());
    }
}
