//! The `gts` command, with the algorithms that GTS ships.

use std::process::ExitCode;

fn main() -> ExitCode {
    gts_cli::main()
}
