//! Programs read the same graphs as the command line, and get the same errors.

use crate::sandbox::Sandbox;
use gts_graph::core::advice::Explain;
use gts_graph::core::build::OrderChoice;
use gts_graph::core::graph::PageId;
use gts_graph::core::read::{ReadError, WeightChoice};
use gts_graph::core::store::SaveOptions;
use gts_graph::core::store::io::FileSystem;
use gts_graph::prelude::*;

/// A file of each format, by name.
const FILES: [(&str, &str); 7] = [
    ("a.txt", "# Undirected graph\n7 5 0.5\n5 9 2\n7 5 1\n"),
    ("b.csv", "from,to,weight\n3,1,4\n1,2,5\n2,2,6\n"),
    ("c.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5\n3 2 2.5\n"),
    ("d.gr", "p sp 3 3\na 1 2 7\na 2 3 8\na 3 1 9\n"),
    ("e.graph", "3 2\n2 3\n1\n1\n"),
    ("f.e", "1 2 0.25\n2 4 0.5\n"),
    ("g.tsv", "1\t2\n2\t3\n"),
];

const GENERATORS: [&str; 7] =
    ["rmat:7", "uniform:6,edge-factor=3", "grid:5x7", "torus:4^2", "star:9", "chain:100", "complete:8"];

/// Checks that two graphs have the same content, page for page.
fn same(name: &str, found: &Graph, expected: &Graph) {
    assert_eq!(found.content(), expected.content(), "{name}");
    let [found, expected] = [found, expected].map(Graph::out_topology);
    assert_eq!((found.num_pages(), found.format()), (expected.num_pages(), expected.format()), "{name}");
    for page in (0..found.num_pages()).map(PageId) {
        let edges = |topology: &gts_graph::core::page::Topology| {
            let view = topology.page(page).expect("a page in memory");
            view.vertices().map(|v| view.neighbors(view.list(Vertex::from_dense(v))).collect()).collect::<Vec<Vec<_>>>()
        };
        assert_eq!(edges(found), edges(expected), "{name}, {page}");
    }
}

#[test]
fn programs_read_what_the_command_line_builds() {
    let sandbox = Sandbox::new();
    sandbox.write("f.v", "1\n2\n4\n8\n");
    let files = FILES.map(|(name, text)| {
        sandbox.write(name, text);
        ("import", name, sandbox.path(name).into_os_string())
    });
    for (command, name, graph) in files.into_iter().chain(GENERATORS.map(|spec| ("generate", spec, spec.into()))) {
        let store = |options: &[&str]| {
            sandbox.text(&[&[command, name, "g.gts", "--force"], options].concat());
            Graph::read(sandbox.path("g.gts")).expect("a store")
        };
        let plain = store(&["--order", "original"]);
        let read = Graph::read(&graph).expect(name);
        same(name, &read, &plain);
        assert_eq!(read.notes().join("\n").replace(&graph.display().to_string(), name), plain.notes().join("\n"));
        let options = ["--weights", "1", "--in-edges", "--symmetrise", "--drop-self-loops", "--page-size", "4KiB"];
        let built = store(&options);
        let reader = Graph::reader(&graph).order(OrderChoice::Auto).choose_weights(WeightChoice::One);
        let reader = reader.in_edges(true).symmetrise(true).drop_self_loops(true).page_size(4096);
        same(name, &reader.clone().read().expect(name), &built);
        let save = SaveOptions { replace: true, ..SaveOptions::default() };
        reader.save(&FileSystem, sandbox.path("h.gts"), &save).expect(name);
        same(name, &Graph::read(sandbox.path("h.gts")).expect("a store"), &built);
    }
    let weighted = "chain:100,weights=f32";
    sandbox.text(&["generate", weighted, "g.gts", "--force", "--order", "original"]);
    let built = Graph::read(sandbox.path("g.gts")).expect("a store");
    same(weighted, &Graph::read(weighted).expect("a generator"), &built);
    same(weighted, &Graph::reader("chain:100").weights::<f32>().read().expect("a generator"), &built);
}

#[test]
fn programs_get_the_words_and_the_code_of_the_command_line() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("folder")).expect("a folder");
    sandbox.write("picture.png", b"\x89PNG\r\n\x1a\n");
    sandbox.write("broken.txt", "1 2\n1 x\n");
    sandbox.write("bare.txt", "1 2\n2 3\n");
    sandbox.text(&["generate", "rmat:7", "damaged.gts"]);
    let pages = sandbox.path("damaged.gts/out.pages");
    let mut bytes = std::fs::read(&pages).expect("pages");
    bytes[100] ^= 1;
    std::fs::write(&pages, bytes).expect("pages");
    let told = |name: &str, options: &[&str], error: ReadError| {
        let ended = sandbox.run(&[&["info", name, "--no-cache"], options].concat());
        let path = sandbox.path(name).display().to_string();
        let text = error.to_string().replace(&path, name);
        assert!(ended.stderr.starts_with(&format!("error: {text}\n")), "{text}: {}", ended.stderr);
        assert_eq!(ended.codes, [error.code().to_string()], "{name}");
        let shown = format!("{error:?}");
        assert!(shown.ends_with(&format!("\n  more:  gts explain {}", error.code())), "{shown}");
        text
    };
    for name in ["absent.txt", "folder", "picture.png", "broken.txt", "damaged.gts"] {
        told(name, &[], Graph::read(sandbox.path(name)).expect_err(name));
    }
    for spec in ["rmatt:7", "rmat", "rmat:99", "chain:5,colour=red"] {
        told(spec, &[], Graph::read(spec).expect_err(spec));
    }
    let weighted = Graph::reader(sandbox.path("bare.txt")).weights::<f32>().read();
    let text = told("bare.txt", &["--weights", "f32"], weighted.expect_err("no weights"));
    assert!(text.contains("there is no weight column: column 1 and column 2 are read"), "{text}");
    let directed = Graph::reader("rmat:7").directed(true).read();
    told("rmat:7", &["--directed"], directed.expect_err("a generator"));
    let ordered = Graph::reader(sandbox.path("damaged.gts")).page_size(4096).read();
    told("damaged.gts", &["--page-size", "4096"], ordered.expect_err("a store"));
}
