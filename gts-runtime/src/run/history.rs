//! The past of a run, as far as later passes depend on it.

use gts_contract::{Access, AttributeKind, KernelDescriptor, Schema};
use gts_device::error::{Error, Result};
use std::collections::BTreeSet;

/// The past of a run, as far as later passes depend on it. Attributes are identified by their schema index.
#[derive(Debug)]
pub(super) struct History {
    /// The schema of the run. Kernels may append attributes to it, which the run itself sets and resets.
    schema: &'static Schema,
    /// The params that have a value.
    params: BTreeSet<usize>,
    /// The globals that have a value: a pass of a kernel that updates them has begun.
    globals: BTreeSet<usize>,
    /// Whether the host has activated vertices, or a pass has begun whose kernel can activate vertices.
    activated: bool,
}

impl History {
    /// Creates the history of a run without passes, in which params with a default have a value.
    pub(super) fn new(schema: &'static Schema) -> Self {
        let has_default = |kind| matches!(kind, AttributeKind::Param { default: Some(_) });
        let attributes = schema.attributes.iter().enumerate();
        let params = attributes.filter(|(_, declared)| has_default(declared.kind)).map(|(index, _)| index).collect();
        Self { schema, params, globals: BTreeSet::new(), activated: false }
    }

    /// Records that the host has set a param.
    pub(super) fn set_param(&mut self, param: usize) {
        self.params.insert(param);
    }

    /// Records that the host has activated vertices.
    pub(super) fn activate(&mut self) {
        self.activated = true;
    }

    /// Fails if a pass of the kernel would read a param that has no value. If `needs_active` is set, also fails if no
    /// earlier call could have activated a vertex.
    pub(super) fn check(&self, kernel: &'static KernelDescriptor, needs_active: bool) -> Result<()> {
        for used in kernel.facts.uses {
            let Some(declared) = self.schema.attributes.get(used.attribute) else { continue };
            if matches!(declared.kind, AttributeKind::Param { .. }) && !self.params.contains(&used.attribute) {
                return Err(Error::UnsetParam {
                    kernel: kernel.name,
                    location: used.location,
                    attributes: self.schema.name,
                    param: declared.name,
                });
            }
        }
        if needs_active && !self.activated {
            return Err(Error::NothingActivated { kernel: kernel.name });
        }
        Ok(())
    }

    /// Fails if no pass has begun whose kernel updates the global.
    pub(super) fn check_global(&self, global: usize) -> Result<()> {
        if self.globals.contains(&global) {
            return Ok(());
        }
        Err(Error::UnsetGlobal { attributes: self.schema.name, global: self.schema.attributes[global].name })
    }

    /// Records the beginning of a pass. Returns the globals that the kernel updates.
    pub(super) fn begin(&mut self, kernel: &KernelDescriptor) -> Vec<usize> {
        self.activated |= !kernel.facts.activates.is_empty();
        let is_global = |attribute: usize| {
            let declared = self.schema.attributes.get(attribute);
            declared.is_some_and(|declared| matches!(declared.kind, AttributeKind::Global { .. }))
        };
        let updates = kernel.facts.uses.iter().filter(|used| used.access != Access::Read && is_global(used.attribute));
        let mut updated: Vec<usize> = updates.map(|used| used.attribute).collect();
        updated.sort_unstable();
        updated.dedup();
        self.globals.extend(&updated);
        updated
    }
}
