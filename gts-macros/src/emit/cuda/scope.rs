//! The names in a kernel's CUDA C, and the scope of each body.

use super::names::{Namer, escaped};
use super::types;
use crate::analyse::sums::checked;
use crate::ir::print::Printer;
use crate::ir::{
    Access, AttributeId, AttributeKind, CalledFunction, Expr, ExprKind, IntegerSum, Kernel, Local, Role, Site,
    SumDirection, Type,
};

/// The names of a kernel except its local variables.
#[derive(Debug)]
pub(super) struct KernelNames {
    /// The reference to the argument struct, which has the name of the user's parameter.
    pub(super) receiver: String,
    /// The fields of the argument struct, one per attribute.
    pub(super) fields: Vec<String>,
    /// Whether the kernel writes each attribute.
    pub(super) written: Vec<bool>,
    /// For each `wa` whose values at `src` may be on other devices, the field with the values from the start of the
    /// step.
    pub(super) before: Vec<Option<String>>,
    pub(super) functions: Vec<String>,
    pub(super) constants: Vec<String>,
    pub(super) captures: Vec<String>,
}

impl KernelNames {
    pub(super) fn of(kernel: &Kernel) -> Self {
        let mut fields = Namer::default();
        let mut members = Namer::default();
        let mut captures = Namer::default();
        let written = |attribute: usize| {
            let uses = kernel.facts.uses.iter().filter(move |used| used.attribute == attribute);
            uses.into_iter().any(|used| used.access != Access::Read)
        };
        let attributes = &kernel.attributes.attributes;
        let named: Vec<String> = attributes.iter().map(|attribute| fields.name(&attribute.name)).collect();
        let before =
            |(index, name): (usize, &String)| reads_at_src(kernel, index).then(|| format!("gts_before_{name}"));
        Self {
            receiver: members.name(&kernel.receiver),
            before: named.iter().enumerate().map(before).collect(),
            fields: named,
            written: (0..attributes.len()).map(written).collect(),
            functions: kernel.functions.iter().map(|function| members.name(&function.name)).collect(),
            constants: kernel.constants.iter().map(|constant| members.name(&constant.name)).collect(),
            captures: kernel.captures.iter().map(|capture| captures.text(&capture.name)).collect(),
        }
    }

    /// Returns the text by which a body accesses an attribute.
    pub(super) fn field(&self, attribute: usize) -> String {
        format!("{}.{}", self.receiver, self.fields[attribute])
    }

    /// Returns the attribute's values from the start of the step, if the kernel receives them.
    pub(super) fn before(&self, attribute: usize) -> Option<String> {
        self.before[attribute].as_ref().map(|name| format!("{}.{name}", self.receiver))
    }

    /// Returns the variable with a lane's share of the current edge's value.
    pub(super) fn share(&self, attribute: usize) -> String {
        format!("gts_share_{}", self.fields[attribute])
    }

    /// Returns the variable with a thread's share of a global.
    pub(super) fn total(&self, attribute: usize) -> String {
        format!("gts_total_{}", self.fields[attribute])
    }
}

/// Returns whether a splittable edge kernel reads a `wa` at `src`. The runtime derives the same condition from the
/// kernel's facts.
fn reads_at_src(kernel: &Kernel, attribute: usize) -> bool {
    let wa = matches!(kernel.attributes.attributes[attribute].kind, AttributeKind::Wa { .. });
    let splittable = kernel.facts.splittable.holds();
    let mut uses = kernel.facts.uses.iter().filter(|used| used.attribute == attribute);
    kernel.kind.has_edges() && splittable && wa && uses.any(|used| used.site == Site::Src)
}

/// The scope in which the expressions and statements of one body are emitted.
pub(super) struct Scope<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) names: &'a KernelNames,
    /// The unique names of the local variables.
    pub(super) locals: Vec<String>,
    declared: &'a [Local],
    /// The attributes whose updates are emitted as register updates.
    in_registers: &'a [AttributeId],
    /// The name of the parameter with the edge value.
    pub(super) edge: String,
    pub(super) printer: Printer<'a>,
    /// The `return` statement that leaves the body early, with a default value if the function has a result.
    pub(super) nothing: String,
}

impl<'a> Scope<'a> {
    /// Creates the scope of the kernel's body, filter and captures.
    pub(super) fn kernel(kernel: &'a Kernel, names: &'a KernelNames) -> Self {
        Self::new(kernel, names, &kernel.locals, Printer::kernel(kernel))
    }

    /// Creates the scope of the kernel's pulling body.
    pub(super) fn pulling(kernel: &'a Kernel, names: &'a KernelNames) -> Self {
        Self { in_registers: &kernel.facts.gathered, ..Self::kernel(kernel, names) }
    }

    /// Creates the scope of a function that the kernel calls.
    pub(super) fn function(kernel: &'a Kernel, names: &'a KernelNames, function: &'a CalledFunction) -> Self {
        let nothing = match function.result {
            Type::Unit => "return;".to_owned(),
            result => format!("return {}();", types::name(result)),
        };
        Self { nothing, ..Self::new(kernel, names, &function.locals, Printer::function(kernel, function)) }
    }

    fn new(kernel: &'a Kernel, names: &'a KernelNames, declared: &'a [Local], printer: Printer<'a>) -> Self {
        let outer = names.functions.iter().chain(&names.constants).chain([&names.receiver]).map(String::as_str);
        let mut namer = Namer::with(outer);
        let locals: Vec<String> = declared.iter().map(|local| namer.name(&local.name)).collect();
        let edge = declared.iter().position(|local| local.role == Role::Edge);
        let edge = edge.map_or_else(|| namer.text("e"), |local| locals[local].clone());
        Self { kernel, names, locals, declared, in_registers: &[], edge, printer, nothing: "return;".to_owned() }
    }

    /// Returns the declaration of a local variable, without an initial value.
    pub(super) fn declaration(&self, local: usize) -> String {
        format!("{} {}", self.type_of(local), self.locals[local])
    }

    pub(super) fn type_of(&self, local: usize) -> String {
        types::name(self.declared[local].ty)
    }

    pub(super) fn ty(&self, local: usize) -> Type {
        self.declared[local].ty
    }

    pub(super) fn is_mutable(&self, local: usize) -> bool {
        self.declared[local].mutable
    }

    /// Returns whether a vertex expression is the `dst` parameter.
    pub(super) fn is_target(&self, vertex: &Expr) -> bool {
        matches!(vertex.kind, ExprKind::Local(local) if self.declared[local].role == Role::Dst)
    }

    /// Returns the attribute's integer sum, and the prelude's name for its direction.
    pub(super) fn checked_sum(&self, attribute: AttributeId) -> Option<(&IntegerSum, &'static str)> {
        let sum = checked(&self.kernel.facts.sums, attribute)?;
        let declared = &self.kernel.attributes.attributes[attribute];
        Some((
            sum,
            match sum.direction {
                _ if sum.is_mixed(declared.kind) => "GTS_MIXED",
                SumDirection::Down => "GTS_DOWN",
                SumDirection::Up | SumDirection::Mixed => "GTS_UP",
            },
        ))
    }

    /// Returns the register that the body updates instead of the attribute's memory, if there is one.
    pub(super) fn register(&self, attribute: AttributeId) -> Option<String> {
        self.in_registers.contains(&attribute).then(|| format!("gts_gathered.{}", self.names.fields[attribute]))
    }

    /// Returns the name of the parameter with a role, or the escaped name `otherwise` if there is no such parameter.
    pub(super) fn parameter(&self, role: Role, otherwise: &str) -> String {
        let local = self.declared.iter().position(|local| local.role == role);
        local.map_or_else(|| escaped(otherwise), |local| self.locals[local].clone())
    }
}
