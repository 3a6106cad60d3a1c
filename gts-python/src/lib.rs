//! The compiled part of the Python package `gts_graph`. The package itself is its only user: names and signatures that
//! people use are in Python.

mod answer;
mod arrays;
mod call;
mod engines;
mod error;
mod graph;
mod registry;

use gts_graph::cli::embedded;
use gts_graph::contract::language::{Code, Exit};
use pyo3::prelude::*;
use std::ffi::OsString;

/// Returns all algorithms as JSON.
#[pyfunction]
fn algorithms() -> String {
    registry::algorithms().to_string()
}

/// Returns the codes whose exceptions have other bases, with the kind of base, as JSON.
#[pyfunction]
fn kinds_of_codes() -> String {
    let kind = |code: &Code| match (*code, code.exit()) {
        (Code::UnknownVertex, _) => Some("vertex"),
        (_, Exit::Absent) => Some("file"),
        (_, Exit::Memory) => Some("memory"),
        (_, Exit::Usage) => Some("usage"),
        _ => None,
    };
    let kinds = Code::ALL.iter().filter_map(|code| Some((code.to_string(), kind(code)?.into())));
    serde_json::Value::Object(kinds.collect()).to_string()
}

/// Raises an exception in a process that was forked after the first call.
#[pyfunction]
fn check_process() -> error::CallResult<()> {
    call::check_process()
}

/// Runs a command of `gts`, and returns its JSON.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> error::CallResult<String> {
    call::run(py, None, move |_| Ok(embedded::call(arguments).to_string()))
}

/// Runs the command line, and ends the process.
#[pyfunction]
fn main(py: Python<'_>, started_by: Vec<OsString>, arguments: Vec<OsString>) {
    let code = py.detach(|| embedded::main(started_by, arguments));
    std::process::exit(code.into())
}

#[pymodule]
fn _gts(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gts_graph::algorithms::link();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<graph::RawGraph>()?;
    module.add_class::<answer::RawAnswer>()?;
    module.add_function(wrap_pyfunction!(algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(check_process, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(kinds_of_codes, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(graph::read, module)?)?;
    module.add_function(wrap_pyfunction!(graph::read_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(graph::read_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(graph::run, module)?)
}
