//! Work of each rank of a run, for the report.

use crate::units;
use gts_graph::device::{BetweenRanks, RankWork};
use gts_graph::group::Exchanged;
use serde_json::{Value, json};

/// Returns a line for each rank.
pub(super) fn lines(ranks: &[RankWork]) -> Vec<(&'static str, String)> {
    let line = |(rank, work): (usize, &RankWork)| {
        let held = match work.pages_in_memory {
            0 => String::new(),
            pages => format!("{} of {} in memory, ", units::count(pages), units::counted(work.pages, "page")),
        };
        let by_nccl = match work.by_nccl.exchanges {
            0 => String::new(),
            _ => format!(", by nccl {}", moved(&work.by_nccl)),
        };
        let text = format!(
            "{rank}: {held}{} in {}, {}{by_nccl}",
            units::counted(work.edges, "edge"),
            units::time(work.passes),
            moved(&work.exchanged),
        );
        (if rank == 0 { "ranks" } else { "" }, text)
    };
    ranks.iter().enumerate().map(line).collect()
}

/// Describes the data that a rank has moved.
fn moved(exchanged: &Exchanged) -> String {
    format!(
        "{} exchanges in {}, {} sent, {} received",
        units::count(exchanged.exchanges),
        units::time(exchanged.time),
        units::bytes(exchanged.sent),
        units::bytes(exchanged.received)
    )
}

/// Returns the way of values between ranks, for programs.
pub(super) fn way(way: &BetweenRanks) -> Value {
    let (version, why) = match way {
        BetweenRanks::Nccl(version) => (Some(version), None),
        BetweenRanks::HostMemory(why) => (None, why.as_ref()),
    };
    json!({ "way": way.name(), "version": version, "why": why })
}

/// Returns the work of each rank, for programs.
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
            "nccl_exchanges": work.by_nccl.exchanges,
            "nccl_seconds": work.by_nccl.time.as_secs_f64(),
            "nccl_sent_bytes": work.by_nccl.sent,
            "nccl_received_bytes": work.by_nccl.received,
        })
    };
    ranks.iter().map(of_rank).collect()
}
