//! Predicts the time and memory use of runs before the runs start. All functions are pure functions of plain data.
//!
//! | input | type | source |
//! |---|---|---|
//! | the graph | [`GraphShape`](crate::graph::GraphShape) | a graph, or a generator (by [`GraphReader::estimate`]) |
//! | the algorithm | [`AlgorithmShape`] | the descriptors of its kernels |
//! | the machine | [`HostConstants`], [`ProcessorConstants`] | measurements or defaults |
//! | the setup | [`RunConfiguration`] | the options of a run |
//!
//! [`predict`] returns a [`Prediction`], or the [`Shortfall`] that makes the run impossible. [`paper`] contains
//! equations 1 and 2 of the GTS paper as published. [`neighbors`] ranks the techniques by which threads visit
//! neighbours. [`hybrid`] predicts a run shared by a CPU and GPUs, with TOTEM's equations and with this project's
//! model. [`nodes`] predicts the messages of several nodes that share a run, and the largest worthwhile number of
//! nodes.
//!
//! [`GraphReader::estimate`]: crate::read::GraphReader::estimate

mod accesses;
mod algorithm;
mod edge_list;
mod estimate;
pub mod holding;
mod host;
pub mod hybrid;
mod levels;
pub mod loops;
mod machine;
mod memory;
mod merging;
pub mod neighbors;
pub mod nodes;
pub mod paper;
mod predict;
mod pulling;
mod requirements;
#[cfg(test)]
mod tests;

pub use accesses::{AccessConstants, AccessTime};
pub use algorithm::{AlgorithmShape, EdgeValues, KernelShape, PatternShape, Start, Steps, TargetWork, kernel_name};
pub use edge_list::edge_list_bytes;
pub(crate) use estimate::estimate;
pub use host::scans_pull_on_cpu;
pub use levels::{StepActivity, levels};
pub use machine::{
    BesideReads, CopyRate, HostConstants, KernelRate, LinkConstants, MachineConstants, ProcessorConstants,
    ProcessorKind, RandomReads, VERSION,
};
pub use memory::{CachePolicy, MemoryPlan, Need, RunConfiguration, Shortfall, Strategy, Transfer, memory_plan};
pub use predict::{Prediction, StepBound, StepBytes, StepPrediction, StepSeconds, predict};
pub use pulling::Ways;
