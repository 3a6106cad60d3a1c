//! The choice of the group that a process joins.

use crate::error::Failure;
use crate::started::{Started, Way};

/// Decides which group to join, if any.
///
/// # Errors
///
/// The requested group is not the one that this process was started for. No group was requested, but MPI has started
/// several processes: each would do all the work, and write the same files.
pub(super) fn way(asked: Option<Way>, started: Option<Started>) -> Result<Option<(Way, Started)>, Failure> {
    let launch = "write `gts launch -n NUMBER run ALGORITHM GRAPH`";
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
        (None, Some(Started { size: size @ 2.., .. })) => Err(Failure::usage(
            format!("MPI has started {size} processes, and each would do all of the work"),
            "add --group mpi, so that they share it; leave mpirun out to run one process",
        )),
        (None, _) => Ok(None),
    }
}

/// Returns the failure of a program that was built without MPI.
pub(super) fn without_mpi() -> Failure {
    Failure::usage(
        "--group mpi: this program was built without MPI",
        "build it with `cargo build --release --features mpi`, or use `gts launch` on one machine",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_a_process_was_not_started_for_is_refused() {
        let started = |way, size| Some(Started { way, rank: 0, size, launcher: None });
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
