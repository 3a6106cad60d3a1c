//! Programs: what a module of PTX becomes.

pub(crate) mod body;
pub(crate) mod module;

use crate::lanes::Column;
use crate::warp::Instruction;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A loaded program.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) code: Vec<Instruction>,
    /// Columns of constants.
    pub(crate) constants: Vec<Column>,
    kernels: HashMap<String, Arc<Kernel>>,
    /// Bytes of the module's variables.
    globals: u64,
    /// What they begin with, by its offset.
    image: Vec<(u64, Vec<u8>)>,
    text: Box<str>,
}

/// An entry point.
#[derive(Debug, Default)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its first instruction.
    pub(crate) entry: u32,
    pub(crate) columns: usize,
    pub(crate) predicates: usize,
    /// Bytes of shared memory that it declares.
    pub(crate) shared: u64,
    /// Bytes of each thread's own memory.
    pub(crate) local: u64,
    /// Columns that a block begins with.
    pub(crate) specials: Vec<(Special, u32)>,
}

/// A parameter of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where it lies in the parameters' bytes.
    pub offset: usize,
    /// Its size.
    pub bytes: usize,
}

/// A value that is the same as long as a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// `%tid`
    Thread(u8),
    /// `%ntid`
    Threads(u8),
    /// `%ctaid`
    Block(u8),
    /// `%nctaid`
    Blocks(u8),
    Lane,
    Warp,
    Multiprocessor,
    LanesBelow,
    LanesUpTo,
    LanesAbove,
    LanesFrom,
    LaneAlone,
    /// Where the shared memory begins whose size a launch gives.
    DynamicShared,
    SharedBytes,
    /// A variable of the module, by its offset.
    Variable(u64),
}

/// Why a program cannot be loaded.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The line of the text.
    pub line: u32,
    /// What it contains.
    pub text: String,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "PTX line {}: {}: {}", self.line, self.why, self.text)
    }
}

impl std::error::Error for LoadError {}

impl Program {
    /// Loads the text of a module.
    ///
    /// # Errors
    ///
    /// A form that the interpreter does not know.
    pub fn load(text: &str) -> Result<Self, LoadError> {
        module::load(text).map_err(|(line, why)| LoadError { line, text: line_of(text, line), why })
    }

    /// Returns an entry point.
    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        self.kernels.get(name).cloned()
    }

    /// Returns the comment that the text begins with; empty if it begins otherwise.
    pub fn heading(&self) -> &str {
        self.text.lines().next().and_then(|line| line.strip_prefix("//")).unwrap_or_default().trim()
    }

    /// Returns the names of all entry points.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }

    /// Returns the bytes that the module's variables need.
    pub fn globals(&self) -> u64 {
        self.globals
    }

    /// Returns what the module's variables begin with: zeros, but for those parts, each by its offset.
    pub fn image(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.image.iter().map(|(offset, bytes)| (*offset, bytes.as_slice()))
    }
}

impl Kernel {
    /// Returns the line of an instruction, and its text.
    pub(crate) fn line(&self, program: &Program, pc: u32) -> (u32, String) {
        let line = program.code.get(pc as usize).map_or(0, |instruction| instruction.line);
        (line, line_of(&program.text, line))
    }
}

fn line_of(text: &str, line: u32) -> String {
    text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim().to_owned()
}
