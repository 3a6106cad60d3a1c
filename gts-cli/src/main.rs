//! The `gts` command, with the shipped algorithms.

#[cfg(unix)]
mod allocator;

use std::process::ExitCode;

#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: allocator::Remembering = allocator::Remembering;

fn main() -> ExitCode {
    #[cfg(unix)]
    allocator::tell_of_aborts();
    gts_cli::main()
}
