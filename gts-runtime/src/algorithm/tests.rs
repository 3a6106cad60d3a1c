use super::*;
use crate::Error;

fn unused(_: &Engine, _: &Graph, _: &Arguments) -> Result<Answer> {
    Err(Error::Interrupted)
}

static WALK: Algorithm = Algorithm::new("walk", "A walk", unused).parameters(&[
    Parameter::real("restart", "Chance to start again").between(0.0, 1.0).default(Value::Real(0.15)),
    Parameter::integer("steps", "Steps to go").within(1, 100),
    Parameter::vertex("source", "Where to start").otherwise("the first vertex"),
    Parameter::choice("precision", &["f32", "f64"], "Type of the answer"),
    Parameter::flag("lazy", "Whether to stay at times"),
]);

#[test]
fn defaults_hold_until_set() {
    let arguments = Arguments::of(&WALK);
    assert_eq!(arguments.real("restart").unwrap(), 0.15);
    assert_eq!(arguments.choice("precision").unwrap(), "f32");
    assert!(!arguments.flag("lazy").unwrap());
    assert_eq!(arguments.get("source").unwrap(), None);
    let arguments = arguments.with("restart", "0.5").unwrap().with("precision", "f64").unwrap();
    assert_eq!(arguments.real("restart").unwrap(), 0.5);
    assert_eq!(arguments.choice("precision").unwrap(), "f64");
}

#[test]
fn a_file_is_read_once_by_all_copies_of_the_arguments() {
    static FILES: Algorithm = Algorithm::new("files", "A file", unused)
        .parameters(&[Parameter::file("pattern", "The pattern"), Parameter::flag("lazy", "Whether to stay")]);
    let mut arguments = Arguments::of(&FILES);
    arguments.set_file("pattern", "p.txt").unwrap();
    let copy = arguments.clone();
    let reads = std::cell::Cell::new(0);
    let read = |path: &std::path::Path| {
        reads.set(reads.get() + 1);
        Ok(path.to_owned())
    };
    for arguments in [&arguments, &copy, &arguments] {
        assert_eq!(arguments.content("pattern", read).unwrap().as_deref(), Some(&"p.txt".into()));
    }
    assert_eq!(reads.get(), 1);
    assert!(arguments.set_file("lazy", "p.txt").is_err());
}

#[test]
fn a_required_parameter_is_asked_for() {
    let arguments = Arguments::of(&WALK);
    let error = arguments.complete().unwrap_err().to_string();
    assert_eq!(error, "--steps: must be given: a whole number from 1 to 100");
    assert!(arguments.with("steps", "7").unwrap().complete().is_ok());
}

#[test]
fn values_beyond_the_limits_are_refused() {
    let refused = [("restart", "1.5"), ("restart", "NaN"), ("steps", "0"), ("steps", "-1"), ("source", "x")];
    for (name, text) in refused.into_iter().chain([("precision", "f16"), ("lazy", "perhaps"), ("unknown", "1")]) {
        let error = Arguments::of(&WALK).with(name, text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("--{name}")), "{error}");
    }
}

#[test]
fn asking_for_another_type_is_an_error() {
    assert!(Arguments::of(&WALK).integer("restart").is_err());
    assert!(Arguments::of(&WALK).flag("precision").is_err());
}

static PART: Algorithm =
    Algorithm::new("part", "A part", unused).parameters(&[Parameter::vertices("vertices", "Vertices of the part")]);

#[test]
fn a_list_of_vertices_is_read_and_must_be_in_the_graph() {
    let graph = Graph::from_edges([(3, 7), (7, 9)]).expect("sound edges");
    let arguments = Arguments::of(&PART);
    assert!(arguments.complete().is_err());
    assert!(arguments.clone().with("vertices", "3,,7").is_err());
    let arguments = arguments.with("vertices", "9, 3").unwrap();
    assert!(arguments.complete().is_ok());
    let vertices: Vec<u64> = arguments.vertices(&graph, "vertices").unwrap().iter().map(|v| v.dense()).collect();
    assert_eq!(vertices, [2, 0]);
    assert_eq!(arguments.iter().collect::<Vec<_>>(), [("vertices", "9,3".to_owned())]);
    assert!(arguments.with("vertices", "4").unwrap().vertices(&graph, "vertices").is_err());
}

#[test]
fn unreached_is_the_largest_integer_and_infinity() {
    assert!(Values::from(vec![u32::MAX]).is_unreached(0));
    assert!(Values::from(vec![f32::INFINITY]).is_unreached(0));
    assert!(!Values::from(vec![f32::MAX]).is_unreached(0));
}

#[test]
fn scalars_print_shortest() {
    assert_eq!(Scalar::Single(0.1).to_string(), "0.1");
    assert_eq!(Scalar::Real(1.5e-9).to_string(), "1.5e-9");
    assert_eq!(Scalar::Unsigned(7).to_string(), "7");
}
