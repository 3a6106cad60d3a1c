//! An implementation of NCCL's functions for ranks that are threads of this process, in host memory. Calls return
//! immediately, as the library's calls on non-blocking communicators do. Work progresses when a rank polls.

use super::super::super::table::{
    Code, Config, IN_PROGRESS, NcclFunctions, RawCommunicator, SUCCESS, StreamHandle, UniqueId,
};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// NCCL's functions, implemented in this process.
pub(super) const TABLE: NcclFunctions = NcclFunctions {
    get_unique_id,
    init,
    async_error,
    finalize,
    destroy,
    abort,
    error_string,
    last_error,
    group_start,
    group_end,
    send,
    receive,
    all_gather,
    broadcast,
};

/// `ncclRemoteError`.
pub(super) const REMOTE_ERROR: Code = 6;
const INVALID_ARGUMENT: Code = 4;

/// Bytes sent but not yet received, by sender and receiver.
type Mail = HashMap<(usize, usize), VecDeque<Vec<u8>>>;

/// The state shared by all ranks that join with the same ID.
#[derive(Default)]
pub(super) struct World {
    mail: Mutex<Mail>,
    joined: AtomicUsize,
    /// The failure code that polls return; `SUCCESS` if no failure was requested.
    failure: AtomicI32,
    pub(super) aborted: AtomicUsize,
    pub(super) ended: AtomicUsize,
    left: AtomicUsize,
}

static WORLDS: Mutex<Vec<(u64, Arc<World>)>> = Mutex::new(Vec::new());

/// Returns the state shared by all ranks that join with this ID.
pub(super) fn world(UniqueId(id): UniqueId) -> Arc<World> {
    let number: u64 = bytemuck::pod_read_unaligned(&id[..8]);
    let mut worlds = WORLDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, found)) = worlds.iter().find(|(known, _)| *known == number) {
        return Arc::clone(found);
    }
    let made = Arc::<World>::default();
    worlds.push((number, Arc::clone(&made)));
    made
}

impl World {
    /// Makes the communicators of all ranks fail.
    pub(super) fn fail(&self) {
        self.failure.store(REMOTE_ERROR, SeqCst);
    }
}

/// The state of a rank. A communicator's handle points to this state.
struct Rank {
    world: Arc<World>,
    rank: usize,
    size: usize,
    waiting: Mutex<Vec<Receive>>,
    gone: AtomicBool,
}

/// A pending receive from a rank.
struct Receive {
    from: usize,
    to: *mut u8,
    bytes: usize,
}

/// The pending calls of a group that has not ended.
#[derive(Default)]
struct PendingGroup {
    depth: usize,
    sends: Vec<(*const Rank, usize, *const u8, usize)>,
    receives: Vec<(*const Rank, Receive)>,
}

thread_local! {
    static GROUP: RefCell<PendingGroup> = RefCell::default();
}

unsafe extern "C" fn get_unique_id(id: *mut UniqueId) -> Code {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut bytes = [0; _];
    bytes[..8].copy_from_slice(&NEXT.fetch_add(1, SeqCst).to_le_bytes());
    // SAFETY: the caller passes a valid target.
    unsafe { id.write(UniqueId(bytes)) };
    SUCCESS
}

unsafe extern "C" fn init(
    handle: *mut RawCommunicator,
    size: c_int,
    id: UniqueId,
    rank: c_int,
    _: *mut Config,
) -> Code {
    if !(0..size).contains(&rank) {
        return INVALID_ARGUMENT;
    }
    let world = world(id);
    world.joined.fetch_add(1, SeqCst);
    let (waiting, gone) = Default::default();
    let made = Rank { world, rank: rank as usize, size: size as usize, waiting, gone };
    // SAFETY: the caller passes a valid target.
    unsafe { handle.write(Box::into_raw(Box::new(made)).cast()) };
    IN_PROGRESS
}

/// Returns the rank to which a handle points.
///
/// # Safety
///
/// `init` must have created `handle`. Ranks are never freed, so that calls on an ended communicator are detected.
unsafe fn rank<'a>(handle: RawCommunicator) -> &'a Rank {
    // SAFETY: the caller guarantees that `init` created the handle.
    let rank = unsafe { &*handle.cast::<Rank>() };
    assert!(!rank.gone.load(SeqCst), "a call on a communicator that has ended");
    rank
}

unsafe extern "C" fn async_error(handle: RawCommunicator, state: *mut Code) -> Code {
    // SAFETY: the caller passes a valid communicator.
    let rank = unsafe { rank(handle) };
    let failure = rank.world.failure.load(SeqCst);
    let mut waiting = rank.waiting.lock().unwrap();
    let mut mail = rank.world.mail.lock().unwrap();
    // Messages from a rank arrive in the order in which they were sent.
    waiting.retain(|Receive { from, to, bytes }| match mail.entry((*from, rank.rank)).or_default().pop_front() {
        Some(message) => {
            assert_eq!(message.len(), *bytes, "rank {from} sends as many bytes as rank {} receives", rank.rank);
            // SAFETY: the receiver's `bytes` bytes stay allocated until all messages have arrived.
            unsafe { ptr::copy_nonoverlapping(message.as_ptr(), *to, *bytes) };
            false
        }
        None => true,
    });
    let all = waiting.is_empty() && rank.world.joined.load(SeqCst) >= rank.size;
    let found = match failure {
        SUCCESS if all => SUCCESS,
        SUCCESS => IN_PROGRESS,
        failure => failure,
    };
    // SAFETY: the caller passes a valid target.
    unsafe { state.write(found) };
    SUCCESS
}

unsafe extern "C" fn finalize(handle: RawCommunicator) -> Code {
    // SAFETY: the caller passes a valid communicator.
    match unsafe { rank(handle) }.world.failure.load(SeqCst) {
        SUCCESS => IN_PROGRESS,
        failure => failure,
    }
}

unsafe extern "C" fn destroy(handle: RawCommunicator) -> Code {
    // SAFETY: the caller passes a valid communicator.
    let rank = unsafe { rank(handle) };
    rank.world.ended.fetch_add(1, SeqCst);
    leave(rank)
}

/// Waits until all ranks leave. The library also waits if ranks have exchanged bytes.
fn leave(rank: &Rank) -> Code {
    rank.gone.store(true, SeqCst);
    rank.world.left.fetch_add(1, SeqCst);
    while rank.world.left.load(SeqCst) < rank.world.joined.load(SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
    SUCCESS
}

unsafe extern "C" fn abort(handle: RawCommunicator) -> Code {
    // SAFETY: the caller passes a valid communicator.
    let rank = unsafe { rank(handle) };
    rank.world.aborted.fetch_add(1, SeqCst);
    leave(rank)
}

unsafe extern "C" fn error_string(_: Code) -> *const c_char {
    c"remote process exited".as_ptr()
}

unsafe extern "C" fn last_error(_: RawCommunicator) -> *const c_char {
    c"".as_ptr()
}

unsafe extern "C" fn group_start() -> Code {
    GROUP.with_borrow_mut(|group| group.depth += 1);
    SUCCESS
}

unsafe extern "C" fn group_end() -> Code {
    let PendingGroup { depth, sends, receives } = GROUP.take();
    assert_eq!(depth, 1, "a group ends that has begun");
    for (from, to, bytes, length) in sends {
        // SAFETY: the rank is never freed, and the sender's bytes stay allocated.
        let (from, message) = unsafe { (&*from, std::slice::from_raw_parts(bytes, length).to_vec()) };
        from.world.mail.lock().unwrap().entry((from.rank, to)).or_default().push_back(message);
    }
    let mut code = SUCCESS;
    for (own, receive) in receives {
        // SAFETY: the rank is never freed.
        unsafe { &*own }.waiting.lock().unwrap().push(receive);
        code = IN_PROGRESS;
    }
    code
}

/// Adds a send to another rank to the current group.
fn add_send(own: &Rank, to: usize, from: *const c_void, bytes: usize) {
    assert!(to < own.size && bytes > 0);
    GROUP.with_borrow_mut(|group| {
        assert_eq!(group.depth, 1, "calls stand in groups");
        group.sends.push((own, to, from.cast(), bytes));
    });
}

/// Adds a receive from another rank to the current group.
fn add_receive(own: &Rank, from: usize, to: *mut c_void, bytes: usize) {
    assert!(from < own.size && bytes > 0);
    GROUP.with_borrow_mut(|group| group.receives.push((own, Receive { from, to: to.cast(), bytes })));
}

unsafe extern "C" fn send(
    from: *const c_void,
    n: usize,
    _: c_int,
    to: c_int,
    handle: RawCommunicator,
    _: StreamHandle,
) -> Code {
    // SAFETY: the caller passes a valid communicator.
    add_send(unsafe { rank(handle) }, to as usize, from, n);
    SUCCESS
}

unsafe extern "C" fn receive(
    to: *mut c_void,
    n: usize,
    _: c_int,
    from: c_int,
    handle: RawCommunicator,
    _: StreamHandle,
) -> Code {
    // SAFETY: the caller passes a valid communicator.
    add_receive(unsafe { rank(handle) }, from as usize, to, n);
    SUCCESS
}

unsafe extern "C" fn all_gather(
    from: *const c_void,
    to: *mut c_void,
    n: usize,
    _: c_int,
    handle: RawCommunicator,
    _: StreamHandle,
) -> Code {
    // SAFETY: the caller passes a valid communicator.
    let own = unsafe { rank(handle) };
    assert_eq!(to.wrapping_byte_add(n * own.rank).cast_const(), from, "gathered in place");
    for other in (0..own.size).filter(|&other| other != own.rank) {
        add_send(own, other, from, n);
        add_receive(own, other, to.wrapping_byte_add(n * other), n);
    }
    SUCCESS
}

unsafe extern "C" fn broadcast(
    from: *const c_void,
    to: *mut c_void,
    n: usize,
    _: c_int,
    root: c_int,
    handle: RawCommunicator,
    _: StreamHandle,
) -> Code {
    // SAFETY: the caller passes a valid communicator.
    let own = unsafe { rank(handle) };
    match own.rank == root as usize {
        true => (0..own.size).filter(|&other| other != own.rank).for_each(|other| add_send(own, other, from, n)),
        false => add_receive(own, root as usize, to, n),
    }
    SUCCESS
}
