//! What purges leave.

use super::*;

fn key(key: &str) -> Purge {
    Purge::Key(key.into())
}

#[test]
fn each_kind_of_purge() {
    let store = store(8 << 20);
    for name in ["/a", "/a/1", "/a/2", "/b"] {
        assert!(put(&store, name, name, if name == "/a/1" { "x" } else { "x, y" }));
    }
    let has = || ["/a", "/a/1", "/a/2", "/b"].map(|key| body(&store, key).is_some());
    assert_eq!(store.purge(&key("/none"), false), 0);
    assert_eq!(store.purge(&Purge::Tag("z".into()), false), 0);
    assert_eq!(has(), [true; 4]);
    assert_eq!(store.purge(&key("/a"), false), 1);
    assert_eq!(has(), [false, true, true, true]);
    assert_eq!(store.purge(&Purge::Tag("y".into()), false), 2);
    assert_eq!(has(), [false, true, false, false]);
    assert!(put(&store, "/a/2", "", "") && put(&store, "/b", "", ""));
    assert_eq!(store.purge(&Purge::Prefix(b"/a".to_vec()), false), 2);
    assert_eq!(has(), [false, false, false, true]);
    assert_eq!(store.purge(&Purge::All, false), 1);
    let totals = store.totals();
    assert_eq!((totals.resources, totals.bytes, totals.purged), (0, 0, 6));
    check_tags(&store);
}

#[test]
fn a_tag_takes_only_the_variants_that_have_it() {
    let store = store(8 << 20);
    let accept = nominated(&["accept"]);
    for (said, tags) in [("1", "a,b"), ("2", "b"), ("3", "a")] {
        assert!(store.put(b"k", &accept, |_| said.into(), response(said, tags, Sequence(0))));
    }
    let before = store.totals().bytes;
    assert_eq!(store.purge(&Purge::Tag("a".into()), false), 2);
    let resource = store.find(b"k").unwrap();
    assert!(resource.variant(b"2").is_some() && resource.responses().len() == 1);
    assert!(store.totals().bytes < before);
    check_tags(&store);
}

#[test]
fn softly_is_to_be_asked_about() {
    let store = store(8 << 20);
    assert!(put(&store, "a", "1", "t") && put(&store, "b", "1", ""));
    assert_eq!(store.purge(&Purge::Tag("t".into()), true), 1);
    let soft = |key: &str| store.find(key.as_bytes()).unwrap().variant(b"").unwrap().is_soft_purged();
    assert!(soft("a") && !soft("b"));
    // Asked about since, it is as good as new.
    let old = Arc::clone(store.find(b"a").unwrap().variant(b"").unwrap());
    let fresh = old.freshened(old.fields.clone(), freshness(), None, store.sequence());
    assert!(store.put(b"a", &Nominated::default(), |_| Vec::new(), Arc::new(fresh)));
    assert!(!soft("a"));
}

#[test]
fn what_was_asked_for_before_a_purge_is_not_stored_after_it() {
    let purges = [key("/k"), Purge::Prefix(b"/".to_vec()), Purge::Tag("t".into()), Purge::All];
    for purge in purges {
        let store = store(8 << 20);
        let before = response("old", "t", store.sequence());
        assert_eq!(store.purge(&purge, false), 0);
        assert!(!store.put(b"/k", &Nominated::default(), |_| Vec::new(), before), "{purge:?}");
        assert!(store.find(b"/k").is_none());
        assert!(put(&store, "/k", "new", "t"), "{purge:?}");
        // Softly: it is stored, but asked about.
        let before = response("old", "t", store.sequence());
        store.purge(&purge, true);
        assert!(store.put(b"/k", &Nominated::default(), |_| Vec::new(), before));
        assert!(store.find(b"/k").unwrap().variant(b"").unwrap().is_soft_purged(), "{purge:?}");
    }
    let store = store(8 << 20);
    let before = response("old", "t", store.sequence());
    for other in [key("/other"), Purge::Prefix(b"/o".to_vec()), Purge::Tag("u".into())] {
        store.purge(&other, false);
    }
    assert!(store.put(b"/k", &Nominated::default(), |_| Vec::new(), before));
}

#[test]
fn so_many_purges_that_they_are_forgotten() {
    let store = store(8 << 20);
    let first = response("", "", store.sequence());
    for n in 0..10_000 {
        store.purge(&key(&format!("/{n}")), false);
    }
    let last = response("", "", Sequence(store.sequence().0 - 1));
    assert!(!store.put(b"k", &Nominated::default(), |_| Vec::new(), first));
    assert!(store.put(b"k", &Nominated::default(), |_| Vec::new(), last));
}

#[test]
fn more_tags_than_are_kept_are_all_meant() {
    let store = store(8 << 20);
    let tags: Vec<_> = (0..2000).map(|n| n.to_string()).collect();
    assert!(put(&store, "many", "", &tags.join(",")));
    assert!(put(&store, "long", "", &"x".repeat(5000)));
    assert!(put(&store, "one", "", "1"));
    assert_eq!(store.purge(&Purge::Tag("something else".into()), false), 2);
    assert!(body(&store, "one").is_some());
    check_tags(&store);
}
