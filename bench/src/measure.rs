//! Times, medians and memory, and the arguments of the programs.

use gts_cli::program::Failure;
pub(crate) use gts_runtime::measure::peak_memory;
use std::cmp::Ordering;
use std::error::Error;
use std::time::{Duration, Instant};

/// Runs per median.
pub(crate) const RUNS: usize = 5;

/// Returns the median time of [`RUNS`] runs, and the last run's result.
///
/// # Errors
///
/// The first error of a run.
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

/// Returns the median of the values, the larger of two middle ones; the default value if there are none.
pub(crate) fn middle<T: PartialOrd + Copy + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns edges per second.
pub(crate) fn rate(edges: u64, time: Duration) -> f64 {
    edges as f64 / time.as_secs_f64()
}

/// Prints a line of JSON if `--json` was given, otherwise the text.
pub(crate) fn print(value: &serde_json::Value, text: &str) {
    if flag("--json") { println!("{value}") } else { println!("{text}") }
}

/// Returns the arguments of the program. They follow its name on the command line of `gts-bench`.
pub(crate) fn arguments() -> impl Iterator<Item = String> {
    let all = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    all.skip_while(|argument| argument.starts_with("--")).skip(1)
}

/// Returns the failure of a program whose arguments are incomplete or unknown.
pub(crate) fn usage(name: &str) -> Box<dyn Error> {
    let what = format!("gts-bench {name}: an argument is missing or unknown");
    Failure::usage(what, format!("see `gts-bench {name} --help`")).into()
}

/// Returns the numbers among the program's arguments, or the default ones if there are none.
pub(crate) fn numbers(default: &[u32]) -> Vec<u32> {
    let given: Vec<u32> = arguments().filter_map(|argument| argument.parse().ok()).collect();
    if given.is_empty() { default.to_vec() } else { given }
}

/// Returns the value that follows an option among the program's arguments.
pub(crate) fn option(name: &str) -> Option<String> {
    arguments().skip_while(|argument| argument != name).nth(1)
}

/// Returns whether a flag is among the program's arguments.
pub(crate) fn flag(name: &str) -> bool {
    std::env::args_os().any(|argument| argument == name)
}

/// Returns the processor time of this process to a hundredth of a second, or `None` if the system does not report it.
pub(crate) fn cpu_time() -> Option<Duration> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may contain spaces. User and system time are the 12th and 13th field after it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    Some(Duration::from_secs_f64((ticks(11)? + ticks(12)?) / TICKS_A_SECOND))
}
