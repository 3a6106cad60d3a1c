//! Engines that wait for the next run, so that a device is opened once.

use crate::call::{Board, News};
use crate::error::CallResult;
use gts_graph::prelude::{Engine, Graph};
use gts_graph::{EngineBuilder, RunProgress};
use std::sync::{Arc, Mutex, PoisonError};

/// The most engines that wait.
const MOST: usize = 4;

/// An engine, the options that it was built with, and the board of its news.
pub(crate) struct OwnedEngine {
    key: String,
    pub(crate) engine: Engine,
    pub(crate) board: Board,
}

static IDLE: Mutex<Vec<OwnedEngine>> = Mutex::new(Vec::new());

/// Returns an engine with some options: one that waits, or a new one. Only the caller uses it.
pub(crate) fn take(key: &str, builder: EngineBuilder) -> CallResult<OwnedEngine> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = idle.iter().position(|known| known.key == key) {
        return Ok(idle.remove(place));
    }
    drop(idle);
    let board = Board::default();
    let shown = board.clone();
    let tell = move |pass: &RunProgress| {
        shown.put(News { phase: pass.kernel, done: pass.step.into(), total: None });
    };
    let engine = builder.progress(Arc::new(tell)).build()?;
    Ok(OwnedEngine { key: key.to_owned(), engine, board })
}

/// Keeps an engine for the next run with the same options.
pub(crate) fn keep(engine: OwnedEngine) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.push(engine);
    if idle.len() > MOST {
        idle.remove(0);
    }
}

/// Frees what the waiting engines hold of a graph.
pub(crate) fn forget(graph: &Graph) {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    idle.iter().for_each(|known| known.engine.forget(graph));
}
