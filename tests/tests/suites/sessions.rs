//! Sessions and answers on the CPU; a GPU is checked by `gts-gpu-check`.

use gts_graph::prelude::*;
use gts_tests::sessions;
use std::num::NonZeroUsize;

fn engine(threads: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).expect("a thread");
    Engine::builder().device(DeviceChoice::Cpu).threads(threads).build().expect("the CPU")
}

#[test]
fn values_come_back_in_every_order() {
    // Few values are one piece of work, many are several.
    for vertices in [2, 1_000, 200_000] {
        sessions::answers_by_every_path(&engine(2), vertices).expect("the values that were set");
    }
}

#[test]
fn runs_of_one_engine_do_not_meet() {
    sessions::sessions_come_and_go(&engine(2), 10).expect("the same answers each time");
    sessions::runs_live_side_by_side(&engine(2), 10).expect("the same answers on two threads");
}
