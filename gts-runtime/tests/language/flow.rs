//! Conditions, loops, locals, helper functions and constants.

use super::{engine, isolated, mixed};
use gts_graph::prelude::*;

/// Maximum length of a search.
#[gts_const]
pub(crate) const LONGEST: u32 = 300;

/// Returns the next number of the Collatz sequence.
#[gts_fn]
pub(crate) fn collatz(x: u64) -> u64 {
    if x % 2 == 0 { x / 2 } else { 3 * x + 1 }
}

/// Returns the steps to 1, at most `LONGEST`.
#[gts_fn]
pub(crate) fn collatz_length(start: u64) -> u32 {
    let mut x = start;
    let mut length = 0;
    while x != 1 {
        if length >= LONGEST {
            return LONGEST;
        }
        x = collatz(x);
        length += 1;
    }
    length
}

mod helpers {
    use gts_graph::prelude::*;

    /// Returns whether a number is a multiple of another.
    #[gts_fn]
    pub(crate) fn divides(divisor: u32, x: u32) -> bool {
        x % divisor == 0
    }
}
use helpers::*;

#[gts_attributes]
pub struct Flow {
    #[wa(init = 0, merge = any)]
    pub length: u32,
    #[wa(init = 0, merge = any)]
    pub primes: u32,
    #[wa(init = 0, merge = any)]
    pub triangle: u64,
    #[wa(init = 0, merge = any)]
    pub first: u32,
    #[wa(init = 0, merge = any)]
    pub sorted: [u32; 4],
    #[wa(init = 0, merge = any)]
    pub class: u8,
}

#[gts_kernel(vertex)]
fn flow(f: &mut Flow, v: Vertex) {
    let id = v.id() as u64;
    f.length[v] = collatz_length(id + 1);

    let mut primes: u32 = 0;
    for candidate in 2..40 {
        let mut prime = true;
        for divisor in 2..candidate {
            if divides(divisor, candidate) {
                prime = false;
                break;
            }
        }
        if !prime {
            continue;
        }
        if id % (candidate as u64) == 0 {
            primes += 1;
        }
    }
    f.primes[v] = primes;

    let mut triangle = 0;
    for i in 0..=id % 100 {
        triangle += i;
    }
    f.triangle[v] = triangle;

    let mut first = 1;
    loop {
        if first * first > id as u32 {
            break;
        }
        first += 1;
    }
    f.first[v] = first;

    let mut values = [id as u32 % 7, id as u32 % 5, id as u32 % 3, id as u32 % 11];
    for end in 0..4 {
        for i in 0..3 - end {
            if values[i] > values[i + 1] {
                let kept = values[i];
                values[i] = values[i + 1];
                values[i + 1] = kept;
            }
        }
    }
    for i in 0..4 {
        f.sorted[v][i] = values[i];
    }

    let class = if id < 10 {
        1
    } else if id < 100 {
        2
    } else {
        3
    };
    f.class[v] = class;
}

#[test]
fn flow_is_that_of_rust() -> Result<()> {
    let mut run = engine().start::<Flow>(&isolated(2000))?;
    run.apply(flow)?;
    let (length, primes, triangle) = (run.take(Flow::LENGTH)?, run.take(Flow::PRIMES)?, run.take(Flow::TRIANGLE)?);
    let (first, sorted, class) = (run.take(Flow::FIRST)?, run.take(Flow::SORTED)?, run.take(Flow::CLASS)?);
    for id in 0..2000u64 {
        let v = id as usize;
        let mut x = id + 1;
        let mut steps = 0;
        while x != 1 && steps < 300 {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            steps += 1;
        }
        assert_eq!(length[v], steps);
        let known = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        assert_eq!(primes[v] as usize, known.into_iter().filter(|prime| id % prime == 0).count());
        assert_eq!(triangle[v], (id % 100) * (id % 100 + 1) / 2);
        assert_eq!(u64::from(first[v]), (1..).find(|i| i * i > id).unwrap());
        let mut values = [7, 5, 3, 11].map(|modulus| (id % modulus) as u32);
        values.sort_unstable();
        assert_eq!(sorted[v], values);
        assert_eq!(
            class[v],
            if id < 10 {
                1
            } else if id < 100 {
                2
            } else {
                3
            }
        );
    }
    Ok(())
}

/// The helper is also an ordinary function.
#[test]
fn helpers_can_be_called_by_the_host() {
    assert_eq!(collatz(7), 22);
    assert_eq!(collatz_length(6), 8);
    assert_eq!(LONGEST, 300);
    assert!(mixed(1) != mixed(2));
}
