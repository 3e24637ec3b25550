//! The principal type is [`Link`]: a connection that reconnects after the server has closed it.
//!
//! Each operation runs the connection's runtime on a thread of its own: a caller may be inside another runtime, on
//! whose threads waiting is forbidden.

use std::fmt;
use std::thread::{self, Builder};
use std::time::Duration;

use tokio::runtime::{self, Runtime};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::timeout;
use tokio_postgres::{Client, Error};
use unladen_postgres::PostgresAddress;

use super::migrate::migrate;
use super::session::{Told, begin};
use crate::store::Mode;
use crate::store_error::StoreError;

/// For short requests and answers: longer than a statement may take.
pub(super) const QUICK: Duration = Duration::from_secs(75);

/// For documents and evidence, up to 256 MiB, over a slow network.
pub(super) const CONTENT: Duration = Duration::from_secs(300);

/// For a connection, with TLS and login.
const CONNECT: Duration = Duration::from_secs(10);

/// For telling the server that we leave.
const LEAVE: Duration = Duration::from_millis(500);

/// Time after which a disconnected server is noticed.
const SILENCE: Duration = Duration::from_secs(30);

/// Whether to repeat an operation if the connection was closed before its answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    Yes,
    No,
}

pub(super) struct Link {
    runtime: Option<Runtime>,
    address: PostgresAddress,
    mode: Mode,
    told: Told,
    open: Option<Open>,
}

/// A connection, and the task that reads and writes for it.
struct Open {
    client: Client,
    task: JoinHandle<()>,
}

// === impl Link ===

impl Link {
    pub(super) fn new(url: &str, mode: Mode, told: Told) -> Result<Self, StoreError> {
        let mut address =
            PostgresAddress::parse(url).map_err(|error| StoreError::Address(format!("{}: {error}", told.shown())))?;
        if address.config.get_connect_timeout().is_none() {
            address.config.connect_timeout(CONNECT);
        }
        if address.config.get_tcp_user_timeout().is_none() {
            address.config.tcp_user_timeout(SILENCE);
        }
        // As in libpq: others can read passwords in a command line or a file.
        if address.config.get_password().is_none()
            && let Some(password) = std::env::var_os("PGPASSWORD")
        {
            address.config.password(password.as_encoded_bytes());
        }
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| told.unreachable(format!("no runtime: {error}")))?;
        Ok(Self { runtime: Some(runtime), address, mode, told, open: None })
    }

    /// Connects, and creates missing tables.
    pub(super) fn connect(&mut self) -> Result<(), StoreError> {
        self.run(QUICK, Repeat::No, async |_: &mut Client| Ok(()))
    }

    /// Runs an operation on the connection, within a time limit.
    pub(super) fn run<T: Send>(
        &mut self,
        within: Duration,
        repeat: Repeat,
        work: impl AsyncFn(&mut Client) -> Result<T, Error> + Sync,
    ) -> Result<T, StoreError> {
        let Some(runtime) = self.runtime.take() else {
            return Err(self.told.unreachable("its runtime has ended".to_owned()));
        };
        let done = thread::scope(|scope| {
            let all = || runtime.block_on(self.on_connection(within, repeat, &work));
            let started = Builder::new().name("store-postgres".to_owned()).spawn_scoped(scope, all);
            started.map(|worker| worker.join())
        });
        self.runtime = Some(runtime);
        match done {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(self.told.unreachable("the client library has failed".to_owned())),
            Err(error) => Err(self.told.unreachable(format!("cannot start a thread for it: {error}"))),
        }
    }

    async fn on_connection<T>(
        &mut self,
        within: Duration,
        mut repeat: Repeat,
        work: &impl AsyncFn(&mut Client) -> Result<T, Error>,
    ) -> Result<T, StoreError> {
        loop {
            let mut open = match self.open.take() {
                // The runtime notices a closed connection only after it has run.
                Some(open) => {
                    yield_now().await;
                    if open.client.is_closed() { self.made().await? } else { open }
                }
                None => self.made().await?,
            };
            match timeout(within, work(&mut open.client)).await {
                Ok(Ok(done)) => {
                    self.open = Some(open);
                    return Ok(done);
                }
                Ok(Err(error)) => {
                    let closed = open.client.is_closed() || error.is_closed();
                    if closed && repeat == Repeat::Yes {
                        repeat = Repeat::No;
                        continue;
                    }
                    if !closed {
                        self.open = Some(open);
                    }
                    return Err(self.told.of(&error));
                }
                // Later answers on this connection belong to no one.
                Err(_) => return Err(self.told.slow(within.as_secs())),
            }
        }
    }

    async fn made(&self) -> Result<Open, StoreError> {
        let ready = async {
            let mut open = self.logged_in().await?;
            begin(&open.client, self.mode).await.map_err(|error| self.told.of(&error))?;
            migrate(&mut open.client, self.mode, &self.told).await?;
            Ok(open)
        };
        timeout(QUICK, ready).await.unwrap_or_else(|_| Err(self.told.slow(QUICK.as_secs())))
    }

    /// The time limit includes TLS and login: a server that accepts and then stays silent would block the measurement.
    async fn logged_in(&self) -> Result<Open, StoreError> {
        let config = &self.address.config;
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        let each = config.get_connect_timeout().copied().unwrap_or_default();
        let within = each.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX)).max(CONNECT);
        match timeout(within, self.connected()).await {
            Ok(open) => open.map_err(|error| self.told.of(&error)),
            Err(_) => Err(self.told.unreachable(format!("no answer within {} s", within.as_secs()))),
        }
    }

    async fn connected(&self) -> Result<Open, Error> {
        let (client, carrier) = self.address.connect().await?;
        Ok(Open { client, task: tokio::spawn(carrier.run()) })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if let Some(Open { client, task }) = self.open.take() {
            drop(client);
            // The task says goodbye once its client is dropped; servers log clients that just disappear.
            thread::scope(|scope| {
                let leave = || runtime.block_on(async { drop(timeout(LEAVE, task).await) });
                let _ = Builder::new().name("store-postgres".to_owned()).spawn_scoped(scope, leave);
            });
        }
        // Waiting for its threads is forbidden inside another runtime.
        runtime.shutdown_background();
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("to", &self.told.shown()).field("mode", &self.mode).finish_non_exhaustive()
    }
}
