//! Tests that the files generated from the language tables are identical to the files in the repository.

use gts_bench::reference;
use std::collections::BTreeSet;
use std::fs;

#[test]
fn the_reference_is_up_to_date() {
    for (path, text) in reference::all() {
        let kept = fs::read_to_string(reference::root().join(&path)).unwrap_or_default();
        assert_eq!(kept, text, "{path}: make it again with `cargo run -p gts-bench -- reference`");
    }
}

#[test]
fn generated_folders_have_no_other_files() {
    let generated: BTreeSet<String> = reference::all().into_iter().map(|(path, _)| path).collect();
    for folder in ["book/src/reference", "gts-macros/doc"] {
        for entry in fs::read_dir(reference::root().join(folder)).expect("the folder is in the tree") {
            let name = entry.expect("the folder can be listed").file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            assert!(generated.contains(&path), "{path} is not generated: remove it");
        }
    }
}
