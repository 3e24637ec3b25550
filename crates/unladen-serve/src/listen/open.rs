//! How a client's connection begins: PROXY, if a proxy speaks first, and TLS.

use std::net::IpAddr;

use unladen_pool::{Socket, Transport};

use crate::peer::Peer;
use crate::site::{Site, proxy_protocol};

impl Site {
    /// What the client is spoken to by, and who it is. None: it said something else, or nothing in time.
    pub(crate) async fn open(&self, mut socket: Socket, address: Option<IpAddr>) -> Option<(Transport, Peer)> {
        let opening = async {
            let mut address = address;
            if self.settings.trusted.proxy_protocol && self.trust.is_trusted_peer(address) {
                let told = proxy_protocol::read(&mut socket).await.ok()?;
                address = told.map(|told| told.ip().to_canonical()).or(address);
            }
            let Some(acceptor) = &self.acceptor else {
                return Some((Transport::Plain(socket), Peer { address, is_https: false }));
            };
            let transport = acceptor.accept(socket).await.ok()?;
            Some((transport, Peer { address, is_https: true }))
        };
        tokio::time::timeout(self.proxy.settings.client.head_timeout, opening).await.ok().flatten()
    }

    /// Whether a connection begins with anything but a request.
    pub(crate) fn has_opening(&self) -> bool {
        self.acceptor.is_some() || self.settings.trusted.proxy_protocol
    }
}
