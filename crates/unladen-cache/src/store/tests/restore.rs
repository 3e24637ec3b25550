//! Tests of what a store takes of another process.

use super::*;

fn restore(store: &Store, key: &str, body: &str, sequence: Sequence) -> Restored {
    store.restore(key.as_bytes(), &Nominated::default(), b"", response(body.to_owned(), "t", sequence))
}

#[test]
fn what_is_restored_is_found_and_purged_as_any_other() {
    let store = store(16 << 20);
    let began = store.sequence();
    assert_eq!(restore(&store, "/a", "a", began), Restored::Stored);
    assert_eq!(restore(&store, "/b", "b", began), Restored::Stored);
    check_tags(&store);
    assert_eq!(body(&store, "/a").as_deref(), Some("a"));
    assert_eq!(store.purge(&Purge::Tag("t".into()), false), 2);
    assert_eq!(body(&store, "/a"), None);
    check_tags(&store);
}

#[test]
fn what_was_fetched_meanwhile_stays() {
    let store = store(16 << 20);
    let began = store.sequence();
    assert!(put(&store, "/a", "new", ""));
    assert_eq!(restore(&store, "/a", "old", began), Restored::Known);
    assert_eq!(body(&store, "/a").as_deref(), Some("new"));
    // It turned out to depend on more than it did.
    store.put(b"/b", &nominated(&["accept"]), |_| b"x".to_vec(), response("new", "", began));
    assert_eq!(restore(&store, "/b", "old", began), Restored::Known);
    // What is fetched later takes its place.
    assert_eq!(restore(&store, "/c", "old", began), Restored::Stored);
    assert!(put(&store, "/c", "new", ""));
    assert_eq!(body(&store, "/c").as_deref(), Some("new"));
}

#[test]
fn what_was_purged_meanwhile_is_not_restored_or_is_to_be_asked_about() {
    for (is_soft, restored) in [(false, Restored::Purged), (true, Restored::Stored)] {
        let store = store(16 << 20);
        let began = store.sequence();
        store.purge(&Purge::Tag("t".into()), is_soft);
        assert_eq!(restore(&store, "/a", "old", began), restored);
        store.purge(&Purge::Prefix(b"/b".to_vec()), is_soft);
        let untagged = response("old", "", began);
        assert_eq!(store.restore(b"/b/c", &Nominated::default(), b"", untagged.clone()), restored);
        assert_eq!(untagged.is_soft_purged(), is_soft);
        assert_eq!(restore(&store, "/c", "new", store.sequence()), Restored::Stored);
    }
}

#[test]
fn what_is_not_stored_any_more_is_not_restored() {
    let store = store(16 << 20);
    store.set_uncacheable(b"/a", Instant::now() + Duration::from_secs(100), true);
    assert_eq!(restore(&store, "/a", "old", store.sequence()), Restored::Purged);
}

#[test]
fn nothing_makes_room_for_what_is_restored() {
    let store = Store::new(StoreSettings { memory: 1 << 20, largest: 1 << 20, variants: 2 });
    for n in 0..400 {
        put(&store, &format!("/new/{n}"), &"x".repeat(4000), "");
    }
    let (before, evicted) = (store.totals().resources, store.totals().evicted);
    assert!(evicted > 0);
    let page = "y".repeat(100_000);
    for n in 0..100 {
        assert_eq!(restore(&store, &format!("/old/{n}"), &page, store.sequence()), Restored::Full);
    }
    assert_eq!((store.totals().resources, store.totals().evicted), (before, evicted));
    let variants = |said: &[u8]| {
        let empty = &Nominated(vec![b"a".as_slice().into()]);
        store.restore(b"/v", empty, said, response("", "", store.sequence()))
    };
    store.purge(&Purge::All, false);
    assert_eq!([b"1", b"2", b"3"].map(|said| variants(said)), [Restored::Stored, Restored::Stored, Restored::Known]);
    // The whole is bounded by the same bytes as ever.
    let store = Store::new(StoreSettings { memory: 1 << 20, largest: 1 << 20, variants: 2 });
    let restored = (0..400).map(|n| restore(&store, &format!("/{n}"), &"x".repeat(4000), store.sequence()));
    let stored = restored.filter(|restored| *restored == Restored::Stored).count();
    assert!((150..250).contains(&stored) && store.totals().evicted == 0, "{stored}");
    assert!(store.totals().bytes <= 1 << 20);
    check_tags(&store);
}

#[test]
fn a_survey_keeps_nothing() {
    let store = store(16 << 20);
    put(&store, "/a", "a", "");
    let survey = store.survey();
    assert!(survey[0].upgrade().is_some_and(|resource| resource.key_bytes() == b"/a"));
    store.purge(&Purge::All, false);
    assert!(survey[0].upgrade().is_none());
}
