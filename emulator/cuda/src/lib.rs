//! The CUDA driver on the host's threads: devices, memory, streams and launches of interpreted kernels.
//!
//! `api` contains CUDA's functions. [`configuration`] reads `GTS_EMU_*`. Work is put into queues (`queues`), which
//! threads of the host empty (`workers`). A launch is a set of blocks that these threads take in turn (`launches`).

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
