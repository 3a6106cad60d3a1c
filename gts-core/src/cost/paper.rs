//! The two cost models of the GTS paper as published: M. Kim, K. An, H. Park, H. Seo, J. Kim: "GTS: A Fast and Scalable
//! Graph Processing Method based on Streaming Topology to GPUs", SIGMOD 2016, section 5.
//!
//! Both models assume Strategy-P with the topology in main memory. They add up the times that cannot overlap.
//! Attributes are copied to the devices before the pages stream, and copied back afterwards. Pages stream to N devices
//! concurrently, and copies hide all kernels except the last ones. [`predict`](super::predict) also covers aspects that
//! the paper omits: storage, caches for scans, reading in place, and splitting of WA.

/// The terms of equation 1. Times are in seconds, sizes in bytes, and rates in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageRankLike {
    /// |WA|: bytes of all WA.
    pub wa: f64,
    /// |RA|: bytes of all RA, which stream with the pages.
    pub ra: f64,
    /// |SP|: bytes of all small pages.
    pub small: f64,
    /// |LP|: bytes of all large pages.
    pub large: f64,
    /// S: the number of small pages.
    pub small_pages: f64,
    /// L: the number of large pages.
    pub large_pages: f64,
    /// N: the number of devices.
    pub devices: f64,
    /// c1: the rate of a single large copy.
    pub chunk_rate: f64,
    /// c2: the rate of copies in one stream.
    pub stream_rate: f64,
    /// t_call(1): the cost of one kernel call.
    pub call: f64,
    /// t_kernel(SP|1| + LP|1|): the time of the kernels for the last small page and the last large page, which no copy
    /// hides.
    pub last_kernels: f64,
    /// t_sync(N): the time for merging the attributes of N devices.
    pub sync: f64,
}

impl PageRankLike {
    /// Returns the time of one pass over all pages, including copies of the attributes to the devices and back
    /// (equation 1).
    pub fn seconds(&self) -> f64 {
        2.0 * self.wa / self.chunk_rate
            + (self.ra + self.small + self.large) / (self.stream_rate * self.devices)
            + self.call * ((self.small_pages + self.large_pages) / self.devices)
            + self.last_kernels
            + self.sync
    }
}

/// One level of a traversal in equation 2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PaperLevel {
    /// |RA{l}|: bytes of the RA that stream with the level's pages.
    pub ra: f64,
    /// |SP{l}|: bytes of the level's small pages.
    pub small: f64,
    /// |LP{l}|: bytes of the level's large pages.
    pub large: f64,
    /// S{l}: the number of small pages in the level.
    pub small_pages: f64,
    /// L{l}: the number of large pages in the level.
    pub large_pages: f64,
}

/// The terms of equation 2. Times are in seconds, sizes in bytes, and rates in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BfsLike<'a> {
    /// |WA|: bytes of all WA.
    pub wa: f64,
    /// The levels, from 0 to the depth.
    pub levels: &'a [PaperLevel],
    /// N: the number of devices.
    pub devices: f64,
    /// d_skew: the balance of a level's pages between the devices, from 1/N (all on one device) to 1 (evenly
    /// distributed).
    pub skew: f64,
    /// r_hit: the hit rate of the device's page cache, B / (S + L) for a cache of B pages.
    pub hit_rate: f64,
    /// c1: the rate of a single large copy.
    pub chunk_rate: f64,
    /// c2: the rate of copies in one stream.
    pub stream_rate: f64,
    /// t_call(1): the cost of one kernel call.
    pub call: f64,
}

impl BfsLike<'_> {
    /// Returns the time of a whole traversal: the sum over its levels, which cannot overlap (equation 2).
    pub fn seconds(&self) -> f64 {
        let shared = self.devices * self.skew;
        let level = |level: &PaperLevel| {
            (level.ra + level.small + level.large) / (self.stream_rate * shared) * (1.0 - self.hit_rate)
                + self.call * ((level.small_pages + level.large_pages) / shared)
        };
        2.0 * self.wa / self.chunk_rate + self.levels.iter().map(level).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGERANK: PageRankLike = PageRankLike {
        wa: 16e9,
        ra: 4e9,
        small: 50e9,
        large: 6e9,
        small_pages: 50_000.0,
        large_pages: 6_000.0,
        devices: 2.0,
        chunk_rate: 16e9,
        stream_rate: 6e9,
        call: 10e-6,
        last_kernels: 0.002,
        sync: 0.1,
    };

    #[test]
    fn equation_1_by_hand() {
        // 2 x 16 / 16 = 2 s; (4 + 50 + 6) / (6 x 2) = 5 s; 56,000 / 2 x 10 us = 0.28 s; 0.002 s; 0.1 s.
        assert!((PAGERANK.seconds() - 7.382).abs() < 1e-9);
    }

    #[test]
    fn equation_2_by_hand() {
        let levels = [
            PaperLevel { small: 1e9, small_pages: 1000.0, ..PaperLevel::default() },
            PaperLevel { ra: 1e9, small: 9e9, large: 2e9, small_pages: 9000.0, large_pages: 2000.0 },
        ];
        let bfs = BfsLike {
            wa: 1e9,
            levels: &levels,
            devices: 4.0,
            skew: 0.5,
            hit_rate: 0.25,
            chunk_rate: 10e9,
            stream_rate: 5e9,
            call: 1e-5,
        };
        // 0.2 s; level 0: 0.1 x 0.75 + 500 x 10 us; level 1: 1.2 x 0.75 + 5500 x 10 us.
        assert!((bfs.seconds() - (0.2 + 0.075 + 0.005 + 0.9 + 0.055)).abs() < 1e-9);
    }

    #[test]
    fn all_pages_on_one_device_cost_as_much_as_one_device() {
        let levels = [PaperLevel { small: 8e9, small_pages: 8000.0, ..PaperLevel::default() }];
        let one = BfsLike {
            wa: 1e9,
            levels: &levels,
            devices: 1.0,
            skew: 1.0,
            hit_rate: 0.0,
            chunk_rate: 1e10,
            stream_rate: 5e9,
            call: 1e-5,
        };
        let skewed = BfsLike { devices: 4.0, skew: 0.25, ..one };
        assert!((one.seconds() - skewed.seconds()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn more_bytes_take_more_time_and_more_devices_no_more(extra in 0.0..1e12f64, devices in 1u32..16) {
            let devices = f64::from(devices);
            let base = PageRankLike { devices, ..PAGERANK };
            for grown in [
                PageRankLike { wa: base.wa + extra, ..base },
                PageRankLike { ra: base.ra + extra, ..base },
                PageRankLike { small: base.small + extra, ..base },
                PageRankLike { large: base.large + extra, ..base },
            ] {
                prop_assert!(grown.seconds() >= base.seconds());
            }
            let shared = PageRankLike { devices: devices + 1.0, ..base };
            prop_assert!(shared.seconds() <= base.seconds());
        }
    }
}
