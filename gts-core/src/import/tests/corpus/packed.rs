//! Compressed files, whole and damaged.

use super::{gzip, import, pairs, zstd};
use crate::import::{ImportError, ImportOptions};

#[test]
fn several_members_and_frames_are_one_file() {
    let parts: [&[u8]; 4] = [b"1 2\n3", b" 4\n", b"", b"5 6"];
    let expected = vec![(1, 2), (3, 4), (5, 6)];
    let members: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
    assert_eq!(pairs(&import("a.txt.gz", &members, ImportOptions::default()).unwrap()), expected);
    // A skippable frame, as parallel compressors write them, stands between two others.
    let skippable = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
    let mut frames = skippable.to_vec();
    for part in parts {
        frames.extend(zstd(part));
        frames.extend(skippable);
    }
    assert_eq!(pairs(&import("a.txt.zst", &frames, ImportOptions::default()).unwrap()), expected);
    // The name does not matter, the first bytes do.
    assert_eq!(pairs(&import("a.txt", &members, ImportOptions::default()).unwrap()), expected);
}

#[test]
fn damaged_compressed_files_are_refused_by_name() {
    let text: String = (0..20_000).map(|i| format!("{} {}\n", i * 7919 % 10_007, i)).collect();
    for (name, whole) in [("a.txt.gz", gzip(text.as_bytes())), ("a.txt.zst", zstd(text.as_bytes()))] {
        assert_eq!(import(name, &whole, ImportOptions::default()).unwrap().0.len(), 20_000);
        for length in [0, 1, 3, 9, 15, whole.len() / 3, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
            let error = import(name, &whole[..length], ImportOptions::default()).unwrap_err();
            assert!(matches!(error, ImportError::Compressed { .. }), "{name} cut to {length}: {error}");
            assert!(error.to_string().contains(name), "{error}");
        }
    }
    let mut flipped = gzip(text.as_bytes());
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    assert!(import("a.txt.gz", &flipped, ImportOptions::default()).is_err());
    // What follows may be shorter than a header.
    for appended in [&b"trailing garbage"[..], &[0; 512], b"\n"] {
        let error =
            import("a.txt.gz", &[&gzip(text.as_bytes()), appended].concat(), ImportOptions::default()).unwrap_err();
        assert!(error.to_string().contains("has other bytes after its end"), "{error}");
    }
    assert!(import("a.txt.gz", text.as_bytes(), ImportOptions::default()).is_err(), "not compressed at all");
}
