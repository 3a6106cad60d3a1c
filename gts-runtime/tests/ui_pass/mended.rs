//! The mended examples of the codes of errors.

#[path = "../mended/access.rs"]
mod access;
#[path = "../mended/bodies.rs"]
mod bodies;
#[path = "../mended/kernels.rs"]
mod kernels;
#[path = "../mended/names.rs"]
mod names;
#[path = "../mended/structs.rs"]
mod structs;

fn main() {}
