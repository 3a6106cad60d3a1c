//! Requests huge pages for large buffers. With huge pages, the first write to memory is four times as fast, and
//! scattered reads cause fewer TLB misses.
//!
//! The unsafe code is a system call that does not change the contents of memory.
#![allow(unsafe_code)]

use crate::parallel::*;
use crate::threads;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes of a huge page.
pub(crate) const HUGE_PAGE: usize = 2 << 20;
/// Minimum size of a buffer for which huge pages are requested. A smaller buffer may share its pages with other
/// allocations.
const LEAST: usize = 2 * HUGE_PAGE;

/// Returns whether a buffer of `bytes` bytes is large enough for huge pages.
pub(crate) fn serves(bytes: usize) -> bool {
    bytes >= LEAST
}

/// Requests huge pages for a large buffer. Memory that has already been written keeps its pages. Has no effect on a
/// small buffer, or if the system does not support the request.
pub fn prefer_huge_pages<T>(buffer: &mut [T]) {
    let bytes = size_of_val(buffer);
    if !serves(bytes) {
        return;
    }
    // Only whole huge pages are requested. A huge page at either end would include memory outside the buffer.
    let start = buffer.as_mut_ptr().cast::<u8>();
    let skipped = start.addr().next_multiple_of(HUGE_PAGE) - start.addr();
    let whole = bytes.saturating_sub(skipped) / HUGE_PAGE * HUGE_PAGE;
    request(start.wrapping_add(skipped), whole, HugePageRequest::HugePages);
}

/// Allocates all pages of a large buffer immediately, each huge page on one thread. Otherwise threads that fill a
/// buffer piece by piece would wait for each other while the system clears a shared page. The contents of the buffer do
/// not change. If the system does not support the request, pages are allocated when they are first written.
pub fn populate<T: Send>(buffer: &mut [T]) {
    populate_bytes(buffer.as_mut_ptr().cast(), size_of_val(buffer));
}

/// Populates a buffer. This function does not depend on the type of the elements, so its parallel loop is compiled once.
fn populate_bytes(start: *mut u8, bytes: usize) {
    let (pages, populate) = each_page(start, bytes);
    (0..pages).into_par_iter().for_each(populate);
}

/// Populates a buffer as [`populate`] does, on the calling thread and up to `helpers` new threads. The threads of a
/// pool are not used, because they may be waiting for a resource that the caller holds.
pub fn populate_by_own_threads<T: Send>(helpers: usize, buffer: &mut [T]) {
    let (pages, populate) = each_page(buffer.as_mut_ptr().cast(), size_of_val(buffer));
    let next = AtomicUsize::new(0);
    threads::share(helpers.min(pages.saturating_sub(1)), || {
        while let Some(page) = Some(next.fetch_add(1, Relaxed)).filter(|&page| page < pages) {
            populate(page);
        }
    });
}

/// Returns the number of whole huge pages in a buffer, and a function that allocates one of them. The number is 0 if
/// the buffer is small.
fn each_page(start: *mut u8, bytes: usize) -> (usize, impl Fn(usize) + Sync) {
    let skipped = start.addr().next_multiple_of(HUGE_PAGE) - start.addr();
    let pages = if serves(bytes) { bytes.saturating_sub(skipped) / HUGE_PAGE } else { 0 };
    let first = start.wrapping_add(skipped).expose_provenance();
    (pages, move |page| {
        let start = std::ptr::with_exposed_provenance_mut(first + page * HUGE_PAGE);
        request(start, HUGE_PAGE, HugePageRequest::Populate);
    })
}

/// A request to the system concerning a memory range.
#[derive(Clone, Copy)]
enum HugePageRequest {
    HugePages,
    Populate,
}

#[cfg(target_os = "linux")]
fn request(start: *mut u8, bytes: usize, what: HugePageRequest) {
    let advice = match what {
        HugePageRequest::HugePages => libc::MADV_HUGEPAGE,
        HugePageRequest::Populate => libc::MADV_POPULATE_WRITE,
    };
    // The buffer stays usable if the system refuses, so errors are ignored. SAFETY: the range lies within a buffer that
    // the caller borrows exclusively, and the requests preserve its contents.
    let _ = unsafe { libc::madvise(start.cast(), bytes, advice) };
}

#[cfg(not(target_os = "linux"))]
fn request(_: *mut u8, _: usize, _: HugePageRequest) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory;

    #[test]
    fn what_a_buffer_holds_stays() {
        let mut values = memory::reserved::<u64>("values", 3 * HUGE_PAGE / 8).unwrap();
        values.extend(0..HUGE_PAGE as u64 / 8);
        let kept = values.clone();
        prefer_huge_pages(values.spare_capacity_mut());
        populate(&mut values);
        populate(values.spare_capacity_mut());
        assert!(values == kept);
        let mut uneven = memory::zeroed::<u8>("bytes", 2 * LEAST + 5).unwrap();
        uneven[LEAST] = 7;
        for helpers in [0, 1, 7] {
            populate_by_own_threads(helpers, &mut uneven);
        }
        populate_by_own_threads::<u64>(1, &mut []);
        assert!(uneven.iter().map(|&byte| u64::from(byte)).sum::<u64>() == 7);
    }

    #[test]
    fn small_buffers_are_left_alone() {
        assert!(!serves(LEAST - 1) && serves(LEAST));
        prefer_huge_pages::<u64>(&mut []);
        prefer_huge_pages(memory::reserved::<u8>("bytes", 100).unwrap().spare_capacity_mut());
    }
}
