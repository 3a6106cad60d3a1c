//! Tests that every queue returns every read, either filled or with its error.

use super::*;
use crate::page::AlignedBytes;
use std::path::PathBuf;
use tempfile::TempDir;

pub(super) const BLOCK: usize = 4096;

/// Creates a file of `blocks` blocks, each filled with its number.
pub(super) fn file(blocks: usize) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let bytes: Vec<u8> = (0..blocks).flat_map(|block| [block as u8; BLOCK]).collect();
    std::fs::write(&path, bytes).unwrap();
    (directory, path)
}

fn queues(depth: usize) -> Vec<Box<dyn ReadQueue>> {
    let threads: Box<dyn ReadQueue> = Box::new(threads::Threads::new(depth, None));
    let alone: Box<dyn ReadQueue> = Box::new(threads::Threads::without_threads());
    #[cfg(target_os = "linux")]
    match uring::Uring::new(depth) {
        Ok(queue) => return vec![threads, alone, Box::new(queue)],
        Err(error) => println!("left out: io_uring ({error})"),
    }
    vec![threads, alone]
}

pub(super) fn read(file: &Arc<DirectFile>, first: usize, blocks: usize) -> Read {
    let buffer = ReadBuffer::owned(AlignedBytes::zeroed(blocks * BLOCK).unwrap());
    Read { file: Arc::clone(file), offset: (first * BLOCK) as u64, buffer, token: first as u64 }
}

fn next(queue: &mut dyn ReadQueue) -> Done {
    queue.end(Duration::from_secs(30)).expect("a read ends")
}

#[test]
fn reads_come_back_filled() {
    let (_directory, path) = file(200);
    let file = Arc::new(DirectFile::open(&path).unwrap());
    for mut queue in queues(4) {
        // Begin more reads than the depth of the queue.
        for first in 0..100 {
            queue.begin(read(&file, first, 1 + first % 3));
        }
        assert_eq!(queue.under_way(), 100);
        let mut seen = [false; 100];
        for _ in 0..100 {
            let done = next(queue.as_mut());
            done.result.unwrap();
            let first = done.read.token as usize;
            assert!(!std::mem::replace(&mut seen[first], true));
            let bytes = done.read.buffer.into_owned().unwrap();
            for (block, bytes) in bytes.as_slice().chunks(BLOCK).enumerate() {
                assert!(bytes.iter().all(|&byte| byte == (first + block) as u8));
            }
        }
        assert_eq!(queue.under_way(), 0);
        assert!(queue.end(Duration::from_millis(1)).is_none());
    }
}

#[test]
fn a_read_past_the_end_is_an_error() {
    let (_directory, path) = file(3);
    let file = Arc::new(DirectFile::open(&path).unwrap());
    for mut queue in queues(4) {
        queue.begin(read(&file, 2, 2));
        queue.begin(read(&file, 7, 1));
        for _ in 0..2 {
            let error = next(queue.as_mut()).result.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
        queue.begin(read(&file, 2, 1));
        next(queue.as_mut()).result.unwrap();
    }
}

#[test]
fn a_queue_is_dropped_with_reads_under_way() {
    let (_directory, path) = file(64);
    let file = Arc::new(DirectFile::open(&path).unwrap());
    for mut queue in queues(8) {
        for first in 0..60 {
            queue.begin(read(&file, first, 4));
        }
        drop(queue);
    }
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    assert!(DirectFile::open(directory.path()).is_err());
    assert!(DirectFile::open(&directory.path().join("absent")).is_err());
}

#[test]
fn a_queue_reads_into_memory_that_it_was_prepared_for() {
    use crate::page::{HostMemory, HostRegion, PlainMemory};
    let (_directory, path) = file(64);
    let file = Arc::new(DirectFile::open(&path).unwrap());
    for mut queue in queues(4) {
        let regions: Vec<Arc<dyn HostRegion>> =
            (0..3).map(|_| Arc::from(PlainMemory.allocate(16 * BLOCK).unwrap())).collect();
        for (number, region) in regions.iter().enumerate() {
            // The last region is not registered.
            if number < 2 {
                queue.prepare(region);
                queue.prepare(region);
            }
            for place in 0..4 {
                let buffer = ReadBuffer::of_region(region, place * 4 * BLOCK, 4 * BLOCK);
                let first = number * 16 + place * 4;
                let (offset, token) = ((first * BLOCK) as u64, first as u64);
                queue.begin(Read { file: Arc::clone(&file), offset, buffer, token });
            }
        }
        for _ in 0..12 {
            let mut done = next(queue.as_mut());
            done.result.unwrap();
            let first = done.read.token as usize;
            for (block, bytes) in done.read.buffer.pieces().flat_map(|piece| piece.chunks(BLOCK)).enumerate() {
                assert!(bytes.iter().all(|&byte| byte == (first + block) as u8));
            }
        }
    }
}
