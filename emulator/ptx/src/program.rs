//! Programs: PTX modules translated into instructions.

pub(crate) mod body;
pub(crate) mod module;

use crate::lanes::Column;
use crate::warp::Instruction;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A PTX module translated into instructions.
#[derive(Debug, Default)]
pub struct Program {
    pub(crate) code: Vec<Instruction>,
    /// Columns that contain constants.
    pub(crate) constants: Vec<Column>,
    kernels: HashMap<String, Arc<Kernel>>,
    /// Bytes of the module's global variables.
    globals: u64,
    /// Initial values of global variables, each with its offset.
    image: Vec<(u64, Vec<u8>)>,
    text: Box<str>,
}

/// An entry point of a program.
#[derive(Debug, Default)]
pub struct Kernel {
    /// Name of the kernel.
    pub name: String,
    /// Parameters in the order of their declaration.
    pub parameters: Vec<Parameter>,
    /// Index of the first instruction.
    pub(crate) entry: u32,
    pub(crate) columns: usize,
    pub(crate) predicates: usize,
    /// Bytes of shared memory that the kernel declares.
    pub(crate) shared: u64,
    /// Bytes of local memory per thread.
    pub(crate) local: u64,
    /// Columns with special values, set when a block begins.
    pub(crate) specials: Vec<(Special, u32)>,
}

/// Layout of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Offset in bytes from the first parameter.
    pub offset: usize,
    /// Size of the parameter in bytes.
    pub bytes: usize,
}

/// A value that stays constant while a block runs.
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
    /// Offset of the shared memory whose size is set by the launch.
    DynamicShared,
    SharedBytes,
    /// Address of a global variable, by its offset.
    Variable(u64),
}

/// The reason why a program cannot be loaded.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// Number of the rejected line.
    pub line: u32,
    /// Text of the rejected line.
    pub text: String,
    /// Description of the problem.
    pub why: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "PTX line {}: {}: {}", self.line, self.why, self.text)
    }
}

impl std::error::Error for LoadError {}

impl Program {
    /// Translates the text of a module.
    ///
    /// # Errors
    ///
    /// The text contains a form that the interpreter does not support.
    pub fn load(text: &str) -> Result<Self, LoadError> {
        module::load(text).map_err(|(line, why)| LoadError { line, text: line_of(text, line), why })
    }

    /// Returns the kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<Arc<Kernel>> {
        self.kernels.get(name).cloned()
    }

    /// Returns the comment in the first line of the text, or an empty string if there is none.
    pub fn heading(&self) -> &str {
        self.text.lines().next().and_then(|line| line.strip_prefix("//")).unwrap_or_default().trim()
    }

    /// Returns the names of all kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }

    /// Returns the total bytes of the module's global variables.
    pub fn globals(&self) -> u64 {
        self.globals
    }

    /// Returns the initial values of global variables, each with its offset. All other bytes are zero.
    pub fn image(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.image.iter().map(|(offset, bytes)| (*offset, bytes.as_slice()))
    }
}

impl Kernel {
    /// Returns the number and the text of an instruction's line.
    pub(crate) fn line(&self, program: &Program, pc: u32) -> (u32, String) {
        let line = program.code.get(pc as usize).map_or(0, |instruction| instruction.line);
        (line, line_of(&program.text, line))
    }
}

fn line_of(text: &str, line: u32) -> String {
    text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim().to_owned()
}
