//! The part of a run's history on which later passes depend.

use gts_contract::{Access, AttributeKind, KernelDescriptor, Schema};
use gts_device::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The part of a run's history on which later passes depend. Attributes are identified by their schema index.
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
    /// The runs of each kernel since the host last set the step.
    runs: Vec<(&'static KernelDescriptor, RunsPerStep)>,
}

impl History {
    /// Creates the history of a run without passes, in which params with a default have a value.
    pub(super) fn new(schema: &'static Schema) -> Self {
        let has_default = |kind| matches!(kind, AttributeKind::Param { default: Some(_) });
        let attributes = schema.attributes.iter().enumerate();
        let params = attributes.filter(|(_, declared)| has_default(declared.kind)).map(|(index, _)| index).collect();
        Self { schema, params, globals: BTreeSet::new(), activated: false, runs: Vec::new() }
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
                    kernel: kernel.function,
                    location: used.location,
                    attributes: self.schema.name,
                    param: declared.name,
                });
            }
        }
        if needs_active && !self.activated {
            return Err(Error::NothingActivated { kernel: kernel.function });
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

    /// Returns the number of runs of a kernel in each step.
    pub(super) fn runs(&self, kernel: &KernelDescriptor) -> RunsPerStep {
        self.runs.iter().find(|(other, _)| same(other, kernel)).map(|(_, runs)| runs.clone()).unwrap_or_default()
    }

    /// Records a run of the kernel in each of `count` consecutive steps.
    pub(super) fn ran(&mut self, kernel: &'static KernelDescriptor, first: u32, count: u32) {
        let index = self.runs.iter().position(|(other, _)| same(other, kernel)).unwrap_or_else(|| {
            self.runs.push((kernel, RunsPerStep::default()));
            self.runs.len() - 1
        });
        self.runs[index].1.add(first, count);
    }

    /// Forgets the runs of all kernels.
    pub(super) fn forget_runs(&mut self) {
        self.runs.clear();
    }
}

/// Returns whether two descriptors describe one kernel. The compiler may copy a descriptor, so the addresses of one
/// kernel's descriptors may differ.
fn same(a: &KernelDescriptor, b: &KernelDescriptor) -> bool {
    std::ptr::eq(a, b) || a == b
}

/// The number of runs of a kernel in each step.
///
/// An entry is the first step of a range and the number of runs in each step of the range, which ends at the next
/// entry. Adjacent ranges have different numbers, so a loop over many steps needs few entries.
#[derive(Clone, Debug, Default)]
pub(super) struct RunsPerStep(BTreeMap<u64, u32>);

impl RunsPerStep {
    /// Returns the number of runs in a step.
    pub(super) fn of(&self, step: u32) -> u32 {
        self.up_to(step.into())
    }

    fn up_to(&self, step: u64) -> u32 {
        self.0.range(..=step).next_back().map_or(0, |(_, &runs)| runs)
    }

    fn add(&mut self, first: u32, count: u32) {
        let (first, end) = (u64::from(first), u64::from(first) + u64::from(count));
        for bound in [first, end] {
            let runs = self.up_to(bound);
            self.0.insert(bound, runs);
        }
        self.0.range_mut(first..end).for_each(|(_, runs)| *runs = runs.wrapping_add(1));
        for bound in [first, end] {
            let before = self.0.range(..bound).next_back().map_or(0, |(_, &runs)| runs);
            if self.0.get(&bound) == Some(&before) {
                self.0.remove(&bound);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_per_step() {
        let mut runs = RunsPerStep::default();
        let mut expected = [0; 20];
        for (first, count) in [(3, 1), (4, 1), (5, 3), (0, 12), (19, 1), (5, 0), (2, 6), (0, 3), (3, 1)] {
            runs.add(first, count);
            expected[first as usize..][..count as usize].iter_mut().for_each(|runs| *runs += 1);
            let found: Vec<u32> = (0..20).map(|step| runs.of(step)).collect();
            assert_eq!(found, expected, "{runs:?}");
        }
        runs.add(u32::MAX, 1);
        assert_eq!([runs.of(u32::MAX - 1), runs.of(u32::MAX)], [0, 1]);
    }

    #[test]
    fn steps_with_equal_numbers_share_an_entry() {
        let mut runs = RunsPerStep::default();
        (0..1000).for_each(|step| runs.add(step, 1));
        assert_eq!(runs.0.len(), 2, "{runs:?}");
        (0..1000).for_each(|step| runs.add(step, 1));
        assert_eq!((runs.0.len(), runs.of(999), runs.of(1000)), (2, 2, 0), "{runs:?}");
    }
}
