//! `gts new`: writes a crate with an algorithm to start from.

mod name;
mod place;

use crate::error::Failure;
use crate::report::{Report, path_json};
use clap::ValueEnum;
use place::Dependency;
use serde_json::json;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Arguments of `gts new`.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The folder to make; its name becomes the name of the crate and of the algorithm
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// The kind of kernel to start from
    #[arg(long, value_enum, default_value_t = Template::Traverse)]
    template: Template,
    /// The clone of GTS that the crate depends on [default: the one around this folder, or the one that this command was built in]
    #[arg(long, value_name = "CLONE")]
    gts: Option<PathBuf>,
}

/// The kinds of algorithms to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Template {
    /// Follow edges from active vertices: hops from a source
    Traverse,
    /// Visit every edge in each pass: walks that end at each vertex
    Scan,
    /// Reduce the neighbours of each vertex to one value: neighbours with more edges
    Gather,
}

/// The name in the templates. In identifiers it has `_` in place of `-`.
const NAME: &str = "my-algorithm";

impl Template {
    /// Returns the source of the library and of the serial version.
    fn sources(self) -> [&'static str; 2] {
        match self {
            Self::Traverse => [include_str!("templates/traverse/lib.rs"), include_str!("templates/traverse/serial.rs")],
            Self::Scan => [include_str!("templates/scan/lib.rs"), include_str!("templates/scan/serial.rs")],
            Self::Gather => [include_str!("templates/gather/lib.rs"), include_str!("templates/gather/serial.rs")],
        }
    }

    /// Returns the path and the text of each file of the crate.
    fn files(self, name: &str, dependency: &Dependency, is_nested: bool) -> Vec<(&'static str, String)> {
        let named = |text: &str| text.replace(NAME, name).replace(&NAME.replace('-', "_"), &name.replace('-', "_"));
        let [library, serial] = self.sources().map(named);
        let mut manifest = named(include_str!("templates/Cargo.toml.txt")).replace("SOURCE", &dependency.source());
        if is_nested {
            manifest.push_str("\n# The folders above belong to another workspace.\n[workspace]\n");
        }
        let mut files = vec![
            ("Cargo.toml", manifest),
            ("README.md", named(include_str!("templates/README.md"))),
            (".gitignore", "/target\n".to_owned()),
            ("src/lib.rs", library),
            ("src/serial.rs", serial),
            ("src/main.rs", named(include_str!("templates/main.rs"))),
        ];
        files.extend(dependency.lock().map(|lock| ("Cargo.lock", lock)));
        files
    }
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let path = &arguments.path;
    let name = name::of(path)?;
    if path.symlink_metadata().is_ok() {
        let next = "choose another name: `gts new` replaces nothing";
        return Err(Failure::usage(format!("{} exists already", path.display()), next));
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let parent = parent.canonicalize().map_err(|error| Failure::unread(parent, error, "make the folder first"))?;
    let dependency = Dependency::find(arguments.gts.as_deref(), &parent)?;
    let files = arguments.template.files(name, &dependency, place::is_in_a_package(&parent));
    write(&files, &parent, path)
        .map_err(|error| Failure::unwritten(path, error, "nothing was written; try another place"))?;
    let mut facts = vec![
        ("crate", path.display().to_string()),
        ("GTS", dependency.to_string()),
        ("next", format!("cd {} && cargo test", path.display())),
        ("", format!("cargo run --release -- run {name} rmat:10 --check")),
    ];
    let note = matches!(dependency, Dependency::Version(_)).then_some(
        "this version of GTS must have been released for the crate to build; `--gts CLONE` takes a clone instead",
    );
    facts.extend(note.map(|note| ("note", note.to_owned())));
    let json = json!({
        "path": path_json(path),
        "algorithm": name,
        "gts": dependency.to_string(),
        "note": note,
    });
    Ok(Report::new(crate::report::facts(&facts), json))
}

/// Writes the files beside their destination, and then moves them there, so that no incomplete crate is left.
fn write(files: &[(&str, String)], parent: &Path, path: &Path) -> io::Result<()> {
    let folder = tempfile::Builder::new().prefix(".gts-new-").tempdir_in(parent)?;
    let staged = folder.path().join("crate");
    fs::create_dir_all(staged.join("src"))?;
    for (file, text) in files {
        fs::write(staged.join(file), text)?;
    }
    fs::rename(&staged, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_the_template_remains() {
        let dependency = Dependency::Version("0.1.0");
        for template in Template::value_variants() {
            let files = template.files("two-words", &dependency, true);
            assert_eq!(files.len(), 6);
            for (file, text) in &files {
                assert!(!text.contains("my-algorithm") && !text.contains("my_algorithm"), "{file}: {text}");
                assert!(!text.contains("SOURCE, "), "{file}: {text}");
            }
            let manifest = &files[0].1;
            assert!(manifest.contains("name = \"two-words\"") && manifest.ends_with("[workspace]\n"), "{manifest}");
            assert!(manifest.contains("gts-graph = { version = \"0.1.0\", features = [\"cli\"] }"), "{manifest}");
            assert!(files[5].1.contains("two_words::link()"));
        }
    }
}
