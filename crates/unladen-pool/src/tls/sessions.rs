//! The principal type is [`Sessions`]: state to resume earlier TLS sessions.
//!
//! A TLS 1.3 ticket is used once (RFC 8446, appendix C.4), so only as many simultaneous connections resume as there are
//! tickets. rustls's own store keeps eight for each server, Envoy's one; a pool that opens a hundred connections at
//! once needs more.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

/// Maximum of names; an upstream has one for each origin.
const MAX_NAMES: usize = 64;
/// Tickets kept for each name. A server sends one or two with each connection; each takes about a kilobyte, and more
/// with long certificate chains.
const MAX_TICKETS: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<ServerName<'static>, Session>>);

#[derive(Debug, Default)]
struct Session {
    group: Option<NamedGroup>,
    tls12: Option<Tls12ClientSessionValue>,
    tls13: VecDeque<Tls13ClientSessionValue>,
}

// === impl Sessions ===

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<ServerName<'static>, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edit(&self, name: ServerName<'static>, edit: impl FnOnce(&mut Session)) {
        let mut names = self.lock();
        if names.len() >= MAX_NAMES && !names.contains_key(&name) {
            // More names than an upstream has: the dropped one costs one full handshake.
            let Some(any) = names.keys().next().cloned() else { return };
            names.remove(&any);
        }
        edit(names.entry(name).or_default());
    }
}

impl ClientSessionStore for Sessions {
    fn set_kx_hint(&self, name: ServerName<'static>, group: NamedGroup) {
        self.edit(name, |session| session.group = Some(group));
    }

    fn kx_hint(&self, name: &ServerName<'_>) -> Option<NamedGroup> {
        self.lock().get(name)?.group
    }

    fn set_tls12_session(&self, name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.edit(name, |session| session.tls12 = Some(value));
    }

    fn tls12_session(&self, name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.lock().get(name)?.tls12.clone()
    }

    fn remove_tls12_session(&self, name: &ServerName<'static>) {
        if let Some(session) = self.lock().get_mut(name) {
            session.tls12 = None;
        }
    }

    fn insert_tls13_ticket(&self, name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.edit(name, |session| {
            if session.tls13.len() >= MAX_TICKETS {
                session.tls13.pop_front();
            }
            session.tls13.push_back(value);
        });
    }

    fn take_tls13_ticket(&self, name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        // The newest: it lives longest.
        self.lock().get_mut(name)?.tls13.pop_back()
    }
}
