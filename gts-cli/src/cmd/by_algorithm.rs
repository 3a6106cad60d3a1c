//! Commands with a subcommand for each algorithm, whose parameters are flags.

use crate::error::Failure;
use crate::nearest::nearest;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, value_parser};
use gts_graph::algorithm::{self, Algorithm, Arguments as Parameters, Fallback, ParameterKind};
use std::path::PathBuf;

/// Flags beside the algorithm's own that `-h` lists. `--help` lists all.
const SHORT_HELP: [&str; 7] = ["graph", "device", "threads", "check", "output", "labels", "top"];

/// The algorithm of a command line, and the values of its flags.
pub(crate) struct ChosenAlgorithm<'a> {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) parameters: Parameters,
    /// The flags of the command itself.
    pub(crate) matches: &'a ArgMatches,
}

/// Creates a command with a subcommand per algorithm. It also accepts any other word, which [`chosen`] refuses. `A` are
/// the flags common to all subcommands.
pub(crate) fn command<A: Args>(name: &'static str, about: &'static str) -> Command {
    let command = Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true);
    let command = command.allow_external_subcommands(true);
    algorithm::all()
        .into_iter()
        .fold(command.subcommand_value_name("ALGORITHM").subcommand_help_heading("Algorithms"), |command, algorithm| {
            command.subcommand(algorithm_command::<A>(algorithm))
        })
}

/// Creates the command of an algorithm. Its flags are created when they are needed, because all flags of all algorithms
/// take longer than a run on a small graph.
fn algorithm_command<A: Args>(algorithm: &'static Algorithm) -> Command {
    let source = if algorithm.source.is_empty() { String::new() } else { format!("Source: {}", algorithm.source) };
    let command = Command::new(algorithm.name).about(algorithm.summary).visible_aliases(algorithm.aliases);
    command.after_long_help(source).defer(|command| match algorithm::find(command.get_name()) {
        Some(algorithm) => with_flags::<A>(command, algorithm),
        None => command,
    })
}

fn with_flags<A: Args>(command: Command, algorithm: &'static Algorithm) -> Command {
    let paragraphs = [algorithm.summary.to_owned(), algorithm.help.to_owned()].into_iter().chain(definition(algorithm));
    let about = paragraphs.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let parameters = algorithm.parameters.iter().map(|parameter| {
        let fallback = match parameter.fallback {
            Fallback::Value(_) if parameter.kind == ParameterKind::Flag => String::new(),
            Fallback::Value(value) => format!(" [default: {value}]"),
            Fallback::Rule(rule) => format!(" [default: {rule}]"),
            Fallback::Required => String::new(),
        };
        let arg = Arg::new(parameter.name)
            .long(parameter.name)
            .help(format!("{}: {}{fallback}", parameter.help, parameter.expected()))
            .help_heading("Algorithm")
            .required(parameter.fallback == Fallback::Required);
        match parameter.kind {
            ParameterKind::Flag => arg.action(ArgAction::SetTrue).help(parameter.help),
            // The parameter parses its value, so that the error message contains the expected form.
            ParameterKind::Vertex => arg.allow_hyphen_values(true).value_name("KEY"),
            ParameterKind::Vertices => arg.allow_hyphen_values(true).action(ArgAction::Append).value_name("KEY"),
            ParameterKind::Choice(_) => arg.value_name("WORD"),
            ParameterKind::File => arg
                .value_parser(value_parser!(PathBuf))
                .value_name("FILE")
                .help(format!("{}{fallback}", parameter.help)),
            ParameterKind::Real { .. } | ParameterKind::Integer { .. } => {
                arg.allow_hyphen_values(true).value_name("NUMBER")
            }
        }
    });
    // In this order, because adding the flags of every run also sets the documentation of their struct.
    let command = A::augment_args(command.args(parameters));
    let is_own = |arg: &Arg| algorithm.parameters.iter().any(|parameter| arg.get_id() == parameter.name);
    let is_short = |arg: &Arg| is_own(arg) || SHORT_HELP.iter().any(|name| arg.get_id() == name);
    let command = command.mut_args(|arg| if is_short(&arg) { arg } else { arg.hide_short_help(true) });
    command.about(algorithm.summary).long_about(about)
}

/// Returns the definition of the answer in paragraphs, and the functions of networkx with the same answer.
pub(super) fn definition(algorithm: &Algorithm) -> Vec<String> {
    let Some(definition) = &algorithm.definition else { return Vec::new() };
    let mut paragraphs = vec![definition.formula.to_owned(), definition.conventions()];
    paragraphs.extend(definition.networkx.iter().map(|call| {
        let with = if call.flags.is_empty() { "As".to_owned() } else { format!("With `{}`, as", call.flags) };
        let graph = if call.graph == "Graph" { "an undirected graph" } else { "a directed graph" };
        format!("{with} `{}` of {graph} in networkx.", call.call)
    }));
    paragraphs
}

/// Refuses parameters with the name of a flag of the command that takes them in addition to its own flags `A`.
pub(super) fn check_parameters<A: Args>(name: &'static str, all: &[&Algorithm]) -> Result<(), Failure> {
    let own = A::augment_args(Command::new(name));
    let is_own = |parameter: &str| {
        own.get_arguments().any(|arg| arg.get_id() == parameter || arg.get_long() == Some(parameter))
            || own.get_groups().any(|group| group.get_id() == parameter)
    };
    for algorithm in all {
        let taken = |name: &str| ["json", "quiet", "help"].contains(&name) || is_own(name);
        if let Some(parameter) = algorithm.parameters.iter().find(|parameter| taken(parameter.name)) {
            return Err(Failure::other(
                format!(
                    "the parameter `{}` of `{}` is called like a flag of `gts {name}`",
                    parameter.name, algorithm.name
                ),
                "rename it",
            ));
        }
    }
    Ok(())
}

/// Determines the requested algorithm.
pub(crate) fn chosen(matches: &ArgMatches) -> Result<ChosenAlgorithm<'_>, Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Failure::usage("no algorithm given", "`gts list` lists them"));
    };
    let Some(algorithm) = algorithm::find(name) else {
        return Err(unknown_algorithm(name));
    };
    let parameters = parameters(algorithm, matches).map_err(|error| Failure::usage_of(&error))?;
    Ok(ChosenAlgorithm { algorithm, parameters, matches })
}

/// Returns the failure for an unknown algorithm name.
pub(super) fn unknown_algorithm(name: &str) -> Failure {
    let known: Vec<_> = algorithm::all().into_iter().flat_map(Algorithm::names).collect();
    let meant = nearest(name, &known);
    let meant = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
    Failure::usage(format!("there is no algorithm `{name}`"), format!("{meant}`gts list` lists all algorithms"))
}

/// Returns the values of the algorithm's own flags.
fn parameters(algorithm: &'static Algorithm, matches: &ArgMatches) -> gts_graph::Result<Parameters> {
    let mut parameters = Parameters::of(algorithm);
    for parameter in algorithm.parameters {
        if parameter.kind == ParameterKind::Flag {
            parameters.set(parameter.name, if matches.get_flag(parameter.name) { "true" } else { "false" })?;
        } else if parameter.kind == ParameterKind::File {
            if let Some(path) = matches.get_one::<PathBuf>(parameter.name) {
                parameters.set_file(parameter.name, path)?;
            }
        } else if parameter.kind == ParameterKind::Vertices {
            let texts = matches.get_many::<String>(parameter.name).into_iter().flatten();
            texts.into_iter().try_for_each(|text| parameters.add(parameter.name, text))?;
        } else if let Some(text) = matches.get_one::<String>(parameter.name) {
            parameters.set(parameter.name, text)?;
        }
    }
    parameters.complete()?;
    Ok(parameters)
}
