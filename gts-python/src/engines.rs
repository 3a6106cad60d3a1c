//! Idle engines, which later runs use again, so that a device is opened once.

use crate::call::{CallProgress, ProgressCell, RunningCall};
use crate::error::CallResult;
use gts_graph::prelude::{Engine, Graph};
use gts_graph::{EngineBuilder, Error, RunProgress};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of idle engines.
const MOST: usize = 4;

/// An engine that one run uses.
pub(crate) struct OwnedEngine {
    /// Text that engines with the same options share.
    key: String,
    pub(crate) engine: Engine,
    progress: ProgressCell,
}

static IDLE: Mutex<Vec<OwnedEngine>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<OwnedEngine>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an engine with some options for a call: an idle one, or a new one. Before an engine is built, all idle ones are
/// closed, because they hold memory of their devices.
pub(crate) fn take(key: String, builder: EngineBuilder, call: &RunningCall) -> CallResult<OwnedEngine> {
    let found = {
        let mut idle = idle();
        idle.iter().position(|other| other.key == key).map(|place| idle.remove(place))
    };
    let owned = match found {
        Some(owned) => {
            owned.progress.set(CallProgress::default());
            owned
        }
        None => {
            let others = mem::take(&mut *idle());
            drop(others);
            build(key, builder)?
        }
    };
    call.use_engine(&owned.engine, &owned.progress)?;
    Ok(owned)
}

fn build(key: String, builder: EngineBuilder) -> CallResult<OwnedEngine> {
    let progress = ProgressCell::default();
    let cell = progress.clone();
    let report = move |pass: &RunProgress| {
        cell.set(CallProgress { phase: pass.kernel, done: pass.step.into(), total: None });
    };
    let engine = builder.progress(Arc::new(report)).build()?;
    Ok(OwnedEngine { key, engine, progress })
}

/// Returns whether an engine cannot run again after an error.
pub(crate) fn is_lost_by(error: &Error) -> bool {
    matches!(
        error,
        Error::Interrupted
            | Error::Device { .. }
            | Error::Poisoned(_)
            | Error::Nccl { .. }
            | Error::LostRank { .. }
            | Error::Aborted { .. }
    )
}

/// Keeps an engine for a later run with the same options. No thread may stop the engine afterwards.
pub(crate) fn keep(engine: OwnedEngine) {
    let oldest = {
        let mut idle = idle();
        idle.push(engine);
        (idle.len() > MOST).then(|| idle.remove(0))
    };
    drop(oldest);
}

/// Frees the memory of idle engines for a graph.
pub(crate) fn forget(graph: &Graph) {
    idle().iter().for_each(|owned| owned.engine.forget(graph));
}
