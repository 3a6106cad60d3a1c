//! Formatting of numbers for readers, and parsing of those that users write.

use gts_graph::units::scaled;
use std::time::Duration;

pub(crate) use gts_graph::core::units::{at_least, counted};
pub use gts_graph::core::units::{count, graph_size};
pub use gts_graph::units::bytes;
pub(crate) use gts_graph::units::parse_bytes;

/// Formats a rate such as `1.25 G edges/s`.
pub fn edges_per_second(edges: u64, time: Duration) -> String {
    match time.as_secs_f64() {
        0.0 => "-".to_owned(),
        seconds => per_second(edges as f64 / seconds, "edges"),
    }
}

/// Formats a rate such as `1.25 G vertices/s`, in units of `what`.
pub fn per_second(count: f64, what: &str) -> String {
    format!("{}{what}/s", scaled(count, 1000.0, &["", "k ", "M ", "G ", "T "]))
}

/// Formats a hardware rate such as `55.1 GB/s`, in powers of ten.
pub fn rate(bytes_per_second: f64) -> String {
    format!("{}/s", scaled(bytes_per_second, 1000.0, &["B", "kB", "MB", "GB", "TB"]))
}

/// Formats a time in seconds; `-` if there is none.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        0.0 => "-".to_owned(),
        _ if seconds < 1e-5 => format!("{:.2} us", seconds * 1e6),
        _ => time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
    }
}

/// Formats a time, such as `340 us`, `12.3 ms`, `4.56 s` or `3 min 20 s`.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds >= 120.0 => format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60),
        _ if seconds >= 1.0 => format!("{seconds:.2} s"),
        _ if seconds >= 0.01 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds >= 0.001 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.0} us", seconds * 1e6),
    }
}

/// Parses a time such as `500ms`, `30s`, `5min` or `2h`; a number without a unit is in seconds.
pub fn parse_time(text: &str) -> Result<Duration, String> {
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

/// Parses the latency of message exchanges, such as `20us`; refuses a number without a unit.
pub(crate) fn parse_latency(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time such as 500ns, 20us or 1ms".to_owned();
    let (number, factor) = [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)]
        .into_iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))
        .ok_or_else(expected)?;
    let seconds = number.trim().parse::<f64>().map_err(|_| expected())? * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| expected())
}

/// Parses a rate such as `25GB/s`, `200Gb/s` or `1.5GiB/s`. Returns bytes per second. A `b` or `bit` is an eighth of a
/// byte.
pub(crate) fn parse_rate(text: &str) -> Result<f64, String> {
    let expected = || "expected a rate above 0 such as 25GB/s or 200Gb/s".to_owned();
    let (amount, bytes) = [("B/s", 1.0), ("b/s", 0.125), ("bit/s", 0.125)]
        .into_iter()
        .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)))
        .ok_or_else(expected)?;
    let prefixes =
        [("ki", 10), ("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40)].map(|(name, power)| (name, 2f64.powi(power)));
    let decimal = [("k", 3), ("M", 6), ("G", 9), ("T", 12), ("", 0)].map(|(name, power)| (name, 10f64.powi(power)));
    let (number, factor) = prefixes
        .into_iter()
        .chain(decimal)
        .find_map(|(prefix, factor)| Some((amount.strip_suffix(prefix)?, factor)))
        .ok_or_else(expected)?;
    let rate = number.trim().parse::<f64>().map_err(|_| expected())? * factor * bytes;
    if rate.is_finite() && rate > 0.0 { Ok(rate) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people() {
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

    #[test]
    fn rates_are_read_in_bytes_and_bits() {
        assert_eq!(
            [parse_rate("25GB/s"), parse_rate("200Gb/s"), parse_rate("200 Gbit/s")],
            [Ok(25e9), Ok(25e9), Ok(25e9)]
        );
        assert_eq!([parse_rate("1.5GiB/s"), parse_rate("8b/s")], [Ok(1.5 * 2f64.powi(30)), Ok(1.0)]);
        for text in ["", "25", "25GB", "25Gbps", "GB/s", "0GB/s", "-1GB/s", "NaNGB/s", "infGB/s", "1e999GB/s", "25XB/s"]
        {
            assert!(parse_rate(text).is_err_and(|error| error.contains("200Gb/s")), "{text}");
        }
    }

    #[test]
    fn latencies_are_read_with_their_unit() {
        assert_eq!(parse_latency("20us"), Ok(Duration::from_micros(20)));
        assert_eq!(parse_latency("0.5 us"), parse_latency("500ns"));
        assert_eq!(parse_latency("0ms"), Ok(Duration::ZERO));
        for text in ["", "20", "20s", "us", "-1us", "NaNus", "infms"] {
            assert!(parse_latency(text).is_err_and(|error| error.contains("20us")), "{text}");
        }
    }
}
