//! Facts derived from a body, besides its text.

mod activated;
pub(crate) mod class;
mod compare;
mod dependence;
mod facts;
mod falls;
mod guard;
pub(crate) mod hoist;
pub(crate) mod locals;
mod monotone;
pub(crate) mod numbers;
pub(crate) mod pull;
pub(crate) mod range;
mod steady;
mod step_loop;
pub(crate) mod sums;
pub(crate) mod uses;

pub(crate) use facts::{BodyOutline, facts};
