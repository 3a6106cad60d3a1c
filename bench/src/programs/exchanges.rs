//! Measures exchanges between processes on this machine. Pass the results to `gts plan` as `--latency` and, if the
//! nodes are ranks of `gts launch`, as `--network`.
//!
//! ```text
//! exchanges [RANKS...] [--json]
//! ```
//!
//! Measures three values for each number N of ranks: the time to exchange empty messages, the rate at which a rank
//! sends while it receives at the same rate, and the network rate of a sum of 32-bit floats. The network rate is the
//! size of the sum in bytes times 2 (N - 1) / N, divided by the time. Each value is the median of five measurements at
//! rank 0.

use crate::measure;
use gts_contract::{Merge, ScalarType};
use gts_graph::device::replicated::Merged;
use gts_graph::group::local::{LocalGroup, Membership, Word};
use gts_graph::group::{Call, Group, MESSAGE_BYTES, Place};
use gts_graph::units;
use serde_json::json;
use std::error::Error;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Environment variable with a rank's number, the number of ranks, and their shared folder.
const RANK: &str = "GTS_EXCHANGES_RANK";
/// Number of empty exchanges per measurement.
const EMPTY: u32 = 2000;
/// Number of messages to each rank per measurement.
const MESSAGES: u32 = 4;
/// Number of values in the sum.
const VALUES: u64 = 16 << 20;

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    if let Ok(told) = std::env::var(RANK) {
        let mut words = told.splitn(3, ' ');
        let mut next = || words.next().ok_or("a rank is told three things");
        let (rank, size, folder) = (next()?.parse()?, next()?.parse()?, PathBuf::from(next()?));
        let word = Word::inherited()?;
        return of_rank(&Membership { folder, word, rank, size, launcher: None, stall_limit: None });
    }
    for size in measure::numbers(&[2, 3]) {
        let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir()?;
        let word = Word::random()?;
        let start = |rank: u32| -> Result<Child, Box<dyn Error>> {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(std::env::args_os().skip(1));
            command.env(RANK, format!("{rank} {size} {}", folder.path().display()));
            command.stdin(Stdio::piped()).stdout(if rank == 0 { Stdio::inherit() } else { Stdio::null() });
            let mut child = command.spawn()?;
            word.hand_to(&mut child)?;
            Ok(child)
        };
        let ranks: Vec<Child> = (0..size).map(start).collect::<Result<_, _>>()?;
        for mut rank in ranks {
            if !rank.wait()?.success() {
                return Err("a rank has failed".into());
            }
        }
    }
    Ok(())
}

/// Runs the measurements as one rank of the group.
fn of_rank(membership: &Membership) -> Result<(), Box<dyn Error>> {
    let group = LocalGroup::join(membership)?;
    let ranks = group.size();
    let others = (ranks - 1) as f64;
    let place = Place::new("kernel `push`, step 3", (0u64, 3u32));
    let call = Call::new(&place);
    group.barrier(&call)?;
    let (empty, ()) = measure::median(|| (0..EMPTY).try_for_each(|_| group.barrier(&call)))?;
    let message = vec![1u8; MESSAGE_BYTES];
    let mut received = vec![Vec::new(); ranks];
    let mut send = || group.exchange(&call, &vec![&message[..]; ranks], &mut received);
    let (sent, ()) = measure::median(|| (0..MESSAGES).try_for_each(|_| send()))?;
    let attribute = Merged {
        attribute: 0,
        scalar: ScalarType::F32,
        merge: Merge::Sum,
        length: 1,
        vertices: VALUES,
        vertex_bytes: 4,
        check: None,
    };
    let mut values = vec![0u8; attribute.bytes()];
    let (summed, ()) = measure::median(|| group.all_reduce(&call, &attribute, &mut values, None))?;

    let empty = empty.as_secs_f64() / f64::from(EMPTY);
    let rate = f64::from(MESSAGES) * others * MESSAGE_BYTES as f64 / sent.as_secs_f64();
    let sum_rate = 2.0 * others / ranks as f64 * attribute.bytes() as f64 / summed.as_secs_f64();
    let scaled = |rate| units::scaled(rate, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s"]);
    let text = format!(
        "{ranks} ranks: an empty exchange {:.1} us, messages {}, sums {}",
        empty * 1e6,
        scaled(rate),
        scaled(sum_rate)
    );
    let found = json!({ "ranks": ranks, "empty_seconds": empty, "message_rate": rate, "sum_rate": sum_rate });
    measure::print(&found, &text);
    group.barrier(&Call::new(&Place::new("the end", ())))?;
    group.leave();
    Ok(())
}
