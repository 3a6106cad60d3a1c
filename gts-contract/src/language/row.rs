//! A row of the language's tables.

use super::{Code, OperandTypes, indented};
use std::fmt;

/// The kind of thing that a row describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LanguageKind {
    /// A macro and the item that it makes, or a setting of all macros.
    Item,
    /// A kind of kernel.
    Kernel,
    /// A setting of `#[gts_kernel]`.
    KernelSetting,
    /// A kind of field in an attribute struct.
    Field,
    /// A setting of a field.
    FieldSetting,
    /// A merge.
    Merge,
    /// A type.
    Type,
    /// A literal or a built-in constant.
    Value,
    /// A built-in function.
    Function,
    /// A statement.
    Statement,
    /// An operator.
    Operator,
    /// A method of numbers.
    Method,
    /// A method of vertices.
    VertexMethod,
    /// A method of edges.
    EdgeMethod,
    /// An atomic update of an attribute.
    Update,
    /// A reduction of neighbours, or a part of one.
    Reduction,
    /// A random number.
    Random,
    /// A rule about the meaning of a body.
    Rule,
    /// A rule about accesses to attributes.
    Access,
    /// A class of kernels.
    Class,
    /// A form of a guard.
    Guard,
    /// Syntax, a macro, a type or a function of Rust that kernels lack.
    Lacking,
    /// A method that kernels lack.
    LackingMethod,
}

impl LanguageKind {
    /// All kinds, in the order of the reference.
    pub const ALL: [Self; 23] = [
        Self::Item,
        Self::Kernel,
        Self::KernelSetting,
        Self::Field,
        Self::FieldSetting,
        Self::Merge,
        Self::Type,
        Self::Value,
        Self::Function,
        Self::Statement,
        Self::Operator,
        Self::Method,
        Self::VertexMethod,
        Self::EdgeMethod,
        Self::Update,
        Self::Reduction,
        Self::Random,
        Self::Rule,
        Self::Access,
        Self::Class,
        Self::Guard,
        Self::Lacking,
        Self::LackingMethod,
    ];

    /// Returns the name of one row of this kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::Kernel => "kind of kernel",
            Self::KernelSetting => "setting of a kernel",
            Self::Field => "kind of field",
            Self::FieldSetting => "setting of a field",
            Self::Merge => "merge",
            Self::Type => "type",
            Self::Value => "value",
            Self::Function => "built-in function",
            Self::Statement => "statement",
            Self::Operator => "operator",
            Self::Method => "method of numbers",
            Self::VertexMethod => "method of vertices",
            Self::EdgeMethod => "method of edges",
            Self::Update => "atomic update",
            Self::Reduction => "reduction",
            Self::Random => "random number",
            Self::Rule => "rule",
            Self::Access => "access rule",
            Self::Class => "class of kernels",
            Self::Guard => "guard",
            Self::Lacking => "not in the language",
            Self::LackingMethod => "method that is not in the language",
        }
    }

    /// Returns whether rows of this kind describe what the language lacks.
    pub const fn lacks(self) -> bool {
        matches!(self, Self::Lacking | Self::LackingMethod)
    }
}

/// One row: a word or form of the language, or a word that kernels lack.
#[derive(Clone, Copy, Debug)]
pub struct LanguageRow {
    /// The kind of thing that the row describes.
    pub kind: LanguageKind,
    /// The name for look-ups. Rows of different kinds may have the same name.
    pub name: &'static str,
    /// The word or form as users write it.
    pub syntax: &'static str,
    /// The description, in complete sentences. For a word that kernels lack, the text of the error.
    pub meaning: &'static str,
    /// The difference on a GPU; empty if there is none.
    pub gpu: &'static str,
    /// The types of the operands or of the receiver.
    pub operands: OperandTypes,
    /// The kernels and positions in which the word is allowed; empty if it is allowed everywhere in a body.
    pub allowed: &'static str,
    /// The limits of the word, and the reasons for them; empty if there are none.
    pub refused: &'static str,
    /// The text to write instead of a word that kernels lack; empty in other rows.
    pub instead: &'static str,
    /// The code of the error for a word that kernels lack; `None` in other rows.
    pub code: Option<Code>,
    /// An example, which a test checks.
    pub example: RowExample,
}

/// An example. Tests complete expressions and bodies with [`SHARED_STRUCT`] and the head of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowExample {
    /// No example. Examples of other rows contain the word.
    None,
    /// An expression, and its value, which is the same at every vertex.
    Value(&'static str, &'static str),
    /// An expression that ends the run with a fault.
    Fault(&'static str),
    /// The body of `#[gts_kernel(vertex)] fn example(a: &mut Shared, v: Vertex)`.
    Vertex(&'static str),
    /// The body of `#[gts_kernel(scan)] fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge)`.
    Scan(&'static str),
    /// The body of `#[gts_kernel(traverse)] fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge)`.
    Traverse(&'static str),
    /// The body of `#[gts_kernel(gather)] fn example(a: &mut Shared, v: Vertex)`.
    Gather(&'static str),
    /// The body of `#[gts_kernel(intersect)] fn example(a: &mut Shared, u: Vertex, v: Vertex, w: Vertex)`.
    Intersect(&'static str),
    /// Complete items. They declare their own attribute struct, or use [`SHARED_STRUCT`].
    Items(&'static str),
    /// Rust code that runs on the host.
    Host(&'static str),
    /// The body of a `vertex` kernel over [`SHARED_STRUCT`]. It fails to compile with the row's error.
    Refused(&'static str),
}

impl RowExample {
    /// Returns the example as code. A comment contains the outcome of an expression. `None` if there is no example.
    pub fn code(self) -> Option<String> {
        Some(match self {
            Self::None => return None,
            Self::Value(expression, value) => format!("{expression} // {value}"),
            Self::Fault(expression) => format!("{expression} // a fault"),
            Self::Vertex(text)
            | Self::Scan(text)
            | Self::Traverse(text)
            | Self::Gather(text)
            | Self::Intersect(text)
            | Self::Items(text)
            | Self::Host(text)
            | Self::Refused(text) => text.to_owned(),
        })
    }

    /// Returns the kind and the text of a kernel `example` over [`SHARED_STRUCT`]. `None` unless the example is an
    /// expression or a body.
    pub fn kernel(self) -> Option<(&'static str, String)> {
        let edges = "src: Vertex, dst: Vertex, e: Edge";
        let (kind, parameters, body) = match self {
            Self::None | Self::Items(_) | Self::Host(_) => return None,
            Self::Value(expression, value) => {
                ("vertex", "v: Vertex", format!("a.holds[v] = ({expression}) == ({value});"))
            }
            Self::Fault(expression) => ("vertex", "v: Vertex", format!("a.holds[v] = ({expression}) == 0;")),
            Self::Vertex(body) | Self::Refused(body) => ("vertex", "v: Vertex", body.to_owned()),
            Self::Scan(body) => ("scan", edges, body.to_owned()),
            Self::Traverse(body) => ("traverse", edges, body.to_owned()),
            Self::Gather(body) => ("gather", "v: Vertex", body.to_owned()),
            Self::Intersect(body) => ("intersect", "u: Vertex, v: Vertex, w: Vertex", body.to_owned()),
        };
        let body = indented(&body);
        Some((kind, format!("#[gts_kernel({kind})]\nfn example(a: &mut Shared, {parameters}) {{\n{body}}}\n")))
    }
}

/// The attribute struct of the examples.
pub const SHARED_STRUCT: &str = "\
#[gts_attributes]
pub struct Shared {
    /// Hops from a root.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// A vertex one hop nearer to the root.
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    /// A sum of counts.
    #[wa(init = 0, merge = sum)]
    pub count: u64,
    /// A small number, the same at every vertex at first.
    #[wa(init = 200, merge = max)]
    pub small: u8,
    /// A signed number.
    #[wa(init = -7, merge = min)]
    pub signed: i32,
    /// A set of bits.
    #[wa(init = 0, merge = or)]
    pub bits: u32,
    /// A condition.
    #[wa(init = true, merge = and)]
    pub holds: bool,
    /// Counts by class.
    #[wa(init = 0, merge = sum)]
    pub classes: [u32; 4],
    /// A rank, and the rank of the next iteration.
    #[ra(from = next)]
    pub rank: f32,
    #[wa(init = 0.0, merge = sum)]
    pub next: f32,
    /// A value per edge.
    #[edge(default = 1)]
    pub weight: u32,
    /// A value that the host sets.
    #[param(default = 0.85)]
    pub damping: f32,
    /// A value that the host reads.
    #[global(merge = sum)]
    pub total: u64,
}
";

impl LanguageRow {
    /// Returns a row that is allowed everywhere and has no example.
    pub(super) const fn new(
        kind: LanguageKind,
        name: &'static str,
        syntax: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self {
            kind,
            name,
            syntax,
            meaning,
            gpu: "",
            operands: OperandTypes::Anything,
            allowed: "",
            refused: "",
            instead: "",
            code: None,
            example: RowExample::None,
        }
    }

    pub(super) const fn gpu(self, gpu: &'static str) -> Self {
        Self { gpu, ..self }
    }

    pub(super) const fn on(self, operands: OperandTypes) -> Self {
        Self { operands, ..self }
    }

    pub(super) const fn allowed(self, allowed: &'static str) -> Self {
        Self { allowed, ..self }
    }

    pub(super) const fn refused(self, refused: &'static str) -> Self {
        Self { refused, ..self }
    }

    pub(super) const fn instead(self, instead: &'static str) -> Self {
        Self { instead, ..self }
    }

    pub(super) const fn code(self, code: Code) -> Self {
        Self { code: Some(code), ..self }
    }

    pub(super) const fn example(self, example: RowExample) -> Self {
        Self { example, ..self }
    }
}

/// Writes the row as plain text, as `gts explain` prints it.
impl fmt::Display for LanguageRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({})\n\n    {}\n", self.name, self.kind.name(), self.syntax.replace('\n', "\n    "))?;
        writeln!(f, "{}", self.meaning)?;
        for (head, text) in [
            ("Types", self.operands.list()),
            ("Where", self.allowed),
            ("Limits", self.refused),
            ("On a GPU", self.gpu),
            ("Instead", self.instead),
        ] {
            if !text.is_empty() {
                writeln!(f, "{head}: {text}")?;
            }
        }
        match self.example.code() {
            None => Ok(()),
            Some(code) => write!(f, "\n{}", indented(&code)),
        }
    }
}
