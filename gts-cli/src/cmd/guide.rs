//! The first and the last lines of each help: two examples that run, and the chapter of the book.

use clap::Command;
use clap::builder::Styles;
use gts_graph::algorithm::{self, Algorithm, Fallback, OutputShape, ParameterKind};

/// A chapter of the book: its title, and its file in `book/src`.
type Chapter = (&'static str, &'static str);

const ALGORITHMS: Chapter = ("Algorithms", "algorithms.md");
const ERRORS: Chapter = ("Errors", "reference/errors.md");
const FILES: Chapter = ("Graph files, stores and caches", "files.md");
const ON_A_GPU: Chapter = ("On a GPU", "on-a-gpu.md");
const READING: Chapter = ("Reading a plan, a trace, the CUDA C", "reading.md");
const ANSWERS: Chapter = ("Answers and exports", "answers.md");
const RUN_IT: Chapter = ("Run it", "run-it.md");
const SEVERAL: Chapter = ("Several GPUs and processes", "several.md");
const YOUR_CRATE: Chapter = ("Your own crate", "your-crate.md");
const YOUR_DATA: Chapter = ("Your own data", "your-data.md");

/// Commands with their examples and chapters.
const GUIDES: [(&str, [&str; 2], Chapter); 19] = [
    ("gts", ["gts run pagerank rmat:12", "gts run bfs graph.txt --output levels.csv"], RUN_IT),
    ("run", ["gts run pagerank rmat:12", "gts run wcc graph.txt --output components.csv"], RUN_IT),
    ("launch", ["gts launch -n 2 run pagerank rmat:16", "gts launch -n 2 run bfs rmat:16 --device cpu"], SEVERAL),
    ("plan", ["gts plan pagerank rmat:22 --device cpu", "gts plan bfs rmat:20 --device cpu --levels 8"], READING),
    ("new", ["gts new my-algorithm", "gts new my-ranks --template gather"], YOUR_CRATE),
    ("list", ["gts list", "gts list --json"], ALGORITHMS),
    ("show", ["gts show bfs", "gts show k-core --json"], READING),
    ("explain", ["gts explain GTS1002", "gts explain fetch_min"], ERRORS),
    ("generate", ["gts generate rmat:12 graph.gts", "gts generate grid:90x90,weights=u32 grid.gts --in-edges"], FILES),
    ("import", ["gts import graph.txt mine.gts", "gts import graph.txt both.gts --undirected"], YOUR_DATA),
    ("export", ["gts export graph.gts graph.e", "gts export mine.gts - --output-format jsonl"], ANSWERS),
    ("convert", ["gts convert graph.txt graph.csv", "gts convert graph.txt graph.tsv.zst"], ANSWERS),
    ("info", ["gts info rmat:12", "gts info graph.gts"], FILES),
    ("verify", ["gts verify graph.gts", "gts verify graph.gts --stall-limit 5min"], FILES),
    ("clean", ["gts clean", "gts clean ."], FILES),
    ("cache", ["gts cache list", "gts cache limit 50GiB"], FILES),
    ("devices", ["gts devices", "gts devices --json"], ON_A_GPU),
    ("completions", ["gts completions bash > gts.bash", "gts completions fish > gts.fish"], RUN_IT),
    ("man", ["gts man pages", "gts man . --json"], RUN_IT),
];

/// Adds examples and chapters to a command and all commands below it.
pub(super) fn add_all(command: Command) -> Command {
    add(command).mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        add(command).mut_subcommands(|below| match algorithm::find(below.get_name()) {
            Some(algorithm) => with(below, examples(&name, algorithm), ALGORITHMS),
            None => below,
        })
    })
}

fn add(command: Command) -> Command {
    match GUIDES.into_iter().find(|(name, ..)| *name == command.get_name()) {
        Some((_, examples, chapter)) => with(command, examples.map(str::to_owned), chapter),
        None => command,
    }
}

fn with(command: Command, examples: [String; 2], (title, file): Chapter) -> Command {
    let styles = Styles::styled();
    let head = styles.get_header();
    let last = command.get_after_long_help().or(command.get_after_help());
    let last = last.map_or(String::new(), |last| format!("{}\n\n", last.ansi()));
    let [one, other] = examples;
    command
        .before_long_help(format!("{head}Examples:{head:#}\n  {one}\n  {other}"))
        .after_long_help(format!("{last}{head}Book:{head:#} {title}, book/src/{file}"))
}

/// Returns examples of a command that takes an algorithm.
fn examples(command: &str, algorithm: &Algorithm) -> [String; 2] {
    let weights = algorithm.needs.weights.first().map_or(String::new(), |scalar| format!(",weights={}", scalar.name()));
    let required = algorithm.parameters.iter().filter(|parameter| parameter.fallback == Fallback::Required);
    // Parameters that name vertices name different ones.
    let required = required.zip(1..).map(|(parameter, number)| match parameter.kind {
        ParameterKind::Vertex | ParameterKind::Vertices => format!(" --{} {number}", parameter.name),
        ParameterKind::Real { least, .. } => format!(" --{} {least}", parameter.name),
        ParameterKind::Integer { least, .. } => format!(" --{} {least}", parameter.name),
        ParameterKind::Choice(words) => format!(" --{} {}", parameter.name, words.first().unwrap_or(&"WORD")),
        ParameterKind::File | ParameterKind::Flag => format!(" --{} FILE", parameter.name),
    });
    let first = format!("gts {command} {} rmat:10{weights}{}", algorithm.name, required.collect::<String>());
    let second = match (command, algorithm.outputs.first().map(|output| output.shape)) {
        ("plan", _) => format!("{first} --device cpu --threads 2"),
        (_, Some(OutputShape::Vertices { .. } | OutputShape::Table)) => format!("{first} --output answer.csv"),
        (_, Some(OutputShape::Edges)) => format!("{first} --output answer.el"),
        _ => format!("{first} --output answer.json"),
    };
    [first, second]
}
