//! Examines the beginning of a table: whether the graph is undirected, and whether the table may contain data other
//! than edges.

use super::scan::{Cursor, Signs, leading_integer};
use crate::build::EdgeBatch;

/// The number of lines examined to detect an adjacency list.
const LINES: usize = 1000;
/// The number of IDs per chunk for comparisons with the largest possible ID.
const CHUNK: usize = 1024;

/// Returns whether a comment at the beginning of a file begins with `Undirected graph`. The first `skipped` lines are
/// not records, even if they look like records.
pub(super) fn says_undirected(opening: &[u8], skipped: u64, comments: Signs) -> bool {
    const WORDS: &[u8] = b"undirected graph";
    let mut cursor = Cursor::new(opening);
    let mut number = 0;
    while !cursor.ended() {
        let line = cursor.line().trim_ascii_start();
        let is_comment = line.first().is_some_and(|&first| comments.contains(first));
        if !is_comment && !line.is_empty() && number >= skipped {
            return false;
        }
        let begin = line.iter().take_while(|byte| comments.contains(**byte) || byte.is_ascii_whitespace()).count();
        let (words, rest) = line[begin..].split_at(WORDS.len().min(line.len() - begin));
        if is_comment && words.eq_ignore_ascii_case(WORDS) && !rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            return true;
        }
        number += 1;
        cursor.next_line();
    }
    false
}

/// The sizes of the graph, if the first record seems to contain them: two or three numbers. The last number is the
/// number of records that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    line: u64,
    /// The largest ID that the graph can contain.
    largest: u64,
    /// The number of records that should follow.
    records: u64,
    /// Whether the first record has been read as an edge.
    begun: bool,
}

impl Sizes {
    /// Returns the sizes in the record on line `line`. Returns `None` unless the record has two or three fields that
    /// are all numbers.
    pub(super) fn of(record: &[String], line: u64) -> Option<Self> {
        let numbers: Option<Vec<u64>> = record.iter().map(|field| field.parse().ok()).collect();
        let numbers = numbers.filter(|numbers| matches!(numbers.len(), 2 | 3))?;
        let (&records, others) = numbers.split_last()?;
        Some(Self { line, largest: others.iter().copied().min()?, records, begun: false })
    }

    /// Returns the sizes after a batch of edges. Returns `None` if an ID in the batch is too large for them.
    pub(super) fn after(self, batch: &EdgeBatch) -> Option<Self> {
        let first = usize::from(!self.begun);
        // Chunks avoid a branch per ID. A file that begins with its sizes is checked to the end.
        let chunk_fits = |ids: &[u64]| !ids.iter().fold(false, |beyond, &id| beyond | (id > self.largest));
        let fits = |ids: &[u64]| ids[first..].chunks(CHUNK).all(chunk_fits);
        (fits(&batch.src) && fits(&batch.dst)).then_some(Self { begun: true, ..self })
    }

    /// Returns a note if the number of edges read is one more than the sizes declare, because the sizes themselves were
    /// read as an edge.
    pub(super) fn note(self, edges: u64) -> Option<String> {
        let Self { line, records, .. } = self;
        (records > 0 && edges == records.saturating_add(1)).then(|| {
            format!(
                "line {line} is read as an edge, and may hold the sizes of the graph: `--skip {line}` leaves it out"
            )
        })
    }

    /// Returns the problem and the advice for a record whose number of fields differs from that of the sizes, if the
    /// record's ends are consistent with the sizes.
    pub(super) fn refusal(self, sizes: &[String], record: &[String]) -> Option<(String, String)> {
        let ends: Option<Vec<u64>> = record.iter().take(2).map(|field| field.parse().ok()).collect();
        let ends = ends.filter(|ends| ends.len() == 2 && ends.iter().all(|&id| id <= self.largest));
        let differs = matches!(record.len(), 2 | 3) && record.len() != sizes.len() && self.records > 0;
        ends.filter(|_| differs).map(|_| {
            let problem = format!("the first record has {} fields, the next one {}", sizes.len(), record.len());
            let advice =
                format!("if the first record holds the sizes of the graph, leave it out: `--skip {}`", self.line);
            (problem, advice)
        })
    }
}

/// Returns whether lines with three fields may each list a vertex and two neighbours. In this case, each line begins
/// with a larger integer than the previous line, and the other two fields are different integers. Comments and blank
/// lines are ignored.
pub(super) fn may_list_neighbours(text: &[u8], comments: Signs, delimiter: impl Fn(u8) -> bool) -> bool {
    let mut cursor = Cursor::new(text);
    let (mut last, mut lines) = (None, 0);
    while lines < LINES && cursor.next_data_line(comments) {
        let mut fields = cursor.line().split(|&byte| delimiter(byte)).filter(|field| !field.is_empty()).map(|field| {
            let (id, length) = leading_integer(field);
            id.filter(|_| length == field.len())
        });
        let three = [fields.next(), fields.next(), fields.next()].map(Option::flatten);
        let [Some(vertex), Some(first), Some(second)] = three else { return false };
        if last >= Some(vertex) || first == second || vertex == first || vertex == second {
            return false;
        }
        (last, lines) = (Some(vertex), lines + 1);
        cursor.next_line();
    }
    lines > 1
}
