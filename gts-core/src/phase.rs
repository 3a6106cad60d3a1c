//! Measures how a command spends its time: phases exclude each other and add up to the whole.
//!
//! A thread that calls [`start`] or [`start_after`] is measured from then on. [`during`] names its phase. The time of
//! an inner phase is subtracted from the outer one, so that the times of all phases add up to the time since the start.
//! Other threads are not measured: while they work, the measured thread waits in a phase of its own. If threads work on
//! several phases in parallel, [`shared`] divides the time of that wait. Without a measurement, [`during`] only reads a
//! thread-local value.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work that the measured thread does, or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Loads the program, before its first statement.
    Start,
    /// Reads the files of a store.
    Read,
    /// Checks checksums, the structure of pages and the tables of a store.
    Check,
    /// Builds a graph from a file of another format.
    Import,
    /// Builds a generated graph.
    Generate,
    /// Opens a device: for a GPU its driver, context and run-time compiler.
    Device,
    /// Compiles kernels, or fetches them from the cache, and loads them.
    Compile,
    /// Allocates memory for attributes and pages, and frees it when a run ends.
    Allocate,
    /// Fills attributes with initial values, and with values that the host sets.
    Initialise,
    /// Page-locks host memory.
    Lock,
    /// Copies pages and tables of a graph to the device.
    Upload,
    /// Runs kernels.
    Passes,
    /// Runs the algorithm's own code on the host.
    Driver,
    /// Copies values from the device to the host.
    Fetch,
    /// Reorders values by original ID, and converts them.
    Order,
    /// Compares the answer with a serial version.
    Verify,
    /// Summarises the answer and writes files.
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

    /// Returns the name, as printed and written to files.
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

/// An interval in which the measured thread was in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The phase.
    pub phase: Phase,
    /// Start of the interval.
    pub start: Instant,
    /// End of the phase, or its interruption by another.
    pub end: Instant,
}

/// Times of all phases since [`start`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    times: [Duration; Phase::ALL.len()],
    /// All spans in order of time; empty without [`keep_spans`].
    pub spans: Vec<Span>,
}

impl Phases {
    /// Returns the time in a phase.
    pub fn time(&self, phase: Phase) -> Duration {
        self.times[phase as usize]
    }

    /// Returns the time in all phases.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// Returns the phases that took time, with their times.
    pub fn taken(&self) -> impl Iterator<Item = (Phase, Duration)> + '_ {
        Phase::ALL.into_iter().map(|phase| (phase, self.time(phase))).filter(|(_, time)| !time.is_zero())
    }
}

/// Measurement of a thread.
struct Measurement {
    current: Phase,
    since: Instant,
    phases: Phases,
    keeps_spans: bool,
}

impl Measurement {
    /// Ends the current phase and begins another; returns the one that ended.
    fn enter(&mut self, phase: Phase) -> Phase {
        self.enter_at(phase, Instant::now())
    }

    fn enter_at(&mut self, phase: Phase, now: Instant) -> Phase {
        self.phases.times[self.current as usize] += now - self.since;
        if self.keeps_spans && now > self.since {
            self.phases.spans.push(Span { phase: self.current, start: self.since, end: now });
        }
        self.since = now;
        std::mem::replace(&mut self.current, phase)
    }

    /// Divides the time since the current phase began among phases in proportion to `times`, and continues the current
    /// phase. Changes nothing if all times are 0.
    fn divide(&mut self, times: &[u64; Phase::ALL.len()]) {
        let total: u64 = times.iter().sum();
        let (current, begun) = (self.current, self.since);
        let elapsed = begun.elapsed();
        let mut passed = 0;
        for (phase, &time) in Phase::ALL.into_iter().zip(times).filter(|(_, time)| **time > 0) {
            passed += time;
            // Ends are computed from the whole, so that rounding errors do not add up.
            let end = begun + elapsed.mul_f64(passed as f64 / total as f64);
            self.current = phase;
            self.enter_at(current, end);
        }
    }
}

thread_local! {
    static MEASUREMENT: RefCell<Option<Measurement>> = const { RefCell::new(None) };
}

/// Starts measuring the calling thread, and discards an earlier measurement.
pub fn start() {
    start_after(Duration::ZERO);
}

/// Starts measuring as [`start`] does, and counts the time `before` the call as [`Phase::Start`].
pub fn start_after(before: Duration) {
    let (mut phases, keeps_spans) = (Phases::default(), false);
    phases.times[Phase::Start as usize] = before;
    let measurement = Measurement { current: Phase::Other, since: Instant::now(), phases, keeps_spans };
    MEASUREMENT.set(Some(measurement));
}

/// Keeps all spans from now on, if the calling thread is measured. Each change of phase takes 40 bytes.
pub fn keep_spans() {
    MEASUREMENT.with_borrow_mut(|measurement| {
        if let Some(measurement) = measurement {
            measurement.keeps_spans = true;
        }
    });
}

/// Returns the times measured until now; all zero if [`start`] was not called on this thread.
pub fn so_far() -> Phases {
    MEASUREMENT.with_borrow_mut(|measurement| {
        let Some(measurement) = measurement else { return Phases::default() };
        let current = measurement.current;
        measurement.enter(current);
        measurement.phases.clone()
    })
}

/// Runs an action in a phase. Time that the action spends in other phases counts for those.
pub fn during<T>(phase: Phase, action: impl FnOnce() -> T) -> T {
    let _entered = Entered(enter(phase));
    action()
}

/// Runs an action whose work is shared by threads, while the calling thread does a part of it or none. Its time is
/// divided among phases in proportion to the times that threads record, and counts for `otherwise` if they record none.
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

/// Time that threads together spent in each phase.
#[derive(Debug, Default)]
pub struct Shares {
    nanoseconds: [AtomicU64; Phase::ALL.len()],
}

impl Shares {
    /// Runs an action on any thread, and adds its time to a phase. Actions do not nest.
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

/// Restores the previous phase on drop, also after a panic.
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
        // If no thread records a time, the whole time counts for `otherwise`.
        shared(Phase::Generate, |_| sleep(MOMENT));
        assert!(so_far().time(Phase::Generate) >= MOMENT);
    }

    #[test]
    fn every_phase_has_its_place() {
        assert!(Phase::ALL.iter().enumerate().all(|(place, &phase)| phase as usize == place));
    }
}
