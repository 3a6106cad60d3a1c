//! Errors of GTS as exceptions of Python.

use gts_graph::cli::program::Failure;
use gts_graph::core::store::StoreError;
use pyo3::prelude::*;
use serde_json::Value;
use std::io;

/// The result of a call from Python.
pub(crate) type CallResult<T> = std::result::Result<T, CallError>;

/// An error that becomes an exception as soon as Python sees it.
#[derive(Debug)]
pub(crate) enum CallError {
    /// An error of GTS: its code, text, place and advice, as `--json` prints them.
    Gts(Value),
    /// An exception of Python.
    Python(PyErr),
}

impl<E: Into<Failure>> From<E> for CallError {
    fn from(error: E) -> Self {
        Self::Gts(error.into().json().unwrap_or_default())
    }
}

impl CallError {
    /// Creates an error about the use of the package.
    pub(crate) fn usage(what: impl Into<String>, next: &'static str) -> Self {
        Failure::usage(what, next).into()
    }

    /// Creates an error that only a defect of GTS can cause.
    pub(crate) fn defect(what: impl Into<String>) -> Self {
        Failure::other(what, "report this as a defect of GTS").into()
    }

    /// Creates the error of cells that cannot be read: that of the store, or a defect.
    pub(crate) fn of_cells(error: io::Error) -> Self {
        error.downcast::<StoreError>().map_or_else(|other| Self::defect(other.to_string()), Self::from)
    }

    /// Wraps an exception.
    pub(crate) fn of(exception: PyErr) -> Self {
        Self::Python(exception)
    }
}

impl From<CallError> for PyErr {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Python(exception) => exception,
            CallError::Gts(details) => Python::attach(|py| {
                let exception = py
                    .import("gts_graph._errors")
                    .and_then(|module| module.call_method1("exception_of", (details.to_string(),)));
                exception.map_or_else(|failed| failed, PyErr::from_value)
            }),
        }
    }
}
