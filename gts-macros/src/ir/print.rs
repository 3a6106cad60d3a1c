//! The IR as Rust text: for comments in the CUDA C, facts in the schema, and tests.
//!
//! Names are the user's; a capture prints as the captured expression.

use super::{
    Attribute, BinaryOp, CalledFunction, Capture, Constant, Element, Expr, ExprKind, Index, Kernel, Literal, Local,
    RandomForm, Stmt, StmtKind, Type, Update,
};
use proc_macro2::Ident;

/// Binds tighter than any binary operator: operands of `-`, `!` and `as`.
const UNARY: u8 = 11;
const CAST: u8 = 10;
/// Receivers of methods and fields.
const POSTFIX: u8 = 12;

/// Prints expressions and statements of one kernel or one of its functions.
#[derive(Clone, Copy)]
pub(crate) struct Printer<'a> {
    receiver: Option<&'a Ident>,
    attributes: &'a [Attribute],
    locals: &'a [Local],
    functions: &'a [CalledFunction],
    constants: &'a [Constant],
    captures: &'a [Capture],
}

impl<'a> Printer<'a> {
    /// Returns a printer for the kernel's body, filter and captures.
    pub(crate) fn kernel(kernel: &'a Kernel) -> Self {
        Self {
            receiver: Some(&kernel.receiver),
            attributes: &kernel.attributes.attributes,
            locals: &kernel.locals,
            functions: &kernel.functions,
            constants: &kernel.constants,
            captures: &kernel.captures,
        }
    }

    /// Returns a printer for a function of the kernel.
    pub(crate) fn function(kernel: &'a Kernel, function: &'a CalledFunction) -> Self {
        Self { receiver: None, locals: &function.locals, ..Self::kernel(kernel) }
    }

    /// Prints the expression on one line.
    pub(crate) fn expr(&self, expr: &Expr) -> String {
        self.put(expr, 0)
    }

    /// Prints the place of an element, as in `a.level[dst]`.
    pub(crate) fn place(&self, element: &Element) -> String {
        self.element(element)
    }

    /// Prints the statement's first line: all of it, or up to the brace that opens its block.
    pub(crate) fn head(&self, statement: &Stmt) -> String {
        match &statement.kind {
            StmtKind::Let { local, init } => {
                let Local { name, ty, mutable, .. } = &self.locals[*local];
                let mutable = if *mutable { "mut " } else { "" };
                match init {
                    Some(init) if self.shows_type(init) => format!("let {mutable}{name} = {};", self.expr(init)),
                    Some(init) => format!("let {mutable}{name}: {ty} = {};", self.expr(init)),
                    None => format!("let {mutable}{name}: {ty};"),
                }
            }
            StmtKind::Assign { local, index, op, value, .. } => {
                let op = op.map_or("", BinaryOp::symbol);
                format!("{}{} {op}= {};", self.local(*local), self.index(index.as_ref()), self.expr(value))
            }
            StmtKind::Store { element, value } => format!("{} = {};", self.element(element), self.expr(value)),
            StmtKind::Accumulate { attribute, index, op, value, assignment } => {
                let place = format!("{}{}", self.field(*attribute), self.index(index.as_ref()));
                let value = self.expr(value);
                match op {
                    None => format!("{place} = {value};"),
                    Some(op) => match op.assignment().filter(|_| *assignment) {
                        Some(symbol) => format!("{place} {symbol} {value};"),
                        None => format!("{place}.{}({value});", op.method()),
                    },
                }
            }
            StmtKind::Activate(vertex) => format!("activate({});", self.expr(vertex)),
            StmtKind::Assert { condition, value: None, .. } => format!("assert!({});", self.expr(condition)),
            StmtKind::Assert { condition, value: Some(value), .. } => {
                format!("assert!({}, {});", self.expr(condition), self.expr(value))
            }
            StmtKind::If { condition, .. } => format!("if {} {{", self.expr(condition)),
            StmtKind::While { condition, .. } => format!("while {} {{", self.expr(condition)),
            StmtKind::Loop { .. } => "loop {".into(),
            StmtKind::For { local, start, end, inclusive, .. } => {
                let dots = if *inclusive { "..=" } else { ".." };
                format!("for {} in {}{dots}{} {{", self.local(*local), self.put(start, CAST), self.put(end, CAST))
            }
            StmtKind::Break => "break;".into(),
            StmtKind::Continue => "continue;".into(),
            StmtKind::Return(None) => "return;".into(),
            StmtKind::Return(Some(value)) => format!("return {};", self.expr(value)),
            StmtKind::Expr(value) => format!("{};", self.expr(value)),
            StmtKind::Block(_) => "{".into(),
        }
    }

    /// Returns whether the type is obvious from the expression itself.
    fn shows_type(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(Literal::Bool(_)) => true,
            ExprKind::Literal(_) | ExprKind::Unreached => false,
            ExprKind::Unary(_, x, _) | ExprKind::Present(x, _) | ExprKind::Number(x, _) => self.shows_type(x),
            ExprKind::Binary { op, left, right, .. } => {
                op.compares() || self.shows_type(left) || self.shows_type(right)
            }
            ExprKind::Select(_, x, y) => self.shows_type(x) || self.shows_type(y),
            ExprKind::Array(list) => list.iter().any(|x| self.shows_type(x)),
            ExprKind::Repeat(x) => self.shows_type(x),
            _ => true,
        }
    }

    fn put(&self, expr: &Expr, outer: u8) -> String {
        let (text, precedence) = match &expr.kind {
            ExprKind::Literal(Literal::Int(value)) => (value.to_string(), if *value < 0 { UNARY } else { u8::MAX }),
            ExprKind::Literal(Literal::Float(text)) => (self.float(text, expr.ty), u8::MAX),
            ExprKind::Literal(Literal::Bool(value)) => (value.to_string(), u8::MAX),
            ExprKind::Unreached => ("UNREACHED".into(), u8::MAX),
            ExprKind::Local(local) => (self.local(*local), u8::MAX),
            ExprKind::Constant(constant) => (self.constants[*constant].name.to_string(), u8::MAX),
            ExprKind::Param(attribute) => (self.field(*attribute), u8::MAX),
            ExprKind::ParamElement(attribute, index) => {
                (format!("{}{}", self.field(*attribute), self.index(Some(index))), u8::MAX)
            }
            ExprKind::Load(element) => (self.element(element), u8::MAX),
            ExprKind::EdgeValue(attribute) => (format!("{}[{}]", self.field(*attribute), self.edge()), u8::MAX),
            ExprKind::Captured(index) => return self.put(&self.captures[*index].value, outer),
            ExprKind::Present(x, _) | ExprKind::Number(x, _) => return self.put(x, outer),
            ExprKind::Unary(op, x, _) => (format!("{}{}", op.symbol(), self.put(x, UNARY)), UNARY),
            ExprKind::Binary { op, left, right, .. } => {
                let precedence = op.precedence();
                // Comparisons do not chain; other operators group to the left.
                let left = self.put(left, precedence + u8::from(op.compares()));
                (format!("{left} {} {}", op.symbol(), self.put(right, precedence + 1)), precedence)
            }
            ExprKind::Cast(x) => (format!("{} as {}", self.put(x, CAST), expr.ty), CAST),
            ExprKind::Call(function, arguments) => {
                (format!("{}({})", self.functions[*function].name, self.list(arguments)), u8::MAX)
            }
            ExprKind::Faults(x) => (format!("overflows({})", self.expr(x)), u8::MAX),
            ExprKind::Math(method, operands, _) => {
                let receiver = self.put(&operands[0], POSTFIX);
                (format!("{receiver}.{}({})", method.name(), self.list(&operands[1..])), u8::MAX)
            }
            ExprKind::Step => ("step()".into(), u8::MAX),
            ExprKind::NumVertices => ("num_vertices()".into(), u8::MAX),
            ExprKind::NumEdges => ("num_edges()".into(), u8::MAX),
            ExprKind::Position => (format!("{}.position()", self.edge()), u8::MAX),
            ExprKind::Random(form, operands) => (self.random(*form, operands), u8::MAX),
            ExprKind::OutDegree(v) => (format!("{}.out_degree()", self.put(v, POSTFIX)), u8::MAX),
            ExprKind::InDegree(v) => (format!("{}.in_degree()", self.put(v, POSTFIX)), u8::MAX),
            // Conversions that the user has left out have the place of their operand.
            ExprKind::VertexId(x) | ExprKind::NewVertex(x, _) if expr.span.is_at(x.span) => return self.put(x, outer),
            ExprKind::VertexId(v) => (format!("{}.id()", self.put(v, POSTFIX)), u8::MAX),
            ExprKind::NewVertex(x, _) => (format!("Vertex::new({})", self.expr(x)), u8::MAX),
            ExprKind::Update(update) => return self.update(update),
            ExprKind::Select(condition, x, y) => {
                (format!("if {} {{ {} }} else {{ {} }}", self.expr(condition), self.expr(x), self.expr(y)), 1)
            }
            ExprKind::Array(list) => (format!("[{}]", self.list(list)), u8::MAX),
            ExprKind::Repeat(x) => {
                let Type::Array(_, length) = expr.ty else { return self.expr(x) };
                (format!("[{}; {length}]", self.expr(x)), u8::MAX)
            }
            ExprKind::ArrayElement(local, index) => {
                (format!("{}{}", self.local(*local), self.index(Some(index))), u8::MAX)
            }
        };
        if precedence < outer { format!("({text})") } else { text }
    }

    /// Prints a random number with the user's key: an edge consists of two numbers, any other key of one.
    fn random(&self, form: RandomForm, operands: &[Expr]) -> String {
        let key = match (&operands[0].kind, &operands[1].kind) {
            (ExprKind::Cast(id), ExprKind::Literal(_)) => match &id.kind {
                ExprKind::VertexId(vertex) => self.expr(vertex),
                _ => self.expr(id),
            },
            (_, ExprKind::Literal(_)) => self.expr(&operands[0]),
            _ => self.edge(),
        };
        format!("{}({key}, {})", form.name(), self.list(&operands[2..]))
    }

    /// Returns the name of the edge.
    fn edge(&self) -> String {
        let edge = self.locals.iter().find(|local| local.ty == Type::Edge);
        edge.map_or_else(|| "e".into(), |local| local.name.to_string())
    }

    fn float(&self, text: &str, ty: Type) -> String {
        match text {
            "inf" => format!("{ty}::INFINITY"),
            "-inf" => format!("{ty}::NEG_INFINITY"),
            _ => text.into(),
        }
    }

    fn update(&self, update: &Update) -> String {
        let (element, operands) = (self.element(&update.element), self.list(&update.operands));
        match update.op.assignment().filter(|_| update.assignment) {
            Some(symbol) => format!("{element} {symbol} {operands}"),
            None => format!("{element}.{}({operands})", update.op.method()),
        }
    }

    fn element(&self, element: &Element) -> String {
        let index = self.index(element.index.as_deref());
        format!("{}[{}]{index}", self.field(element.attribute), self.expr(&element.vertex))
    }

    fn field(&self, attribute: usize) -> String {
        let name = &self.attributes[attribute].name;
        self.receiver.map_or_else(|| name.to_string(), |receiver| format!("{receiver}.{name}"))
    }

    fn local(&self, local: usize) -> String {
        self.locals[local].name.to_string()
    }

    fn index(&self, index: Option<&Index>) -> String {
        index.map_or_else(String::new, |index| format!("[{}]", self.expr(&index.value)))
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|x| self.expr(x)).collect::<Vec<_>>().join(", ")
    }
}
