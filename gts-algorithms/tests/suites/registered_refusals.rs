//! Every registered algorithm, held to what it says that it needs and takes: what it cannot do ends with a typed error
//! that says how to go on.

use gts_graph::algorithm::{self, Algorithm, Arguments, Fallback, Parameter, ParameterKind};
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
    if name.is_empty() { Ok(given) } else { given.with(name, text) }
}

/// What a run says that is refused.
fn refusal(algorithm: &'static Algorithm, graph: &Graph, arguments: Result<Arguments>) -> Result<(), Error> {
    algorithm.run(&Engine::cpu()?, graph, &arguments?).map(|_| ())
}

/// A triangle in one direction: without what the algorithm needs, or with all of it.
fn triangle(algorithm: &Algorithm, sound: bool, weight: f32) -> Graph {
    let (needs, ends) = (algorithm.needs, [(0u64, 1u64), (1, 2), (2, 0)]);
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
    for algorithm in algorithms() {
        refusal(algorithm, &triangle(algorithm, true, 1.0), with(algorithm, "", ""))?;
    }
    Ok(())
}

#[test]
fn in_edges_are_asked_for() {
    for algorithm in algorithms().into_iter().filter(|algorithm| algorithm.needs.in_edges) {
        lacks(algorithm, refusal(algorithm, &triangle(algorithm, false, 1.0), with(algorithm, "", "")), "--in-edges");
    }
}

#[test]
fn undirected_graphs_are_asked_for() {
    for algorithm in algorithms().into_iter().filter(|algorithm| algorithm.needs.symmetric) {
        lacks(algorithm, refusal(algorithm, &triangle(algorithm, false, 1.0), with(algorithm, "", "")), "--symmetrise");
    }
}

#[test]
fn weights_are_asked_for() {
    for algorithm in algorithms().into_iter().filter(|algorithm| !algorithm.needs.weights.is_empty()) {
        let plain = Graph::builder().edges([(0, 1), (1, 2)]).in_edges(true).symmetrise(true).build().expect("sound");
        lacks(algorithm, refusal(algorithm, &plain, with(algorithm, "", "")), "--weights");
        let small = [(0u64, 1u64, 1i32), (1, 2, 1)];
        let small = Graph::builder().weighted_edges(small).in_edges(true).symmetrise(true).build().expect("sound");
        lacks(algorithm, refusal(algorithm, &small, with(algorithm, "", "")), "--weights");
    }
}

#[test]
fn every_algorithm_with_weights_takes_double_precision() {
    for algorithm in algorithms().into_iter().filter(|algorithm| !algorithm.needs.weights.is_empty()) {
        assert!(algorithm.needs.weights.contains(&ScalarType::F64), "`{}`", algorithm.name);
    }
}

#[test]
fn negative_weights_are_refused_by_edge_where_they_mean_nothing() {
    for algorithm in algorithms().into_iter().filter(|algorithm| !algorithm.needs.weights.is_empty()) {
        for weight in [-1.0, f32::INFINITY] {
            let outcome = refusal(algorithm, &triangle(algorithm, true, weight), with(algorithm, "", ""));
            if OF_ANY_WEIGHT.contains(&algorithm.name) {
                continue;
            }
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
        let graph = triangle(algorithm, true, 1.0);
        for parameter in algorithm.parameters {
            if matches!(parameter.kind, ParameterKind::Vertex | ParameterKind::Vertices) {
                let outcome = refusal(algorithm, &graph, with(algorithm, parameter.name, "8"));
                let Err(error @ Error::UnknownVertex(_)) = outcome else { panic!("`{}`: {outcome:?}", algorithm.name) };
                assert!(error.to_string().contains('8'), "`{}`: {error}", algorithm.name);
                for text in ["-1", "x"] {
                    let outcome = refusal(algorithm, &graph, with(algorithm, parameter.name, text));
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
    for algorithm in algorithms() {
        let needs = algorithm.needs;
        let builder = Graph::builder().in_edges(needs.in_edges).symmetrise(needs.symmetric);
        let graph = match needs.weights.is_empty() {
            true => builder.edges([]).build(),
            false => builder.weighted_edges::<f32>([]).build(),
        };
        let outcome = refusal(algorithm, &graph.expect("an empty graph"), with(algorithm, "", ""));
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
