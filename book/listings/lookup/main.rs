//! The programs of the chapters that readers look things up in.

mod gunrock;
mod networkx;
mod pregel;
