//! The files of a graph that is named by a folder or a pattern.

use super::ReadError;
use crate::files;
use crate::import::{ImportError, companions_of};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that marks a folder as complete, as written by Spark and Hadoop.
const COMPLETE: &str = "_SUCCESS";

/// Returns whether a name contains a sign of a pattern.
pub(super) fn is_pattern(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Returns the files in a folder, sorted by name. Hidden files and `_SUCCESS` do not count.
pub(super) fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let fail = |error| ImportError::io(folder, error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if !is_left_out(&entry.file_name()) {
            found.push(entry.path());
        }
    }
    only_files(found, folder)
}

/// Returns the files whose names match a pattern, sorted by name.
pub(super) fn of_pattern(pattern: &OsStr) -> Result<Vec<PathBuf>, ReadError> {
    let no_pattern = |reason: &str| ReadError::Option {
        problem: format!("`{}` is no pattern of names: {reason}", pattern.display()),
        advice: "`*` stands for any signs, `?` for one, `[a-z]` for one of a range, and `[[]` for a bracket".into(),
    };
    let text = pattern.to_str().ok_or_else(|| no_pattern("it is not UTF-8"))?;
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let mut found = Vec::new();
    for path in glob::glob_with(text, options).map_err(|error| no_pattern(error.msg))? {
        let path = path.map_err(|error| {
            let path = error.path().to_owned();
            ImportError::io(&path, error.into())
        })?;
        if !path.file_name().is_some_and(is_left_out) {
            found.push(path);
        }
    }
    only_files(found, Path::new(pattern))
}

/// Returns whether a name in a folder or of a pattern is not that of a graph file.
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == COMPLETE
}

/// Sorts paths, and leaves out files that the import of another file reads. Fails if a path is that of a folder or if
/// none is left. `name` is the folder or the pattern.
fn only_files(mut paths: Vec<PathBuf>, name: &Path) -> Result<Vec<PathBuf>, ReadError> {
    paths.sort();
    let companions: Vec<_> = paths.iter().flat_map(|path| companions_of(path)).collect();
    paths.retain(|path| !companions.contains(path));
    for path in &paths {
        if files::find(path).map_err(|error| ImportError::io(path, error))?.is_some_and(|found| found.is_dir()) {
            return Err(ReadError::Option {
                problem: format!("{}: {} is a folder", name.display(), path.display()),
                advice: format!("name the files in it by a pattern, such as `{}`", path.join("*").display()).into(),
            });
        }
    }
    if paths.is_empty() {
        return Err(ReadError::NoFiles { graph: name.into() });
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{Reader, explain_within};
    use crate::graph::Graph;

    #[test]
    fn a_folder_and_a_pattern_name_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("part-1.csv", "source,target,weight\n3,4,-1\n");
        write("part-0.csv", "source,target,weight\n1,2,7\n");
        write("part-2.csv", "");
        write(".part-0.csv.crc", "\u{1}");
        write("_SUCCESS", "");
        let pattern = folder.path().join("part-[0-9].*");
        let named: Vec<_> = (0..3).rev().map(|part| folder.path().join(format!("part-{part}.csv"))).collect();
        let several = Graph::reader(&named[0]).and(&named[1]).and(&named[2]);
        for reader in [Graph::reader(folder.path()), Graph::reader(&pattern), several] {
            let graph = reader.read().unwrap();
            assert!(graph.ids().ascending().eq([1, 2, 3, 4]));
            assert_eq!(graph.value_type(), Some(gts_contract::ScalarType::I32), "7 alone would be u32");
        }
        let told = |name: &Path| explain_within(&Graph::read(name).unwrap_err(), Reader::CommandLine);
        let error = told(&folder.path().join("*.txt"));
        assert!(error.contains("no file has a name of the pattern"), "{error}");
        std::fs::create_dir(folder.path().join("part-3.csv")).unwrap();
        let error = told(&pattern);
        assert!(error.contains("part-3.csv is a folder"), "{error}");
    }
}
