//! Host threads that do the work of all queues.
#![allow(unsafe_code)]

use crate::configuration::{configuration, refuse};
use crate::launches::Progress;
use crate::queues::{self, Locked, Source, Task, WORK, Work};
use std::sync::{Once, PoisonError};
use std::time::Duration;

/// First pause of a worker if no launch can run. Pauses are short because the host may write the memory that a launch
/// waits for.
const NAP: Duration = Duration::from_micros(50);
/// Maximum number of times that the pause is doubled.
const DOUBLINGS: u32 = 5;

/// Starts the workers on the first call.
pub(crate) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        for number in 0..configuration().threads {
            let builder = std::thread::Builder::new().name(format!("emulated-{number}"));
            if let Err(error) = builder.spawn(work) {
                refuse(format_args!("cannot start thread {number}: {error}"));
            }
        }
    });
}

fn work() {
    let mut spare = Vec::new();
    // Number of consecutive launches that could not run.
    let mut idle = 0;
    let mut state = queues::lock();
    loop {
        let Some(task) = state.take() else {
            state = sleep(state, None);
            continue;
        };
        match task {
            Task::Move(queue, work) => {
                drop(state);
                carry_out(&work);
                state = queues::lock();
                state.finish(queue);
            }
            Task::Run(job) => {
                job.join();
                drop(state);
                let progress = job.run(&mut spare);
                state = queues::lock();
                if job.leave() {
                    state.running.retain(|other| !std::sync::Arc::ptr_eq(other, &job));
                    state.finish(job.queue);
                }
                idle = if progress == Progress::Some { 0 } else { idle + 1 };
                let launches = state.running.len();
                if launches == 0 || idle < launches {
                    continue;
                }
                if !state.may_move() && state.running.iter().all(|job| job.is_stuck()) {
                    let stuck = state.running.clone();
                    drop(state);
                    stuck.iter().for_each(|job| job.fail_stuck());
                    state = queues::lock();
                    continue;
                }
                let doublings = (idle / launches) as u32;
                state = sleep(state, Some(NAP * (1 << doublings.min(DOUBLINGS))));
            }
        }
    }
}

fn sleep(mut state: Locked, most: Option<Duration>) -> Locked {
    state.sleeping += 1;
    let guard = match most {
        None => WORK.wait(state.0).unwrap_or_else(PoisonError::into_inner),
        Some(most) => WORK.wait_timeout(state.0, most).unwrap_or_else(PoisonError::into_inner).0,
    };
    let mut state = Locked(guard);
    state.sleeping -= 1;
    state
}

/// Performs a copy or a fill. The addresses were checked when the work was queued, and memory is freed only after the
/// work.
fn carry_out(work: &Work) {
    match work {
        Work::Copy { target, source, bytes } => {
            let from = match source {
                Source::Address(address) => *address as *const u8,
                Source::Bytes(bytes) => bytes.as_ptr(),
            };
            // SAFETY: both ranges are valid for `bytes` bytes, as above. They may overlap.
            unsafe { std::ptr::copy(from, *target as *mut u8, *bytes as usize) };
        }
        Work::Fill { target, value, bytes } => {
            // SAFETY: the range is valid for `bytes` bytes, as above.
            unsafe { (*target as *mut u8).write_bytes(*value, *bytes as usize) };
        }
        _ => unreachable!("the rest takes no time"),
    }
}
