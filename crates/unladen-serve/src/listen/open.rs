//! How a client's connection begins: the PROXY header of a proxy, and TLS.

use std::net::SocketAddr;
use std::sync::Arc;

use unladen_pool::{Socket, Transport};

use crate::context::Slot;
use crate::peer::{Peer, canonical};
use crate::site::{Site, proxy_protocol};

impl Slot {
    /// The site whose bounds hold for the opening, if there is one before the first request.
    pub(crate) fn opening(&self) -> Option<Arc<Site>> {
        let site = self.site.borrow();
        let has_opening = |site: &&Arc<Site>| {
            self.acceptor.borrow().is_some() || (site.settings.trusted.proxy_protocol && !self.redirects())
        };
        site.as_ref().filter(has_opening).cloned()
    }

    /// Returns the transport and who the client is; `None` if it sent something else, or nothing in time.
    pub(crate) async fn open(
        &self,
        site: &Site,
        mut socket: Socket,
        address: Option<SocketAddr>,
    ) -> Option<(Transport, Peer)> {
        let acceptor = self.acceptor.borrow().clone();
        let opening = async {
            let mut address = address;
            if site.settings.trusted.proxy_protocol && site.trust.is_trusted_peer(address.map(|address| address.ip())) {
                let told = proxy_protocol::read(&mut socket).await.ok()?;
                address = told.map(canonical).or(address);
            }
            let Some(acceptor) = acceptor else { return Some((Transport::Plain(socket), Peer::plain(address))) };
            let transport = acceptor.accept(socket).await.ok()?;
            let named = match &transport {
                Transport::TlsServer(stream) => stream.get_ref().1.server_name().and_then(|name| self.named(name)),
                _ => None,
            };
            Some((transport, Peer { is_https: true, named, ..Peer::plain(address) }))
        };
        let patience = self.bounds.borrow().head_timeout;
        tokio::time::timeout(patience, opening).await.ok().flatten()
    }
}
