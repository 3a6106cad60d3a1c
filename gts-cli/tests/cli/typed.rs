//! Parquet and Arrow files, read and written by the real binary.

use crate::sandbox::Sandbox;

#[cfg(not(feature = "arrow"))]
#[test]
fn a_build_without_the_feature_names_it() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "1 2\n");
    sandbox.write("g.parquet", [&b"PAR1\x15\0"[..], &[0; 32]].concat());
    for (code, arguments) in [
        (65, &["import", "g.parquet", "g.gts"][..]),
        (65, &["run", "wcc", "g.parquet"]),
        (2, &["run", "wcc", "g.txt", "--output", "a.parquet"]),
        (2, &["run", "wcc", "g.txt", "--output-format", "arrow"]),
        (2, &["convert", "g.txt", "a.arrow"]),
    ] {
        let error = sandbox.fails(code, arguments);
        assert!(error.contains("--features arrow"), "{arguments:?}: {error}");
    }
}

#[cfg(not(feature = "bv"))]
#[test]
fn a_build_without_the_feature_of_bv_graphs_names_it() {
    let sandbox = Sandbox::new();
    sandbox.write("g.graph", [0; 8]);
    sandbox.write("g.properties", "graphclass=it.unimi.dsi.webgraph.BVGraph\nnodes=2\narcs=0\n");
    for name in ["g", "g.graph", "g.properties"] {
        let error = sandbox.fails(65, &["import", name, "g.gts"]);
        assert!(error.contains("g.graph: a WebGraph graph (BV)") && error.contains("--features bv"), "{name}: {error}");
    }
    // Other properties beside a METIS file have no meaning.
    sandbox.write("g.graph", "2 1\n2\n1\n");
    sandbox.write("g.properties", "title=a path\n");
    sandbox.text(&["import", "g.graph", "g.gts"]);
}

#[cfg(feature = "arrow")]
#[test]
fn what_is_written_is_read_again() {
    let sandbox = Sandbox::new();
    for (keys, text) in [
        ("number", "source,target,weight\n1,2,5\n2,3,6\n9,9,1\n"),
        ("signed", "source,target,weight\n-1,2,0.5\n2,3,6\n9,9,1\n"),
        ("text", "source,target,weight\n\"a,b\",é,5\né,c,-6\n9,9,1\n"),
        ("uuid", "source,target\n00000000-0000-0000-0000-000000000001,ffffffff-0000-0000-0000-00000000000f\n"),
    ] {
        sandbox.write("g.csv", text);
        sandbox.text(&["import", "g.csv", "g.gts", "--keys", keys, "--force"]);
        let exported = sandbox.text(&["export", "g.gts", "-"]);
        for name in ["a.parquet", "a.ARROW"] {
            sandbox.text(&["export", "g.gts", name, "--force"]);
            assert_eq!(sandbox.text(&["convert", name, "-"]), exported, "{name}");
            sandbox.text(&["import", name, "again.gts", "--force"]);
            let (old, new) = (sandbox.json(&["info", "g.gts"]), sandbox.json(&["info", "again.gts"]));
            assert_eq!((&old["keys"], &old["weights"]), (&new["keys"], &new["weights"]), "{name}");
            assert_eq!(sandbox.text(&["export", "again.gts", "-"]), exported, "{name}");
        }
    }
}

#[cfg(feature = "arrow")]
#[test]
fn answers_are_tables_that_can_be_read() {
    let sandbox = Sandbox::new();
    sandbox.write("g.csv", "source,target\na,b\nb,c\nx,a\n");
    // The parents of vertices are keys, too, and some vertices have none.
    sandbox.text(&["run", "bfs", "g.csv", "--source", "a", "--device", "cpu", "--output", "a.parquet"]);
    let error = sandbox.fails(65, &["info", "a.parquet"]);
    assert!(error.contains("the keys of a graph have one type"), "{error}");
    let error = sandbox.fails(65, &["info", "a.parquet", "--columns", "source=vertex,target=vertex,weight=level"]);
    assert!(error.contains("names a column twice"), "{error}");
    // Two columns of keys are edges.
    sandbox.text(&["run", "wcc", "g.csv", "--device", "cpu", "--output", "components.arrow"]);
    assert_eq!(sandbox.text(&["convert", "components.arrow", "-"]), "source,target\na,a\nb,a\nc,a\nx,a\n");
}
