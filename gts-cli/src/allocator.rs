//! Ends the `gts` command with a message if an infallible allocation fails. Rust itself would abort.
//!
//! The allocator records a failed request, and returns null like the system's allocator, so that fallible allocations
//! report an error and continue. Rust aborts after any other failed request, and the handler of that signal then
//! reports the request and exits. An abort of a thread without a failed request stays an abort.
//! The command contains this module, not its library, because a program that links the library may have its own
//! allocator.
//! Unsafe code forwards requests to the system's allocator, installs the signal handler, and implements it.
#![allow(unsafe_code)]

use gts_graph::contract::language::Exit;
use gts_graph::core::memory::NoMemory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::panic::{self, PanicHookInfo};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Bytes of this thread's last failed request; 0 if there is none. Later successful requests do not reset the
    /// value, because Rust may allocate and free memory for a backtrace before it aborts.
    static FAILED: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread's last request failed.
    static FAILING: Cell<bool> = const { Cell::new(false) };
}

/// Start of the message, before the number of bytes. The error code is the code of [`NoMemory`].
const START: &str = "\nerror[GTS1017]: no memory for ";
/// End of the message, after the next step.
const MORE: &str = "\n  more:  gts explain GTS1017\n";

/// The system's allocator, extended by a record of failed requests.
pub(crate) struct Remembering;

/// Records a request of `bytes` bytes if it failed. Returns the allocated address.
#[inline(always)]
fn remember(given: *mut u8, bytes: usize) -> *mut u8 {
    if given.is_null() {
        // Record only the first of consecutive failures: Rust may then request memory for its own report of it.
        if !FAILING.replace(true) {
            FAILED.set(bytes);
        }
    } else {
        FAILING.set(false);
    }
    given
}

// SAFETY: requests and results are forwarded unchanged to and from the system's allocator. The thread's cell is
// initialised by a constant and has no destructor, so using it allocates nothing.
unsafe impl GlobalAlloc for Remembering {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        remember(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        remember(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: guaranteed by the caller.
        remember(unsafe { System.realloc(start, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(start, layout) }
    }
}

/// Installs a handler that ends the process with a message and the exit code of lacking memory if it aborts for
/// lack of memory.
pub(crate) fn tell_of_aborts() {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    let handler: extern "C" fn(libc::c_int) = aborted;
    // SAFETY: all zeros are a valid action, and the fields are set before the system reads it. The handler calls only
    // functions that a handler may call. It runs on the alternate stack that Rust gives every thread, because the
    // thread's own may be exhausted.
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

/// Returns whether a thread panics before it runs any of our code. The standard library panics there if it has no
/// memory for the thread's signal stack. The default hook could then hang. It allocates while it reports the panic. If
/// that fails, the report of the failed allocation waits for the report of the panic to end.
fn is_of_a_new_thread(panic: &PanicHookInfo<'_>) -> bool {
    panic.location().is_some_and(|location| location.file().ends_with("std/src/sys/pal/unix/stack_overflow.rs"))
}

/// Minimum bytes that the C library requests from the system.
const SYSTEM_REQUEST: usize = 1 << 20;

/// Returns whether this thread's last failed call into the C library failed for lack of memory. The C library aborts if
/// it has no memory for its own tables, such as the list of a thread's destructors. No request to this allocator fails
/// in this case, but `errno` contains the reason because successful calls do not clear it.
fn c_library_lacked_memory() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOMEM)
}

/// Reports the failed request, and exits. If this thread has no failed request, aborts as without a handler.
extern "C" fn aborted(signal: libc::c_int) {
    let bytes = match FAILED.get() {
        0 if c_library_lacked_memory() => SYSTEM_REQUEST,
        bytes => bytes,
    };
    if bytes == 0 {
        // SAFETY: the signal has its default action again and is not blocked, so this ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        return;
    }
    tell(bytes);
}

/// Reports that the system has too little memory for a request of `bytes` bytes, then ends the process. This function
/// allocates nothing. It calls only functions that a signal handler may call.
fn tell(bytes: usize) -> ! {
    static TOLD: AtomicBool = AtomicBool::new(false);
    while TOLD.swap(true, Ordering::Relaxed) {
        // SAFETY: the call waits for a signal. Another thread reports the request, and ends the process.
        unsafe { libc::pause() };
    }
    let mut message = BufferedText { text: [0; 512], len: 0 };
    let mut digits = [0; 20];
    // Another thread may have written part of a line.
    for part in [START, decimal(bytes, &mut digits), " bytes\n  next:  ", NoMemory::NEXT, MORE] {
        message.append(part);
    }
    // SAFETY: the message is initialised memory of that length. The process then ends without running any of its code.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.text.as_ptr().cast(), message.len);
        libc::_exit(Exit::Memory.code().into())
    }
}

/// A text in a fixed buffer, truncated if it is too long.
struct BufferedText {
    text: [u8; 512],
    len: usize,
}

impl BufferedText {
    fn append(&mut self, part: &str) {
        let (room, bytes) = (&mut self.text[self.len..], part.as_bytes());
        let taken = bytes.len().min(room.len());
        room[..taken].copy_from_slice(&bytes[..taken]);
        self.len += taken;
    }
}

/// Writes a number without allocating.
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
    use gts_graph::core::advice::Explain;

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
        // The backtrace before an abort may allocate the same number of bytes and free them again.
        remember(ptr::dangling_mut(), bytes);
        assert_eq!(FAILED.get(), bytes);
        assert!(Vec::<u8>::new().try_reserve_exact(3 * bytes).is_err());
        assert_eq!(FAILED.get(), 3 * bytes);
    }

    #[test]
    fn the_message_names_the_code_of_the_error() {
        let code = NoMemory { what: "", bytes: 0 }.code();
        assert_eq!(START, format!("\nerror[{code}]: no memory for "));
        assert_eq!(MORE, format!("\n  more:  gts explain {code}\n"));
    }

    /// Variable that names the kind of abort in a process of the test below.
    const ABORT: &str = "GTS_TEST_ABORT";

    #[test]
    fn the_c_library_aborts_for_want_of_memory_with_a_message() {
        if let Ok(abort) = std::env::var(ABORT) {
            tell_of_aborts();
            // SAFETY: the memory is not used. The process ends by an abort.
            unsafe {
                // An allocation whose memory is never used is optimised away.
                let lacks = abort == "lacks memory" && std::hint::black_box(libc::calloc(1, 1 << 60)).is_null();
                assert_eq!(lacks, abort == "lacks memory");
                libc::abort();
            }
        }
        for (abort, code) in [("lacks memory", Some(71)), ("has memory", None)] {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            let name = "the_c_library_aborts_for_want_of_memory_with_a_message";
            command.args([name, "--nocapture", "--test-threads=1"]).env(ABORT, abort);
            let ended = command.output().unwrap();
            let told = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), code, "{abort}: {told}");
            assert_eq!(told.contains(START), code.is_some(), "{abort}: {told}");
        }
    }

    /// Variable for the address space of a process of the test below: bytes beyond those in use and a thread's stack.
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
            refused += usize::from(ended.status.code() == Some(71) && told.contains(START));
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
