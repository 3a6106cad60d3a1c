//! Ends the `gts` command with a message where memory runs out in a call that cannot fail, which Rust ends by an abort.
//!
//! The allocator remembers a request that fails, and answers as the system's does: so calls that can fail see the failure
//! and go on. Rust aborts after any other one, and the handler of that signal then tells of the request and exits. An
//! abort of a thread that never lacked memory stays one.
//!
//! This belongs to the command, not to its library: a program that links that one may have an allocator of its own.
//!
//! Unsafe code hands requests on to the system's allocator, and sets and is the handler of the signal.
#![allow(unsafe_code)]

use gts_runtime::core::memory::NoMemory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::panic::{self, PanicHookInfo};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Bytes of this thread's last request that failed; 0 if none has. What succeeds after it does not count: Rust may print a
    /// backtrace before it aborts, for which it takes and frees memory.
    static FAILED: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread's last request failed.
    static FAILING: Cell<bool> = const { Cell::new(false) };
}

/// The system's allocator, which remembers what it could not give.
pub(crate) struct Remembering;

/// Remembers a request for this number of bytes if it failed. Returns the address that it gave.
#[inline(always)]
fn remember(given: *mut u8, bytes: usize) -> *mut u8 {
    if given.is_null() {
        // Of several in a row the first is meant: Rust may want memory for its own words on it.
        if !FAILING.replace(true) {
            FAILED.set(bytes);
        }
    } else {
        FAILING.set(false);
    }
    given
}

// SAFETY: each request goes to the system's allocator as it came, and so does its answer. The thread's cell is a constant
// at first and has no destructor, so using it takes no memory.
unsafe impl GlobalAlloc for Remembering {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        remember(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        remember(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        remember(unsafe { System.realloc(start, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(start, layout) }
    }
}

/// Has an abort for want of memory end the process with a message and exit code 1.
pub(crate) fn tell_of_aborts() {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    let handler: extern "C" fn(libc::c_int) = aborted;
    // SAFETY: all zeros are an action; what it is to be is set before the system reads it. The handler does only what a
    // handler may. It runs on the thread's other stack, which Rust gives every thread, as its own may be used up.
    unsafe {
        let set = action.assume_init_mut();
        set.sa_sigaction = handler as libc::sighandler_t;
        // The handler stays: two threads may abort at the same time.
        set.sa_flags = libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigaction(libc::SIGABRT, action.as_ptr(), ptr::null_mut());
    }
    let other_panics = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if is_of_a_new_thread(panic) {
            tell(libc::SIGSTKSZ);
        }
        other_panics(panic);
    }));
}

/// Returns whether a thread panics before it runs any code of ours. The standard library does so where it gets no memory for
/// the thread's signal stack. The default hook could then hang. It allocates while it reports the panic. If that fails, the
/// report of the failed allocation waits for the report of the panic to end.
fn is_of_a_new_thread(panic: &PanicHookInfo<'_>) -> bool {
    panic.location().is_some_and(|location| location.file().ends_with("std/src/sys/pal/unix/stack_overflow.rs"))
}

/// Bytes that the C library requests from the system at least.
const SYSTEM_REQUEST: usize = 1 << 20;

/// Returns whether this thread's last failed call into the C library failed for want of memory. The C library aborts if it has
/// none for its own tables, such as the list of a thread's destructors. No request to this allocator fails then, but `errno`
/// holds the reason: no call that succeeds clears it.
fn c_library_lacked_memory() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOMEM)
}

/// Reports the request that failed, and exits. If this thread never lacked memory, aborts as if there were no handler.
extern "C" fn aborted(signal: libc::c_int) {
    let bytes = match FAILED.get() {
        0 if c_library_lacked_memory() => SYSTEM_REQUEST,
        bytes => bytes,
    };
    if bytes == 0 {
        // SAFETY: the signal has its default action again and is not blocked, so that this ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        return;
    }
    tell(bytes);
}

/// Reports that the system has too little memory for a request of `bytes` bytes, then ends the process. This function allocates
/// nothing. It calls only functions that a signal handler may call.
fn tell(bytes: usize) -> ! {
    static TOLD: AtomicBool = AtomicBool::new(false);
    while TOLD.swap(true, Ordering::Relaxed) {
        // SAFETY: waits for a signal. Another thread tells, and ends the process.
        unsafe { libc::pause() };
    }
    let mut message = Message { text: [0; 512], len: 0 };
    let mut digits = [0; 20];
    // Another thread may be in the middle of a line.
    for part in ["\nerror: no memory for ", decimal(bytes, &mut digits), " bytes\n  next:  ", NoMemory::NEXT, "\n"] {
        message.append(part);
    }
    // SAFETY: the message is initialised memory of that length. Then the process ends without running any code of it.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.text.as_ptr().cast(), message.len);
        libc::_exit(1)
    }
}

/// A text in memory of its own, cut off where that ends.
struct Message {
    text: [u8; 512],
    len: usize,
}

impl Message {
    fn append(&mut self, part: &str) {
        let (room, bytes) = (&mut self.text[self.len..], part.as_bytes());
        let taken = bytes.len().min(room.len());
        room[..taken].copy_from_slice(&bytes[..taken]);
        self.len += taken;
    }
}

/// Writes a number, without taking memory.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &str {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return std::str::from_utf8(&digits[start..]).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_whole() {
        for number in [0, 7, 10, 4096, usize::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string());
        }
    }

    #[test]
    fn a_call_that_can_fail_sees_the_failure_which_counts_from_then_on() {
        let bytes = 1 << 60;
        assert!(Vec::<u8>::new().try_reserve_exact(bytes).is_err());
        assert!(Vec::<u8>::new().try_reserve_exact(2 * bytes).is_err());
        assert_eq!(FAILED.get(), bytes);
        drop(std::hint::black_box(Box::new(1)));
        assert_eq!(FAILED.get(), bytes);
        // The backtrace before an abort may take as much, and free it again.
        remember(ptr::dangling_mut(), bytes);
        assert_eq!(FAILED.get(), bytes);
        assert!(Vec::<u8>::new().try_reserve_exact(3 * bytes).is_err());
        assert_eq!(FAILED.get(), 3 * bytes);
    }

    /// Names the abort that a process of the test below ends by.
    const ABORT: &str = "GTS_TEST_ABORT";

    #[test]
    fn the_c_library_aborts_for_want_of_memory_with_a_message() {
        if let Ok(abort) = std::env::var(ABORT) {
            tell_of_aborts();
            // SAFETY: the memory is not used. The process ends by an abort.
            unsafe {
                // An allocation of which nothing is used is optimised away.
                let lacks = abort == "lacks memory" && std::hint::black_box(libc::calloc(1, 1 << 60)).is_null();
                assert_eq!(lacks, abort == "lacks memory");
                libc::abort();
            }
        }
        for (abort, code) in [("lacks memory", Some(1)), ("has memory", None)] {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            let name = "the_c_library_aborts_for_want_of_memory_with_a_message";
            command.args([name, "--nocapture", "--test-threads=1"]).env(ABORT, abort);
            let ended = command.output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), code, "{abort}: {told}");
            assert_eq!(told.contains("\nerror: no memory for "), code.is_some(), "{abort}: {told}");
        }
    }

    /// Names the address space, in bytes beyond what is taken and a thread's stack, that a process of the test below has.
    #[cfg(target_os = "linux")]
    const BEYOND: &str = "GTS_TEST_BYTES_BEYOND_A_STACK";

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_without_memory_for_its_signal_stack_is_no_panic() {
        if let Ok(beyond) = std::env::var(BEYOND) {
            return start_a_thread_within(beyond.parse().unwrap());
        }
        let mut refused = 0;
        for beyond in (0..256 << 10).step_by(4 << 10) {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            let name = "a_thread_without_memory_for_its_signal_stack_is_no_panic";
            command.args([name, "--nocapture", "--test-threads=1"]).env(BEYOND, beyond.to_string());
            let ended = command.output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr);
            assert!(!told.contains("panicked"), "{beyond}: {told}");
            refused += usize::from(ended.status.code() == Some(1) && told.contains("\nerror: no memory for "));
        }
        assert!(refused > 0);
    }

    #[cfg(target_os = "linux")]
    #[allow(clippy::disallowed_methods)]
    fn start_a_thread_within(beyond: u64) {
        const STACK: usize = 1 << 20;
        tell_of_aborts();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let taken = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
        let taken: u64 = taken.trim().trim_end_matches(" kB").parse().unwrap();
        let limit = (taken << 10) + STACK as u64 + beyond;
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the limit is initialised.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
        if let Ok(thread) = std::thread::Builder::new().stack_size(STACK).spawn(|| ()) {
            thread.join().unwrap();
        }
    }
}
