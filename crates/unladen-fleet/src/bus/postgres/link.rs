//! The principal type is [`Link`]: a connection that listens for new records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client};
use tokio_util::task::AbortOnDropHandle;
use unladen_postgres::{Carrier, PostgresAddress};
use unladen_tls::TlsFault;

use crate::BusError;
use crate::bus::postgres::statements::{
    BEGIN, BEGIN_LIST, CHANNEL, CLUSTER, MAKE, MAKING, POOLED, SESSION, SETTINGS, THERE,
};
use crate::error::{Handshake, plain};

pub(super) struct Link {
    pub(super) client: Client,
    news: Arc<Notify>,
    /// Identifies the cluster; empty if it does not tell.
    cluster: String,
    given_up: AtomicBool,
    _task: AbortOnDropHandle<()>,
}

impl Link {
    /// Connects, and creates missing tables. `fleet`: whose news are received.
    pub(super) async fn connect(address: &PostgresAddress, fleet: &str) -> Result<Self, BusError> {
        let said = |error: tokio_postgres::Error| explain(&error, &address.shown);
        let news = Arc::new(Notify::new());
        let of_own = session(&address.beginning_with(SETTINGS), fleet, &news).await;
        let ((client, task), first) = match of_own {
            Ok(made) => (made, SESSION),
            // Settings made there would affect other users of the session.
            Err(error) if PostgresAddress::refuses_settings(&error) => {
                (session(address, fleet, &news).await.map_err(said)?, POOLED)
            }
            Err(error) => return Err(said(error)),
        };
        let (cluster, given_up) = (String::new(), AtomicBool::new(false));
        let mut link = Self { client, news, cluster, given_up, _task: task };
        // Statements sent together run in sequence: over a long distance, the connection is ready sooner.
        let (session, there) =
            tokio::join!(biased; link.client.batch_execute(first), link.client.query_typed_one(THERE, &[]));
        session.map_err(said)?;
        let there = there.map_err(said)?;
        if !there.try_get::<_, bool>(0).map_err(said)? {
            let make = format!("begin; select pg_advisory_xact_lock({MAKING}); {MAKE} commit");
            link.client.batch_execute(&make).await.map_err(said)?;
        }
        let marks = [fastrand::i64(..), fastrand::i64(..)];
        let of = |mark| -> [(&(dyn ToSql + Sync), Type); 2] { [(&fleet, Type::TEXT), (mark, Type::INT8)] };
        let (first, second) = (of(&marks[0]), of(&marks[1]));
        let (begun, list, cluster) = tokio::join!(
            biased;
            link.client.query_typed(BEGIN, &first),
            link.client.query_typed(BEGIN_LIST, &second),
            link.client.query_typed_one(CLUSTER, &[]),
        );
        begun.map_err(said)?;
        list.map_err(said)?;
        // If this is not permitted, only the tables' marks identify them.
        if let Ok(row) = cluster
            && let Ok(Some(cluster)) = row.try_get::<_, Option<String>>(0)
            && cluster.len() <= 32
            && cluster.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'.')
        {
            link.cluster = cluster;
        }
        Ok(link)
    }

    /// The epoch: mark of the fleet's row, object id of the table and mark of the list of nodes, which must exist.
    pub(super) fn epoch(&self, mark: i64, table: i64, list: Option<&str>) -> Result<String, BusError> {
        let list = list.ok_or_else(|| self.emptied())?;
        Ok(format!("{}.{table:x}.{mark:x}.{list}", self.cluster))
    }

    /// Waits until there may be something new, at most `longest`: behind some poolers there are no notifications.
    /// Returns whether there was one.
    pub(super) async fn wait(&self, longest: Duration) -> bool {
        tokio::time::timeout(longest, self.news.notified()).await.is_ok()
    }

    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
        self.news.notify_one();
    }

    pub(super) fn is_over(&self) -> bool {
        self.given_up.load(Ordering::Relaxed) || self.client.is_closed()
    }

    /// Error for a missing fleet's or list's row; a new connection creates another, with another mark.
    pub(super) fn emptied(&self) -> BusError {
        self.give_up();
        BusError::Answer("something emptied the table unladen_fleet.fleet or unladen_fleet.member".to_owned())
    }
}

async fn session(
    address: &PostgresAddress,
    fleet: &str,
    news: &Arc<Notify>,
) -> Result<(Client, AbortOnDropHandle<()>), tokio_postgres::Error> {
    let (client, carrier) = address.connect().await?;
    let task = tokio::spawn(hear(carrier, fleet.to_owned(), news.clone()));
    Ok((client, AbortOnDropHandle::new(task)))
}

async fn hear(mut carrier: Carrier, fleet: String, news: Arc<Notify>) {
    while let Some(message) = carrier.message().await {
        if let AsyncMessage::Notification(notification) = message
            && notification.channel() == CHANNEL
            && notification.payload() == fleet
        {
            news.notify_one();
        }
    }
    // Waiting tasks query, and get the error.
    news.notify_one();
}

pub(super) fn explain(error: &tokio_postgres::Error, shown: &str) -> BusError {
    if let Some(said) = error.as_db_error() {
        let message = plain(&format!("{shown}: {} ({})", said.message(), said.code().code()));
        return match said.code().code().get(..2) {
            _ if [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE].contains(said.code()) => BusError::Timeout,
            _ if *said.code() == SqlState::INSUFFICIENT_PRIVILEGE => BusError::Refused(format!(
                "{message}: the role needs `usage` on the schema unladen_fleet, and select, insert, update and delete \
                 on its tables; docs/reference/fleet.md has the statements"
            )),
            Some("28") => BusError::Refused(format!("{message}{}", advice(said.message()))),
            Some("08" | "53" | "57" | "58") => BusError::Unreachable(message),
            Some("25") => BusError::Refused(format!("{message}: this server is read-only; name the primary")),
            _ => BusError::Answer(message),
        };
    }
    let cause = std::error::Error::source(error);
    // Each of several hosts has answered, and the last may only have said that it is no primary.
    let last = if shown.contains(", ") { " (from the last of these hosts)" } else { "" };
    let is_tls = error.to_string() == "error performing TLS handshake";
    if is_tls && let Some(source) = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        return match HANDSHAKE.failed(shown, &TlsFault::of(source)) {
            BusError::Refused(words) => BusError::Refused(words + last),
            BusError::Unreachable(words) => BusError::Unreachable(words + last),
            other => other,
        };
    }
    // The server has answered that it does not.
    let does = if is_tls { format!("; {}", HANDSHAKE.plain) } else { String::new() };
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    let message = format!("{shown}: {error}{cause}{does}{last}");
    // These kinds have no other names: such as a missing password.
    if error.to_string() == "authentication error" || error.to_string() == "invalid configuration" {
        BusError::Refused(plain(&message))
    } else {
        BusError::Unreachable(plain(&message))
    }
}

const HANDSHAKE: Handshake = Handshake {
    authority: "set `ca` to the file of its authority",
    name: "use such a name in the URL, or verify only its authority: `sslmode=verify-ca`",
    plain: "set `ssl = on` there; on a private network, `sslmode=disable` in the URL connects without TLS",
    certificate: NO_CERTIFICATE,
};
const NO_CERTIFICATE: &str = "remove `clientcert` and `cert` from its line in pg_hba.conf";

fn advice(said: &str) -> String {
    if said.contains("client certificate") {
        return format!(": none is sent: {NO_CERTIFICATE}");
    }
    // The first wording since version 14, the second before.
    if said.ends_with("no encryption") || said.ends_with("SSL off") {
        return ": if it requires TLS, add `sslmode=verify-full` to the URL".to_owned();
    }
    String::new()
}
