//! Entry points of the fuzz targets.

use std::collections::HashSet;
use std::path::Path;

use crate::profile::Profile;
use crate::read::{read_from, reader_named};
use crate::readers::ReadError;
use crate::write::{WRITERS, writer_named};

/// Larger profiles are not written again, which would take all the time.
const FEW: usize = 1000;

/// The profile that a reader makes of bytes; `None` if it refuses them, or there is no such reader.
pub fn read(reader: &str, bytes: &[u8]) -> Option<Profile> {
    read_from(bytes, Path::new("-"), Some(reader_named(reader)?)).ok()
}

/// Checks that any bytes are either refused with a place or are a profile: its weights have a sum and stacks, all
/// writers write it, and our own format preserves all of it.
pub fn check(reader: &str, bytes: &[u8]) {
    let Some(reader) = reader_named(reader) else { return };
    // It must not panic either.
    reader.recognises(&bytes[..bytes.len().min(crate::readers::HEAD)]);
    let profile = match read_from(bytes, Path::new("-"), Some(reader)) {
        Ok(profile) => profile,
        // What cannot be unpacked has no place.
        Err(ReadError::Open { .. }) => return,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(", line ") || text.contains(", byte "), "{text}");
            return;
        }
    };
    let stacks: HashSet<_> = profile.stacks.iter().collect();
    assert!(profile.clusters.iter().flat_map(|cluster| &cluster.weights).all(|(stack, _)| stacks.contains(stack)));
    assert!(
        profile
            .stacks
            .iter()
            .filter_map(|stack| profile.stacks.frame(stack))
            .all(|id| id.index() < profile.frames.len())
    );
    let sum: u128 =
        profile.clusters.iter().flat_map(|cluster| &cluster.weights).map(|(_, weight)| u128::from(*weight)).sum();
    assert_eq!(u128::from(profile.total()), sum);
    if profile.stacks.len() > FEW {
        return;
    }
    for writer in WRITERS {
        assert!(writer.write(&profile, &mut std::io::sink()).is_ok());
    }
    let mut written = Vec::new();
    let ours = writer_named("unladen").map(|writer| writer.write(&profile, &mut written));
    assert!(ours.is_some_and(|done| done.is_ok()));
    let again = read("unladen", &written);
    assert!(again.is_some_and(|again| again.about == profile.about && again.total() == profile.total()));
}
