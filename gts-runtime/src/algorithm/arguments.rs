//! The values of an algorithm's parameters.

use super::{Algorithm, Fallback, Needs, NeedsWith, ParameterKind, Value};
use crate::{Error, Result};
use gts_core::files::{self, Lines};
use gts_core::graph::{Graph, IdMap, KeyKind, Vertex};
use gts_core::memory;
use std::any::Any;
use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Maximum number of vertices with the same label that an error lists.
const MOST_DUPLICATES: usize = 8;

/// The parsed content of a file.
type Content = Arc<dyn Any + Send + Sync>;

/// The values of an algorithm's parameters, including defaults.
#[derive(Clone, Debug)]
pub struct Arguments {
    algorithm: &'static Algorithm,
    /// One value per parameter, in the algorithm's order. `None` if the parameter has no value, or if it is a vertex, a
    /// list or a file.
    values: Vec<Option<Value>>,
    /// The keys of each vertex or list parameter, indexed by parameter. Each graph reads them as keys of its type.
    lists: Vec<Vec<String>>,
    /// The path of each file parameter, indexed by parameter.
    files: Vec<Option<PathBuf>>,
    /// The parsed content of each file, indexed by parameter and shared by all clones.
    contents: Vec<Arc<OnceLock<Content>>>,
    /// The names of vertices by original ID, if they were set.
    names: Option<Arc<HashMap<u64, String>>>,
}

impl Arguments {
    /// Creates the default arguments of an algorithm.
    pub fn of(algorithm: &'static Algorithm) -> Self {
        let default = |fallback| match fallback {
            Fallback::Value(value) => Some(value),
            Fallback::Required | Fallback::Rule(_) => None,
        };
        let values = algorithm.parameters.iter().map(|parameter| default(parameter.fallback)).collect();
        let parameters = algorithm.parameters.len();
        let contents = (0..parameters).map(|_| Arc::default()).collect();
        let (lists, files) = (vec![Vec::new(); parameters], vec![None; parameters]);
        Self { algorithm, values, lists, files, contents, names: None }
    }

    /// Sets a parameter from text. The text of a list is a key, several numbers joined by commas, or `@FILE`, a file with a
    /// key per line; [`Arguments::add`] appends more. A key that begins with `@` is written with `@@`.
    ///
    /// # Errors
    ///
    /// The name is unknown, or the parameter does not allow the text. Keys are checked when a graph is known.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let index = self.index(name)?;
        let parameter = &self.algorithm.parameters[index];
        match parameter.kind {
            ParameterKind::Vertex => self.lists[index] = vec![text.to_owned()],
            ParameterKind::Vertices => {
                self.lists[index].clear();
                return self.add(name, text);
            }
            ParameterKind::File => return self.set_file(name, text),
            _ => self.values[index] = Some(parameter.parse(text)?),
        }
        Ok(())
    }

    /// Appends keys to a list parameter: see [`Arguments::set`].
    ///
    /// # Errors
    ///
    /// The name is unknown, the parameter is not a list, or the file cannot be read.
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        let index = self.index(name)?;
        if self.algorithm.parameters[index].kind != ParameterKind::Vertices {
            return Err(self.mistyped(name));
        }
        match text.strip_prefix('@') {
            None => self.lists[index].push(text.to_owned()),
            Some(key) if key.starts_with('@') => self.lists[index].push(key.to_owned()),
            Some(path) => {
                let refuse = |why: &dyn Display| Error::argument(format!("--{name} {text}"), why);
                let file = files::open(Path::new(path)).map_err(|error| refuse(&error))?;
                let mut lines = Lines::new(file);
                while let Some((_, line)) = lines.next_line().map_err(|error| refuse(&error))? {
                    self.lists[index].push(line.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Sets the path of a file parameter.
    ///
    /// # Errors
    ///
    /// The name is unknown, or the parameter is not a file.
    pub fn set_file(&mut self, name: &str, path: impl Into<PathBuf>) -> Result<()> {
        let index = self.index(name)?;
        if self.algorithm.parameters[index].kind != ParameterKind::File {
            return Err(self.mistyped(name));
        }
        self.files[index] = Some(path.into());
        self.contents[index] = Arc::default();
        Ok(())
    }

    /// Returns the arguments with a parameter set from text.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::set`].
    pub fn with(mut self, name: &str, text: &str) -> Result<Self> {
        self.set(name, text)?;
        Ok(self)
    }

    /// Returns the given or default value of a parameter. `None` if the parameter has no value, or if it is a vertex, a
    /// list or a file.
    ///
    /// # Errors
    ///
    /// The algorithm declares no such parameter, or a required parameter was not given.
    pub fn get(&self, name: &str) -> Result<Option<Value>> {
        let index = self.index(name)?;
        let parameter = &self.algorithm.parameters[index];
        if parameter.fallback == Fallback::Required && !self.is_given(name)? {
            return Err(Error::argument(format!("--{name}"), format!("must be given: {}", parameter.expected())));
        }
        Ok(self.values[index])
    }

    /// Returns whether a parameter of any type has a value.
    ///
    /// # Errors
    ///
    /// The algorithm declares no such parameter.
    pub fn is_given(&self, name: &str) -> Result<bool> {
        let index = self.index(name)?;
        Ok(self.values[index].is_some() || !self.lists[index].is_empty() || self.files[index].is_some())
    }

    /// Returns the value of a number parameter that has a default or is required.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::get`]. Also fails if the parameter has another type.
    pub fn real(&self, name: &str) -> Result<f64> {
        self.optional_real(name)?.ok_or_else(|| self.undecided(name))
    }

    /// Returns the value of a number parameter, if there is one.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`].
    pub fn optional_real(&self, name: &str) -> Result<Option<f64>> {
        self.get(name)?
            .map(|value| if let Value::Real(x) = value { Ok(x) } else { Err(self.mistyped(name)) })
            .transpose()
    }

    /// Returns the value of an integer parameter that has a default or is required.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`].
    pub fn integer(&self, name: &str) -> Result<u64> {
        self.optional_integer(name)?.ok_or_else(|| self.undecided(name))
    }

    /// Returns the value of an integer parameter, if there is one.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`].
    pub fn optional_integer(&self, name: &str) -> Result<Option<u64>> {
        self.get(name)?
            .map(|value| if let Value::Integer(x) = value { Ok(x) } else { Err(self.mistyped(name)) })
            .transpose()
    }

    /// Returns the vertex of a vertex parameter, if one was given.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`]. Also fails if the graph has no vertex with this key.
    pub fn vertex(&self, graph: &Graph, name: &str) -> Result<Option<Vertex>> {
        let parameter = self.parameter_of_vertices(name, ParameterKind::Vertex)?;
        self.lists[parameter].first().map(|key| self.find(graph.ids(), parameter, key)).transpose()
    }

    /// Returns the vertices of a list parameter; empty if no list was given.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`]. Also fails if the graph has no vertex with one of the keys.
    pub fn vertices(&self, graph: &Graph, name: &str) -> Result<Vec<Vertex>> {
        let parameter = self.parameter_of_vertices(name, ParameterKind::Vertices)?;
        let keys = self.keys(graph.ids(), parameter);
        memory::try_collected("vertices", keys.map(|key| self.find(graph.ids(), parameter, key)))
    }

    /// Checks that a graph has all vertices of the vertex and list parameters.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::vertices`].
    pub fn check_vertices(&self, ids: &IdMap) -> Result<()> {
        (0..self.lists.len()).try_for_each(|parameter| {
            self.keys(ids, parameter).try_for_each(|key| self.find(ids, parameter, key).map(drop))
        })
    }

    /// Returns the keys of a parameter. Only names may contain commas.
    fn keys<'a>(&'a self, ids: &IdMap, parameter: usize) -> impl Iterator<Item = &'a str> {
        let whole = ids.kind() == KeyKind::Text || self.algorithm.parameters[parameter].kind == ParameterKind::Vertex;
        self.lists[parameter].iter().flat_map(move |text| text.split(move |c| c == ',' && !whole))
    }

    /// Returns the vertex with the key that a text represents.
    fn find(&self, ids: &IdMap, parameter: usize, text: &str) -> Result<Vertex> {
        let kind = ids.kind();
        let key = ids.parse_key(if kind == KeyKind::Text { text } else { text.trim() });
        if key.is_none()
            && let Some(vertex) = self.labelled(parameter, text)?
        {
            return Ok(ids.vertex(vertex)?);
        }
        let key = key.ok_or_else(|| {
            let name = self.algorithm.parameters[parameter].name;
            let what = match kind {
                KeyKind::Number => "a number",
                KeyKind::Signed => "a signed number",
                KeyKind::Uuid => "a UUID",
                KeyKind::Text => "a name",
            };
            let sides = if ids.has_sides() { ", after its side: `left:KEY` or `right:KEY`" } else { "" };
            let labelled = if self.names.is_some() { "; no vertex has this label" } else { "" };
            let given = text.escape_debug();
            Error::argument(
                format!("--{name} {given}"),
                format!("expected the key of a vertex, {what}{sides}{labelled}"),
            )
        })?;
        Ok(ids.vertex(key)?)
    }

    /// Returns the number of the vertex with a label; `None` if no vertex has this label.
    fn labelled(&self, parameter: usize, label: &str) -> Result<Option<u64>> {
        let names = self.names.iter().flat_map(|names| names.iter());
        let mut found: Vec<u64> = names.filter(|(_, name)| *name == label).map(|(id, _)| *id).collect();
        if found.len() < 2 {
            return Ok(found.pop());
        }
        found.sort_unstable();
        let shown: Vec<_> = found.iter().take(MOST_DUPLICATES).map(u64::to_string).collect();
        let more = if found.len() > shown.len() { " and more" } else { "" };
        let (name, given) = (self.algorithm.parameters[parameter].name, label.escape_debug());
        let problem = format!("{} vertices have this label: {}{more}; give a number", found.len(), shown.join(", "));
        Err(Error::argument(format!("--{name} {given}"), problem))
    }

    /// Returns the index of a parameter of the given kind. Fails as [`Arguments::get`] does.
    fn parameter_of_vertices(&self, name: &str, kind: ParameterKind) -> Result<usize> {
        self.get(name)?;
        let index = self.index(name)?;
        if self.algorithm.parameters[index].kind == kind { Ok(index) } else { Err(self.mistyped(name)) }
    }

    /// Returns the path of a file parameter, if one was given.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`].
    pub fn file(&self, name: &str) -> Result<Option<&Path>> {
        self.get(name)?.map_or(Ok(()), |_| Err(self.mistyped(name)))?;
        Ok(self.files[self.index(name)?].as_deref())
    }

    /// Returns the content of a file parameter, as parsed by `read`; `None` if no file was given. All clones of the
    /// arguments share the result, so the file is read once.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::file`]. Also returns the errors of `read`.
    pub fn content<T: Any + Send + Sync>(
        &self,
        name: &str,
        read: impl FnOnce(&Path) -> Result<T>,
    ) -> Result<Option<Arc<T>>> {
        let Some(path) = self.file(name)? else { return Ok(None) };
        let content = &self.contents[self.index(name)?];
        if let Some(known) = content.get().and_then(|known| Arc::clone(known).downcast().ok()) {
            return Ok(Some(known));
        }
        let known = Arc::new(read(path)?);
        // If another thread has set the content in the meantime, that content is retained.
        let _ = content.set(known.clone());
        Ok(Some(known))
    }

    /// Sets the names of vertices, by original ID. `--labels` reads these names from a file. Algorithms may distinguish
    /// vertices by name.
    pub fn set_names(&mut self, names: Arc<HashMap<u64, String>>) {
        self.names = Some(names);
    }

    /// Returns the names of vertices by original ID, if they were set.
    pub fn names(&self) -> Option<&HashMap<u64, String>> {
        self.names.as_deref()
    }

    /// Returns the word that was given for a choice parameter, or the default.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`].
    pub fn choice(&self, name: &str) -> Result<&'static str> {
        match self.get(name)? {
            Some(Value::Choice(word)) => Ok(word),
            Some(_) => Err(self.mistyped(name)),
            None => Err(self.undecided(name)),
        }
    }

    /// Returns whether a flag is set.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`].
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name)? {
            Some(Value::Flag(on)) => Ok(on),
            Some(_) => Err(self.mistyped(name)),
            None => Ok(false),
        }
    }

    /// Returns the name and the value, as text, of each parameter that has a value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        let given = self.algorithm.parameters.iter().zip(&self.values).zip(self.lists.iter().zip(&self.files));
        given.filter_map(move |((parameter, value), (list, file))| {
            let list = || (!list.is_empty()).then(|| list.join(","));
            let file = || file.as_ref().map(|file| file.display().to_string());
            Some((parameter.name, value.map(|value| value.to_string()).or_else(list).or_else(file)?))
        })
    }

    /// Checks that all required parameters were given. Callers use this to fail before they start expensive work.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::get`].
    pub fn complete(&self) -> Result<()> {
        self.algorithm.parameters.iter().try_for_each(|parameter| self.get(parameter.name).map(drop))
    }

    /// Returns the properties that a graph must have in a run with these values.
    pub fn needs(&self) -> Needs {
        let Algorithm { needs, needs_with, .. } = self.algorithm;
        let holds = |with: &&NeedsWith| self.get(with.parameter).is_ok_and(|value| value == Some(with.value));
        needs_with.iter().filter(holds).fold(*needs, |needs, with| needs.and(with.needs))
    }

    fn index(&self, name: &str) -> Result<usize> {
        let found = self.algorithm.parameters.iter().position(|parameter| parameter.name == name);
        found.ok_or_else(|| {
            let known: Vec<_> = self.algorithm.parameters.iter().map(|parameter| parameter.name).collect();
            Error::argument_with_advice(
                format!("--{name}"),
                format!("`{}` has no such parameter", self.algorithm.name),
                format!("it has {}", known.join(", ")),
            )
        })
    }

    fn mistyped(&self, name: &str) -> Error {
        Error::argument(format!("--{name}"), format!("`{}` declares it with another type", self.algorithm.name))
    }

    fn undecided(&self, name: &str) -> Error {
        Error::argument(format!("--{name}"), "has no value and no default".to_owned())
    }
}
