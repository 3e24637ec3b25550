use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::sites::{OrderState, WrittenSnapshot, *};

/// A site that does as it is told, and remembers what it was to forget.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) name: &'static str,
    pub(crate) state: SiteState,
    /// What it says that it forgot.
    pub(crate) forgets: Option<u64>,
    pub(crate) told: Mutex<Vec<Forget>>,
}

impl SiteView for Told {
    fn name(&self) -> &str {
        self.name
    }

    fn state(&self) -> SiteState {
        self.state.clone()
    }

    fn forget(&self, what: &Forget) -> Option<u64> {
        self.told.lock().unwrap().push(what.clone());
        self.forgets
    }
}

/// With something stored, and two validators of one path.
pub(crate) fn told(name: &'static str, forgets: Option<u64>) -> Arc<Told> {
    let totals = StoreTotals { resources: 3, bytes: 4_096, stored: 9, evicted: 2, purged: 4 };
    let store = StoreState { totals, bound: 65_536, fetches: 1, fetch_bytes: 512 };
    let state = State {
        asked: 7,
        shared: 5,
        answered: 4,
        failed: 3,
        timeouts: 1,
        remembered: 8,
        bypassed: 6,
        is_listening: Some(true),
        from_others: 9,
        share_failed: 2,
        is_sharing: Some(false),
        last_error: Some("refused".to_owned()),
    };
    let snapshot = SnapshotState {
        loaded: 20,
        rejected: vec![("known", 2), ("full", 1)],
        refused: None,
        last: Some(WrittenSnapshot { at: 1_000_500, responses: 21, bytes: 16_384, took: Duration::from_millis(30) }),
        failures: 1,
        failure: Some("no space".to_owned()),
    };
    let validators = vec![("/{ref}".to_owned(), state.clone()), ("/{ref} (2)".to_owned(), state)];
    let buffer = BufferState { memory: 8_192, disk: 65_536, files: 6, failures: 1 };
    let mut waited = HistogramTotals::default();
    waited.record(std::time::Duration::from_millis(7));
    let refused = [("queue_full", 1), ("queue_timeout", 2), ("overloaded", 3)];
    let queue = QueueState {
        running: 4,
        places: Some(4),
        waiting: 9,
        length: 1000,
        is_overload: true,
        refused,
        left: 6,
        waited,
    };
    let orders =
        OrderState { is_ordering: false, next: Some(1_790_000_060), failures: 2, error: Some("no".to_owned()) };
    let issued = CertificateState { name: "a.org".to_owned(), not_after: Some(1_790_000_000), orders: Some(orders) };
    let certificates =
        vec![issued, CertificateState { name: "b.org".to_owned(), not_after: Some(1_800_000_000), orders: None }];
    let state = SiteState {
        is_https: true,
        queue: Some(queue),
        store: forgets.map(|_| store),
        refused: 3,
        closed: 2,
        buffer,
        snapshot: Some(snapshot),
        certificates,
        validators,
    };
    Arc::new(Told { name, state, forgets, told: Mutex::default() })
}
