//! The group of this process, if `gts launch` or `mpirun` has started it.
//!
//! Every rank runs the command. Only rank 0 writes files, reports progress, and prints the result. Lines of ranks on
//! standard error begin with the rank's number. Ranks of one machine share its memory and its cores.
//!
//! | module | contents |
//! |---|---|
//! | here | [`Ranks`], and values that depend on the rank |
//! | `choice` | the group to join |
//! | `local` | ranks of `gts launch` |
//! | `mpi` | ranks of `mpirun`, with the feature `mpi` |

mod choice;
#[cfg(unix)]
mod local;
#[cfg(feature = "mpi")]
mod mpi;

pub(crate) use crate::started::Way;
#[cfg(unix)]
pub(crate) use crate::started::{FOLDER, LAUNCHER, RANK, SIZE};

use crate::error::Failure;
use crate::started::{Started, started};
use gts_graph::core::threads;
use gts_graph::core::units::counted;
use gts_graph::group::{Call, Group, Place};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The ranks of a command; one by default.
pub(crate) struct Ranks(Option<Arc<dyn Group>>);

static SHARERS: OnceLock<u64> = OnceLock::new();

/// Returns the number of ranks that share this machine's memory.
pub(crate) fn sharers() -> u64 {
    SHARERS.get().copied().unwrap_or(1)
}

/// The joined group.
static JOINED: OnceLock<Arc<dyn Group>> = OnceLock::new();

/// Leaves the group, if this process has joined one. This is the last action of a command, so that rank 0 prints its
/// result whatever happens to other ranks. The launcher receives the exit code of each rank; MPI ends all ranks with
/// it.
pub(crate) fn close(code: u8) {
    #[cfg(feature = "mpi")]
    if code != 0 {
        mpi::end_all(code);
    }
    #[cfg(not(feature = "mpi"))]
    let _ = code;
    if let Some(group) = JOINED.get() {
        group.leave();
    }
}

/// Returns the location of a rank: ranks with the same first text share its memory; with both the same, they share its
/// cores as well.
fn whereabouts() -> [String; 2] {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let machine = read("/proc/sys/kernel/hostname") + &read("/proc/sys/kernel/random/boot_id");
    let status = read("/proc/self/status");
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).unwrap_or_default().to_owned();
    [machine, cores]
}

impl Ranks {
    /// Joins the group for which this process was started.
    ///
    /// # Errors
    ///
    /// The group cannot be joined, or runs another command; it differs from the requested one; the environment is
    /// invalid.
    pub(crate) fn join(asked: Option<Way>, stall_limit: Option<Duration>) -> Result<Self, Failure> {
        let started = started().clone().map_err(|what| {
            Failure::usage(what, "start ranks by `gts launch`; to run one process, unset the variables GTS_GROUP_*")
        })?;
        let group = match choice::way(asked, started)? {
            None => return Ok(Self(None)),
            Some((Way::Local, started)) => local_group(started, stall_limit)?,
            Some((Way::Mpi, started)) => mpi_group(started, stall_limit)?,
        };
        let words: Vec<_> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let place = Place::new(format_args!("gts {}", words.join(" ")), &words);
        let call = Call::new(&place);
        let own = whereabouts();
        let all = group.all_gather(&call, own.join("\n").as_bytes())?;
        let same = |text: &str| all.iter().filter(|told| told.starts_with(text.as_bytes())).count();
        let _ = SHARERS.set(same(&own[0]).max(1) as u64);
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        // The launcher of ranks may give each its own cores.
        let each = NonZeroUsize::new(cores / same(&own.join("\n")).max(1));
        threads::want(each.unwrap_or(NonZeroUsize::MIN));
        Ok(Self(Some(Arc::clone(JOINED.get_or_init(|| group)))))
    }

    /// Returns the group, if there is one.
    pub(crate) fn group(&self) -> Option<&Arc<dyn Group>> {
        self.0.as_ref()
    }

    /// Returns whether this rank writes and prints for all.
    pub(crate) fn is_first(&self) -> bool {
        self.0.as_ref().is_none_or(|group| group.rank() == 0)
    }

    /// Loads data on each rank. If `makes` is set, rank 0 loads first, because the others can use what it has created.
    pub(crate) fn load<T>(&self, makes: bool, load: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let Some(group) = self.0.as_ref().filter(|_| makes) else { return load() };
        let place = Place::new("the import of the graph", ());
        if group.rank() == 0 {
            let loaded = load()?;
            group.barrier(&Call::new(&place))?;
            return Ok(loaded);
        }
        group.barrier(&Call::new(&place))?;
        load()
    }

    /// Refuses a graph with fewer pages than there are ranks, because some rank would have no work.
    pub(crate) fn check_pages(&self, pages: u32) -> Result<(), Failure> {
        match self.0.as_ref().map(|group| group.size()) {
            Some(size) if size > pages as usize => Err(Failure::usage(
                format!("{size} ranks for a graph of {}: each shares out whole pages", counted(pages.into(), "page")),
                "start fewer, or build the graph with a smaller --page-size",
            )),
            _ => Ok(()),
        }
    }

    /// Ends the work of this rank: waits for the others, or sends them the reason why it cannot continue.
    pub(crate) fn end<T>(self, done: Result<T, Failure>) -> Result<T, Failure> {
        let Some(group) = self.0 else { return done };
        let done = done.and_then(|done| {
            group.barrier(&Call::new(&Place::new("the end", ())))?;
            Ok(done)
        });
        if let Err(failure) = &done {
            group.abort(&failure.to_string());
        }
        done
    }
}

#[cfg(unix)]
fn local_group(started: Started, stall_limit: Option<Duration>) -> Result<Arc<dyn Group>, Failure> {
    local::join(started, stall_limit)
}

#[cfg(not(unix))]
fn local_group(_: Started, _: Option<Duration>) -> Result<Arc<dyn Group>, Failure> {
    Err(Failure::usage("--group local: this system has no Unix sockets", "run one process"))
}

#[cfg(feature = "mpi")]
fn mpi_group(_: Started, stall_limit: Option<Duration>) -> Result<Arc<dyn Group>, Failure> {
    mpi::join(stall_limit)
}

#[cfg(not(feature = "mpi"))]
fn mpi_group(_: Started, _: Option<Duration>) -> Result<Arc<dyn Group>, Failure> {
    Err(choice::without_mpi())
}
