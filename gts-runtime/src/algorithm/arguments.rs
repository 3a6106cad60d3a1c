//! The values of an algorithm's parameters.

use super::{Algorithm, Fallback, ParameterKind, Value};
use crate::{Error, Result};
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The parsed content of a file.
type Content = Arc<dyn Any + Send + Sync>;

/// The values of an algorithm's parameters, including defaults.
#[derive(Clone, Debug)]
pub struct Arguments {
    algorithm: &'static Algorithm,
    /// One value per parameter, in the algorithm's order. `None` if the parameter has no value, or if it is a list or a
    /// file.
    values: Vec<Option<Value>>,
    /// The original IDs of each list parameter, indexed by parameter.
    lists: Vec<Vec<u64>>,
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

    /// Sets a parameter from text.
    ///
    /// # Errors
    ///
    /// The name is unknown, or the parameter does not allow the text.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let index = self.index(name)?;
        let parameter = &self.algorithm.parameters[index];
        match parameter.kind {
            ParameterKind::Vertices => self.lists[index] = parameter.parse_vertices(text)?,
            ParameterKind::File => return self.set_file(name, text),
            _ => self.values[index] = Some(parameter.parse(text)?),
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

    /// Returns the given or default value of a parameter. `None` if the parameter has no value, or if it is a list or a
    /// file.
    ///
    /// # Errors
    ///
    /// The algorithm declares no such parameter, or a required parameter was not given.
    pub fn get(&self, name: &str) -> Result<Option<Value>> {
        let index = self.index(name)?;
        let parameter = &self.algorithm.parameters[index];
        let is_given = self.values[index].is_some() || !self.lists[index].is_empty() || self.files[index].is_some();
        if !is_given && parameter.fallback == Fallback::Required {
            return Err(Error::argument(format!("--{name}"), format!("must be given: {}", parameter.expected())));
        }
        Ok(self.values[index])
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
    /// As for [`Arguments::real`]. Also fails if the graph has no vertex with this ID.
    pub fn vertex(&self, graph: &Graph, name: &str) -> Result<Option<Vertex>> {
        match self.get(name)? {
            None => Ok(None),
            Some(Value::Vertex(original)) => Ok(Some(graph.vertex(original)?)),
            Some(_) => Err(self.mistyped(name)),
        }
    }

    /// Returns the vertices of a list parameter; empty if no list was given.
    ///
    /// # Errors
    ///
    /// As for [`Arguments::real`]. Also fails if the graph has no vertex with one of the IDs.
    pub fn vertices(&self, graph: &Graph, name: &str) -> Result<Vec<Vertex>> {
        self.get(name)?.map_or(Ok(()), |_| Err(self.mistyped(name)))?;
        let originals = self.lists[self.index(name)?].iter();
        memory::try_collected("vertices", originals.map(|original| Ok(graph.vertex(*original)?)))
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

    /// Returns the original IDs in all vertex and list parameters.
    pub fn originals(&self) -> impl Iterator<Item = u64> + '_ {
        let single = self.values.iter().filter_map(|value| match value {
            Some(Value::Vertex(original)) => Some(*original),
            _ => None,
        });
        single.chain(self.lists.iter().flatten().copied())
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
        let text = |list: &[u64]| list.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let given = self.algorithm.parameters.iter().zip(&self.values).zip(self.lists.iter().zip(&self.files));
        given.filter_map(move |((parameter, value), (list, file))| {
            let list = || (!list.is_empty()).then(|| text(list));
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
