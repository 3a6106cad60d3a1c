//! Measurement programs. Each prints its results line by line as soon as they are available.

mod algorithms;
mod beyond;
mod building;
mod cpu;
#[cfg(unix)]
mod exchanges;
mod gpu;
mod opening;
mod pictures;
mod plan;
mod reading;
mod reference;
mod several;
mod strategies;
mod streaming;
mod tables;
mod together;

use clap::{Arg, Command, value_parser};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::report::Report;
use gts_graph::contract::language::Code;
use std::error::Error;
use std::ffi::OsString;

/// A measurement program.
struct Program {
    name: &'static str,
    about: &'static str,
    /// Usage of the arguments other than `--json`.
    usage: &'static str,
    run: fn() -> Result<(), Box<dyn Error>>,
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "algorithms",
        about: "Time every algorithm on RMAT graphs in memory",
        usage: "cpu|cuda SCALE... [--only NAME,NAME...]",
        run: algorithms::main,
    },
    Program {
        name: "beyond",
        about: "Run on a graph larger than the memory of the GPU and of the host, and compare the answers",
        usage: "STORE --device-memory SIZE --host-memory SIZE [--only ALGORITHM]",
        run: beyond::main,
    },
    Program {
        name: "building",
        about: "Build a store from generated edges or from text",
        usage: "[SCALE] [--memory SIZE] [--order ORDER] [--in-edges] [--weights TYPE] [--text SIZE] [--folder FOLDER]",
        run: building::main,
    },
    Program {
        name: "cpu",
        about: "Measure PageRank and BFS on the CPU beside plain code over arrays",
        usage: "SCALE...",
        run: cpu::main,
    },
    #[cfg(unix)]
    Program {
        name: "exchanges",
        about: "Measure exchanges between processes of this machine, for `gts plan --latency` and `--network`",
        usage: "[RANKS...]",
        run: exchanges::main,
    },
    Program {
        name: "gpu",
        about: "Measure a GPU on graphs in its memory: scans, traversals, push and pull, compilation",
        usage: "scan SCALE | traverse SCALE | pull SCALE | compile",
        run: gpu::main,
    },
    Program {
        name: "opening",
        about: "Open stores beside plain reads of the same files",
        usage: "SCALE... [--in DIRECTORY]",
        run: opening::main,
    },
    Program {
        name: "pictures",
        about: "Draw the pictures of the book and of the README",
        usage: "",
        run: pictures::main,
    },
    Program {
        name: "plan",
        about: "Measure runs beside their predictions; needs `gts devices --measure`",
        usage: "cpu|cuda SCALE...",
        run: plan::main,
    },
    Program {
        name: "reading",
        about: "Read pages from disk beside plain direct reads, and run PageRank on them",
        usage: "SCALE... [--in DIRECTORY]",
        run: reading::main,
    },
    Program {
        name: "reference",
        about: "Write the language reference and the documentation of the macros",
        usage: "",
        run: reference::main,
    },
    Program {
        name: "several",
        about: "Measure PageRank on one GPU and on several, by both strategies, beside plain copies",
        usage: "SCALE DEVICES [STAGING]",
        run: several::main,
    },
    Program {
        name: "strategies",
        about: "Measure each technique and direction over many graphs",
        usage: "[GRAPH]... [--runs N] [--technique NAME,..]",
        run: strategies::main,
    },
    Program {
        name: "streaming",
        about: "Measure a GPU on graphs whose pages stream from host memory, beside plain copies",
        usage: "scan|traverse|travel|cache SCALE [ORDER ...]",
        run: streaming::main,
    },
    Program {
        name: "tables",
        about: "Write the tables of algorithms for the book, or count the lines of other files by the same rule",
        usage: "[FILE... [--without NAME,NAME]]",
        run: tables::main,
    },
    Program {
        name: "together",
        about: "Measure whole runs on several GPUs beside one of them",
        usage: "SCALE DEVICES",
        run: together::main,
    },
];

/// Returns one subcommand per program. Each program parses its own arguments.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    PROGRAMS.iter().map(|program| {
        let arguments = Arg::new("arguments").num_args(0..).allow_hyphen_values(true).trailing_var_arg(true);
        Command::new(program.name)
            .about(program.about)
            .override_usage(format!("gts-bench {} {} [--json]", program.name, program.usage))
            .arg(arguments.value_parser(value_parser!(OsString)).hide(true))
    })
}

/// Runs a program, which prints its results before this function returns.
pub(crate) fn execute(name: &str) -> Result<Report, Failure> {
    let Some(program) = PROGRAMS.iter().find(|program| program.name == name) else {
        return Err(Failure::usage(format!("there is no measurement `{name}`"), "see `gts-bench --help`"));
    };
    (program.run)().map_err(failure)?;
    Ok(Report::silent())
}

/// Converts the error that ended a program into a failure with advice.
fn failure(error: Box<dyn Error>) -> Failure {
    match error.downcast::<Failure>() {
        Ok(failure) => *failure,
        Err(error) => match error.downcast::<gts_graph::Error>() {
            Ok(error) => Failure::Run(*error),
            Err(error) => Failure::Other { code: Code::CommandFailure, what: error.to_string(), next: None },
        },
    }
}
