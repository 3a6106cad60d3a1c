//! Every call of a group that MPI carries, held against ranks that are threads of one process, which property tests hold
//! against serial folds. `mpirun` starts it: see `scripts/mpi.sh`.

use gts_graph::contract::{Merge, ScalarType};
use gts_graph::device::replicated::Merged;
use gts_graph::group::{Call, Group, MESSAGE_BYTES, Place, threads};
use gts_graph::kernel::StopFlag;
use gts_graph::{Error, Result};
use gts_mpi::MpiGroup;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const SCALARS: [ScalarType; 10] = [
    ScalarType::Bool,
    ScalarType::U8,
    ScalarType::U16,
    ScalarType::U32,
    ScalarType::U64,
    ScalarType::I32,
    ScalarType::I64,
    ScalarType::F32,
    ScalarType::F64,
    ScalarType::VertexId,
];
const MERGES: [Merge; 6] = [Merge::Sum, Merge::Min, Merge::Max, Merge::Or, Merge::And, Merge::Any];

/// Whether the language has such attributes.
fn allowed(scalar: ScalarType, merge: Merge) -> bool {
    let float = matches!(scalar, ScalarType::F32 | ScalarType::F64);
    match merge {
        Merge::Sum => !matches!(scalar, ScalarType::Bool | ScalarType::VertexId),
        Merge::Or | Merge::And => !float && scalar != ScalarType::VertexId,
        _ => true,
    }
}

/// Returns a rank's values of an attribute: small numbers with exact sums, and some NaNs.
fn values(attribute: &Merged, rank: usize) -> Vec<u8> {
    let number = |vertex: u64| (vertex.wrapping_mul(0x9e37_79b9) >> 7).wrapping_add(rank as u64 * 5) % 13;
    let element = |vertex: u64| match attribute.scalar {
        ScalarType::F32 if number(vertex) == 0 => f32::NAN.to_le_bytes().to_vec(),
        ScalarType::F32 => (number(vertex) as f32).to_le_bytes().to_vec(),
        ScalarType::F64 if number(vertex) == 0 => f64::NAN.to_le_bytes().to_vec(),
        ScalarType::F64 => (number(vertex) as f64).to_le_bytes().to_vec(),
        ScalarType::Bool => vec![u8::from(number(vertex) > 6)],
        _ => number(vertex).to_le_bytes()[..attribute.element_bytes()].to_vec(),
    };
    (0..attribute.vertices).flat_map(element).collect()
}

/// Reduces an attribute on a rank.
fn reduced(group: &dyn Group, attribute: &Merged) -> Result<Vec<u8>> {
    let place = Place::new(format_args!("{attribute:?}"), ());
    let mut own = values(attribute, group.rank());
    let before = values(attribute, group.size());
    group.all_reduce(&Call::new(&place), attribute, &mut own, (attribute.merge == Merge::Any).then_some(&before))?;
    Ok(own)
}

/// Returns what a rank gives of a length of its own.
fn given(rank: usize, most: usize) -> Vec<u8> {
    (0..most / (rank + 1)).map(|at| (at * 31 + rank) as u8).collect()
}

/// What all calls give a rank, but reductions.
fn gathered(group: &dyn Group, most: usize) -> Result<(Vec<Vec<u8>>, Vec<u8>)> {
    let place = Place::new(format_args!("{most} bytes"), ());
    let call = Call::new(&place);
    let all = group.all_gather(&call, &given(group.rank(), most))?;
    let mut first = given(group.rank(), most);
    first.resize(most, 7);
    group.broadcast(&call, &mut first)?;
    group.barrier(&call)?;
    Ok((all, first))
}

/// A group whose messages are short, so that it takes many to carry a little.
struct Short<'a>(&'a MpiGroup);

impl Group for Short<'_> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn message_bytes(&self) -> usize {
        64
    }

    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()> {
        self.0.exchange(call, messages, received)
    }

    fn abort(&self, reason: &str) {
        self.0.abort(reason);
    }

    fn leave(&self) {
        self.0.leave();
    }

    fn tie(&self, flag: &Arc<StopFlag>) {
        self.0.tie(flag);
    }
}

/// Holds every call against ranks that are threads, and returns how many were right.
fn compare(group: &MpiGroup) -> Result<usize> {
    let mut right = 0;
    let mut attributes = Vec::new();
    for (scalar, merge) in SCALARS.into_iter().flat_map(|scalar| MERGES.map(|merge| (scalar, merge))) {
        let lengths = [0, 1, 200, 301];
        let of = |vertices| Merged { attribute: 0, scalar, merge, length: 1, vertices, vertex_bytes: 4, check: None };
        attributes.extend(lengths.map(of).into_iter().filter(|_| allowed(scalar, merge)));
    }
    for attribute in attributes {
        let expected = threads::ranks(group.size(), |group| reduced(&group, &attribute))?;
        for found in [reduced(group, &attribute)?, reduced(&Short(group), &attribute)?] {
            assert!(found == expected[group.rank()], "{attribute:?}");
            right += 1;
        }
    }
    for most in [0, 1, 100_000, MESSAGE_BYTES - 8, MESSAGE_BYTES + 1] {
        let (all, first) = gathered(group, most)?;
        assert!(all.iter().enumerate().all(|(rank, found)| *found == given(rank, most)), "{most} bytes");
        assert!(first == given(0, most), "{most} bytes");
        right += 1;
    }
    // As often as they like, and what stops a rank is asked while it waits.
    let place = Place::new("many", ());
    for turn in 0..2000u64 {
        let all = group.all_gather(&Call::new(&place), &(turn * group.rank() as u64).to_le_bytes())?;
        assert!(all.iter().zip(0..).all(|(found, rank)| found[..] == (turn * rank).to_le_bytes()), "turn {turn}");
    }
    Ok(right + 1)
}

/// Ends the group in the way that is named, and checks what the ranks are told.
fn end(group: &MpiGroup, how: &str) -> Result<usize> {
    let flag = Arc::new(StopFlag::default());
    group.tie(&flag);
    // All have joined once rank 1 comes from here. Others may hear of its end before they do.
    let _ = group.barrier(&Call::new(&Place::new("all are here", ())));
    let place = Place::new("kernel `push`", usize::from(how == "differ" && group.rank() == 1));
    let told = match (how, group.rank()) {
        ("abort", 1) => {
            group.abort("the disk is full");
            group.barrier(&Call::new(&place))
        }
        ("stop", 1) => group.barrier(&Call { place: &place, stopped: &|| Err(Error::Interrupted) }),
        ("leave", 1) => return Ok(0),
        ("stop", _) => {
            // A pass that takes longer than rank 1 waits.
            std::thread::sleep(Duration::from_millis(300));
            return Ok(0);
        }
        _ => group.barrier(&Call::new(&place)),
    };
    let told = told.expect_err("an end").to_string();
    let expected: &[&str] = match how {
        "abort" => &["rank 1 of 3 ended the run: the disk is full"],
        "differ" => &["rank 1 is at kernel `push`", "rank 0 is at kernel `push`", "rank 2 is at kernel `push`"],
        "leave" => &["rank 1 of 3: process", "has left while rank"],
        _ => &["interrupted"],
    };
    assert!(expected.iter().any(|expected| told.contains(expected)), "{how}: {told}");
    assert!(flag.stopped() == (how != "stop"), "{how}: {told}");
    Ok(1)
}

fn main() -> ExitCode {
    let how = std::env::args().nth(1);
    let group = match MpiGroup::join(None, Box::new(|error| panic!("{error}"))) {
        Ok(group) => group,
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    assert!(MpiGroup::join(None, Box::new(|_| 1)).is_err(), "MPI starts once");
    let right = match &how {
        None => compare(&group),
        Some(how) => end(&group, how),
    };
    match right {
        Ok(right) => println!("rank {} of {}: {right} right", group.rank(), group.size()),
        Err(error) => {
            println!("rank {}: {error}", group.rank());
            group.abort(&error.to_string());
        }
    }
    group.leave();
    // What was ended leaves nothing but a code.
    group.end_all(if how.is_some() { 3 } else { 1 });
    ExitCode::SUCCESS
}
