//! Codes of errors.
