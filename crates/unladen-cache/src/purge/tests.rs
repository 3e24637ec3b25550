//! Tests of the memory of purges.

use std::sync::Arc;

use unladen_http1::Fields;

use super::*;
use crate::{Freshness, Policy, Time};

fn stored(sequence: u64) -> Arc<Stored> {
    let freshness = Freshness::of(200, &Fields::default(), Time(0), Time(0), &Policy::default());
    let mut fields = Fields::default();
    fields.push(b"xkey", b"t");
    Arc::new(Stored::new(200, fields, bytes::Bytes::new(), freshness, None, Sequence(sequence)))
}

#[test]
fn a_purge_means_what_it_says() {
    let stored = stored(0);
    for (purge, means) in [
        (Purge::Key(b"/a".to_vec()), true),
        (Purge::Key(b"/".to_vec()), false),
        (Purge::Prefix(b"/".to_vec()), true),
        (Purge::Prefix(b"/a/".to_vec()), false),
        (Purge::Tag("t".into()), true),
        (Purge::Tag("T".into()), false),
        (Purge::All, true),
    ] {
        assert_eq!(purge.means(b"/a", &stored), means, "{purge:?}");
    }
}

#[test]
fn only_later_purges_count() {
    let log = PurgeLog::new(4096);
    assert_eq!(log.last(), Sequence(0));
    assert_eq!(log.push(&Purge::Tag("t".into()), false), Sequence(1));
    assert_eq!(log.push(&Purge::All, true), Sequence(2));
    assert_eq!(log.push(&Purge::Key(b"/b".to_vec()), false), Sequence(3));
    let spares = |sequence| log.spares(b"/a", &stored(sequence));
    assert_eq!([0, 1, 2, 3].map(spares), [Spared::Nothing, Spared::Soft, Spared::Whole, Spared::Whole]);
}

#[test]
fn what_is_forgotten_spares_nothing() {
    let log = PurgeLog::new(4096);
    for _ in 0..1000 {
        log.push(&Purge::Key(vec![b'x'; 100]), false);
    }
    let kept = (0..1000).filter(|sequence| log.spares(b"/a", &stored(*sequence)) == Spared::Whole).count();
    assert!((10..40).contains(&kept), "{kept}");
    // One that is larger than all that may be remembered.
    log.push(&Purge::Key(vec![b'x'; 10_000]), false);
    assert_eq!(log.spares(b"/a", &stored(1000)), Spared::Nothing);
    assert_eq!(log.spares(b"/a", &stored(1001)), Spared::Whole);
}
