//! Graphs from files.

use super::hops::{Hops, expand};
use gts_graph::prelude::*;
use std::path::Path;

// ANCHOR: read
fn towns(file: &Path) -> Result<()> {
    let graph = Graph::reader(file).symmetrise(true).read()?;
    for note in graph.notes() {
        eprintln!("note: {note}");
    }
    let mut run = Engine::auto()?.start::<Hops>(&graph)?;
    let start = graph.vertex(30)?;
    run.set(Hops::LEVEL, start, 0)?;
    run.activate(start)?;
    run.traverse(expand)?;
    for (key, level) in run.take_with_keys(Hops::LEVEL)? {
        println!("town {key}: {level} hops");
    }
    Ok(())
}
// ANCHOR_END: read

#[test]
fn towns_are_read_from_a_file() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("roads.txt");
    std::fs::write(&file, "30 10\n30 50\n10 70\n50 70\n")?;
    towns(&file)?;
    let unknown =
        Graph::read(&file)?.vertex(31).expect_err("no edge names 31");
    assert!(unknown.to_string().contains("31"), "{unknown}");
    std::fs::write(&file, "10 70\n")?;
    assert!(towns(&file).is_err(), "town 30 is not in the file");
    Ok(())
}
