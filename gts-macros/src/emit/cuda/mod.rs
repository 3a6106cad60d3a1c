//! The kernel as CUDA C.

use crate::ir::Kernel;

/// The kernel's own CUDA C, to be joined with the prelude and the encoding's accessors.
pub(crate) fn kernel(_kernel: &Kernel) -> String {
    String::new()
}
