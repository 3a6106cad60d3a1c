//! Whether a kernel can pull. A scan gathers the values that its edges merge at `dst` in registers, and writes once. A
//! traversal searches the list of each candidate `dst` for active vertices.

use super::locals::LocalValues;
use super::uses::{self, Use, What};
use crate::ir::{
    Access, AttributeId, AttributeKind, Kernel, KernelKind, Merge, ScalarType, Site, SpannedAttributeUse, StmtKind,
};

/// Returns the attributes that the kernel's body merges at `dst`, if it does nothing else to any vertex and reads none
/// of them; empty otherwise.
pub(crate) fn gathered(kernel: &Kernel) -> Vec<AttributeId> {
    let mut merged = Vec::new();
    if kernel.kind != KernelKind::Scan || kernel.racy {
        return merged;
    }
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let mut activates = false;
    kernel.body.walk(&mut |statement| activates |= matches!(statement.kind, StmtKind::Activate(_)));
    if activates {
        return merged;
    }
    let touches = uses::touches(&kernel.body, &values);
    for touch in &touches {
        let attribute = &kernel.attributes.attributes[touch.attribute];
        let AttributeKind::Wa { merge, .. } = attribute.kind else { continue };
        match touch.what {
            What::Load => {}
            What::Update { update, result: Use::Unused }
                if touch.site == Site::Dst
                    && merge != Merge::Any
                    && (merge != Merge::Sum || attribute.scalar != ScalarType::Bool)
                    && uses::is_merge(update.op, merge) =>
            {
                if !merged.contains(&touch.attribute) {
                    merged.push(touch.attribute);
                }
            }
            _ => return Vec::new(),
        }
    }
    let reads = touches.iter().any(|touch| matches!(touch.what, What::Load) && merged.contains(&touch.attribute));
    if reads { Vec::new() } else { merged }
}

/// Returns whether a kernel is a traversal that writes and activates only at `dst`.
pub(crate) fn receives(kernel: &Kernel, uses: &[SpannedAttributeUse], activates: &[Site]) -> bool {
    kernel.kind == KernelKind::Traverse && works_at_target(uses, activates)
}

/// Returns whether an edge kernel writes and activates only at `dst`.
pub(super) fn works_at_target(uses: &[SpannedAttributeUse], activates: &[Site]) -> bool {
    let writes_elsewhere =
        |used: &SpannedAttributeUse| used.access != Access::Read && !matches!(used.site, Site::Dst | Site::None);
    !uses.iter().any(writes_elsewhere) && activates.iter().all(|site| *site == Site::Dst)
}
