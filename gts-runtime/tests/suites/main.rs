//! Tests of runs and of kernel facts, in one program.

mod by_hand;
mod facts;
mod replicated;
mod submitted;
mod summaries;
mod support;
mod trace;
