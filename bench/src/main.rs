//! The `gts-bench` command.

#[cfg(unix)]
#[path = "../../gts-cli/src/allocator.rs"]
mod allocator;

use std::process::ExitCode;

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: allocator::Remembering = allocator::Remembering;

fn main() -> ExitCode {
    #[cfg(unix)]
    allocator::tell_of_aborts();
    gts_bench::main()
}
