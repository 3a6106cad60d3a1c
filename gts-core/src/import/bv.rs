//! Recognises BV graphs of WebGraph: a bit stream in `NAME.graph`, and its parameters in `NAME.properties`. A METIS file may
//! have the same ending, but no such properties.

use crate::files;
use std::path::{Path, PathBuf};

/// The type of the file, for messages.
pub(super) const WHAT: &str = "a WebGraph graph (BV)";

/// The ending of the bit stream.
const GRAPH: &str = "graph";
/// The ending of the parameters.
const PROPERTIES: &str = "properties";

/// Returns the file with the parameters of a BV graph whose bit stream is `graph`; `None` if the file is no such stream.
pub(super) fn properties(graph: &Path) -> Option<PathBuf> {
    let properties = graph.with_extension(PROPERTIES);
    (graph.extension()? == GRAPH && has_parameters(&properties)).then_some(properties)
}

/// Returns the bit stream of the BV graph that a path names: by its bit stream, by its parameters, or by both without
/// their endings.
pub(crate) fn stream_of(path: &Path) -> Option<PathBuf> {
    let base = match path.extension() {
        Some(ending) if ending == GRAPH || ending == PROPERTIES => path.with_extension(""),
        _ => path.to_owned(),
    };
    let [stream, parameters] = [GRAPH, PROPERTIES].map(|ending| {
        let mut name = base.clone().into_os_string();
        name.push(".");
        name.push(ending);
        PathBuf::from(name)
    });
    (has_parameters(&parameters) && stream.is_file()).then_some(stream)
}

/// Returns whether a file contains parameters of a graph of WebGraph.
fn has_parameters(path: &Path) -> bool {
    let is_class = |line: &str| line.starts_with("graphclass") && line.contains("webgraph");
    path.is_file() && files::read_small(path).is_ok_and(|text| text.lines().any(is_class))
}
