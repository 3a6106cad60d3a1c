//! Forged stores: all checksums fit, but the in-edges are not the reversed out-edges.

use crate::sandbox::Sandbox;
use xxhash_rust::xxh3::xxh3_64;

/// Overwrites bytes of a page of a store, and corrects all checksums.
fn forge(sandbox: &Sandbox, store: &str, pages: &str, at: usize, bytes: &[u8]) {
    let (store, sums) = (sandbox.path(store), pages.replace(".pages", ".sums"));
    let mut page = std::fs::read(store.join(pages)).unwrap();
    page[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(store.join(pages), &page).unwrap();
    let table: Vec<u8> = page.chunks(4096).flat_map(|page| xxh3_64(page).to_le_bytes()).collect();
    std::fs::write(store.join(&sums), &table).unwrap();
    let manifest = std::fs::read_to_string(store.join("manifest")).unwrap();
    let mut text = String::new();
    for line in manifest.lines().filter(|line| !line.starts_with("checksum ")) {
        match *line.split(' ').collect::<Vec<_>>() {
            ["file", name, size, _] if name == pages || name == sums => {
                text.push_str(&format!("file {name} {size} {:016x}\n", xxh3_64(&table)));
            }
            _ => text.push_str(&format!("{line}\n")),
        }
    }
    text.push_str(&format!("checksum {:016x}\n", xxh3_64(text.as_bytes())));
    std::fs::write(store.join("manifest"), text).unwrap();
}

/// Creates a store with in-edges: from 0 to 1 and 2, from 2 to 1, in records of (1,1) bytes from 16 on.
fn forgeable() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "0 1\n0 2\n2 1\n");
    sandbox.text(&["import", "g.txt", "g.gts", "--page-size", "4KiB", "--in-edges"]);
    sandbox
}

#[test]
fn a_forged_side_is_refused_by_verify_and_by_a_run_that_verifies() {
    let sandbox = forgeable();
    let run = ["run", "pagerank", "g.gts", "--device", "cpu", "--propagation", "pull"];
    let text = sandbox.run(&[&run[..], &["--verify"]].concat());
    assert_eq!(text.code, 0, "{text:?}");
    assert!(text.stderr.contains("g.gts is sound"), "{text:?}");
    // 2 has an out-edge, but none to itself: the list of edges into 2 follows that of 1, which has two.
    forge(&sandbox, "g.gts", "in.pages", 21, &[2]);
    for command in [&["verify", "g.gts"][..], &[&run[..], &["--verify"]].concat()] {
        let error = sandbox.fails(65, command);
        assert!(
            error.contains("in.pages: page 0: the in-edges of vertex 2 are not the out-edges that lead to it"),
            "{error}"
        );
        assert!(error.contains("build it again"), "{error}");
    }
}

#[test]
fn an_edge_from_a_vertex_without_edges_out_never_reaches_an_answer() {
    let sandbox = forgeable();
    // 1 has no out-edge: a rank divided by its out-degree would be infinite.
    forge(&sandbox, "g.gts", "in.pages", 21, &[1]);
    let error = sandbox.fails(65, &["run", "pagerank", "g.gts", "--device", "cpu", "--propagation", "pull"]);
    assert!(error.contains("in.pages: page 0: record ID 2 names vertex 1, whose out-degree is 0"), "{error}");
}

#[test]
fn a_run_verifies_stores_alone_and_within_its_memory() {
    let sandbox = Sandbox::new();
    sandbox.write("g.txt", "0 1\n");
    for (graph, command) in [("chain:9", "gts generate chain:9 STORE"), ("g.txt", "gts import g.txt STORE")] {
        let error = sandbox.fails(2, &["run", "bfs", graph, "--verify"]);
        assert!(error.contains("--verify is for stores") && error.contains(command), "{error}");
    }
    sandbox.text(&["generate", "rmat:13", "g.gts", "--page-size", "4KiB"]);
    let run = ["run", "bfs", "g.gts", "--device", "cpu", "--verify", "--host-memory"];
    let error = sandbox.fails(71, &[&run[..], &["100KiB"]].concat());
    let needed: String = error.split('(').nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
    sandbox.text(&[&run[..], &[needed.as_str()]].concat());
}
