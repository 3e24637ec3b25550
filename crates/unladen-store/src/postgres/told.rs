//! The principal type is [`Told`]: translates a server's errors into a store's.

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;
use unladen_tls::TlsFault;

use super::session::{LOCK_SECONDS, STATEMENT_SECONDS};
use crate::store_error::StoreError;

/// Maximum length of quotations from a server.
const MOST: usize = 400;

#[derive(Clone, Debug)]
pub(super) struct Told {
    store: String,
}

impl Told {
    pub(super) fn new(store: String) -> Self {
        Self { store }
    }

    pub(super) fn shown(&self) -> &str {
        &self.store
    }

    pub(super) fn unreachable(&self, what: String) -> StoreError {
        StoreError::Unreachable { store: self.store.clone(), what }
    }

    pub(super) fn slow(&self, seconds: u64) -> StoreError {
        StoreError::Slow { store: self.store.clone(), seconds }
    }

    pub(super) fn of(&self, error: &Error) -> StoreError {
        let store = self.store.clone();
        let Some(said) = error.as_db_error() else { return self.of_link(error) };
        let code = said.code();
        let what = bounded(&format!("{} ({})", said.message(), code.code()));
        match code.code().get(..2) {
            _ if *code == SqlState::QUERY_CANCELED => StoreError::Slow { store, seconds: STATEMENT_SECONDS },
            _ if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::Locked { store, seconds: LOCK_SECONDS as f64 },
            _ if *code == SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Forbidden { store, what },
            _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly { store, what },
            _ if *code == SqlState::DISK_FULL => StoreError::Full { store },
            Some("28" | "3D") => StoreError::Refused { store, what },
            Some("XX") => StoreError::Damaged { store, what },
            Some("08" | "53" | "57" | "58") => StoreError::Unreachable { store, what },
            _ => StoreError::Failed { store, what },
        }
    }

    fn of_link(&self, error: &Error) -> StoreError {
        let store = self.store.clone();
        let cause = error.source();
        let kind = error.to_string();
        let what = bounded(&match cause.and_then(|cause| cause.downcast_ref::<io::Error>()) {
            Some(source) if kind == "error performing TLS handshake" => format!("no TLS: {}", TlsFault::of(source)),
            _ => format!("{kind}{}", cause.map(|cause| format!(": {cause}")).unwrap_or_default()),
        });
        // The client library has no other names for some errors, such as a missing password.
        if kind == "authentication error" || kind == "invalid configuration" {
            StoreError::Refused { store, what }
        } else {
            StoreError::Unreachable { store, what }
        }
    }
}

fn bounded(text: &str) -> String {
    text.chars().take(MOST).collect()
}
