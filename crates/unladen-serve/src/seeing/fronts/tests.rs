use std::sync::{Arc, Mutex};

use super::*;

/// A front that does as it is told, and remembers what it was to forget.
#[derive(Debug)]
pub(in crate::seeing) struct Told {
    pub(in crate::seeing) name: &'static str,
    pub(in crate::seeing) state: FrontState,
    /// What it says that it forgot.
    pub(in crate::seeing) forgets: Option<u64>,
    pub(in crate::seeing) told: Mutex<Vec<Forget>>,
}

impl FrontView for Told {
    fn name(&self) -> &str {
        self.name
    }

    fn state(&self) -> FrontState {
        self.state.clone()
    }

    fn forget(&self, what: &Forget) -> Option<u64> {
        self.told.lock().unwrap().push(what.clone());
        self.forgets
    }
}

/// With something stored, and two validators of one path.
pub(in crate::seeing) fn told(name: &'static str, forgets: Option<u64>) -> Arc<Told> {
    let totals = StoreTotals { resources: 3, bytes: 4_096, stored: 9, evicted: 2, purged: 4 };
    let store = StoreState { totals, bound: 65_536, fillings: 1, filling_bytes: 512 };
    let state =
        State { asked: 7, shared: 5, answered: 4, failed: 3, timeouts: 1, last_error: Some("refused".to_owned()) };
    let validators = vec![("/{ref}".to_owned(), state.clone()), ("/{ref} (2)".to_owned(), state)];
    let state = FrontState { is_https: true, store: forgets.map(|_| store), validators };
    Arc::new(Told { name, state, forgets, told: Mutex::default() })
}
