//! How this process was started: alone, by `gts launch`, or by the launcher of an MPI job.

use gts_graph::group::MOST_LOCAL_RANKS;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::ops::RangeInclusive;
use std::sync::OnceLock;
#[cfg(unix)]
use std::{io::ErrorKind, os::unix::net::UnixListener, path::PathBuf};
#[cfg(unix)]
use xxhash_rust::xxh3::xxh3_64;

/// Variable for the number of a rank that `gts launch` has started.
pub(crate) const RANK: &str = "GTS_GROUP_RANK";
/// Variable for the number of ranks.
pub(crate) const SIZE: &str = "GTS_GROUP_SIZE";
/// Variable for the folder in which the ranks meet.
pub(crate) const FOLDER: &str = "GTS_GROUP_FOLDER";
/// Variable for the process that has started the ranks.
pub(crate) const LAUNCHER: &str = "GTS_GROUP_LAUNCHER";

/// Variables in which Open MPI, MPICH and Intel MPI, and Slurm with PMIx pass a process its rank and the number of
/// ranks.
const BY_MPI: [[&str; 2]; 3] =
    [["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], ["PMI_RANK", "PMI_SIZE"], ["PMIX_RANK", "SLURM_NTASKS"]];

/// How ranks find one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Way {
    /// Over sockets of one machine.
    Local,
    /// By MPI.
    Mpi,
}

/// A process that was started as one of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Started {
    /// Launcher of the process: `gts launch`, or MPI.
    pub(crate) way: Way,
    pub(crate) rank: usize,
    pub(crate) size: usize,
    /// Process of `gts launch`, if its ranks end with it.
    pub(crate) launcher: Option<u32>,
}

/// Returns how this process was started; `None` if it was started alone. If the variables of `gts launch` are invalid,
/// the error names the variable.
pub(crate) fn started() -> &'static Result<Option<Started>, String> {
    static FOUND: OnceLock<Result<Option<Started>, String>> = OnceLock::new();
    FOUND.get_or_init(|| found(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())))
}

/// Returns the number of this rank if it is one of several processes that were started together.
pub(crate) fn rank() -> Option<usize> {
    let started = started().as_ref().ok().copied().flatten();
    started.filter(|started| started.way == Way::Local || started.size != 1).map(|started| started.rank)
}

/// Prefixes each line of standard error with the number of its rank.
pub(crate) fn by_rank(lines: &str) -> Cow<'_, str> {
    match rank() {
        None => Cow::Borrowed(lines),
        Some(rank) => Cow::Owned(lines.split_inclusive('\n').map(|line| format!("[{rank}] {line}")).collect()),
    }
}

/// Returns whether another rank reports this error to the user.
pub(crate) fn is_told_elsewhere(error: &gts_graph::Error) -> bool {
    let Ok(Some(started)) = started() else { return false };
    match error {
        gts_graph::Error::Aborted { rank, .. } => *rank != started.rank,
        // All ranks of a launch notice the loss, and the first remaining one reports it. With MPI one notices it, and
        // aborts the others.
        gts_graph::Error::LostRank { rank, .. } => started.way == Way::Local && started.rank != usize::from(*rank == 0),
        _ => false,
    }
}

/// Returns whether a rank of the same launch has reported this text before. Otherwise records that this rank reports it.
/// The record is a socket to which no process listens, because the folder of ranks contains only sockets.
#[cfg(unix)]
pub(crate) fn is_told_by_another(text: &str) -> bool {
    let Ok(Some(Started { launcher: Some(_), .. })) = started() else { return false };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap_or_default());
    let record = UnixListener::bind(folder.join(format!("told-{:016x}", xxh3_64(text.as_bytes()))));
    record.is_err_and(|error| error.kind() == ErrorKind::AddrInUse)
}

#[cfg(not(unix))]
pub(crate) fn is_told_by_another(_: &str) -> bool {
    false
}

fn found(value: impl Fn(&str) -> Option<String>) -> Result<Option<Started>, String> {
    // Ranks that `gts launch` starts within an MPI job have the variables of MPI, too.
    if [RANK, SIZE, FOLDER, LAUNCHER].iter().any(|name| value(name).is_some()) {
        return launched(value).map(Some);
    }
    let number = |name| value(name)?.parse().ok();
    let by_mpi = BY_MPI.into_iter().find_map(|[rank, size]| Some([number(rank)?, number(size)?]));
    Ok(by_mpi.map(|[rank, size]| Started { way: Way::Mpi, rank, size, launcher: None }))
}

/// Parses the variables of `gts launch`.
fn launched(value: impl Fn(&str) -> Option<String>) -> Result<Started, String> {
    let set = |name| value(name).ok_or_else(|| format!("{name} is not set, but others of GTS_GROUP_* are"));
    let number = |name, range: RangeInclusive<usize>| {
        let value = set(name)?;
        let number = value.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("{name} is {value:?}, and not a number from {} to {}", range.start(), range.end()))
    };
    let size = number(SIZE, 1..=MOST_LOCAL_RANKS)?;
    let rank = number(RANK, 0..=size - 1)?;
    let launcher = value(LAUNCHER).map(|_| number(LAUNCHER, 1..=u32::MAX as usize)).transpose()?;
    if set(FOLDER)?.is_empty() {
        return Err(format!("{FOLDER} is empty"));
    }
    Ok(Started { way: Way::Local, rank, size, launcher: launcher.map(|process| process as u32) })
}

/// The words that start this command line, unless they are the path of the process's program.
static STARTED_BY: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words that start this command line. Only the first call of a process has an effect.
pub(crate) fn set_words(words: Vec<OsString>) {
    let _ = STARTED_BY.set(words);
}

/// Returns the words that start this command line.
///
/// # Errors
///
/// The system does not report the path of the process's program.
pub(crate) fn words() -> io::Result<Vec<OsString>> {
    STARTED_BY.get().map_or_else(|| Ok(vec![std::env::current_exe()?.into()]), |words| Ok(words.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(variables: &[(&str, &str)]) -> Result<Option<Started>, String> {
        found(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn what_starts_a_process_tells_its_rank() {
        assert_eq!(by(&[]), Ok(None));
        assert_eq!(by(&[("PMIX_RANK", "1")]), Ok(None));
        let started = |way, rank, size, launcher| Ok(Some(Started { way, rank, size, launcher }));
        let open = [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3"), ("PMIX_RANK", "2")];
        assert_eq!(by(&open), started(Way::Mpi, 2, 3, None));
        assert_eq!(by(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), started(Way::Mpi, 0, 1, None));
        assert_eq!(by(&[("PMIX_RANK", "1"), ("SLURM_NTASKS", "4")]), started(Way::Mpi, 1, 4, None));
        let launched = [&open[..], &[(RANK, "0"), (SIZE, "2"), (FOLDER, "/f")]].concat();
        assert_eq!(by(&launched), started(Way::Local, 0, 2, None));
        assert_eq!(by(&[&launched[..], &[(LAUNCHER, "7")]].concat()), started(Way::Local, 0, 2, Some(7)));
    }

    #[test]
    fn variables_without_sense_are_named() {
        let sound = [(RANK, "1"), (SIZE, "2"), (FOLDER, "/f"), (LAUNCHER, "7")];
        for (name, value) in [
            (RANK, "x"),
            (RANK, "2"),
            (RANK, "-1"),
            (SIZE, "0"),
            (SIZE, "257"),
            (SIZE, "18446744073709551615"),
            (SIZE, "18446744073709551616"),
            (FOLDER, ""),
            (LAUNCHER, "0"),
            (LAUNCHER, "4294967296"),
        ] {
            let changed = sound.map(|(known, sound)| (known, if known == name { value } else { sound }));
            assert!(by(&changed).is_err_and(|error| error.starts_with(name)), "{name}={value}");
        }
        for missing in [RANK, SIZE, FOLDER] {
            let left: Vec<_> = sound.into_iter().filter(|(name, _)| *name != missing).collect();
            assert!(by(&left).is_err_and(|error| error.starts_with(missing)), "{missing}");
        }
    }
}
