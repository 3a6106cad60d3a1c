//! Times, medians, memory use, and the arguments of the benchmark programs.

use gts_graph::cli::program::Failure;
pub(crate) use gts_graph::measure::peak_memory;
use std::cmp::Ordering;
use std::error::Error;
use std::time::{Duration, Instant};

/// Number of runs per median.
pub(crate) const RUNS: usize = 5;

/// Returns the median time of [`RUNS`] runs, and the last run's result.
///
/// # Errors
///
/// Returns the error of the first run that fails.
pub(crate) fn median<T, E>(mut run: impl FnMut() -> Result<T, E>) -> Result<(Duration, T), E> {
    let mut last = None;
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        last = Some(run()?);
        times.push(start.elapsed());
    }
    Ok((middle(times), last.expect("at least one run was made")))
}

/// Returns the median of the values, or the default value if there are none. Of two middle values, returns the larger.
pub(crate) fn middle<T: PartialOrd + Copy + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns the rate in edges per second.
pub(crate) fn rate(edges: u64, time: Duration) -> f64 {
    edges as f64 / time.as_secs_f64()
}

/// Prints the value as a line of JSON if `--json` was given, otherwise the text.
pub(crate) fn print(value: &serde_json::Value, text: &str) {
    if flag("--json") { println!("{value}") } else { println!("{text}") }
}

/// Returns the arguments after the program's name on the command line.
pub(crate) fn arguments() -> impl Iterator<Item = String> {
    let all = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    all.skip_while(|argument| argument.starts_with("--")).skip(1)
}

/// Returns the usage error for a missing or unknown argument of the program.
pub(crate) fn usage(name: &str) -> Box<dyn Error> {
    let what = format!("gts-bench {name}: an argument is missing or unknown");
    Failure::usage(what, format!("see `gts-bench {name} --help`")).into()
}

/// Returns the numbers among the program's arguments, or `default` if there are none.
pub(crate) fn numbers(default: &[u32]) -> Vec<u32> {
    let given: Vec<u32> = arguments().filter_map(|argument| argument.parse().ok()).collect();
    if given.is_empty() { default.to_vec() } else { given }
}

/// Returns the argument that follows the option `name`.
pub(crate) fn option(name: &str) -> Option<String> {
    arguments().skip_while(|argument| argument != name).nth(1)
}

/// Returns whether the command line contains the flag `name`.
pub(crate) fn flag(name: &str) -> bool {
    std::env::args_os().any(|argument| argument == name)
}

/// Returns the CPU time of this process with a resolution of 10 ms, or `None` if the system does not report it.
pub(crate) fn cpu_time() -> Option<Duration> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The process name is in parentheses and may contain spaces. User and system time are the 12th and 13th fields
    // after the name.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    Some(Duration::from_secs_f64((ticks(11)? + ticks(12)?) / TICKS_A_SECOND))
}
