//! The options of an engine that do not depend on the kind of its device.

use super::{Engine, EngineBuilder, MAX_WARP_CHUNK};
use crate::choice::DeviceChoice;
use crate::shared::ProgressCallback;
use gts_contract::Technique;
use gts_core::advice::Advice;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::trace::Trace;
use gts_device::{Device, Propagation, StepsBy};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

impl EngineBuilder {
    /// Sets the device; [`DeviceChoice::Auto`] by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let choice: DeviceChoice = "cpu".parse()?;
    /// let engine = Engine::builder().device(choice).build()?;
    /// assert!(engine.device_name().starts_with("cpu"));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets a custom device or [the device of another engine](Engine::device), instead of a [`DeviceChoice`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// use gts_graph::device::null::NullDevice;
    /// use std::sync::Arc;
    ///
    /// // A device that records all calls and computes nothing.
    /// let device = NullDevice::default();
    /// let engine = Engine::builder().custom_device(Arc::new(device.clone())).build()?;
    /// engine.start::<Degrees>(&Graph::read("chain:10")?)?;
    /// assert_eq!(device.calls(), ["start Degrees"]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn custom_device(mut self, device: Arc<dyn Device>) -> Self {
        self.custom = Some(device);
        self
    }

    /// Sets the number of threads of the CPU device. The default is one thread per core that does not feed a GPU.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// use std::num::NonZeroUsize;
    ///
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).threads(NonZeroUsize::MIN).build()?;
    /// assert_eq!(engine.device_name(), "cpu (1 thread)");
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the mapping of edges to threads. The default is the kernel's technique, or the device's choice if the
    /// kernel does not specify one.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let technique: Technique = "balanced".parse()?;
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).technique(Some(technique)).build()?;
    /// engine.start::<Degrees>(&Graph::read("rmat:16")?)?.scan(count)?;
    /// assert_eq!(engine.take_report().kernels[0].technique, Some(technique));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn technique(mut self, technique: Option<Technique>) -> Self {
        self.technique = technique;
        self
    }

    /// Sets the chunk size of virtual warps, from 1 to [`MAX_WARP_CHUNK`]. A chunk consists of consecutive vertices,
    /// `chunk` per lane, which one virtual warp processes one after another. By default, virtual warps process single
    /// vertices in turn. Chunks require [`Technique::Edge`], set by [`EngineBuilder::technique`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// use std::num::NonZeroU32;
    ///
    /// let builder = Engine::builder().warp_chunk(const { NonZeroU32::new(4).unwrap() });
    /// assert!(builder.check().is_err(), "no technique with virtual warps is set");
    /// assert!(builder.technique(Some(Technique::Edge(VirtualWarp::W8))).check().is_ok());
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn warp_chunk(mut self, chunk: NonZeroU32) -> Self {
        self.warp_chunk = Some(chunk);
        self
    }

    /// Sets whether kernels that have both forms push or pull values along edges. By default, the device chooses.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).propagation(Propagation::Pull).build()?;
    /// engine.start::<Degrees>(&Graph::read("chain:10")?)?.scan(count)?;
    /// assert!(engine.take_report().kernels[0].pulled);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = propagation;
        self
    }

    /// Sets whether the host or the device starts the steps of traversals. By default, the device chooses.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// # #[gts_kernel(traverse)]
    /// # fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    /// #     if hops.level[dst] == UNREACHED { hops.level[dst] = step() + 1; activate(dst); }
    /// # }
    /// let engine = Engine::builder().device(DeviceChoice::Cuda(0)).steps_by(StepsBy::Device).build()?;
    /// let mut run = engine.start::<Hops>(&Graph::read("chain:10")?)?;
    /// run.activate(run.graph().vertex(0)?)?;
    /// run.traverse(expand)?;
    /// assert_eq!(engine.take_report().kernels[0].steps_on_device, 10);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn steps_by(mut self, steps_by: StepsBy) -> Self {
        self.steps_by = steps_by;
        self
    }

    /// Sets the maximum number of steps of a traversal; `u32::MAX` by default. A traversal that has active vertices
    /// left after these steps returns [`Error::StepLimit`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// # #[gts_kernel(traverse)]
    /// # fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    /// #     if hops.level[dst] == UNREACHED { hops.level[dst] = step() + 1; activate(dst); }
    /// # }
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).max_steps(3).build()?;
    /// let graph = Graph::read("chain:10")?;
    /// let mut run = engine.start::<Hops>(&graph)?;
    /// run.activate(graph.vertex(0)?)?;
    /// assert!(matches!(run.traverse(expand), Err(Error::StepLimit { steps: 3, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// Sets checked mode; off by default. In checked mode, a pass returns [`Error::Fault`] if a body stores or merges a
    /// NaN, or if a sum of terms of both signs leaves the range of its integer type on the way. All other checks are
    /// always on. On a GPU, checked mode compiles separate programs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Roots { #[wa(init = -1.0, merge = any)] root: f32 }
    /// # #[gts_kernel(vertex)] fn root(roots: &mut Roots, v: Vertex) { roots.root[v] = roots.root[v].sqrt(); }
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).checked(true).build()?;
    /// let mut run = engine.start::<Roots>(&Graph::read("chain:10")?)?;
    /// // The kernel stores the square root of -1, which is a NaN.
    /// assert!(matches!(run.apply(root), Err(Error::Fault { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn checked(mut self, checked: bool) -> Self {
        self.checked = checked;
        self
    }

    /// Sets the seed of random numbers in kernels; 0 by default. Equal seeds yield equal numbers on all devices.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).seed(7).build()?;
    /// assert_eq!(engine.start::<Hops>(&Graph::read("chain:10")?)?.seed(), 7);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the time limit of a run, measured from its start. By default, there is no limit. Passes after the limit
    /// return [`Error::TimeLimit`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// use std::time::Duration;
    ///
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).time_limit(Duration::ZERO).build()?;
    /// let mut run = engine.start::<Degrees>(&Graph::read("chain:10")?)?;
    /// assert!(matches!(run.scan(count), Err(Error::TimeLimit { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets a callback that is called once per pass.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// let edges = Arc::new(AtomicU64::new(0));
    /// let sum = Arc::clone(&edges);
    /// let add = Arc::new(move |pass: &gts_graph::RunProgress| drop(sum.fetch_add(pass.edges, Ordering::Relaxed)));
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).progress(add).build()?;
    /// engine.start::<Degrees>(&Graph::read("chain:10")?)?.scan(count)?;
    /// assert_eq!(edges.load(Ordering::Relaxed), 18);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, callback: ProgressCallback) -> Self {
        self.progress = Some(callback);
        self
    }

    /// Sets the trace in which runs record their reads, copies, launches and merges. By default, the trace is off.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// use gts_graph::trace::{Trace, TraceKind};
    ///
    /// let trace = Trace::on();
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).trace(trace.clone()).build()?;
    /// engine.start::<Degrees>(&Graph::read("chain:10")?)?.scan(count)?;
    /// assert!(trace.take().iter().any(|event| event.kind == TraceKind::Launch));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.session.trace = trace;
        self
    }

    /// Checks the options that do not require an open device. [`EngineBuilder::build`] calls this method.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if the options contradict each other.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let builder = Engine::builder().technique(Some(Technique::EdgeList(EdgeLayout::Arrays)));
    /// assert!(builder.check().is_ok());
    /// let pulling = builder.propagation(Propagation::Pull);
    /// assert!(matches!(pulling.check(), Err(Error::Argument { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        check_warp_chunk(self.warp_chunk, self.technique)?;
        check_edge_list(self.technique, self.propagation)
    }

    /// Builds the engine.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoDevice`] if the requested device is not available, [`Error::Argument`] if the options
    /// contradict each other, or [`Error::Threads`] if the threads of the CPU device cannot be started. With
    /// [`DeviceChoice::Auto`], an unavailable GPU is not an error, unless several devices were requested.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use std::num::NonZeroUsize;
    /// assert!(Engine::builder().device(DeviceChoice::Cpu).build().is_ok());
    /// let two = const { NonZeroUsize::new(2).unwrap() };
    /// let contradictory = Engine::builder().device(DeviceChoice::Cpu).devices(two).build();
    /// assert!(matches!(contradictory, Err(Error::Argument { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn build(self) -> Result<Engine> {
        self.check()?;
        gts_core::threads::prepare()?;
        phase::during(Phase::Device, || self.open())
    }
}

/// Fails if a chunk is too large, or if the technique does not use virtual warps.
fn check_warp_chunk(chunk: Option<NonZeroU32>, technique: Option<Technique>) -> Result<()> {
    let Some(chunk) = chunk else { return Ok(()) };
    if chunk.get() > MAX_WARP_CHUNK {
        return Err(Error::argument(
            format_args!("chunk {chunk}"),
            format_args!("expected 1 to {MAX_WARP_CHUNK} times the lanes of a virtual warp"),
        ));
    }
    if matches!(technique, Some(Technique::Edge(_))) {
        return Ok(());
    }
    let technique = technique.map_or("auto", Technique::name);
    Err(Error::argument_with_advice(
        format_args!("chunk {chunk}"),
        format_args!("technique `{technique}` has no virtual warps to take chunks of vertices"),
        Advice::new("give --technique edge32 too, or leave --chunk out", "choose a `Technique::Edge` too"),
    ))
}

/// Fails if a run would pull along edge lists, because pulling needs the receivers' adjacency lists, which edge lists
/// replace.
fn check_edge_list(technique: Option<Technique>, propagation: Propagation) -> Result<()> {
    match technique.filter(|technique| technique.edge_list().is_some()) {
        Some(technique) if propagation.pulls() => Err(Error::argument_with_advice(
            format_args!("propagation `{}` by `{technique}`", propagation.name()),
            "a thread that takes an edge writes to its target",
            Advice::new(
                "leave --propagation out, or give another --technique",
                "leave `propagation` out, or choose another `Technique`",
            ),
        )),
        _ => Ok(()),
    }
}
