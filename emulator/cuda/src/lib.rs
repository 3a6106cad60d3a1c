//! The CUDA driver on the host's threads: devices, memory, streams and launches of kernels that are interpreted.
//!
//! `api` has CUDA's functions. [`configuration`] reads what `GTS_EMU_*` asks for. Work goes into queues (`queues`), which
//! threads of the host empty (`workers`); a launch is a set of blocks that they take by turns (`launches`).

pub mod api;
mod arena;
mod cards;
pub mod codes;
mod configuration;
mod contexts;
mod failing;
mod launches;
mod memory;
mod modules;
mod queues;
mod statistics;
mod workers;
