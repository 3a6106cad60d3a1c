//! Measures how a command spends its time. Phases do not overlap, and their times add up to the total.
//!
//! Measurement of a thread begins when it calls [`start`] or [`start_after`]. [`during`] sets the phase of an action.
//! The time of an inner phase is subtracted from the outer phase, so the times of all phases add up to the time since
//! the start. Other threads are not measured: while they work, the measured thread waits in a phase. If threads work on
//! several phases in parallel, [`shared`] divides the waiting time among those phases. On a thread that is not
//! measured, [`during`] only reads a thread-local value.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work that the measured thread performs or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Loads the program before `main` begins.
    Start,
    /// Reads the files of a store.
    Read,
    /// Verifies a store's checksums, page structure and tables.
    Check,
    /// Builds a graph from a file in another format.
    Import,
    /// Builds a generated graph.
    Generate,
    /// Opens a device; for a GPU, its driver, context and run-time compiler.
    Device,
    /// Compiles kernels or reads them from the cache, and loads them.
    Compile,
    /// Allocates memory for attributes and pages, and frees that memory when a run ends.
    Allocate,
    /// Fills attributes with their initial values and with values set by the host.
    Initialise,
    /// Page-locks host memory.
    Lock,
    /// Copies a graph's pages and tables to the device.
    Upload,
    /// Runs kernels.
    Passes,
    /// Runs the algorithm's own host code.
    Driver,
    /// Copies values from the device to the host.
    Fetch,
    /// Converts values and sorts them by original ID.
    Order,
    /// Compares the result with that of a serial implementation.
    Verify,
    /// Summarises the result and writes files.
    Output,
    /// Anything else.
    Other,
}

impl Phase {
    /// All phases, in the order in which a command enters them.
    pub const ALL: [Self; 18] = [
        Self::Start,
        Self::Read,
        Self::Check,
        Self::Import,
        Self::Generate,
        Self::Device,
        Self::Compile,
        Self::Allocate,
        Self::Initialise,
        Self::Lock,
        Self::Upload,
        Self::Passes,
        Self::Driver,
        Self::Fetch,
        Self::Order,
        Self::Verify,
        Self::Output,
        Self::Other,
    ];

    /// Returns the phase's name, as printed and written to files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Read => "read",
            Self::Check => "check",
            Self::Import => "import",
            Self::Generate => "generate",
            Self::Device => "device",
            Self::Compile => "compile",
            Self::Allocate => "allocate",
            Self::Initialise => "initialise",
            Self::Lock => "lock",
            Self::Upload => "upload",
            Self::Passes => "passes",
            Self::Driver => "driver",
            Self::Fetch => "fetch",
            Self::Order => "order",
            Self::Verify => "verify",
            Self::Output => "output",
            Self::Other => "other",
        }
    }
}

/// An interval that the measured thread spent in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// The phase of the interval.
    pub phase: Phase,
    /// The start of the interval.
    pub start: Instant,
    /// The end of the interval: the phase ended, or another phase interrupted it.
    pub end: Instant,
}

/// The times of all phases since [`start`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    times: [Duration; Phase::ALL.len()],
    /// All spans in chronological order; empty unless [`keep_spans`] was called.
    pub spans: Vec<PhaseSpan>,
}

impl Phases {
    /// Returns the time spent in a phase.
    pub fn time(&self, phase: Phase) -> Duration {
        self.times[phase as usize]
    }

    /// Returns the total time of all phases.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// Returns the phases with a time above zero, and these times.
    pub fn taken(&self) -> impl Iterator<Item = (Phase, Duration)> + '_ {
        Phase::ALL.into_iter().map(|phase| (phase, self.time(phase))).filter(|(_, time)| !time.is_zero())
    }
}

/// The measurement of one thread.
struct Measurement {
    current: Phase,
    since: Instant,
    phases: Phases,
    keeps_spans: bool,
}

impl Measurement {
    /// Ends the current phase, begins `phase`, and returns the phase that ended.
    fn enter(&mut self, phase: Phase) -> Phase {
        self.enter_at(phase, Instant::now())
    }

    fn enter_at(&mut self, phase: Phase, now: Instant) -> Phase {
        self.phases.times[self.current as usize] += now - self.since;
        if self.keeps_spans && now > self.since {
            self.phases.spans.push(PhaseSpan { phase: self.current, start: self.since, end: now });
        }
        self.since = now;
        std::mem::replace(&mut self.current, phase)
    }

    /// Divides the time since the current phase began among phases in proportion to `times`. The current phase then
    /// continues. Has no effect if all times are 0.
    fn divide(&mut self, times: &[u64; Phase::ALL.len()]) {
        let total: u64 = times.iter().sum();
        let (current, begun) = (self.current, self.since);
        let elapsed = begun.elapsed();
        let mut passed = 0;
        for (phase, &time) in Phase::ALL.into_iter().zip(times).filter(|(_, time)| **time > 0) {
            passed += time;
            // Each end is computed from the whole interval, so that rounding errors do not accumulate.
            let end = begun + elapsed.mul_f64(passed as f64 / total as f64);
            self.current = phase;
            self.enter_at(current, end);
        }
    }
}

thread_local! {
    static MEASUREMENT: RefCell<Option<Measurement>> = const { RefCell::new(None) };
}

/// Starts measuring the calling thread. Discards any earlier measurement.
pub fn start() {
    start_after(Duration::ZERO);
}

/// Starts measuring as [`start`] does. The time `before` this call counts as [`Phase::Start`].
pub fn start_after(before: Duration) {
    let (mut phases, keeps_spans) = (Phases::default(), false);
    phases.times[Phase::Start as usize] = before;
    let measurement = Measurement { current: Phase::Other, since: Instant::now(), phases, keeps_spans };
    MEASUREMENT.set(Some(measurement));
}

/// Records every span from now on, if the calling thread is measured. Each change of phase uses 40 bytes.
pub fn keep_spans() {
    MEASUREMENT.with_borrow_mut(|measurement| {
        if let Some(measurement) = measurement {
            measurement.keeps_spans = true;
        }
    });
}

/// Returns the times measured since [`start`]. All times are zero if this thread never called [`start`].
pub fn so_far() -> Phases {
    MEASUREMENT.with_borrow_mut(|measurement| {
        let Some(measurement) = measurement else { return Phases::default() };
        let current = measurement.current;
        measurement.enter(current);
        measurement.phases.clone()
    })
}

/// Runs an action in `phase`. Time that the action spends in a nested phase counts for the nested phase.
pub fn during<T>(phase: Phase, action: impl FnOnce() -> T) -> T {
    let _entered = Entered(enter(phase));
    action()
}

/// Runs an action whose work other threads share. The time of the call is divided among phases in proportion to the
/// times that threads record. If no thread records a time, the call counts for `otherwise`.
pub fn shared<T>(otherwise: Phase, action: impl FnOnce(&Shares) -> T) -> T {
    let shares = Shares::default();
    during(otherwise, || {
        let result = action(&shares);
        MEASUREMENT.with_borrow_mut(|measurement| {
            if let Some(measurement) = measurement {
                measurement.divide(&shares.nanoseconds.each_ref().map(|time| time.load(Ordering::Relaxed)));
            }
        });
        result
    })
}

/// The time that threads spent in each phase, summed over all threads.
#[derive(Debug, Default)]
pub struct Shares {
    nanoseconds: [AtomicU64; Phase::ALL.len()],
}

impl Shares {
    /// Runs an action on any thread, and adds its time to `phase`. Calls must not be nested.
    pub fn during<T>(&self, phase: Phase, action: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = action();
        let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds[phase as usize].fetch_add(nanoseconds, Ordering::Relaxed);
        result
    }
}

fn enter(phase: Phase) -> Option<Phase> {
    MEASUREMENT.with_borrow_mut(|measurement| measurement.as_mut().map(|measurement| measurement.enter(phase)))
}

/// Restores the previous phase on drop, even after a panic.
struct Entered(Option<Phase>);

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            enter(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;
    use std::thread::sleep;

    const MOMENT: Duration = Duration::from_millis(2);

    #[test]
    fn nothing_is_measured_unasked() {
        assert_eq!(during(Phase::Read, || 7), 7);
        assert_eq!(so_far(), Phases::default());
    }

    #[test]
    fn time_before_the_start_is_a_phase() {
        start_after(MOMENT);
        let phases = so_far();
        assert_eq!(phases.time(Phase::Start), MOMENT);
        assert!(phases.total() >= MOMENT && phases.time(Phase::Driver).is_zero());
    }

    #[test]
    fn an_inner_phase_is_taken_out_of_the_outer_one() {
        let begun = Instant::now();
        start();
        keep_spans();
        during(Phase::Driver, || {
            sleep(MOMENT);
            during(Phase::Passes, || sleep(3 * MOMENT));
            sleep(MOMENT);
        });
        let phases = so_far();
        let elapsed = begun.elapsed();
        assert!(phases.time(Phase::Driver) >= 2 * MOMENT);
        assert!(phases.time(Phase::Passes) >= 3 * MOMENT);
        assert!(phases.total() <= elapsed && phases.time(Phase::Driver) + 3 * MOMENT <= elapsed);
        let order: Vec<Phase> = phases.spans.iter().map(|span| span.phase).filter(|&p| p != Phase::Other).collect();
        assert_eq!(order, [Phase::Driver, Phase::Passes, Phase::Driver]);
        assert!(phases.spans.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn a_panic_leaves_the_phase() {
        start();
        let caught = std::panic::catch_unwind(|| during(Phase::Read, || panic!("on purpose")));
        assert!(caught.is_err());
        let before = so_far().time(Phase::Read);
        sleep(MOMENT);
        assert_eq!(so_far().time(Phase::Read), before);
    }

    #[test]
    fn other_threads_are_not_measured() {
        start();
        threads::beside(|| during(Phase::Generate, || sleep(MOMENT)), || sleep(MOMENT)).expect("a thread");
        assert_eq!(so_far().time(Phase::Generate), Duration::ZERO);
    }

    #[test]
    fn shared_work_is_divided_by_the_times_of_its_threads() {
        start();
        keep_spans();
        shared(Phase::Other, |shares| {
            let other = || shares.during(Phase::Import, || sleep(MOMENT));
            threads::beside(other, || sleep(2 * MOMENT)).expect("a thread");
        });
        let phases = so_far();
        assert!(phases.time(Phase::Import) >= 2 * MOMENT, "the whole wait is of the one phase that was named");
        shared(Phase::Driver, |shares| {
            for (phase, time) in [(Phase::Read, 3_000), (Phase::Check, 1_000)] {
                shares.nanoseconds[phase as usize].fetch_add(time, Ordering::Relaxed);
            }
            sleep(MOMENT);
        });
        let phases = so_far();
        let (read, check) = (phases.time(Phase::Read), phases.time(Phase::Check));
        assert!(read + check >= MOMENT && read.abs_diff(3 * check) < Duration::from_micros(1), "{read:?} {check:?}");
        assert!(phases.spans.windows(2).all(|pair| pair[0].end == pair[1].start));
        // Without recorded times, the entire call counts for `otherwise`.
        shared(Phase::Generate, |_| sleep(MOMENT));
        assert!(so_far().time(Phase::Generate) >= MOMENT);
    }

    #[test]
    fn every_phase_has_its_place() {
        assert!(Phase::ALL.iter().enumerate().all(|(place, &phase)| phase as usize == place));
    }
}
