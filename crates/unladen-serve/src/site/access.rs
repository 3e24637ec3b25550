//! The principal type is [`Access`]: whom a route lets in.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use unladen_serve_config::AccessSettings;

use super::passwords::{Passwords, PasswordsError};

#[derive(Debug)]
pub(crate) struct Access {
    allow: Vec<IpNet>,
    allow_unix: bool,
    deny: Vec<IpNet>,
    deny_unix: bool,
    /// `None` if no password is needed.
    pub(crate) passwords: Option<Arc<Passwords>>,
    /// Value of `WWW-Authenticate` (RFC 7617, section 2).
    pub(crate) challenge: Vec<u8>,
}

impl Access {
    /// # Errors
    /// The file of passwords cannot be used.
    pub(super) fn new(settings: &AccessSettings) -> Result<Self, PasswordsError> {
        let AccessSettings { allow, allow_unix, deny, deny_unix, auth } = settings.clone();
        let realm = auth.as_ref().map_or("", |auth| &auth.realm);
        let challenge = format!("Basic realm=\"{realm}\", charset=\"UTF-8\"").into_bytes();
        let passwords = auth.as_ref().map(|auth| Passwords::read(&auth.users).map(Arc::new)).transpose()?;
        Ok(Self { allow, allow_unix, deny, deny_unix, passwords, challenge })
    }

    /// Whether a client may ask from this address; `None` for a Unix socket.
    pub(crate) fn lets_in(&self, address: Option<IpAddr>) -> bool {
        let everywhere = self.allow.is_empty() && !self.allow_unix;
        let Some(address) = address.map(|address| address.to_canonical()) else {
            return !self.deny_unix && (everywhere || self.allow_unix);
        };
        let has = |nets: &[IpNet]| nets.iter().any(|net| net.contains(&address));
        !has(&self.deny) && (everywhere || has(&self.allow))
    }
}

#[cfg(test)]
mod tests;
