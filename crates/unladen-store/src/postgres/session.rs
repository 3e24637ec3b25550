//! Settings of each connection, [`begin`], and errors of the server as a store's, [`Told`].

use std::error::Error as _;
use std::io;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};
use unladen_tls::TlsFault;

use crate::store::Mode;
use crate::store_error::StoreError;

pub(super) const SCHEMA: &str = "unladen";

/// Maximum time of one statement.
pub(super) const STATEMENT_SECONDS: u64 = 60;

/// Maximum time to wait for others' locks.
pub(super) const LOCK_SECONDS: u64 = 5;

/// `pg_temp` is named last, so that other users' temporary tables cannot replace ours.
pub(super) async fn begin(client: &Client, mode: Mode) -> Result<(), Error> {
    let read_only = if mode == Mode::ReadOnly { "on" } else { "off" };
    let settings = format!(
        "SET search_path = {SCHEMA}, pg_temp; SET statement_timeout = '{STATEMENT_SECONDS}s'; \
         SET lock_timeout = '{LOCK_SECONDS}s'; SET idle_in_transaction_session_timeout = '{STATEMENT_SECONDS}s'; \
         SET default_transaction_read_only = {read_only}"
    );
    client.batch_execute(&settings).await
}

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
