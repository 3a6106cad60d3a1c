//! The contract between the macros and the runtime: descriptions of attribute structs and kernels.
//!
//! All descriptions are constant data, so that a user's program can contain them as `static` items. The intermediate
//! representation of the macros uses the same types. The tables of the kernel language are here, too.

mod attribute;
mod kernel;
pub mod language;
mod location;
mod sharing;
mod side;
mod technique;

pub use attribute::{AttributeKind, AttributeSchema, AttributeType, Init, Merge, ScalarType, Schema};
pub use kernel::{
    Access, AttributeUse, Class, DegreeUse, Dependence, Direction, ErrorSite, ErrorWhat, IntegerSum, KernelDescriptor,
    KernelFacts, KernelKind, Limit, Site, SteadyRead, SteadyRule, StepLoop, SumDirection,
};
pub use location::SourceLocation;
pub use sharing::{MergedBytes, Merging, SharedWrites, Transport};
pub use side::Side;
pub use technique::{EdgeLayout, Technique, UnknownTechnique, VirtualWarp};
