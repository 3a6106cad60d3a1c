//! The group that this process is a rank of, where `gts launch` has started it.
//!
//! Every rank runs the command. Rank 0 alone writes files, tells of progress, and prints what came out. What ranks say on
//! standard error begins with their number.

use crate::error::Failure;
use crate::interrupt;
use gts_runtime::group::{Call, Group, Place};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The number of the rank.
pub(crate) const RANK: &str = "GTS_GROUP_RANK";
/// The number of ranks.
pub(crate) const SIZE: &str = "GTS_GROUP_SIZE";
/// The folder in which they find one another.
pub(crate) const FOLDER: &str = "GTS_GROUP_FOLDER";
/// The process that has started them.
pub(crate) const LAUNCHER: &str = "GTS_GROUP_LAUNCHER";

/// The ranks of a command; one where nothing else was asked for.
pub(crate) struct Ranks(Option<Arc<dyn Group>>);

/// Returns the number of this rank, where it is one of a group.
pub(crate) fn rank() -> Option<usize> {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    *FOUND.get_or_init(|| number(RANK))
}

/// Returns how many ranks share this machine's memory.
pub(crate) fn sharers() -> u64 {
    rank().and_then(|_| number(SIZE)).map_or(1, |size| size.max(1) as u64)
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// Returns lines for standard error, each behind the number of the rank that says them.
pub(crate) fn by_rank(lines: &str) -> Cow<'_, str> {
    match rank() {
        None => Cow::Borrowed(lines),
        Some(rank) => Cow::Owned(lines.split_inclusive('\n').map(|line| format!("[{rank}] {line}")).collect()),
    }
}

/// Returns whether another rank tells the user of this error.
pub(crate) fn is_told_elsewhere(error: &gts_runtime::Error) -> bool {
    let Some(own) = rank() else { return false };
    match error {
        gts_runtime::Error::Aborted { rank, .. } => *rank != own,
        // The first that is left.
        gts_runtime::Error::LostRank { rank, .. } => own != usize::from(*rank == 0),
        _ => false,
    }
}

impl Ranks {
    /// Joins the group that the environment names.
    ///
    /// # Errors
    ///
    /// The group cannot be joined, or runs another command.
    pub(crate) fn join() -> Result<Self, Failure> {
        let group = found()?;
        if let Some(group) = &group {
            let words: Vec<_> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
            group.barrier(&Call::new(&Place::new(format_args!("gts {}", words.join(" ")), &words)))?;
        }
        Ok(Self(group))
    }

    /// Returns the group, where there is one.
    pub(crate) fn group(&self) -> Option<&Arc<dyn Group>> {
        self.0.as_ref()
    }

    /// Returns whether this rank writes and prints for all.
    pub(crate) fn is_first(&self) -> bool {
        self.0.as_ref().is_none_or(|group| group.rank() == 0)
    }

    /// Loads what each rank loads for itself. Rank 0 goes first where it `makes` what the others can use.
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
                format!("{size} ranks for a graph of {pages} pages: each shares out whole pages"),
                "start fewer, or build the graph with a smaller --page-size",
            )),
            _ => Ok(()),
        }
    }

    /// Ends the work of this rank: waits for the others, or tells them why it cannot go on.
    pub(crate) fn end<T>(self, done: Result<T, Failure>) -> Result<T, Failure> {
        let Some(group) = self.0 else { return done };
        let done = done.and_then(|done| {
            group.barrier(&Call::new(&Place::new("the end", ())))?;
            Ok(done)
        });
        if let Err(failure) = &done {
            group.abort(&failure.to_string());
        }
        group.leave();
        done
    }
}

#[cfg(unix)]
fn found() -> Result<Option<Arc<dyn Group>>, Failure> {
    use gts_runtime::group::local::{LocalGroup, Membership};
    let Some(rank) = rank() else { return Ok(None) };
    let (Some(size), Some(folder)) = (number(SIZE), std::env::var_os(FOLDER)) else {
        return Err(Failure::usage(
            format!("{RANK} is set, but not {SIZE} and {FOLDER}"),
            "start ranks by `gts launch`",
        ));
    };
    if rank >= size {
        return Err(Failure::usage(format!("rank {rank} of {size}"), "start ranks by `gts launch`"));
    }
    let launcher = number(LAUNCHER).and_then(|process| u32::try_from(process).ok());
    let group = LocalGroup::join(&Membership { folder: folder.into(), rank, size, launcher })?;
    group.when_ended(|error| end_soon(error.clone()));
    Ok(Some(Arc::new(group)))
}

#[cfg(not(unix))]
fn found() -> Result<Option<Arc<dyn Group>>, Failure> {
    Ok(None)
}

/// Ends the process a second after its group has ended. A rank that is loading a graph does not notice the end by itself.
#[cfg(unix)]
fn end_soon(error: gts_runtime::Error) {
    /// Time in which a command ends in good order.
    const ORDER: std::time::Duration = std::time::Duration::from_secs(1);
    let end = move || {
        std::thread::sleep(ORDER);
        interrupt::end_with(Failure::Run(error));
    };
    // Without the thread, whoever has started the ranks ends this one.
    let _ = gts_runtime::core::threads::start("gts-end", end);
}
