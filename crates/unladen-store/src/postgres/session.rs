//! [`begin`]: settings of each connection.

use tokio_postgres::{Client, Error};

use crate::mode::Mode;

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
