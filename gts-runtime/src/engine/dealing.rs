//! Assignment of GPUs to the ranks of a group.

use crate::choice::DeviceChoice;
use crate::device::gpus::{self, IDENTITY};
use gts_core::advice::Advice;
use gts_core::cost::Strategy;
use gts_device::error::{Error, Result};
use gts_group::{Call, Group, Place};

/// Identifies a GPU across machines.
type Identity = [u8; IDENTITY];

/// A rank that gets too few GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lacking {
    rank: usize,
    /// Number of GPUs that earlier ranks have left for this rank.
    left: usize,
}

/// Chooses the device of this rank. Each rank claims `count` GPUs that no earlier rank has claimed, starting the search
/// at the chosen GPU. If the choice is [`DeviceChoice::Auto`] with one GPU per rank, and a rank would get no GPU, all
/// ranks use their CPUs.
///
/// # Errors
///
/// A rank gets fewer than `count` GPUs, the choice combines the CPU with GPUs, or the strategy is Strategy-S.
pub(super) fn choose(
    group: &dyn Group,
    choice: DeviceChoice,
    count: usize,
    strategy: Option<Strategy>,
) -> Result<DeviceChoice> {
    let first = match choice {
        DeviceChoice::Cpu => return Ok(choice),
        DeviceChoice::Cuda(number) => number,
        DeviceChoice::Auto => 0,
        DeviceChoice::Hybrid(_) => {
            return Err(Error::argument_with_advice(
                format_args!("device `{choice}`"),
                "each rank of a group runs on GPUs or on a CPU",
                Advice::new("give --device cuda or cpu, or run one process", "choose `DeviceChoice::Cuda` or `Cpu`"),
            ));
        }
    };
    if strategy == Some(Strategy::Split) {
        return Err(Error::argument_with_advice(
            format_args!("{} in a group", Strategy::Split.name()),
            "each rank has all attributes",
            Advice::new("give --strategy p, or run one process", "choose `Strategy::Pages`"),
        ));
    }
    let found = gpus::identities();
    // A rank without a driver has no GPUs.
    let own = found.as_deref().unwrap_or_default().get(first..).unwrap_or_default();
    let place = Place::new(format_args!("device `{choice}`, {count} a rank"), (first, count));
    let all = group.all_gather(&Call::new(&place), own.as_flattened())?;
    let all: Vec<&[Identity]> = all.iter().map(|reached| reached.as_chunks().0).collect();
    match (deal(&all, count), choice) {
        (Ok(dealt), _) => Ok(DeviceChoice::Cuda(first + dealt.get(group.rank()).copied().unwrap_or(0))),
        (Err(_), DeviceChoice::Auto) if count == 1 => Ok(DeviceChoice::Cpu),
        (Err(Lacking { rank, .. }), _) if rank == group.rank() && found.is_err() => found.map(|_| choice),
        (Err(Lacking { rank, left }), _) => Err(Error::argument_with_advice(
            format_args!("device `{choice}` on {} ranks", group.size()),
            format_args!("each needs {count} of its own, and {left} are left to rank {rank}"),
            Advice::new(
                "start fewer ranks, give fewer --devices, or give --device cpu",
                "start fewer ranks, ask for fewer `devices`, or choose `DeviceChoice::Cpu`",
            ),
        )),
    }
}

/// Returns the index of each rank's first GPU among the GPUs that the rank can use. A rank claims the first `count`
/// consecutive GPUs that no earlier rank has claimed.
fn deal(reached: &[&[Identity]], count: usize) -> Result<Vec<usize>, Lacking> {
    let mut taken: Vec<Identity> = Vec::new();
    let mut firsts = Vec::with_capacity(reached.len());
    for (rank, own) in reached.iter().enumerate() {
        let is_free = |run: &[Identity]| run.iter().all(|gpu| !taken.contains(gpu));
        let left = || own.iter().filter(|gpu| !taken.contains(gpu)).count();
        let first = own.windows(count).position(is_free).ok_or_else(|| Lacking { rank, left: left() })?;
        taken.extend_from_slice(&own[first..first + count]);
        firsts.push(first);
    }
    Ok(firsts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_group::threads;

    /// Returns the identities of a machine's GPUs. Each identity consists of one repeated byte.
    fn gpus(numbers: &[u8]) -> Vec<Identity> {
        numbers.iter().map(|&number| [number; IDENTITY]).collect()
    }

    fn dealt(reached: &[&[u8]], count: usize) -> Result<Vec<usize>, Lacking> {
        let reached: Vec<_> = reached.iter().map(|numbers| gpus(numbers)).collect();
        deal(&reached.iter().map(Vec::as_slice).collect::<Vec<_>>(), count)
    }

    #[test]
    fn ranks_of_a_machine_take_one_after_the_other() {
        assert_eq!(dealt(&[&[1, 2, 3, 4][..]; 4], 1), Ok(vec![0, 1, 2, 3]));
        assert_eq!(dealt(&[&[1, 2, 3, 4][..]; 2], 2), Ok(vec![0, 2]));
    }

    #[test]
    fn ranks_of_other_machines_begin_again() {
        assert_eq!(dealt(&[&[1, 2], &[3, 4], &[1, 2], &[3, 4]], 1), Ok(vec![0, 0, 1, 1]));
    }

    #[test]
    fn a_rank_that_sees_its_own_gpu_alone_takes_it() {
        assert_eq!(dealt(&[&[1], &[2], &[3]], 1), Ok(vec![0, 0, 0]));
    }

    #[test]
    fn no_gpu_has_two_ranks() {
        assert_eq!(dealt(&[&[1], &[1]], 1), Err(Lacking { rank: 1, left: 0 }));
        assert_eq!(dealt(&[&[1, 2, 3], &[1, 2, 3]], 2), Err(Lacking { rank: 1, left: 1 }));
        assert_eq!(dealt(&[&[]], 1), Err(Lacking { rank: 0, left: 0 }));
    }

    #[test]
    fn what_ranks_cannot_have_is_refused() {
        let chosen = |choice, strategy| threads::ranks(2, |group| choose(&group, choice, 1, strategy));
        assert_eq!(chosen(DeviceChoice::Cpu, None).unwrap(), [DeviceChoice::Cpu; 2]);
        assert!(matches!(chosen(DeviceChoice::Hybrid(0), None), Err(Error::Argument { next: Some(_), .. })));
        let split = chosen(DeviceChoice::Cuda(0), Some(Strategy::Split));
        assert!(matches!(split, Err(Error::Argument { next: Some(_), .. })));
        // No machine has this number of GPUs.
        assert!(chosen(DeviceChoice::Cuda(1 << 20), None).is_err());
    }
}
