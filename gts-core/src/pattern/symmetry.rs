//! Determines the interchangeable vertices of a pattern.
//!
//! A pattern with symmetries matches the same vertices in several ways. The search finds only one of these matches (J.
//! Grochow, M. Kellis: Network motif discovery using subgraph enumeration and symmetry-breaking, RECOMB 2007). For this
//! purpose, the vertex at each level must come after all vertices that could replace it while the vertices at earlier
//! levels stay the same.

use super::Pattern;
use crate::hash::mixed;

/// A number per vertex. The numbers are equal for vertices that refinement cannot distinguish.
type Colours = Vec<u64>;

/// Mixes a number into a hash.
fn mix(hash: u64, value: u64) -> u64 {
    mixed(hash ^ value)
}

/// Returns the colours of the vertices if the `fixed` vertices are mapped to themselves. Vertices with neighbours of
/// different colours, or with different numbers of neighbours, have different colours.
fn colours(pattern: &Pattern, fixed: &[usize]) -> Colours {
    let vertices = pattern.num_vertices();
    let own = |v: usize| {
        let label = pattern.label(v).map_or(0, |label| u64::from(label) + 1);
        let place = fixed.iter().position(|&other| other == v).map_or(0, |place| place as u64 + 1);
        mix(mix(mix(1, label), place), pattern.degree(v).into())
    };
    let mut colours: Colours = (0..vertices).map(own).collect();
    for _ in 0..vertices {
        let next = |v: usize| {
            let mut around: Vec<u64> = members(pattern.neighbors(v)).map(|w| colours[w]).collect();
            around.sort_unstable();
            around.into_iter().fold(mix(2, colours[v]), mix)
        };
        colours = (0..vertices).map(next).collect();
    }
    colours
}

/// Returns the members of a bit set in ascending order.
pub(super) fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |place| set >> place & 1 == 1)
}

/// Returns a symmetry that maps each vertex before index `place` in `order` to itself, and the vertex at `place` to
/// `image`. The result contains the images of the vertices in the order of `order`. Returns `None` if there is no such
/// symmetry.
pub(super) fn symmetry(pattern: &Pattern, order: &[usize], place: usize, image: usize) -> Option<Vec<usize>> {
    let mut fixed = order[..place].to_vec();
    fixed.push(order[place]);
    let from = colours(pattern, &fixed);
    fixed[place] = image;
    let to = colours(pattern, &fixed);
    let sorted = |colours: &Colours| {
        let mut sorted = colours.clone();
        sorted.sort_unstable();
        sorted
    };
    if sorted(&from) != sorted(&to) {
        return None;
    }
    let (mut images, mut used) = (fixed, 0u32);
    images.iter().for_each(|&image| used |= 1 << image);
    extends(pattern, order, &from, &to, &mut images, used).then_some(images)
}

/// Extends the images of the first vertices in an order to a symmetry. Returns whether there is such a symmetry.
fn extends(
    pattern: &Pattern,
    order: &[usize],
    from: &Colours,
    to: &Colours,
    images: &mut Vec<usize>,
    used: u32,
) -> bool {
    let place = images.len();
    let fits = |images: &[usize], v: usize, w: usize| {
        let earlier = order.iter().zip(images);
        from[v] == to[w]
            && earlier.clone().all(|(&u, &x)| pattern.neighbors(v) >> u & 1 == pattern.neighbors(w) >> x & 1)
    };
    let Some(&v) = order.get(place) else {
        // The given images have not been checked.
        return (0..place).all(|at| fits(&images[..at], order[at], images[at]));
    };
    for w in (0..pattern.num_vertices()).filter(|w| used >> w & 1 == 0) {
        if fits(images, v, w) {
            images.push(w);
            if extends(pattern, order, from, to, images, used | 1 << w) {
                return true;
            }
            images.pop();
        }
    }
    false
}

/// Returns, for each level of an order, the earlier levels whose vertices must come after its own vertex in the order
/// of the graph, as bit sets. A search within these bounds finds each match once.
pub(super) fn bounds(pattern: &Pattern, order: &[usize]) -> Vec<u32> {
    let mut bounds = vec![0; order.len()];
    for place in 0..order.len() {
        for later in place + 1..order.len() {
            if symmetry(pattern, order, place, order[later]).is_some() {
                bounds[later] |= 1 << place;
            }
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of symmetries derived from the bounds: the product of the orbit sizes.
    fn symmetries(edges: &[(u64, u64)]) -> u64 {
        let pattern = Pattern::from_edges(edges.iter().copied()).unwrap();
        let order: Vec<usize> = (0..pattern.num_vertices()).collect();
        let bounds = bounds(&pattern, &order);
        let orbit = |place: usize| 1 + bounds.iter().filter(|bound| **bound >> place & 1 == 1).count() as u64;
        (0..order.len()).map(orbit).product()
    }

    #[test]
    fn orbits_multiply_to_the_number_of_symmetries() {
        let clique = |n: u64| (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).collect::<Vec<_>>();
        let cycle = |n: u64| (0..n).map(|v| (v, (v + 1) % n)).collect::<Vec<_>>();
        let star = |n: u64| (1..=n).map(|leaf| (0, leaf)).collect::<Vec<_>>();
        assert_eq!(symmetries(&clique(3)), 6);
        assert_eq!(symmetries(&clique(5)), 120);
        assert_eq!(symmetries(&cycle(6)), 12);
        assert_eq!(symmetries(&star(5)), 120);
        assert_eq!(symmetries(&[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]), 4);
        assert_eq!(symmetries(&[(0, 1), (1, 2), (2, 3)]), 2);
        // The Petersen graph has 120 symmetries.
        let outer = (0..5).flat_map(|v| [(v, (v + 1) % 5), (v, v + 5), (v + 5, (v + 2) % 5 + 5)]);
        assert_eq!(symmetries(&outer.collect::<Vec<_>>()), 120);
        // Apart from a single vertex, the smallest graphs without symmetries have six vertices.
        assert_eq!(symmetries(&[(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (2, 5)]), 1);
    }

    #[test]
    fn large_symmetric_patterns_take_no_time() {
        let star = (1..32).map(|leaf| (0, leaf));
        let pattern = Pattern::from_edges(star).unwrap();
        let order: Vec<usize> = (0..32).collect();
        assert_eq!(bounds(&pattern, &order)[31], !1 & !(1 << 31));
        let clique = (0..32u64).flat_map(|a| (0..a).map(move |b| (a, b)));
        let pattern = Pattern::from_edges(clique).unwrap();
        assert_eq!(bounds(&pattern, &order)[31], !(1 << 31));
    }

    #[test]
    fn labels_tell_vertices_apart() {
        let pattern = Pattern::parse("0 1\n1 2\n2 0\nv 0 a\nv 1 a\nv 2 b").unwrap();
        assert_eq!(bounds(&pattern, &[0, 1, 2]), [0, 1, 0]);
        assert_eq!(bounds(&pattern, &[2, 1, 0]), [0, 0, 0b10]);
    }
}
