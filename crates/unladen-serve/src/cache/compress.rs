//! Bodies that the application left plain, in a shorter form: made once for each that is stored, beside what is served
//! meanwhile.

use std::sync::{Arc, PoisonError};

use unladen_cache::{Coding, Stored};

use super::codable::may_be_coded;
use crate::cache::Cache;

/// So many are compressed at a time; more are left plain until they are asked for again.
const AT_A_TIME: usize = 4;

impl Cache {
    /// Begins to put a body into a coding, unless that is under way.
    pub(crate) fn compress(&self, key: &[u8], stored: &Arc<Stored>, coding: Coding) {
        if !may_be_coded(&stored.fields) {
            stored.set_coded(coding, None);
            return;
        }
        let work = (stored.body.as_ptr().addr(), coding);
        let mut under_work = self.under_work.lock().unwrap_or_else(PoisonError::into_inner);
        if under_work.len() >= AT_A_TIME || !under_work.insert(work) {
            return;
        }
        drop(under_work);
        let (store, key) = (self.store.clone(), key.to_vec());
        let (stored, under_work) = (stored.clone(), self.under_work.clone());
        let bodies = self.bodies.clone();
        // Some milliseconds for a page: other requests do not wait for it.
        tokio::task::spawn_blocking(move || {
            let coded = coding.encode(&stored.body).map(|coded| bodies.count(coded.into()));
            store.set_coded(&key, &stored, coding, coded);
            under_work.lock().unwrap_or_else(PoisonError::into_inner).remove(&work);
        });
    }
}
