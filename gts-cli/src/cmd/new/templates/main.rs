//! The command line of GTS with this algorithm beside those that GTS ships.

use std::process::ExitCode;

fn main() -> ExitCode {
    my_algorithm::link();
    gts_graph::cli::main()
}
