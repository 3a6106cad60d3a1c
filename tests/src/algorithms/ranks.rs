//! Groups of ranks on which cells run.

use gts_core::threads;
use gts_graph::Error;
use gts_graph::device::Device;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::device::distributed::DistributedDevice;
use gts_graph::group::local::{LocalGroup, Membership, Word};
use gts_graph::group::{self, Group};
use gts_graph::prelude::*;
use std::fs::Permissions;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

/// Devices of a group's ranks, and how the ranks exchange messages. All ranks are threads of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// Each rank has one CPU thread. Messages pass through memory.
    Memory,
    /// Each rank has one CPU thread. Messages pass through sockets, as between processes.
    Sockets,
    /// All ranks use the first GPU as if each had its own. Messages pass through memory.
    OneGpu,
}

impl Ranks {
    /// All kinds of groups.
    pub(super) const ALL: [Self; 3] = [Self::Memory, Self::Sockets, Self::OneGpu];

    /// Returns the prefix of a device name that selects such groups. The numbers of ranks follow it.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Memory => "ranks:",
            Self::Sockets => "local-ranks:",
            Self::OneGpu => "cuda-ranks:",
        }
    }

    /// Returns the name of this kind of group in reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Memory => "cpu",
            Self::Sockets => "local",
            Self::OneGpu => "gpu",
        }
    }

    /// Creates the device of a rank.
    pub(super) fn device(self) -> Result<Arc<dyn Device>> {
        Ok(match self {
            Self::OneGpu => Arc::new(CudaDevice::new(0)?),
            Self::Memory | Self::Sockets => Arc::new(CpuDevice::new(Some(NonZeroUsize::MIN))?),
        })
    }

    /// Runs an action on a group with one rank and one engine per device. Returns the results by rank.
    pub(super) fn run<T: Send>(
        self,
        devices: &[Arc<dyn Device>],
        action: impl Fn(&Engine) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        match self {
            Self::Memory | Self::OneGpu => group::on_devices(devices, action),
            Self::Sockets => over_sockets(devices, action),
        }
    }
}

fn over_sockets<T: Send>(devices: &[Arc<dyn Device>], action: impl Fn(&Engine) -> Result<T> + Sync) -> Result<Vec<T>> {
    let private = Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().permissions(private).tempdir();
    let folder = folder.map_err(|error| Error::argument("a folder for sockets", error))?;
    let word = Word::random().map_err(|error| Error::argument("a word of a group", error))?;
    let done = threads::together(devices, |rank, own| {
        let membership = Membership {
            folder: folder.path().to_owned(),
            word: word.clone(),
            rank,
            size: devices.len(),
            launcher: None,
            stall_limit: None,
        };
        let group = Arc::new(LocalGroup::join(&membership)?);
        let work = || {
            let device = DistributedDevice::new(Arc::clone(own), Arc::clone(&group) as Arc<dyn Group>)?;
            action(&Engine::builder().custom_device(Arc::new(device)).build()?)
        };
        let done = work().inspect_err(|error| group.abort(&error.to_string()));
        group.leave();
        done
    })?;
    done.into_iter().collect()
}
