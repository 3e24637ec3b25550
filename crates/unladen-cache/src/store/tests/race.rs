//! Puts and purges at the same time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;

/// An application whose content changes, each change followed by a purge: what is asked for after a purge has returned
/// never finds content from before that change.
#[test]
fn nothing_older_than_a_purge_that_has_returned_is_found() {
    let purges: [fn(usize) -> Purge; 4] = [
        |page| Purge::Key(vec![b'/', page as u8]),
        |page| Purge::Prefix(vec![b'/', page as u8]),
        |page| Purge::Tag(format!("t{page}").into()),
        |_| Purge::All,
    ];
    let store = Store::new(StoreSettings { memory: 4 << 20, largest: 1 << 16, variants: 2 });
    let versions: [AtomicU64; 8] = Default::default();
    let purged: [AtomicU64; 8] = Default::default();
    let is_over = AtomicBool::new(false);
    let checks = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (store, versions, purged, is_over, checks) = (&store, &versions, &purged, &is_over, &checks);
            scope.spawn(move || {
                let mut n = thread;
                while !is_over.load(Ordering::Relaxed) {
                    n += 1;
                    let page = n % 8;
                    let key = [b'/', page as u8];
                    let least = purged[page].load(Ordering::SeqCst);
                    if let Some(resource) = store.find(&key)
                        && let Some(stored) = resource.variant(b"")
                    {
                        let version = u64::from_le_bytes(stored.body[..].try_into().unwrap());
                        assert!(version >= least, "version {version} of page {page}, purged up to {least}");
                        checks.fetch_add(1, Ordering::Relaxed);
                        continue;
                    }
                    let sequence = store.sequence();
                    let version = versions[page].load(Ordering::SeqCst);
                    if n % 3 == 0 {
                        std::thread::yield_now();
                    }
                    let stored = response(version.to_le_bytes().to_vec(), &format!("t{page}"), sequence);
                    store.put(&key, &Nominated::default(), |_| Vec::new(), stored);
                }
            });
        }
        let start = std::time::Instant::now();
        for n in 0.. {
            let is_enough = n >= 8000 && checks.load(Ordering::Relaxed) > 1000;
            if is_enough || start.elapsed() > Duration::from_secs(60) {
                break;
            }
            let page = n % 8;
            let version = versions[page].fetch_add(1, Ordering::SeqCst) + 1;
            store.purge(&purges[n / 8 % 4](page), false);
            purged[page].store(version, Ordering::SeqCst);
            if n % 16 == 0 {
                std::thread::yield_now();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(checks.load(Ordering::Relaxed) > 1000, "{checks:?}");
    check_tags(&store);
}

/// Many threads put variants of one resource: none is lost.
#[test]
fn no_variant_is_lost() {
    let store = Store::new(StoreSettings { memory: 64 << 20, largest: 1 << 16, variants: 1000 });
    let accept = nominated(&["accept"]);
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let (store, accept) = (&store, &accept);
            scope.spawn(move || {
                for n in 0..100 {
                    assert!(store.put(b"k", accept, |_| vec![thread, n], response("", "", Sequence(0))));
                }
            });
        }
    });
    assert_eq!(store.find(b"k").unwrap().responses().len(), 400);
}
