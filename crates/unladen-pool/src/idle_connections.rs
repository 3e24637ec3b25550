//! The principal type is [`IdleConnections`]: the connections of one upstream that one thread keeps. Its own thread
//! looks there first; others do before they pay for a handshake.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::connection::{Closed, Connection};
use crate::endpoint::Endpoint;
use crate::h2_connection::{H2Connection, Stream};
use crate::settings::PoolSettings;

#[derive(Debug, Default)]
pub(crate) struct IdleConnections {
    /// The last used at the end, which is taken first, so that surplus ones grow old and are closed.
    idle: VecDeque<Connection>,
    shared: Vec<H2Connection>,
    pub(crate) dozes: bool,
}

impl IdleConnections {
    pub(crate) fn put(&mut self, connection: Connection) {
        self.idle.push_back(connection);
    }

    pub(crate) fn share(&mut self, connection: H2Connection) {
        self.shared.push(connection);
    }

    pub(crate) fn idle(&self) -> usize {
        self.idle.len()
    }

    pub(crate) fn idle_of(&self, endpoint: &Arc<Endpoint>) -> usize {
        self.idle.iter().filter(|connection| Arc::ptr_eq(&connection.endpoint, endpoint)).count()
            + self.shared.iter().filter(|connection| Arc::ptr_eq(connection.endpoint(), endpoint)).count()
    }

    /// The last used idle connection to an endpoint. It may be spent: the caller checks.
    pub(crate) fn take(&mut self, endpoint: &Arc<Endpoint>) -> Option<Connection> {
        match self.idle.back() {
            Some(last) if Arc::ptr_eq(&last.endpoint, endpoint) => self.idle.pop_back(),
            _ => {
                let at = self.idle.iter().rposition(|connection| Arc::ptr_eq(&connection.endpoint, endpoint))?;
                self.idle.remove(at)
            }
        }
    }

    pub(crate) fn drop_oldest(&mut self) -> bool {
        self.idle.pop_front().is_some()
    }

    pub(crate) fn stream(&mut self, endpoint: &Arc<Endpoint>, settings: &PoolSettings, now: Instant) -> Option<Stream> {
        self.shared.retain(|connection| !connection.is_spent(settings, now));
        let of = self.shared.iter().filter(|connection| Arc::ptr_eq(connection.endpoint(), endpoint));
        of.min_by_key(|connection| connection.streams())?.stream()
    }

    pub(crate) fn has_shared(&self, endpoint: &Arc<Endpoint>) -> bool {
        self.shared.iter().any(|connection| Arc::ptr_eq(connection.endpoint(), endpoint))
    }

    pub(crate) fn sweep(
        &mut self,
        settings: &PoolSettings,
        now: Instant,
        is_known: impl Fn(&Arc<Endpoint>) -> bool,
        mut closed: impl FnMut(Closed),
    ) {
        self.idle.retain_mut(|connection| {
            let why = match connection.spent(settings, now) {
                None if !connection.transport.get_mut().is_quiet() => Some(Closed::ByPeer),
                None if !is_known(&connection.endpoint) => Some(Closed::Age),
                why => why,
            };
            why.into_iter().for_each(&mut closed);
            why.is_none()
        });
        self.shared.retain(|connection| !connection.is_spent(settings, now) && is_known(connection.endpoint()));
    }
}
