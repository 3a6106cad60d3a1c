//! Transport of values between ranks: from GPU to GPU if every rank has NCCL, otherwise through host memory.
//!
//! All ranks reach the same decision: every rank publishes its capabilities, and applies the same rule to the
//! capabilities of all ranks.

use super::merge;
use crate::{Call, Group, Place};
use gts_contract::Transport;
use gts_core::advice::Advice;
use gts_core::phase::{self, Phase};
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::kernel::StopFlag;
use gts_device::links::{ID_BYTES, LEAST_STAGED, Link, LinkOffer, Rendezvous};
use gts_device::ranks::{BetweenRanks, Exchanged};
use gts_device::replicated::{Merged, View, lent, put_words, words};
use gts_device::{Device, Session};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

/// The method for making the ranks' attributes equal after a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Collectives {
    /// NCCL if there are several ranks and all of them have NCCL, otherwise host memory.
    #[default]
    Auto,
    /// NCCL. The run fails if a rank lacks NCCL.
    Nccl,
    /// Host memory.
    Host,
}

impl Collectives {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Nccl, Self::Host];

    /// Returns the name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Nccl => "nccl",
            Self::Host => "host",
        }
    }

    /// Returns the expected transport of values between ranks, and the reason if the transport is not NCCL. `on_gpus`
    /// specifies whether the ranks run on GPUs. `missing` is the reason why this machine has no NCCL, if the ranks run
    /// here. Ranks on other machines are assumed to have NCCL.
    ///
    /// # Errors
    ///
    /// NCCL is required, but the ranks lack it.
    pub fn planned(self, on_gpus: bool, missing: Option<&str>) -> Result<(Transport, Option<String>)> {
        let way = match self.without_offers(on_gpus) {
            Some(way) => way?,
            None => match missing {
                Some(why) => self.lacking(why)?,
                None => return Ok((Transport::Nccl, None)),
            },
        };
        match way {
            BetweenRanks::Nccl(_) => Ok((Transport::Nccl, None)),
            BetweenRanks::HostMemory(why) => Ok((Transport::HostMemory, why)),
        }
    }

    /// Returns the transport or an error if the choice does not depend on the ranks' capabilities; otherwise `None`.
    fn without_offers(self, on_gpus: bool) -> Option<Result<BetweenRanks>> {
        match (on_gpus, self) {
            (true, Self::Host) => Some(Ok(BetweenRanks::HostMemory(Some("as was asked".to_owned())))),
            (true, _) => None,
            (false, Self::Nccl) => Some(self.lacking("the ranks do not run on GPUs")),
            (false, _) => Some(Ok(BetweenRanks::HostMemory(None))),
        }
    }

    /// Returns the transport for ranks that cannot use NCCL. `why` is the reason.
    ///
    /// # Errors
    ///
    /// NCCL is required.
    fn lacking(self, why: &str) -> Result<BetweenRanks> {
        match self {
            Self::Nccl => Err(Error::argument_with_advice(
                "collectives `nccl`",
                why,
                Advice::new(
                    "look at `gts devices`, set GTS_NCCL_DIR, or give --collectives auto",
                    "set GTS_NCCL_DIR, or choose `Collectives::Auto`",
                ),
            )),
            _ => Ok(BetweenRanks::HostMemory(Some(why.to_owned()))),
        }
    }
}

impl fmt::Display for Collectives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Collectives {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|choice| choice.name() == text);
        found.ok_or_else(|| Error::argument(format_args!("collectives `{text}`"), "expected auto, nccl or host"))
    }
}

/// The transport that all ranks have chosen.
#[derive(Clone)]
pub(super) struct AgreedTransport {
    link: Option<Arc<dyn Link>>,
    told: BetweenRanks,
}

/// The progress of choosing a transport.
pub(super) enum TransportChoice {
    /// The choice is complete. The result is a transport or an error.
    Settled(Result<AgreedTransport>),
    /// The ranks are connecting through NCCL. This takes about a second, and graphs are read in the meantime.
    Joining(Collectives, Receiver<Result<Box<dyn Link>>>),
}

/// The size in bytes of an encoded offer, without the marker byte.
const OFFER: usize = 24;

/// Encodes an offer for other ranks, or the reason why this rank makes no offer.
fn encoded(offer: &Result<LinkOffer, String>) -> Vec<u8> {
    match offer {
        Ok(LinkOffer { device, staged }) => [&[1], &device[..], &staged.to_le_bytes()].concat(),
        Err(why) => [&[0], why.as_bytes()].concat(),
    }
}

/// Decodes the offer of a rank, or the reason why the rank makes no offer.
fn decoded(told: &[u8]) -> Result<LinkOffer, String> {
    match told {
        [1, offer @ ..] if offer.len() == OFFER => Ok(LinkOffer {
            device: bytemuck::pod_read_unaligned(&offer[..16]),
            staged: u64::from_le_bytes(bytemuck::pod_read_unaligned(&offer[16..])),
        }),
        [0, why @ ..] => Err(String::from_utf8_lossy(why).into_owned()),
        _ => Err("it says nothing of what it has".to_owned()),
    }
}

/// Determines from the offers of all ranks whether to use NCCL. Returns the number of bytes that every rank can provide
/// for received data, or the reason not to use NCCL.
fn judge(offers: &[Result<LinkOffer, String>]) -> Result<u64, String> {
    let mut found: Vec<&LinkOffer> = Vec::with_capacity(offers.len());
    for (rank, offer) in offers.iter().enumerate() {
        let offer = offer.as_ref().map_err(|why| format!("rank {rank}: {why}"))?;
        if let Some(other) = found.iter().position(|other| other.device == offer.device) {
            return Err(format!("ranks {other} and {rank} share a GPU"));
        }
        found.push(offer);
    }
    let staged = found.iter().map(|offer| offer.staged).min().unwrap_or(0);
    match found.iter().position(|offer| offer.staged < LEAST_STAGED) {
        Some(rank) => Err(format!("rank {rank} has too little device memory for what others send")),
        None => Ok(staged),
    }
}

/// Returns the place of the exchanges by which ranks choose the transport.
fn place_of(choice: Collectives) -> Place {
    Place::new("the choice of how values go between GPUs", choice)
}

impl TransportChoice {
    /// Starts choosing a transport between the ranks' devices. All ranks must call this function.
    ///
    /// # Errors
    ///
    /// A rank is lost or at a different point, or NCCL is required but a rank lacks NCCL.
    pub(super) fn begin(group: &dyn Group, own: &dyn Device, choice: Collectives) -> Result<Self> {
        let told = |told| Self::Settled(Ok(AgreedTransport { link: None, told }));
        let refused = |why: &str| choice.lacking(why).map(told);
        let gpu = own.linkable();
        if let Some(way) = choice.without_offers(gpu.is_some()) {
            return way.map(told);
        }
        let Some(gpu) = gpu.filter(|_| choice != Collectives::Auto || group.size() > 1) else {
            return Ok(told(BetweenRanks::HostMemory(None)));
        };
        let place = place_of(choice);
        let call = Call::new(&place);
        let offer = gpu.offer().map_err(|error| error.to_string());
        let offers = group.all_gather(&call, &encoded(&offer))?;
        let offers: Vec<_> = offers.iter().map(|told| decoded(told)).collect();
        let staged = match judge(&offers) {
            Ok(staged) => staged,
            Err(why) => return refused(&why),
        };
        let mut told = [0; 1 + ID_BYTES];
        if group.rank() == 0
            && let Ok(id) = gpu.new_id()
        {
            told[0] = 1;
            told[1..].copy_from_slice(&id);
        }
        group.broadcast(&call, &mut told)?;
        let [1, id @ ..] = told else { return refused("rank 0 could open no port for the others") };
        let flag = Arc::<StopFlag>::default();
        group.tie(&flag);
        let stopped = move || match flag.stopped() {
            true => Err(flag.reason().cloned().unwrap_or(Error::Interrupted)),
            false => Ok(()),
        };
        let meeting = Rendezvous { id, rank: group.rank(), size: group.size(), staged };
        let (joined, joining) = mpsc::channel();
        threads::start("gts-nccl", move || {
            // Sending fails if the device has been dropped. The link is not needed in this case.
            let _ = joined.send(gpu.join(&meeting, &stopped));
        })?;
        Ok(Self::Joining(choice, joining))
    }

    /// Waits until the ranks are connected, and returns the transport between them. All ranks must call this method.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`TransportChoice::begin`].
    pub(super) fn settle(&mut self, group: &dyn Group) -> Result<AgreedTransport> {
        if let Self::Joining(choice, joining) = self {
            let link = phase::during(Phase::Device, || joining.recv()).unwrap_or(Err(Error::Interrupted));
            *self = Self::Settled(AgreedTransport::of(group, *choice, link));
        }
        match self {
            Self::Settled(way) => way.clone(),
            Self::Joining(..) => Err(Error::Interrupted),
        }
    }

    /// Returns the transport between the ranks if the choice is complete and successful.
    pub(super) fn settled(&self) -> Option<&AgreedTransport> {
        match self {
            Self::Settled(way) => way.as_ref().ok(),
            Self::Joining(..) => None,
        }
    }
}

impl AgreedTransport {
    /// Chooses NCCL if all ranks have connected. `link` is the result on this rank.
    fn of(group: &dyn Group, choice: Collectives, link: Result<Box<dyn Link>>) -> Result<Self> {
        let place = place_of(choice);
        let failure = link.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let failures = group.all_gather(&Call::new(&place), failure.as_bytes())?;
        if let Some((rank, why)) = failures.iter().enumerate().find(|(_, why)| !why.is_empty()) {
            let why = format!("rank {rank}: {}", String::from_utf8_lossy(why));
            return choice.lacking(&why).map(|told| Self { link: None, told });
        }
        let link: Arc<dyn Link> = Arc::from(link?);
        Ok(Self { told: BetweenRanks::Nccl(link.version()), link: Some(link) })
    }

    /// Returns the transport for display.
    pub(super) fn told(&self) -> &BetweenRanks {
        &self.told
    }

    /// Returns the amount of data exchanged from GPU to GPU.
    pub(super) fn exchanged(&self) -> Exchanged {
        self.link.as_ref().map(|link| link.exchanged()).unwrap_or_default()
    }

    /// Returns the link for merging values of activated vertices, or `None` if host memory must be used.
    fn link_to_unite(&self, attributes: &[Merged]) -> Option<&dyn Link> {
        self.link.as_deref().filter(|link| link.has_room(attributes))
    }

    /// Returns the transport for merging values of activated vertices.
    pub(super) fn transport(&self, attributes: &[Merged]) -> Transport {
        match self.link_to_unite(attributes) {
            Some(_) => Transport::Nccl,
            None => Transport::HostMemory,
        }
    }

    /// Merges the replicas of an attribute. `before` contains the values before the pass, which
    /// [`gts_contract::Merge::Any`] requires.
    pub(super) fn reduce(
        &self,
        own: &mut dyn Session,
        (group, call): (&dyn Group, &Call<'_>),
        merged: &Merged,
        before: Option<&[u8]>,
    ) -> Result<()> {
        let attributes = [merged.attribute];
        match &self.link {
            Some(link) => link.reduce(&mut own.lend(&attributes)?, merged, before, call.stopped)?,
            None => with_values(own, merged.attribute, merged.bytes(), |values| {
                group.all_reduce(call, merged, values, before)
            })?,
        }
        own.spread(&attributes, false)
    }

    /// Copies the values of each rank's own vertices to all ranks. `vertices` contains the vertices that each rank
    /// owns, in ascending order.
    pub(super) fn gather(
        &self,
        own: &mut dyn Session,
        (group, call): (&dyn Group, &Call<'_>),
        merged: &Merged,
        vertices: &[Vec<Range<u64>>],
    ) -> Result<()> {
        let attributes = [merged.attribute];
        match &self.link {
            Some(link) => link.gather(&mut own.lend(&attributes)?, merged, vertices, call.stopped)?,
            None => with_values(own, merged.attribute, merged.bytes(), |values| {
                merge::gather(group, call, merged, vertices, values)
            })?,
        }
        own.spread(&attributes, false)
    }

    /// Copies the first `bytes` bytes of an attribute from rank 0 to all other ranks.
    pub(super) fn broadcast(
        &self,
        own: &mut dyn Session,
        (group, call): (&dyn Group, &Call<'_>),
        attribute: usize,
        bytes: usize,
    ) -> Result<()> {
        match &self.link {
            Some(link) => link.broadcast(&mut own.lend(&[attribute])?, bytes, call.stopped)?,
            None => with_values(own, attribute, bytes, |values| group.broadcast(call, values))?,
        }
        own.spread(&[attribute], false)
    }

    /// Unites the sets of vertices that the ranks have activated, and merges attributes at these vertices.
    pub(super) fn unite(
        &self,
        own: &mut dyn Session,
        (group, call): (&dyn Group, &Call<'_>),
        vertices: u64,
        attributes: &[Merged],
    ) -> Result<()> {
        let numbers: Vec<usize> = attributes.iter().map(|merged| merged.attribute).collect();
        let mut replica = own.lend(&numbers)?;
        if let Some(link) = self.link_to_unite(attributes) {
            link.unite(&mut replica, vertices, attributes, call.stopped)?;
            return own.spread(&numbers, true);
        }
        let mut set = words(&mut replica.activated, vertices)?;
        let views = replica.values.iter_mut().zip(attributes).map(|(memory, merged)| View::new(memory, merged.bytes()));
        let mut views: Vec<View<'_, '_>> = views.collect::<Result<_>>()?;
        let mut values: Vec<&mut [u8]> = views.iter_mut().map(View::as_mut_slice).collect();
        merge::unite(group, call, vertices, attributes, &mut set, &mut values)?;
        views.into_iter().try_for_each(View::put_back)?;
        put_words(&mut replica.activated, vertices, &set)?;
        own.spread(&numbers, true)
    }
}

/// Runs `action` on this rank's values of an attribute in host memory, and writes changes back.
fn with_values(
    own: &mut dyn Session,
    attribute: usize,
    bytes: usize,
    action: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let mut replica = own.lend(&[attribute])?;
    let mut view = View::new(lent(&mut replica, 0)?, bytes)?;
    action(view.as_mut_slice())?;
    view.put_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;
    use gts_cpu::CpuDevice;

    fn offer(gpu: u8, staged: u64) -> Result<LinkOffer, String> {
        Ok(LinkOffer { device: [gpu; 16], staged })
    }

    #[test]
    fn offers_come_back_as_they_were_told() {
        for offer in [offer(3, 1 << 40), Err("no library".to_owned()), Err(String::new())] {
            assert_eq!(decoded(&encoded(&offer)), offer);
        }
        assert!(decoded(&[]).is_err() && decoded(&[1, 2, 3]).is_err());
    }

    #[test]
    fn values_go_by_nccl_where_every_rank_has_it_and_a_gpu_of_its_own() {
        let enough = LEAST_STAGED;
        assert_eq!(judge(&[offer(1, 3 * enough), offer(2, 2 * enough)]), Ok(2 * enough));
        let lacking = judge(&[offer(1, enough), Err("no library".to_owned())]);
        assert_eq!(lacking, Err("rank 1: no library".to_owned()));
        let shared = judge(&[offer(1, enough), offer(2, enough), offer(1, enough)]);
        assert_eq!(shared, Err("ranks 0 and 2 share a GPU".to_owned()));
        assert!(judge(&[offer(1, enough), offer(2, enough - 1)]).is_err_and(|why| why.starts_with("rank 1 has too")));
    }

    #[test]
    fn ranks_on_cpus_meet_in_host_memory_and_refuse_nccl() {
        let decided = |choice| {
            threads::ranks(2, |group| {
                let cpu = CpuDevice::new(std::num::NonZeroUsize::new(1))?;
                Ok(TransportChoice::begin(&group, &cpu, choice)?.settle(&group)?.told().clone())
            })
        };
        for choice in [Collectives::Auto, Collectives::Host] {
            assert_eq!(decided(choice).expect("host memory"), [const { BetweenRanks::HostMemory(None) }; 2]);
        }
        let error = decided(Collectives::Nccl).expect_err("no GPUs");
        assert!(matches!(error, Error::Argument { next: Some(_), .. }), "{error}");
    }

    #[test]
    fn a_plan_decides_as_ranks_do_before_they_tell_what_they_have() {
        let planned = |choice: Collectives, on_gpus| choice.planned(on_gpus, None).ok();
        assert_eq!(planned(Collectives::Auto, true), Some((Transport::Nccl, None)));
        assert_eq!(planned(Collectives::Nccl, true), Some((Transport::Nccl, None)));
        assert_eq!(planned(Collectives::Host, true), Some((Transport::HostMemory, Some("as was asked".to_owned()))));
        for choice in [Collectives::Auto, Collectives::Host] {
            assert_eq!(planned(choice, false), Some((Transport::HostMemory, None)));
        }
        assert_eq!(planned(Collectives::Nccl, false), None);
        let lacking = Some("no library");
        let here = (Transport::HostMemory, Some("no library".to_owned()));
        assert_eq!(Collectives::Auto.planned(true, lacking).ok(), Some(here));
        assert!(Collectives::Nccl.planned(true, lacking).is_err());
    }

    #[test]
    fn choices_have_names() {
        for choice in Collectives::ALL {
            assert_eq!(choice.name().parse::<Collectives>().expect("a name"), choice);
        }
        assert!("nvlink".parse::<Collectives>().is_err());
        let way = BetweenRanks::HostMemory(Some("ranks 0 and 1 share a GPU".to_owned()));
        assert_eq!(way.to_string(), "host memory (ranks 0 and 1 share a GPU)");
        assert_eq!(BetweenRanks::Nccl("2.28.9".to_owned()).to_string(), "nccl 2.28.9");
    }
}
