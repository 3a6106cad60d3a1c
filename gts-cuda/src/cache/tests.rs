use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

/// Runs a pass over `pages`, and returns the number of pages found in the cache.
fn pass(cache: &mut PageCache, choice: CacheChoice, kind: KernelKind, side: Side, pages: &[u32]) -> usize {
    cache.begin(policy(choice, kind), &[side]);
    let (found, missed): (Vec<u32>, Vec<u32>) =
        pages.iter().partition(|&&page| cache.find((side, PageId(page))).is_some());
    for page in missed {
        cache.place((side, PageId(page)));
    }
    found.len()
}

fn scan(cache: &mut PageCache, choice: CacheChoice, side: Side, pages: std::ops::Range<u32>) -> usize {
    pass(cache, choice, KernelKind::Scan, side, &pages.collect::<Vec<_>>())
}

#[test]
fn a_cyclic_scan_over_twice_the_cache_hits_half_of_the_time() {
    let mut cache = PageCache::new(50);
    assert_eq!(scan(&mut cache, CacheChoice::Auto, Side::Out, 0..100), 0);
    for _ in 0..5 {
        assert_eq!(scan(&mut cache, CacheChoice::Auto, Side::Out, 0..100), 50);
        assert_eq!(cache.find((Side::Out, PageId(49))), Some(49), "the share is the same each time");
    }
}

#[test]
fn a_scan_takes_over_what_an_earlier_run_over_the_other_topology_has_left() {
    let mut cache = PageCache::new(50);
    scan(&mut cache, CacheChoice::Scan, Side::In, 0..50);
    assert_eq!(scan(&mut cache, CacheChoice::Scan, Side::Out, 0..100), 0);
    assert_eq!(scan(&mut cache, CacheChoice::Scan, Side::Out, 0..100), 0);
    assert_eq!(scan(&mut cache, CacheChoice::Scan, Side::Out, 0..100), 50);
}

#[test]
fn scans_over_both_topologies_in_turn_leave_each_other_their_share() {
    let mut cache = PageCache::new(50);
    scan(&mut cache, CacheChoice::Scan, Side::Out, 0..30);
    scan(&mut cache, CacheChoice::Scan, Side::In, 0..40);
    for _ in 0..3 {
        assert_eq!(scan(&mut cache, CacheChoice::Scan, Side::Out, 0..30), 30);
        assert_eq!(scan(&mut cache, CacheChoice::Scan, Side::In, 0..40), 20);
    }
}

#[test]
fn a_scan_has_settled_once_every_frame_holds_a_page_of_it() {
    let mut cache = PageCache::new(50);
    scan(&mut cache, CacheChoice::Scan, Side::In, 0..30);
    assert!(!cache.is_settled(), "frames are empty");
    scan(&mut cache, CacheChoice::Scan, Side::Out, 0..100);
    assert!(!cache.is_settled(), "pages of the other topology give way next time");
    scan(&mut cache, CacheChoice::Scan, Side::Out, 0..100);
    assert!(cache.is_settled());
    let held = (0..100).filter(|&page| cache.holds((Side::Out, PageId(page)))).count();
    assert_eq!((held, scan(&mut cache, CacheChoice::Scan, Side::Out, 0..100)), (50, 50));

    scan(&mut cache, CacheChoice::Off, Side::Out, 0..100);
    assert!(cache.is_settled() && !cache.holds((Side::Out, PageId(0))), "no page is looked for");
    let mut lru = PageCache::new(50);
    scan(&mut lru, CacheChoice::Lru, Side::Out, 0..100);
    assert!(!lru.is_settled(), "the next scan finds none of its pages");
}

#[test]
fn the_pages_used_last_stay_in_an_lru_cache() {
    let mut cache = PageCache::new(4);
    let mut step = |pages: &[u32]| pass(&mut cache, CacheChoice::Auto, KernelKind::Traverse, Side::Out, pages);
    assert_eq!(step(&[0, 1]), 0);
    assert_eq!(step(&[2, 3]), 0);
    assert_eq!(step(&[0, 4]), 1);
    // Page 1 was evicted, because pages 2 and 3 were used more recently.
    assert_eq!(step(&[0, 2, 3, 4]), 4);
    assert_eq!(step(&[1]), 0);
}

#[test]
fn a_cache_that_is_off_keeps_nothing() {
    let mut cache = PageCache::new(10);
    for _ in 0..2 {
        assert_eq!(scan(&mut cache, CacheChoice::Off, Side::Out, 0..10), 0);
    }
}

proptest! {
    #[test]
    fn a_frame_holds_one_page_and_no_page_of_a_pass_gives_way_in_it(
        frames in 0u32..12,
        passes in proptest::collection::vec(
            (0usize..3, any::<bool>(), proptest::collection::btree_set(0u32..30, 0..20)),
            1..12,
        ),
    ) {
        let mut cache = PageCache::new(frames);
        for (choice, inward, pages) in passes {
            let side = if inward { Side::In } else { Side::Out };
            let choice = [CacheChoice::Lru, CacheChoice::Scan, CacheChoice::Off][choice];
            cache.begin(policy(choice, KernelKind::Scan), &[side]);
            let mut used = HashSet::new();
            let mut missed = Vec::new();
            for page in pages {
                match cache.find((side, PageId(page))) {
                    Some(frame) => prop_assert!(used.insert(frame), "two pages in one frame"),
                    None => missed.push(page),
                }
            }
            for page in missed {
                if let Some(frame) = cache.place((side, PageId(page))) {
                    prop_assert!(frame < frames);
                    prop_assert!(used.insert(frame), "a frame that the pass uses was filled again");
                    prop_assert_eq!(cache.find((side, PageId(page))), Some(frame));
                }
            }
        }
    }
}
