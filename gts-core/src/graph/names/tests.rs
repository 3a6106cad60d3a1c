use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn of(kind: KeyKind, keys: &[Vec<u8>]) -> KeyNames {
    KeyNames::of_sorted(KeyForm { kind, has_sides: false }, keys.len(), |rank| &keys[rank])
}

fn sorted(keys: BTreeSet<String>) -> Vec<Vec<u8>> {
    keys.into_iter().map(String::into_bytes).collect()
}

proptest! {
    #[test]
    fn every_key_is_found_at_its_rank_and_no_other_key_is(
        keys in prop::collection::btree_set("[a-c\t\"é😀]{1,9}", 0..400),
        others in prop::collection::vec("[a-c]{1,9}", 0..20),
    ) {
        let keys = sorted(keys);
        let names = of(KeyKind::Text, &keys);
        names.verify().unwrap();
        for (rank, key) in (0..).zip(&keys) {
            prop_assert!(matches!(names.find(key).unwrap(), Place::At(found) if found == rank));
            prop_assert_eq!(names.get(rank).unwrap().to_string().into_bytes(), key.clone());
        }
        for other in others.iter().map(String::as_bytes) {
            let expected = keys.binary_search_by(|key| key.as_slice().cmp(other));
            match names.find(other).unwrap() {
                Place::At(rank) => prop_assert_eq!(expected, Ok(rank as usize)),
                Place::Before(rank) => prop_assert_eq!(expected, Err(rank as usize)),
            }
        }
    }

    #[test]
    fn no_bytes_make_decoding_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), count in 0usize..65) {
        let mut keys = BlockKeys::default();
        let _ = keys.decode(KeyForm { kind: KeyKind::Text, has_sides: false }, &bytes, count);
        let _ = keys.decode(KeyForm { kind: KeyKind::Uuid, has_sides: true }, &bytes, count);
    }
}

#[test]
fn the_longest_keys_and_whole_blocks_are_kept() {
    for count in [1, 63, 64, 65, 128] {
        let keys: Vec<Vec<u8>> = (0..count).map(|n| format!("{}{n:04}", "x".repeat((64 << 10) - 4)).into()).collect();
        let names = of(KeyKind::Text, &keys);
        names.verify().unwrap();
        assert_eq!(names.index().len() as u64, KeyNames::index_len(count));
        assert!(names.bytes() < (66 << 10) * (1 + count / 64), "prefixes are shared");
        assert!(matches!(names.find(&keys[count as usize - 1]).unwrap(), Place::At(rank) if rank == count - 1));
    }
}

#[test]
fn uuids_take_16_bytes() {
    let keys: Vec<Vec<u8>> = (0u128..100).map(|n| (n << 100).to_be_bytes().to_vec()).collect();
    let names = of(KeyKind::Uuid, &keys);
    names.verify().unwrap();
    assert_eq!(names.bytes(), 1600);
    assert_eq!(names.get(3).unwrap(), Key::Uuid((3u128 << 100).to_be_bytes()));
}
