//! What each rank of a run did, for the end of the run.

use crate::units;
use gts_runtime::device::RankWork;
use serde_json::{Value, json};

/// Returns a line for each rank.
pub(super) fn lines(ranks: &[RankWork]) -> Vec<(&'static str, String)> {
    let line = |(rank, work): (usize, &RankWork)| {
        let held = match work.pages_in_memory {
            0 => String::new(),
            pages => format!("{} of {} pages in memory, ", units::count(pages), units::count(work.pages)),
        };
        let exchanged = &work.exchanged;
        let text = format!(
            "{rank}: {held}{} edges in {}, {} exchanges in {}, {} sent, {} received",
            units::count(work.edges),
            units::time(work.passes),
            units::count(exchanged.exchanges),
            units::time(exchanged.time),
            units::bytes(exchanged.sent),
            units::bytes(exchanged.received)
        );
        (if rank == 0 { "ranks" } else { "" }, text)
    };
    ranks.iter().enumerate().map(line).collect()
}

/// Returns the same for programs.
pub(super) fn json(ranks: &[RankWork]) -> Value {
    let of_rank = |work: &RankWork| {
        json!({
            "pages_in_memory": work.pages_in_memory,
            "pages": work.pages,
            "walked_pages": work.walked,
            "edges": work.edges,
            "read_bytes": work.read,
            "pass_seconds": work.passes.as_secs_f64(),
            "exchanges": work.exchanged.exchanges,
            "exchange_seconds": work.exchanged.time.as_secs_f64(),
            "sent_bytes": work.exchanged.sent,
            "received_bytes": work.exchanged.received,
        })
    };
    ranks.iter().map(of_rank).collect()
}
