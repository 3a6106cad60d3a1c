//! Errors of GTS as exceptions of Python.

use gts_graph::cli::program::Failure;
use pyo3::prelude::*;
use serde_json::Value;

/// The result of a call from Python.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error that becomes an exception as soon as Python sees it.
#[derive(Debug)]
pub(crate) enum Error {
    /// An error of GTS: its code, text, place and advice, as `--json` prints them.
    Gts(Value),
    /// An exception of Python.
    Python(PyErr),
}

impl<E: Into<Failure>> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Gts(error.into().json().unwrap_or_default())
    }
}

impl Error {
    /// Creates an error about the use of the package.
    pub(crate) fn usage(what: impl Into<String>, next: &'static str) -> Self {
        Failure::usage(what, next).into()
    }

    /// Wraps an exception.
    pub(crate) fn of(exception: PyErr) -> Self {
        Self::Python(exception)
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Python(exception) => exception,
            Error::Gts(details) => Python::attach(|py| {
                let exception = py
                    .import("gts_graph._errors")
                    .and_then(|module| module.call_method1("exception_of", (details.to_string(),)));
                exception.map_or_else(|failed| failed, PyErr::from_value)
            }),
        }
    }
}
