//! What GTS is held against: graphs with known answers, serial oracles that share no code with the system, the rules of
//! comparison, and the product of everything that must not change an answer.

pub mod compare;
pub mod data;
pub mod oracle;
pub mod product;
