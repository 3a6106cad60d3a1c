//! What runs cost, before they run: time and memory, as pure functions of plain data.
//!
//! | what is given | type | comes from |
//! |---|---|---|
//! | the graph | [`GraphShape`] | a graph, or the text of a generator by [`estimate`] |
//! | the algorithm | [`AlgorithmShape`] | the descriptors of its kernels |
//! | the machine | [`HostConstants`], [`ProcessorConstants`] | measurements, or defaults |
//! | the set-up | [`RunConfiguration`] | the options of a run |
//!
//! [`predict`] answers a [`Prediction`], or the [`Shortfall`] for which the run cannot be. [`paper`] has equations 1 and 2
//! of the GTS paper as they stand there. [`neighbours`] ranks the ways in which threads go over neighbours.
//! [`hybrid`] predicts a run that a CPU and GPUs share, by TOTEM's equations and by ours. [`nodes`] says what several nodes
//! that share a run send one another, and when more of them no longer pay.

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
pub mod neighbours;
pub mod nodes;
pub mod paper;
mod predict;
mod pulling;
mod requirements;
mod shape;
#[cfg(test)]
mod tests;

pub use accesses::{AccessConstants, AccessTime};
pub use algorithm::{AlgorithmShape, EdgeValues, KernelShape, PatternShape, Start, Steps, TargetWork, kernel_name};
pub use edge_list::edge_list_bytes;
pub use estimate::estimate;
pub use host::scans_pull_on_cpu;
pub use levels::{Level, levels};
pub use machine::{
    BesideReads, CopyRate, HostConstants, KernelRate, LinkConstants, MachineConstants, ProcessorConstants,
    ProcessorKind, RandomReads, VERSION,
};
pub use memory::{CachePolicy, MemoryPlan, Need, RunConfiguration, Shortfall, Strategy, Transfer, memory_plan};
pub use predict::{Bound, Prediction, StepBytes, StepPrediction, StepSeconds, predict};
pub use pulling::Ways;
pub use shape::{DegreeClass, DegreeSpread, GraphShape, KnownLevel, Reach, TopologyShape};
