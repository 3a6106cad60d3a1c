//! Devices: where attributes live and kernels run.
//!
//! The traits are those of `gts-device`. This module names them with every device that implements them.

pub mod gpus;

pub use gts_cpu as cpu;
#[cfg(feature = "cuda")]
pub use gts_cuda as cuda;
pub use gts_device::{
    AnswerForm, AnswerPiece, AnswerRequest, BetweenRanks, CacheChoice, CudaOptions, Device, MAX_STREAMS, MemoryTaken,
    PageShare, PageShares, Pass, PassLimits, PassOutcome, PassRequest, Placement, Propagation, RankWork, Readiness,
    Session, SessionOptions, StepDone, StepsBy, StepsRun, TransferChoice, Traversal, fitting, hybrid, links, null,
    replicated,
};
pub use gts_group::{Collectives, distributed};
