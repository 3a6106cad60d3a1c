//! The devices of GTS: the traits that devices implement, the kernels that devices run, and the devices that combine
//! other devices.
//!
//! A [`Device`] starts a [`Session`] for a graph and an attribute struct. The session owns the memory of the attributes
//! and the two sets of active vertices. A session's calls are synchronous, except for submitted passes. This crate is
//! independent of algorithms and of processors' libraries: `gts-cpu` and `gts-cuda` implement the traits for a CPU and
//! for NVIDIA GPUs, and `gts-group` lets several processes share a run.
//!
//! ```
//! use gts_contract::{Schema, SourceLocation};
//! use gts_core::graph::Graph;
//! use gts_device::null::NullDevice;
//! use gts_device::{Device, SessionOptions};
//!
//! // The macro `gts_attributes` writes a schema for each attribute struct.
//! const SCHEMA: Schema = Schema { name: "Empty", parameter: None, attributes: &[], location: HERE };
//! # const HERE: SourceLocation = SourceLocation { file: "example.rs", line: 1, column: 1 };
//!
//! // This device records all calls and computes nothing.
//! let device = NullDevice::default();
//! let mut session = device.start(&Graph::read("chain:3")?, &SCHEMA, &SessionOptions::default())?;
//! session.activate_all()?;
//! assert_eq!(device.calls(), ["start Empty", "activate all"]);
//! # Ok::<(), gts_device::Error>(())
//! ```
//!
//! # Where to go next
//!
//! - [`Device`] and [`Session`] are the traits to implement for another processor; [`null`] is the smallest device.
//! - [`kernel`] is the native side of kernels: views of attributes, and the traits that emitted kernels implement.
//! - [`Error`] lists what a run can report. [`trace`] records what a run does.
//! - [`replicated`], [`fitting`] and [`hybrid`] combine several devices into one.
//! - [`tuning`] and [`constants`] contain the measured constants of the cost models.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on.

pub mod at_once;
mod between;
pub mod constants;
mod device;
pub mod error;
mod fault_place;
pub mod fitting;
pub mod folder;
pub mod hybrid;
pub mod kernel;
pub mod links;
pub mod neighbors;
pub mod null;
pub mod options;
mod outcome;
mod propagation;
pub mod ranks;
pub mod reads;
mod refusals;
mod replica;
pub mod replicated;
mod request;
mod share;
pub mod trace;
mod traversal;
pub mod tuning;
pub mod units;

pub use at_once::at_once;
pub use between::lists_between;
pub use device::{
    AnswerForm, AnswerPiece, AnswerRequest, Device, MemoryTaken, Pass, Readiness, Session, SessionOptions,
    initial_value, value_bytes, vertex_bytes,
};
pub use error::{Error, Result};
pub use fault_place::FaultPlace;
pub use options::{CacheChoice, CudaOptions, MAX_STREAMS, TransferChoice};
pub use outcome::{PassOutcome, StepsRun};
pub use propagation::Propagation;
pub use ranks::{BetweenRanks, RankWork};
pub use refusals::{cannot_pull, no_in_edges, on_disk, too_many_matches, too_many_vertices};
pub use request::{PassLimits, PassRequest};
pub use share::{PageShare, PageShares, Placement, identity, is_same, topologies};
pub use traversal::{StepDone, StepsBy, Traversal};
