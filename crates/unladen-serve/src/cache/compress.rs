//! Compresses stored bodies in the background, each once, while they are served uncompressed.

use std::sync::{Arc, PoisonError};

use unladen_cache::{Coding, Stored};

use super::codable::may_be_coded;
use crate::cache::Cache;

/// Bodies compressed at a time; others stay uncompressed until they are asked for again.
const AT_A_TIME: usize = 4;

impl Cache {
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
        // It takes milliseconds a page, which would hold up other requests.
        tokio::task::spawn_blocking(move || {
            let coded = coding.encode(&stored.body).map(|coded| bodies.count(coded.into()));
            store.set_coded(&key, &stored, coding, coded);
            under_work.lock().unwrap_or_else(PoisonError::into_inner).remove(&work);
        });
    }
}
