//! [`Upstream::attempt`]: a test connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;

use crate::discover::look_up;
use crate::endpoint::{Address, Endpoint, Placed};
use crate::h2_connection::LeaseError;
use crate::resolve::{ResolveError, Resolver, pair};
use crate::settings::EndpointAddress;
use crate::transport::Transport;
use crate::upstream::Upstream;

/// Wait for a late refusal: with TLS 1.3, a server that refuses our certificate says so after the handshake, and one
/// that accepts it need not say anything. HTTP/2 has a ping that is always answered.
const REFUSAL: Duration = Duration::from_millis(500);

/// Protocol found at an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoken {
    pub tls: bool,
    /// Whether it is HTTP/2, confirmed by an answer; HTTP/1.1 is unknown before a request.
    pub h2: bool,
}

impl Upstream {
    /// The current endpoints of one of its origins.
    ///
    /// # Errors
    /// Why they cannot be found.
    pub async fn look_up(&self, origin: usize, resolver: &Arc<Resolver>) -> Result<Vec<Placed>, ResolveError> {
        let Some(settings) = self.settings().origins.get(origin) else { return Ok(Vec::new()) };
        if let Some(discovery) = &settings.discovery {
            let told = look_up(discovery, resolver.clone(), self.settings().resolve.clone()).await;
            return told.map_err(|why| ResolveError::Untold { why });
        }
        let endpoint = |address| Placed::first(Arc::new(Endpoint::new(address, origin, settings.weight)));
        let (host, port) = match &settings.at {
            EndpointAddress::Unix(path) => return Ok(vec![endpoint(Address::Unix(path.clone()))]),
            EndpointAddress::Tcp(host, port) => (host, *port),
        };
        let answer = resolver.lookup(host, port, &self.settings().resolve).await?;
        Ok(pair(&answer.addresses, &[]).into_iter().map(|addresses| endpoint(Address::Tcp(addresses))).collect())
    }

    /// Connects as for a request, checks that the negotiated protocol is spoken, and closes. Sends no request to the
    /// application. Takes at most `timeouts.connect`, and on TLS without HTTP/2 half a second more.
    ///
    /// # Errors
    /// Why a request would get no connection.
    pub async fn attempt(&self, endpoint: &Arc<Endpoint>) -> Result<Spoken, LeaseError> {
        let timeout = self.settings().timeouts.connect;
        let late = |_| LeaseError::Timeout(timeout);
        let (transport, _, h2) = tokio::time::timeout(timeout, self.open(endpoint, false)).await.map_err(late)??;
        let tls = matches!(transport, Transport::TlsClient(..));
        let fault = transport.fault();
        let spoken = if h2 {
            tokio::time::timeout(timeout, ping(transport)).await.map_err(late)?
        } else {
            if tls {
                listen(transport).await;
            }
            Ok(())
        };
        match fault.get() {
            Some(fault) => Err(self.tls_failed(endpoint, fault.clone()).into()),
            None => spoken.map(|()| Spoken { tls, h2 }),
        }
    }
}

/// HTTP/2 peers answer a ping (RFC 9113, section 6.7).
async fn ping(transport: Transport) -> Result<(), LeaseError> {
    let (send, mut connection) = h2::client::handshake(transport).await.map_err(LeaseError::Http2)?;
    let Some(mut pings) = connection.ping_pong() else { return Ok(()) };
    let answered = tokio::select! {
        answered = pings.ping(h2::Ping::opaque()) => answered.map(drop),
        ended = &mut connection => Err(ended.err().unwrap_or_else(|| h2::Reason::NO_ERROR.into())),
    };
    // The connection closes once nothing can send on it.
    drop(send);
    answered.map_err(LeaseError::Http2)
}

async fn listen(mut transport: Transport) {
    let _ = tokio::time::timeout(REFUSAL, transport.read(&mut [0; 1])).await;
}
