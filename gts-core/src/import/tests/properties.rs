//! The parsers against a model: a graph written out in any of the ways a format allows reads back as it was.

use crate::build::{EdgeBatch, EdgeStream};
use crate::import::{Format, ImportError, ImportOptions, open};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Write;

/// An edge with its weight.
type Edge = (u64, u64, f64);

fn drain(stream: &mut dyn EdgeStream) -> Result<Vec<(u64, u64, Option<f64>)>, ImportError> {
    let (mut edges, mut batch) = (Vec::new(), EdgeBatch::default());
    while stream.next(&mut batch)? {
        edges.extend(
            (0..batch.src.len())
                .map(|i| (batch.src[i], batch.dst[i], batch.value.get(i).map(|&bits| f64::from_bits(bits)))),
        );
    }
    Ok(edges)
}

fn read(name: &str, text: &[u8], format: Option<Format>) -> Result<Vec<(u64, u64, Option<f64>)>, ImportError> {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    drain(&mut *open(std::slice::from_ref(&path), &ImportOptions { format, ..ImportOptions::default() })?)
}

fn id() -> impl Strategy<Value = u64> {
    prop_oneof![0..20u64, any::<u32>().prop_map(u64::from), any::<u64>()]
}

fn weight() -> impl Strategy<Value = f64> {
    let finite = any::<f64>().prop_filter("finite", |weight| weight.is_finite());
    prop_oneof![(0..1000u32).prop_map(f64::from), (0..100_000i32).prop_map(|n| f64::from(n - 50_000) / 1000.0), finite]
}

/// What stands between lines and fields; every choice means the same.
#[derive(Clone, Debug)]
struct Layout {
    mark: bool,
    gap: &'static str,
    end: &'static str,
    noise: &'static str,
    noise_every: usize,
    last_newline: bool,
}

fn layout() -> impl Strategy<Value = Layout> {
    let gap = prop::sample::select(vec![" ", "\t", "  ", " \t "]);
    let end = prop::sample::select(vec!["\n", "\r\n", " \n", "\t\r\n"]);
    let noise = prop::sample::select(vec!["", "\n", "\r\n", "% comment\n", "%\r\n", " \t\n"]);
    (any::<bool>(), gap, end, noise, 1..5usize, any::<bool>()).prop_map(
        |(mark, gap, end, noise, noise_every, last_newline)| Layout {
            mark,
            gap,
            end,
            noise,
            noise_every,
            last_newline,
        },
    )
}

impl Layout {
    fn text(&self, head: &str, lines: impl Iterator<Item = String>) -> String {
        let mut text = String::from(if self.mark { "\u{feff}" } else { "" });
        text.push_str(head);
        for (i, line) in lines.enumerate() {
            if i % self.noise_every == 0 {
                text.push_str(self.noise);
            }
            text.push_str(&line);
            text.push_str(self.end);
        }
        // A blank line is an empty list of METIS: it has a newline alone.
        if !self.last_newline && !text.trim_end_matches(['\r', ' ', '\t']).ends_with("\n\n") && text.ends_with('\n') {
            text.pop();
        }
        text
    }
}

fn with_weights(edges: &[Edge]) -> Vec<(u64, u64, Option<f64>)> {
    edges.iter().map(|&(src, dst, weight)| (src, dst, Some(weight))).collect()
}

fn without_weights(edges: &[Edge]) -> Vec<(u64, u64, Option<f64>)> {
    edges.iter().map(|&(src, dst, _)| (src, dst, None)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn edge_lists_read_back(edges in vec((id(), id(), weight()), 1..60), layout in layout()) {
        let gap = layout.gap;
        // An exponent keeps large integers from being taken for inexact ones.
        let line = |(src, dst, weight): &Edge| format!("{src}{gap}{dst}{gap}{weight:e}");
        let weighted = layout.text("", edges.iter().map(line));
        prop_assert_eq!(read("a.txt", weighted.as_bytes(), None).unwrap(), with_weights(&edges));
        let plain = layout.text("", edges.iter().map(|(src, dst, _)| format!("{src}{gap}{dst}")));
        prop_assert_eq!(read("a.txt", plain.as_bytes(), None).unwrap(), without_weights(&edges));
    }

    #[test]
    fn csv_reads_back(
        edges in vec((id(), id(), weight()), 1..60),
        (quote, header, crlf) in any::<(bool, bool, bool)>(),
        delimiter in prop::sample::select(vec![",", ";", "\t"]),
    ) {
        let q = if quote { "\"" } else { "" };
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text = String::new();
        if header {
            write!(text, "{q}source{q}{delimiter}{q}target{q}{delimiter}{q}weight{q}{end}").unwrap();
        }
        for (src, dst, weight) in &edges {
            write!(text, "{q}{src}{q}{delimiter}{q}{dst}{q}{delimiter}{q}{weight:e}{q}{end}").unwrap();
        }
        prop_assert_eq!(read("a.csv", text.as_bytes(), None).unwrap(), with_weights(&edges));
    }

    #[test]
    fn numbered_formats_read_back(edges in vec((1..50u64, 1..50u64, weight()), 0..60), layout in layout()) {
        let gap = layout.gap;
        let head = format!("%%MatrixMarket matrix coordinate real general\n49 49 {}\n", edges.len());
        let line = |(src, dst, weight): &Edge| format!("{src}{gap}{dst}{gap}{weight:e}");
        let matrix = layout.text(&head, edges.iter().map(line));
        prop_assert_eq!(read("a.mtx", matrix.as_bytes(), None).unwrap(), with_weights(&edges));
        let noise = if layout.noise.starts_with('%') { "c comment\n" } else { layout.noise };
        let dimacs = Layout { noise, ..layout.clone() };
        let head = format!("p sp 49 {}\n", edges.len());
        let dimacs = dimacs.text(&head, edges.iter().map(|edge| format!("a{gap}{}", line(edge))));
        prop_assert_eq!(read("a.gr", dimacs.as_bytes(), None).unwrap(), with_weights(&edges));
    }

    #[test]
    fn metis_reads_back(
        pairs in vec((1..30u64, 1..30u64, 0..100u32), 0..60),
        layout in layout(),
        weighted in any::<bool>(),
    ) {
        let edges: Vec<_> = pairs.into_iter().filter(|(u, v, _)| u != v).collect();
        let mut lists = vec![Vec::new(); 29];
        for &(u, v, weight) in &edges {
            lists[u as usize - 1].push((v, weight));
            lists[v as usize - 1].push((u, weight));
        }
        // Blank lines are vertices here, so only comments may stand between the lists.
        let noise = if layout.noise.starts_with('%') { layout.noise } else { "" };
        let layout = Layout { noise, ..layout };
        let head = format!("29 {} {}\n", edges.len(), u8::from(weighted));
        let text = layout.text(&head, lists.iter().map(|list| {
            let weight = |weight| if weighted { format!("{}{weight}", layout.gap) } else { String::new() };
            let entry = |&(v, w): &(u64, u32)| format!("{v}{}", weight(w));
            list.iter().map(entry).collect::<Vec<_>>().join(layout.gap)
        }));
        let expected: Vec<_> = (1u64..).zip(&lists)
            .flat_map(|(u, list)| list.iter().map(move |&(v, weight)| (u, v, weighted.then_some(f64::from(weight)))))
            .collect();
        prop_assert_eq!(read("a.graph", text.as_bytes(), None).unwrap(), expected);
    }

    /// Whatever the bytes, a reader ends with edges or a message of bearable length, and never panics.
    #[test]
    fn any_bytes_end_in_edges_or_a_short_message(
        bytes in prop_oneof![vec(any::<u8>(), 0..200), "[-0-9 .,;\"#%apsec\r\n\t]{0,200}".prop_map(String::into_bytes)],
        head in prop::sample::select(vec![
            "", "3 2\n", "p sp 3 2\n", "a,b\n", "% bip\n", "%%MatrixMarket matrix coordinate real general\n3 3 2\n",
        ]),
    ) {
        let text = [head.as_bytes(), &bytes].concat();
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Graphalytics) {
            if let Err(error) = read("a.dat", &text, Some(format)) {
                prop_assert!(error.to_string().len() < 1024);
            }
        }
    }
}
