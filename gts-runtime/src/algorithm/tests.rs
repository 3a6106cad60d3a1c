use super::*;
use crate::Error;
use gts_core::advice::Explain;

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
fn what_a_graph_needs_depends_on_the_arguments() {
    const TYPES: &[ScalarType] = &[ScalarType::F64];
    static WALK: Algorithm = Algorithm::new("walk", "A walk", unused)
        .parameters(&[
            Parameter::flag("weighted", "Whether weights count"),
            Parameter::choice("direction", &["out", "in"], "Direction of edges"),
        ])
        .needs_with(&[
            NeedsWith {
                parameter: "weighted",
                value: Value::Flag(true),
                needs: Needs { weights: TYPES, ..Needs::NONE },
            },
            NeedsWith {
                parameter: "direction",
                value: Value::Choice("in"),
                needs: Needs { in_edges: true, ..Needs::NONE },
            },
        ]);
    let arguments = Arguments::of(&WALK);
    assert_eq!(arguments.needs(), Needs::NONE);
    let arguments = arguments.with("weighted", "true").unwrap();
    assert_eq!(arguments.needs(), Needs { weights: TYPES, ..Needs::NONE });
    let arguments = arguments.with("direction", "in").unwrap();
    assert_eq!(arguments.needs(), Needs { weights: TYPES, in_edges: true, symmetric: false });
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
    let refused = [("restart", "1.5"), ("restart", "NaN"), ("steps", "0"), ("steps", "-1")];
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
    for text in ["3,,7", "x", "-1"] {
        let error = arguments.clone().with("vertices", text).unwrap().vertices(&graph, "vertices").unwrap_err();
        assert!(error.to_string().contains("expected the key of a vertex, a number"), "{error}");
    }
    let mut arguments = arguments.with("vertices", "7").unwrap();
    arguments.set("vertices", "9, 3").unwrap();
    assert!(arguments.complete().is_ok());
    let vertices: Vec<u64> = arguments.vertices(&graph, "vertices").unwrap().iter().map(|v| v.dense()).collect();
    assert_eq!(vertices, [2, 0]);
    assert_eq!(arguments.iter().collect::<Vec<_>>(), [("vertices", "9, 3".to_owned())]);
    arguments.add("vertices", "7").unwrap();
    assert_eq!(arguments.vertices(&graph, "vertices").unwrap().len(), 3);
    assert!(arguments.add("vertices", "@missing.txt").is_err());
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

#[test]
fn tables_begin_with_keys_and_the_main_one_comes_first() {
    let answer = Answer::new()
        .scalar("depth", Scalar::Unsigned(3))
        .edges(Edges { name: "forest", ends: vec![(7, 9)], weights: Some(vec![0.5f32].into()) })
        .vertices("level", vec![0u32, u32::MAX])
        .rows(Rows { name: "places", columns: vec![("3".to_owned(), Values::Vertex(vec![9]))] });
    let tables = answer.tables();
    let shown: Vec<_> = tables
        .iter()
        .map(|table| {
            let columns: Vec<_> =
                table.columns.iter().map(|column| format!("{}: {}", column.name, column.scalar_type())).collect();
            (table.kind, table.name, table.rows, columns.join(", "))
        })
        .collect();
    let expected = [
        (TableKind::Vertices, "", 2, "vertex: VertexId, level: u32"),
        (TableKind::Rows, "places", 1, "3: VertexId"),
        (TableKind::Edges, "forest", 1, "source: VertexId, target: VertexId, weight: f32"),
        (TableKind::Single, "", 1, "depth: u64"),
    ];
    assert_eq!(shown, expected.map(|(kind, name, rows, columns)| (kind, name, rows, columns.to_owned())));
    // A column refers to the vector of the answer.
    let (Some(Cells::Values(shown)), Some(own)) =
        (tables[0].column("level").map(|column| column.cells), answer.values("level"))
    else {
        panic!("{tables:?}");
    };
    assert!(std::ptr::eq(shown, own));
    assert!(Answer::new().tables().is_empty());
}

#[test]
fn an_answer_that_differs_from_its_declaration_is_refused() {
    static OUTPUTS: [Output; 4] = [
        Output::vertices("level", &[ScalarType::U32, ScalarType::U8], "Levels").unreached("no path"),
        Output::scalar("depth", "The largest level"),
        Output::edges("tree", "Its edges"),
        Output::table("places", "Places"),
    ];
    static TREE: Algorithm = Algorithm::new("tree", "A tree", unused).outputs(&OUTPUTS);
    let graph = Graph::from_edges([(3, 7)]).expect("sound edges");
    let declared = |answer: Answer| answer.declared(&TREE, &graph).map_err(|error| (error.to_string(), error.code()));
    let right = declared(Answer::new().vertices("level", vec![0u8, u8::MAX])).expect("as declared");
    let level = right.tables()[0].column("level").expect("it is there");
    assert_eq!((level.is_null(0), level.is_null(1)), (false, true));
    assert_eq!(level.summary, Some(Summary::Largest));
    let columns = |columns: [Vec<u8>; 2]| columns.map(|values| (String::new(), values.into())).into();
    let tree = |weights: Vec<u32>| Edges { name: "tree", ends: vec![(3, 7)], weights: Some(weights.into()) };
    let places = |lists| Rows { name: "places", columns: columns(lists) };
    assert!(declared(Answer::new().edges(tree(vec![1])).rows(places([vec![1], vec![2]]))).is_ok());
    for (answer, found, output, shape) in [
        (Answer::new().vertices("level", vec![0u64, 1]), "2 values of type u64", "level", "2 values of type u32 or u8"),
        (Answer::new().vertices("level", vec![0u32]), "1 values of type u32", "level", "2 values of type u32 or u8"),
        (Answer::new().scalar("level", Scalar::Flag(true)), "a single value", "level", "2 values of type u32 or u8"),
        (Answer::new().vertices("depth", vec![0u32, 1]), "2 values of type u32", "depth", "a single value"),
        (Answer::new().scalar("height", Scalar::Real(1.0)), "a single value", "height", "nothing of that name"),
        (Answer::new().edges(tree(vec![])), "1 edges with 0 values of type u32", "tree", "edges"),
        (Answer::new().rows(places([vec![1], vec![]])), "columns of 1 and 0 rows", "places", "a table"),
    ] {
        let text = format!("`tree` returns {found} as `{output}`, and declares {shape}");
        assert_eq!(declared(answer), Err((text, gts_contract::language::Code::WrongOutput)));
    }
}
