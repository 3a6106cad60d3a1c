//! How this process was started: by itself, by `gts launch`, or by what starts the processes of an MPI job.

use super::Way;
use crate::error::Failure;
use std::sync::OnceLock;

/// The number of a rank that `gts launch` has started.
pub(crate) const RANK: &str = "GTS_GROUP_RANK";
/// The number of ranks.
pub(crate) const SIZE: &str = "GTS_GROUP_SIZE";
/// The folder in which they find one another.
pub(crate) const FOLDER: &str = "GTS_GROUP_FOLDER";
/// The process that has started them.
pub(crate) const LAUNCHER: &str = "GTS_GROUP_LAUNCHER";

/// The variables by which Open MPI, MPICH and Intel MPI, and Slurm with PMIx tell a process its rank and the number of ranks.
const BY_MPI: [[&str; 2]; 3] =
    [["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], ["PMI_RANK", "PMI_SIZE"], ["PMIX_RANK", "SLURM_NTASKS"]];

/// A process that was started together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Started {
    /// By what: `gts launch`, or MPI.
    pub(super) way: Way,
    pub(super) rank: usize,
    /// `None` where nothing tells it.
    pub(super) size: Option<usize>,
}

/// Returns how this process was started; `None` where it was by itself.
pub(super) fn started() -> Option<Started> {
    static FOUND: OnceLock<Option<Started>> = OnceLock::new();
    *FOUND.get_or_init(|| found(number))
}

/// Returns the number that is the value of a variable.
pub(super) fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

fn found(number: impl Fn(&str) -> Option<usize>) -> Option<Started> {
    // Ranks that are launched within an MPI job have its variables, too.
    if let Some(rank) = number(RANK) {
        return Some(Started { way: Way::Local, rank, size: number(SIZE) });
    }
    let [rank, size] = BY_MPI.into_iter().find_map(|[rank, size]| Some([number(rank)?, number(size)?]))?;
    Some(Started { way: Way::Mpi, rank, size: Some(size) })
}

/// Decides which group to join, if any.
///
/// # Errors
///
/// One that this process was not started for was asked for. None was, where MPI has started several processes: each would do
/// all the work, and write the same files.
pub(super) fn way(asked: Option<Way>, started: Option<Started>) -> Result<Option<(Way, Started)>, Failure> {
    let launch = "write `gts launch -n NUMBER -- run ALGORITHM GRAPH`";
    match (asked, started) {
        (Some(Way::Mpi), _) if cfg!(not(feature = "mpi")) => Err(without_mpi()),
        (Some(Way::Local), Some(started)) if started.way == Way::Local => Ok(Some((Way::Local, started))),
        (Some(Way::Mpi), Some(started)) if started.way == Way::Mpi => Ok(Some((Way::Mpi, started))),
        (Some(Way::Local), _) => {
            Err(Failure::usage("--group local: `gts launch` has not started this process", launch))
        }
        (Some(Way::Mpi), Some(_)) => Err(Failure::usage(
            "--group mpi: `gts launch` has started this process",
            "leave --group out, or start the ranks by mpirun alone",
        )),
        (Some(Way::Mpi), None) => Err(Failure::usage(
            "--group mpi: no MPI has started this process",
            "write `mpirun -n NUMBER gts run ALGORITHM GRAPH --group mpi`",
        )),
        (None, Some(started)) if started.way == Way::Local => Ok(Some((Way::Local, started))),
        (None, Some(Started { size: Some(size @ 2..), .. })) => Err(Failure::usage(
            format!("MPI has started {size} processes, and each would do all of the work"),
            "add --group mpi, so that they share it; leave mpirun out to run one process",
        )),
        (None, _) => Ok(None),
    }
}

/// The failure of a program that was built without MPI.
pub(super) fn without_mpi() -> Failure {
    Failure::usage(
        "--group mpi: this program was built without MPI",
        "build it with `cargo build --release --features mpi`, or use `gts launch` on one machine",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(variables: &[(&str, usize)]) -> Option<Started> {
        found(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, number)| *number))
    }

    #[test]
    fn what_starts_a_process_tells_its_rank() {
        assert_eq!(by(&[]), None);
        assert_eq!(by(&[("PMIX_RANK", 1)]), None);
        let mpi = |rank, size| Some(Started { way: Way::Mpi, rank, size: Some(size) });
        let open = [("OMPI_COMM_WORLD_RANK", 2), ("OMPI_COMM_WORLD_SIZE", 3), ("PMIX_RANK", 2)];
        assert_eq!(by(&open), mpi(2, 3));
        assert_eq!(by(&[("PMI_RANK", 0), ("PMI_SIZE", 1)]), mpi(0, 1));
        assert_eq!(by(&[("PMIX_RANK", 1), ("SLURM_NTASKS", 4)]), mpi(1, 4));
        let launched = [&open[..], &[(RANK, 0), (SIZE, 2)]].concat();
        assert_eq!(by(&launched), Some(Started { way: Way::Local, rank: 0, size: Some(2) }));
    }

    #[test]
    fn a_group_that_a_process_was_not_started_for_is_refused() {
        let started = |way, size| Some(Started { way, rank: 0, size: Some(size) });
        let joined = |asked, started| {
            way(asked, started).map(|found| found.map(|(way, _)| way)).map_err(|error| error.to_string())
        };
        assert_eq!(joined(None, None), Ok(None));
        assert_eq!(joined(None, started(Way::Mpi, 1)), Ok(None));
        assert_eq!(joined(None, started(Way::Local, 2)), Ok(Some(Way::Local)));
        assert_eq!(joined(Some(Way::Local), started(Way::Local, 2)), Ok(Some(Way::Local)));
        for (asked, started, why) in [
            (None, started(Way::Mpi, 3), "MPI has started 3 processes"),
            (Some(Way::Local), None, "`gts launch` has not started this process"),
            (Some(Way::Local), started(Way::Mpi, 3), "`gts launch` has not started this process"),
        ] {
            assert!(joined(asked, started).is_err_and(|error| error.contains(why)), "{why}");
        }
        for (started, why) in [(None, "no MPI has"), (started(Way::Local, 2), "`gts launch` has")] {
            let why = if cfg!(feature = "mpi") { why } else { "built without MPI" };
            assert!(joined(Some(Way::Mpi), started).is_err_and(|error| error.contains(why)), "{why}");
        }
    }
}
