//! The principal type is [`Connector`]: it opens streams to one target, with TLS if the URL asks for it.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use unladen_tls::TlsFault;

use crate::error::LoadError;
use crate::exchange::ConnectTimes;
use crate::http_version::{HttpVersion, Protocol};
use crate::target::Target;
use crate::wire::{Meter, Stream, Traffic, Wire};

pub(crate) struct Connector {
    pub(crate) target: Target,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    http: HttpVersion,
    timeout: Duration,
    meter: Arc<Meter>,
    /// Index of the address that answered last. Without it, each new connection to `localhost` would try [::1] in vain
    /// if the server listens on 127.0.0.1 alone: a cost of the client's making.
    preferred: Cell<usize>,
}

pub(crate) struct Opened {
    pub(crate) wire: Wire,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) speaks: Protocol,
    pub(crate) times: ConnectTimes,
}

impl Connector {
    pub(crate) fn new(
        target: Target,
        tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
        http: HttpVersion,
        timeout: Duration,
        meter: Arc<Meter>,
    ) -> Self {
        let tls = tls.map(|(config, name)| (TlsConnector::from(config), name));
        Self { target, tls, http, timeout, meter, preferred: Cell::new(0) }
    }

    /// Opens a stream; one time limit covers transport and TLS.
    pub(crate) async fn open(&self) -> Result<Opened, LoadError> {
        let late = |_| LoadError::ConnectTimeout { target: self.target.to_string(), after: self.timeout };
        timeout(self.timeout, self.open_unbounded()).await.map_err(late)?
    }

    async fn open_unbounded(&self) -> Result<Opened, LoadError> {
        let start = Instant::now();
        let stream = self.transport().await?;
        let transport = start.elapsed();
        let Some((connector, name)) = &self.tls else {
            let speaks = if self.http == HttpVersion::Http2 { Protocol::Http2 } else { Protocol::Http1 };
            return Ok(self.opened(stream, speaks, ConnectTimes { transport, tls: None }));
        };
        let stream = connector.connect(name.clone(), stream).await.map_err(|source| self.refused(source))?;
        let speaks = match (stream.get_ref().1.alpn_protocol(), self.http) {
            (Some(b"h2"), _) => Protocol::Http2,
            (_, HttpVersion::Http2) => {
                return Err(self.refused(io::Error::other(rustls::Error::NoApplicationProtocol)));
            }
            _ => Protocol::Http1,
        };
        let tls = Some(start.elapsed().saturating_sub(transport));
        Ok(self.opened(Box::new(stream), speaks, ConnectTimes { transport, tls }))
    }

    async fn transport(&self) -> Result<Box<dyn Stream>, LoadError> {
        if let Some(path) = self.target.unix_path() {
            let stream = UnixStream::connect(path).await.map_err(|source| self.unreachable(source))?;
            return Ok(Box::new(stream));
        }
        let addresses = self.target.addresses();
        let preferred = self.preferred.get();
        let mut last = io::ErrorKind::AddrNotAvailable.into();
        for index in (0..addresses.len()).map(|offset| (preferred + offset) % addresses.len()) {
            match tcp(addresses[index]).await {
                Ok(stream) => {
                    self.preferred.set(index);
                    return Ok(Box::new(stream));
                }
                Err(error) => last = error,
            }
        }
        Err(self.unreachable(last))
    }

    fn opened(&self, stream: Box<dyn Stream>, speaks: Protocol, times: ConnectTimes) -> Opened {
        let traffic = Arc::new(Traffic::new());
        let wire = Wire::new(stream, self.meter.clone(), traffic.clone());
        Opened { wire, traffic, speaks, times }
    }

    fn unreachable(&self, source: io::Error) -> LoadError {
        let target = self.target.to_string();
        match source.kind() {
            io::ErrorKind::ConnectionRefused => LoadError::ConnectRefused { target, source },
            io::ErrorKind::TimedOut => LoadError::ConnectTimeout { target, after: self.timeout },
            _ => LoadError::Connect { target, source },
        }
    }

    fn refused(&self, source: io::Error) -> LoadError {
        LoadError::Tls { target: self.target.to_string(), fault: TlsFault::of(&source), source }
    }
}

async fn tcp(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // A request of two segments would otherwise wait for the server's delayed acknowledgement.
    stream.set_nodelay(true)?;
    Ok(stream)
}
