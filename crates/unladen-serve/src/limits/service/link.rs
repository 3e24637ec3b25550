//! The principal type is [`Link`]: an HTTP/2 connection to a rate limit service, driven by a task of its own.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::client::SendRequest;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use unladen_pool::{Address, Connector, Protocol, ResolveSettings, Resolver, TlsSettings, Transport, dial, is_h2};
use unladen_serve_config::RateServiceSettings;

const CONNECT: Duration = Duration::from_secs(2);
/// Answers are some tens of bytes each.
const WINDOW: u32 = 1 << 20;
const LARGEST_HEAD: u32 = 16 << 10;

/// Dropping it ends the connection.
#[derive(Debug)]
pub(super) struct Link {
    state: watch::Receiver<LinkState>,
    task: JoinHandle<()>,
    /// Failures of the service when this was begun.
    pub(super) generation: u64,
}

#[derive(Clone, Debug)]
enum LinkState {
    Connecting,
    Ready(SendRequest<Bytes>),
    Ended(Arc<str>),
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Link {
    pub(super) fn begin(settings: &RateServiceSettings, resolver: &Arc<Resolver>, generation: u64) -> Self {
        let (tell, state) = watch::channel(LinkState::Connecting);
        let task = tokio::spawn(keep(settings.clone(), resolver.clone(), tell));
        Self { state, task, generation }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(*self.state.borrow(), LinkState::Ended(_)) || self.state.has_changed().is_err()
    }

    pub(super) fn sender(&self) -> impl Future<Output = Result<SendRequest<Bytes>, Arc<str>>> + use<> {
        let mut state = self.state.clone();
        async move {
            let known = state.wait_for(|state| !matches!(state, LinkState::Connecting)).await;
            match known.as_deref() {
                Ok(LinkState::Ready(sender)) => Ok(sender.clone()),
                Ok(LinkState::Ended(why)) => Err(why.clone()),
                Ok(LinkState::Connecting) | Err(_) => Err("its connection was given up".into()),
            }
        }
    }
}

async fn keep(settings: RateServiceSettings, resolver: Arc<Resolver>, tell: watch::Sender<LinkState>) {
    let connected = tokio::time::timeout(CONNECT, connect(&settings, &resolver)).await;
    let why: Arc<str> = match connected.unwrap_or_else(|_| Err(format!("no connection within {CONNECT:?}"))) {
        Err(error) => error.into(),
        Ok((sender, connection)) => {
            tell.send_replace(LinkState::Ready(sender));
            match connection.await {
                Ok(()) => "it closed the connection".into(),
                Err(error) => format!("its connection failed: {error}").into(),
            }
        }
    };
    tell.send_replace(LinkState::Ended(why));
}

type Connected = (SendRequest<Bytes>, h2::client::Connection<Transport, Bytes>);

async fn connect(settings: &RateServiceSettings, resolver: &Resolver) -> Result<Connected, String> {
    let RateServiceSettings { tls, host, port, .. } = settings;
    let found = resolver.lookup(host, *port, &ResolveSettings::default()).await.map_err(|error| error.to_string())?;
    let address = Address::Tcp(found.addresses);
    let socket = dial(&address, CONNECT).await.map_err(|error| format!("no connection: {error}"))?;
    let transport = if *tls {
        let connector = Connector::new(&TlsSettings::default(), Protocol::Http2).map_err(|error| error.to_string())?;
        let stream = connector.connect(host, socket).await.map_err(|error| error.to_string())?;
        if !is_h2(&stream) {
            return Err("it does not speak HTTP/2, which gRPC needs".to_owned());
        }
        Transport::tls(stream)
    } else {
        Transport::Plain(socket)
    };
    let builder = &mut h2::client::Builder::new();
    let builder = builder.enable_push(false).initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
    let connecting = builder.max_header_list_size(LARGEST_HEAD).handshake::<_, Bytes>(transport);
    connecting.await.map_err(|error| format!("its connection failed: {error}"))
}
