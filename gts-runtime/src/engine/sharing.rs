//! Options of GPUs, and of several processors that share the work.

use super::EngineBuilder;
use gts_core::cost::Strategy;
use gts_core::cost::hybrid::Model;
use gts_device::hybrid::Hybrid;
use gts_device::{CacheChoice, TransferChoice};
use gts_group::{Collectives, Group};
use std::num::NonZeroUsize;
use std::sync::Arc;

impl EngineBuilder {
    /// Sets the group of processes that share each run. This process is a rank of the group, and all ranks must have
    /// the same options. Each rank uses [`devices`](Self::devices) GPUs of its machine, starting with the chosen one,
    /// or the CPU. With [`DeviceChoice::Auto`](crate::DeviceChoice::Auto), ranks run on CPUs if there are too few GPUs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use gts_graph::group::threads;
    /// # use std::sync::Arc;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// // Two ranks that are threads of this process.
    /// let found = threads::ranks(2, |group| {
    ///     let engine = Engine::builder().device(DeviceChoice::Cpu).group(Arc::new(group)).build()?;
    ///     let mut run = engine.start::<Degrees>(&graph)?;
    ///     run.scan(count)?;
    ///     run.take(Degrees::INTO)
    /// })?;
    /// assert_eq!(found, [[0, 1, 1], [0, 1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn group(mut self, group: Arc<dyn Group>) -> Self {
        self.group = Some(group);
        self
    }

    /// Sets how the ranks of a group merge their attributes after a pass; [`Collectives::Auto`] by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use gts_graph::group::threads;
    /// # use std::sync::Arc;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let found = threads::ranks(2, |group| {
    ///     let builder = Engine::builder().device(DeviceChoice::Cpu).group(Arc::new(group));
    ///     let engine = builder.collectives(Collectives::Host).build()?;
    ///     let mut run = engine.start::<Degrees>(&graph)?;
    ///     run.scan(count)?;
    ///     run.take(Degrees::INTO)
    /// })?;
    /// assert_eq!(found, [[0, 1, 1], [0, 1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn collectives(mut self, collectives: Collectives) -> Self {
        self.collectives = collectives;
        self
    }

    /// Sets the number of CUDA devices that share the work, starting with the chosen one; 1 by default.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// use std::num::NonZeroUsize;
    ///
    /// let four = const { NonZeroUsize::new(4).unwrap() };
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).devices(four).build()?;
    /// assert_eq!(engine.device_names().len(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn devices(mut self, devices: NonZeroUsize) -> Self {
        self.devices = Some(devices);
        self
    }

    /// Sets how CUDA devices share the work. The strategy also applies to a single device. With Strategy-P, each device
    /// has the updatable attributes of all vertices and a share of the pages. With Strategy-S, each device has a part
    /// of the attributes and processes all pages. The default is Strategy-P if the attributes fit.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// # use std::num::NonZeroUsize;
    /// use gts_graph::core::cost::Strategy;
    ///
    /// // Each of the two devices has the attributes of half of the vertices.
    /// let two = const { NonZeroUsize::new(2).unwrap() };
    /// let engine = Engine::builder().devices(two).strategy(Some(Strategy::Split)).build()?;
    /// assert_eq!(engine.device_names().len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn strategy(mut self, strategy: Option<Strategy>) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets how the CPU and the GPUs of [`DeviceChoice::Hybrid`](crate::DeviceChoice::Hybrid) share the edges of a
    /// graph. By default, the GPUs process all edges.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// // The CPU processes a quarter of the edges.
    /// let hybrid = Hybrid { alpha: Some(0.25), ..Hybrid::default() };
    /// let engine = Engine::builder().device(DeviceChoice::Hybrid(0)).hybrid(hybrid).build()?;
    /// assert_eq!(engine.device_names().len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn hybrid(mut self, hybrid: Hybrid) -> Self {
        self.hybrid = Some(hybrid);
        self
    }

    /// Sets the cost model for hybrid runs of one algorithm on one graph. If [`Hybrid::alpha`] is not set, the model
    /// [chooses](Model::choose) the CPU's share of the edges. Runs that scan all edges several times
    /// [adjust](Model::adjust) the share after their first passes, once per graph, and report the adjustment in
    /// [`RunReport::adjustment`](crate::RunReport::adjustment). Groups of processes do not share work with their CPUs.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// use gts_graph::core::cost::hybrid::Model;
    /// use std::sync::Arc;
    ///
    /// /// Creates an engine for runs that the model describes.
    /// fn engine(model: Model) -> Result<Engine> {
    ///     Engine::builder().device(DeviceChoice::Hybrid(0)).sharing_model(Arc::new(model)).build()
    /// }
    /// ```
    #[must_use]
    pub fn sharing_model(mut self, model: Arc<Model>) -> Self {
        self.sharing_model = Some(model);
        self
    }

    /// Sets the memory limit of each CUDA device in bytes. The default is the free memory minus a margin. Pages that do
    /// not fit are streamed from the host.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).device_memory(1 << 30).build()?;
    /// let run = engine.start::<Degrees>(&Graph::read("rmat:20")?)?;
    /// assert!(engine.memory_taken()[0].peak <= 1 << 30);
    /// # drop(run);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn device_memory(mut self, bytes: u64) -> Self {
        self.cuda.memory = Some(bytes);
        self
    }

    /// Sets the number of CUDA streams that process streamed pages, from 1 to [`crate::device::MAX_STREAMS`]; 2 by
    /// default.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).streams(8).build()?;
    /// println!("runs on {}", engine.device_name());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn streams(mut self, streams: u32) -> Self {
        self.cuda.streams = streams;
        self
    }

    /// Sets which streamed pages the device caches. The default depends on the kind of kernel.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// use gts_graph::device::CacheChoice;
    ///
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).cache(CacheChoice::Off).build()?;
    /// engine.start::<Degrees>(&Graph::read("rmat:20")?)?.scan(count)?;
    /// assert_eq!(engine.take_report().cached_pages(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn cache(mut self, cache: CacheChoice) -> Self {
        self.cuda.cache = cache;
        self
    }

    /// Sets how pages outside the cache are transferred to the device. By default, the choice depends on the share of a
    /// page that a traversal needs.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// use gts_graph::device::TransferChoice;
    ///
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).transfer(TransferChoice::Copy).build()?;
    /// engine.start::<Degrees>(&Graph::read("rmat:20")?)?.scan(count)?;
    /// assert_eq!(engine.take_report().in_place(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn transfer(mut self, transfer: TransferChoice) -> Self {
        self.cuda.transfer = transfer;
        self
    }
}
