//! Masks what differs between runs and machines in the output of commands: times, rates, sizes of memory, numbers of
//! threads, GPUs, addresses and the cache folder.

use regex::Regex;

/// A pattern and its replacement, in the order in which they are applied.
const MASKS: [(&str, &str); 14] = [
    // These lines name the phases that took the longest, or the resource that limits a step.
    (r"(?m)^((?:\[[0-9]+\] )?(?:time|command|speed|bound|loaded in)) +.*$", "$1 [TIMES]"),
    (r"(?m)^(host memory|device memory) +.*$", "$1 [MEMORY]"),
    (r"\b[0-9]+ threads?\b", "[THREADS]"),
    (r"\bNVIDIA [A-Z][A-Za-z0-9]*( [A-Z0-9][A-Za-z0-9]*)*", "[GPU]"),
    (r"\b[0-9.]+(e-?[0-9]+)? ([kMGT] )?[a-z]+/s\b", "[RATE]"),
    (r"\b[0-9.]+ ?[kMGT]?B/s\b", "[RATE]"),
    (r"(\b[0-9.]+ (ns|us|ms|s|min|h)\b)+( \([a-z]+\))?", "[TIME]"),
    (r"\b[0-9.]+ ?([KMGT]i)?B\b", "[SIZE]"),
    (r"\b[0-9.]+ %", "[SHARE]"),
    (r"\b[0-9.]+ x\b", "[FACTOR]"),
    // Times in JSON are the only numbers there with a fraction, apart from answers, which a chapter shows as text.
    (r#"(": |\[|, )-?[0-9]+(\.[0-9]+(e-?[0-9]+)?|e-?[0-9]+)"#, "$1[NUMBER]"),
    (r"\bkept in [^ \n]+", "kept in [CACHE]"),
    (r"\b[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]+)?\b", "[ADDRESS]"),
    // Columns are as wide as their widest value.
    (r" {2,}", " "),
];

/// Returns the masked text of an output.
pub(crate) fn masked(text: &str) -> String {
    MASKS.iter().fold(text.to_owned(), |text, (pattern, mask)| {
        Regex::new(pattern).expect("a pattern").replace_all(&text, *mask).into_owned()
    })
}

#[test]
fn only_what_differs_is_masked() {
    let cases = [
        ("time         987 us: push 838 us in 20 passes", "time [TIMES]"),
        ("device       cpu (2 threads)", "device cpu ([THREADS])"),
        ("graph   rmat:10: 1,024 vertices, loaded in 2.51 ms", "graph rmat:10: 1,024 vertices, loaded in [TIME]"),
        ("host memory  tables and pages 1.01 MiB", "host memory [MEMORY]"),
        ("pages  1, 1.02 MiB", "pages 1, [SIZE]"),
        ("    2   1.38 s      5 %   1.86 x", " 2 [TIME] [SHARE] [FACTOR]"),
        ("first step  369 us  459 us (kernel)", "first step [TIME] [TIME]"),
        ("a copy at 25 GB/s, 370 M edges/s", "a copy at [RATE], [RATE]"),
        ("device  cuda:0 NVIDIA H200", "device cuda:0 [GPU]"),
        ("  \"passes\": 0.000140373,", " \"passes\": [NUMBER],"),
        ("  \"reached\": 807", " \"reached\": 807"),
        ("imported a.txt; kept in /tmp/x/graphs/a-1f.gts", "imported a.txt; kept in [CACHE]"),
        ("listening on 127.0.0.1:4321", "listening on [ADDRESS]"),
        (
            "check  all 1024 values are within 2.5e-7 of a serial run",
            "check all 1024 values are within 2.5e-7 of a serial run",
        ),
        ("0.0555186       0", "0.0555186 0"),
    ];
    for (text, expected) in cases {
        assert_eq!(masked(text), expected);
    }
}
