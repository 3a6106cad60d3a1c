//! A CUDA driver that runs on host threads: devices, memory, streams, and launches of interpreted kernels.
//!
//! `api` contains CUDA's functions, and [`configuration`] reads the variables `GTS_EMU_*`. Calls put work into queues
//! (`queues`). Host threads (`workers`) do the work. They run the blocks of a launch in turns (`launches`).

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
