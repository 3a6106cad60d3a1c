//! The pictures in the repository are equal to the drawn ones.

use gts_bench::pictures;
use std::fs;

#[test]
fn pictures_are_up_to_date() {
    for (name, picture) in pictures::all().expect("the pages with numbers are in the tree") {
        let kept = fs::read_to_string(pictures::folder().join(name)).unwrap_or_default();
        assert!(kept == picture, "{name} differs: run `cargo run -p gts-bench -- pictures`");
    }
}

#[test]
fn the_folder_of_pictures_has_no_other_files() {
    let drawn = pictures::all().expect("the pages with numbers are in the tree");
    for entry in fs::read_dir(pictures::folder()).expect("the folder is in the tree") {
        let name = entry.expect("the folder can be listed").file_name();
        assert!(drawn.iter().any(|(drawn, _)| name == *drawn), "{name:?} is not drawn: remove it");
    }
}

#[test]
fn a_chapter_can_include_a_picture() {
    for (name, picture) in pictures::all().expect("the pages with numbers are in the tree") {
        // An HTML block in Markdown begins with a tag that is alone on its line, and ends at a blank line.
        let mut lines = picture.lines();
        assert!(lines.next().is_some_and(|line| line.starts_with("<svg ") && line.ends_with('>')), "{name}");
        assert!(lines.all(|line| !line.trim().is_empty()), "{name} has a blank line");
        let id = format!("picture-{}", name.trim_end_matches(".svg"));
        assert_eq!(
            picture.matches("id=\"").count(),
            3,
            "{name}: the ids of the picture, its title and its description"
        );
        assert!(picture.matches("id=\"").count() == picture.matches(&format!("id=\"{id}")).count(), "{name}");
    }
}
