//! Writers: each turns a finished kernel into text or tokens, and sees the IR alone.

pub(crate) mod cuda;
