//! The principal type is [`Listener`]: a connection that receives notifications of changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{sleep, timeout};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, Client};
use unladen_postgres::{Carrier, PostgresAddress};

use crate::AskError;
use crate::counts::text;
use crate::postgres::connections::CONNECT;
use crate::postgres::value::explain;
use crate::pushed::Pushed;

/// Identifies a server and its start; a standby does not send notifications.
pub(super) const SERVER: &str = "select (extract(epoch from pg_postmaster_start_time())::text || ' ' || \
     coalesce(inet_server_addr()::text, '') || ' ' || pg_is_in_recovery()::text)";

/// Whether the session still listens.
const BEAT: &str = "select exists(select from pg_listening_channels() as channel where channel = $1)";

/// Heartbeats within the bound: one may be late.
const BEATS: u32 = 4;

/// A connection that receives notifications. Dropping it closes it: nothing is vouched for any more.
pub(super) struct Listener {
    client: Client,
    pushed: Arc<Pushed>,
    /// The connection has ended, or the test call has arrived.
    ended: Arc<Notify>,
    called: Arc<Notify>,
    task: AbortHandle,
}

/// Signals the connection's end, however it came.
struct Hearing {
    pushed: Arc<Pushed>,
    ended: Arc<Notify>,
}

// === impl Listener ===

impl Listener {
    /// Connects and listens. Earlier answers are forgotten.
    pub(super) async fn open(address: &PostgresAddress, channel: &str, pushed: &Arc<Pushed>) -> Result<Self, AskError> {
        let opening = Self::open_in_time(address, channel, pushed);
        let silent = || AskError::Unreachable(text(format!("{} does not answer", address.shown)));
        timeout(2 * CONNECT, opening).await.map_err(|_| silent())?
    }

    async fn open_in_time(address: &PostgresAddress, channel: &str, pushed: &Arc<Pushed>) -> Result<Self, AskError> {
        let said = |error: tokio_postgres::Error| explain(&error, &address.shown);
        let (ended, called) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let hearing = Hearing { pushed: pushed.clone(), ended: ended.clone() };
        // Only this session knows it.
        let call = format!("unladen_call_{:016x}", random());
        let ears = (hearing, channel.to_owned(), call.clone(), called.clone());
        let (client, carrier) = address.connect().await.map_err(said)?;
        let task = spawn_local(hear(carrier, ears));
        let listener = Self { client, pushed: pushed.clone(), ended, called, task: task.abort_handle() };
        let client = &listener.client;
        let listening = client.batch_execute(&format!("listen \"{channel}\"; listen \"{call}\"")).await;
        listening.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => AskError::Refused(text(format!(
                "{}: a standby does not notify of changes: use the primary, or leave `listen` out",
                address.shown
            ))),
            _ => said(error),
        })?;
        let server = server(client).await.map_err(said)?;
        // From here on every change is notified: later answers are remembered.
        pushed.begin(&server);
        listener.try_to_hear(address, &call).await?;
        Ok(listener)
    }

    /// Has another session call: behind a pooler that lends sessions for a transaction, no notification would ever
    /// arrive, though every query is answered.
    async fn try_to_hear(&self, address: &PostgresAddress, call: &str) -> Result<(), AskError> {
        let said = |error: tokio_postgres::Error| explain(&error, &address.shown);
        let (other, carrier) = address.connect().await.map_err(said)?;
        let task = spawn_local(carrier.run());
        let called = other.query_typed("select pg_notify($1, '')", &[(&call, Type::TEXT)]).await.map_err(said);
        let heard = match called {
            Ok(_) => timeout(CONNECT, self.called.notified()).await.map_err(|_| {
                AskError::Unreachable(text(format!(
                    "{}: notifications of another session do not arrive: `listen` does not work through a pooler \
                     (PgBouncer in transaction mode) or a proxy to several servers; use the server's own address",
                    address.shown
                )))
            }),
            Err(error) => Err(error),
        };
        drop(other);
        task.abort();
        heard
    }

    /// Vouches for remembered answers, `heartbeat` at a time, until the connection is lost; returns the reason.
    pub(super) async fn vouch(&self, channel: &str, heartbeat: Duration, first: impl FnOnce()) -> AskError {
        let mut first = Some(first);
        loop {
            let sent = Instant::now();
            match timeout(heartbeat, self.beat(channel)).await {
                Ok(Ok(true)) => self.pushed.vouch(sent + heartbeat),
                Ok(Ok(false)) => return AskError::Unreachable(text("the session no longer listens")),
                Ok(Err(error)) => return AskError::Unreachable(text(format!("the connection is lost: {error}"))),
                Err(_) => return AskError::Timeout,
            }
            if let Some(first) = first.take() {
                first();
            }
            tokio::select! {
                () = self.ended.notified() => return AskError::Unreachable(text("the connection is lost")),
                () = sleep(heartbeat / BEATS) => {}
            }
        }
    }

    /// Notifications sent before the query arrive before its answer.
    async fn beat(&self, channel: &str) -> Result<bool, tokio_postgres::Error> {
        let row = self.client.query_typed_one(BEAT, &[(&channel, Type::TEXT)]).await?;
        row.try_get(0)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
        self.pushed.lost();
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.pushed.lost();
        self.ended.notify_one();
    }
}

pub(super) async fn server(client: &Client) -> Result<String, tokio_postgres::Error> {
    client.query_typed_one(SERVER, &[]).await?.try_get(0)
}

async fn hear(mut carrier: Carrier, (hearing, channel, call, called): (Hearing, String, String, Arc<Notify>)) {
    while let Some(message) = carrier.message().await {
        let AsyncMessage::Notification(notification) = message else { continue };
        if notification.channel() == channel {
            hearing.pushed.told(notification.payload());
        } else if notification.channel() == call {
            called.notify_one();
        }
    }
}

/// Unguessable, since everybody who may see the server's activity sees channel names: they could make a connection seem
/// to receive notifications.
fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0)
}
