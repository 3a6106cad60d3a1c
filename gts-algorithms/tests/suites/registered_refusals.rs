//! Every registered algorithm, held to what it says that it needs and takes: what it cannot do ends with a typed error
//! that says how to go on.

use crate::common::variants;
use gts_graph::algorithm::{self, Algorithm, Arguments, Fallback, Needs, Parameter, ParameterKind};
use gts_graph::contract::ScalarType;
use gts_graph::core::advice::{Reader, explain};
use gts_graph::prelude::*;

/// Algorithms whose weights may be negative.
const OF_ANY_WEIGHT: [&str; 1] = ["spanning-forest"];

fn algorithms() -> Vec<&'static Algorithm> {
    gts_algorithms::link();
    algorithm::all()
}

/// The defaults of an algorithm, and vertex 1 wherever one must be given, but for one parameter.
fn with(algorithm: &'static Algorithm, name: &str, text: &str) -> Result<Arguments> {
    let required = |parameter: &&Parameter| parameter.fallback == Fallback::Required && parameter.name != name;
    let given = algorithm.parameters.iter().filter(required);
    let given = given
        .map(|parameter| parameter.name)
        .try_fold(Arguments::of(algorithm), |given, name| given.with(name, "1"))?;
    given.with(name, text)
}

/// Returns every algorithm with its defaults, and with each value of each flag and choice.
fn runs() -> Vec<(&'static Algorithm, Arguments)> {
    let runs = |algorithm| variants(algorithm).into_iter().map(move |arguments| (algorithm, arguments));
    algorithms().into_iter().flat_map(runs).collect()
}

/// What a run says that is refused.
fn refusal(algorithm: &'static Algorithm, graph: &Graph, arguments: &Arguments) -> Result<(), Error> {
    algorithm.run(&Engine::cpu()?, graph, arguments).map(|_| ())
}

/// A triangle in one direction: without what a run needs, or with all of it.
fn triangle(needs: Needs, sound: bool, weight: f32) -> Graph {
    let ends = [(0u64, 1u64), (1, 2), (2, 0)];
    let builder = Graph::builder().in_edges(sound && needs.in_edges).symmetrise(sound && needs.symmetric);
    match needs.weights.is_empty() {
        true => builder.edges(ends).build(),
        false => builder.weighted_edges(ends.map(|(src, dst)| (src, dst, weight))).build(),
    }
    .expect("sound edges")
}

#[track_caller]
fn lacks(algorithm: &Algorithm, outcome: Result<()>, remedy: &str) {
    let Err(error @ Error::Needs { .. }) = outcome else { panic!("`{}`: {outcome:?}", algorithm.name) };
    let told = explain(&error, Reader::CommandLine);
    assert!(told.contains(remedy), "`{}`: {told}", algorithm.name);
}

#[test]
fn what_is_sound_is_not_refused() -> Result<()> {
    for (algorithm, arguments) in runs() {
        refusal(algorithm, &triangle(arguments.needs(), true, 1.0), &arguments)?;
    }
    Ok(())
}

#[test]
fn requirements_depend_on_parameters_that_exist() {
    for algorithm in algorithms() {
        for with in algorithm.needs_with {
            let variants = variants(algorithm);
            let mut values = variants.iter().filter_map(|arguments| arguments.get(with.parameter).expect("it exists"));
            assert!(values.any(|value| value == with.value), "`{}`: {with:?}", algorithm.name);
        }
    }
}

#[test]
fn in_edges_are_asked_for() {
    for (algorithm, arguments) in runs().into_iter().filter(|(_, arguments)| arguments.needs().in_edges) {
        let graph = triangle(arguments.needs(), false, 1.0);
        lacks(algorithm, refusal(algorithm, &graph, &arguments), "--in-edges");
    }
}

#[test]
fn undirected_graphs_are_asked_for() {
    for (algorithm, arguments) in runs().into_iter().filter(|(_, arguments)| arguments.needs().symmetric) {
        let graph = triangle(arguments.needs(), false, 1.0);
        lacks(algorithm, refusal(algorithm, &graph, &arguments), "--symmetrise");
    }
}

/// Returns the runs that read weights.
fn weighted_runs() -> impl Iterator<Item = (&'static Algorithm, Arguments)> {
    runs().into_iter().filter(|(_, arguments)| !arguments.needs().weights.is_empty())
}

#[test]
fn weights_are_asked_for() {
    for (algorithm, arguments) in weighted_runs() {
        let plain = Graph::builder().edges([(0, 1), (1, 2)]).in_edges(true).symmetrise(true).build().expect("sound");
        lacks(algorithm, refusal(algorithm, &plain, &arguments), "--weights");
        let small = [(0u64, 1u64, 1i32), (1, 2, 1)];
        let small = Graph::builder().weighted_edges(small).in_edges(true).symmetrise(true).build().expect("sound");
        lacks(algorithm, refusal(algorithm, &small, &arguments), "--weights");
    }
}

#[test]
fn every_algorithm_with_weights_takes_double_precision() {
    for (algorithm, arguments) in weighted_runs() {
        assert!(arguments.needs().weights.contains(&ScalarType::F64), "`{}`", algorithm.name);
    }
}

#[test]
fn weights_that_mean_nothing_are_refused_by_edge() {
    for (algorithm, arguments) in weighted_runs() {
        for weight in [-1.0, f32::INFINITY] {
            if OF_ANY_WEIGHT.contains(&algorithm.name) {
                continue;
            }
            let outcome = refusal(algorithm, &triangle(arguments.needs(), true, weight), &arguments);
            let Err(error @ Error::Argument { .. }) = outcome else { panic!("`{}`: {outcome:?}", algorithm.name) };
            let text = error.to_string();
            assert!(text.contains("edge 0 -> 1") && text.contains("at least 0"), "`{}`: {text}", algorithm.name);
        }
    }
}

#[test]
fn vertices_that_the_graph_has_not_are_named() {
    let mut seen = 0;
    for algorithm in algorithms() {
        let graph = triangle(algorithm.needs, true, 1.0);
        for parameter in algorithm.parameters {
            if matches!(parameter.kind, ParameterKind::Vertex | ParameterKind::Vertices) {
                let outcome = refusal(algorithm, &graph, &with(algorithm, parameter.name, "8").expect("a number"));
                let Err(error @ Error::UnknownVertex(_)) = outcome else { panic!("`{}`: {outcome:?}", algorithm.name) };
                assert!(error.to_string().contains('8'), "`{}`: {error}", algorithm.name);
                for text in ["-1", "x"] {
                    let given = with(algorithm, parameter.name, text).expect("keys are read later");
                    let outcome = refusal(algorithm, &graph, &given);
                    let Err(error @ Error::Argument { .. }) = outcome else {
                        panic!("`{}`: {outcome:?}", algorithm.name)
                    };
                    let said = error.to_string();
                    assert!(said.contains("a number") && said.contains(parameter.name), "`{}`: {said}", algorithm.name);
                }
                seen += 1;
            }
        }
    }
    assert!(seen >= 12, "{seen}");
}

#[test]
fn a_graph_without_vertices_has_an_answer_or_is_refused() {
    for (algorithm, arguments) in runs() {
        let needs = arguments.needs();
        let builder = Graph::builder().in_edges(needs.in_edges).symmetrise(needs.symmetric);
        let graph = match needs.weights.is_empty() {
            true => builder.edges([]).build(),
            false => builder.weighted_edges::<f32>([]).build(),
        };
        let outcome = refusal(algorithm, &graph.expect("an empty graph"), &arguments);
        let takes_vertices = algorithm
            .parameters
            .iter()
            .any(|parameter| matches!(parameter.kind, ParameterKind::Vertex | ParameterKind::Vertices));
        match outcome {
            Ok(()) | Err(Error::UnknownVertex(_)) => {}
            Err(Error::Argument { why, .. }) if takes_vertices => assert!(why.contains("no vertices"), "{why}"),
            Err(error) => panic!("`{}`: {error}", algorithm.name),
        }
    }
}

#[test]
fn values_beyond_a_parameter_s_limits_are_refused_with_the_limits() {
    let mut seen = 0;
    for algorithm in algorithms() {
        for parameter in algorithm.parameters {
            let beyond: Vec<String> = match parameter.kind {
                ParameterKind::Real { least, most } => {
                    let below = (least > f64::MIN).then_some(least - 1.0);
                    let above = (most < f64::MAX).then_some(most * 2.0 + 1.0);
                    below.into_iter().chain(above).map(|value| value.to_string()).chain(["NaN".to_owned()]).collect()
                }
                ParameterKind::Integer { least, most } => {
                    let below = least.checked_sub(1);
                    below
                        .into_iter()
                        .chain(most.checked_add(1))
                        .map(|value| value.to_string())
                        .chain(["-1".to_owned()])
                        .collect()
                }
                ParameterKind::Choice(_) | ParameterKind::Flag => vec!["perhaps".to_owned()],
                // The graph decides which keys are right, and the algorithm reads the file.
                ParameterKind::Vertex | ParameterKind::Vertices | ParameterKind::File => Vec::new(),
            };
            for text in beyond {
                let Err(error @ Error::Argument { .. }) = with(algorithm, parameter.name, &text) else {
                    panic!("`{}`: --{} {text} is not refused", algorithm.name, parameter.name);
                };
                let said = error.to_string();
                let expected = said.contains("expected") && said.contains(&parameter.expected());
                assert!(expected && said.contains(parameter.name), "`{}`: {said}", algorithm.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn what_must_be_given_is_asked_for() {
    for algorithm in algorithms() {
        for parameter in algorithm.parameters.iter().filter(|parameter| parameter.fallback == Fallback::Required) {
            let error = Arguments::of(algorithm).complete().expect_err("it was not given").to_string();
            assert!(
                error.contains("must be given") && error.contains("--"),
                "`{}` --{}: {error}",
                algorithm.name,
                parameter.name
            );
        }
    }
}
