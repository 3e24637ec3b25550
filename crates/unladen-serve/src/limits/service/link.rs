//! The principal type is [`Link`]: an HTTP/2 connection to a rate limit service, driven by a task of its own; [`call`]
//! asks one question on it, in gRPC (<https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>).
//!
//! The messages are those of `envoy.service.ratelimit.v3`, as far as a verdict needs them
//! (<https://github.com/envoyproxy/data-plane-api>, `envoy/service/ratelimit/v3/rls.proto`). Other fields are ignored,
//! as is usual for Protocol Buffers.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use http::{HeaderMap, StatusCode, Uri};
use prost::{Enumeration, Message};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;
use unladen_pool::grpc::{Ended, PREFIX, framed, head, request};
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
    _task: AbortOnDropHandle<()>,
    /// Failures of the service when this was begun.
    pub(super) generation: u64,
}

#[derive(Clone, Debug)]
enum LinkState {
    Connecting,
    Ready(SendRequest<Bytes>),
    Ended(Arc<str>),
}

impl Link {
    pub(super) fn begin(settings: &RateServiceSettings, resolver: &Arc<Resolver>, generation: u64) -> Self {
        let (tell, state) = watch::channel(LinkState::Connecting);
        let task = tokio::spawn(keep(settings.clone(), resolver.clone(), tell));
        Self { state, _task: AbortOnDropHandle::new(task), generation }
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
                Ok(LinkState::Connecting) | Err(_) => Err("its connection was abandoned".into()),
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

/// Most bytes of an answer: a verdict takes some tens for each descriptor.
const LARGEST: usize = 64 << 10;

/// Asks; the error says what happened instead of an answer.
pub(super) async fn call(sender: SendRequest<Bytes>, uri: Uri, question: &RateLimitRequest) -> Result<Verdict, String> {
    let failed = |error: h2::Error| format!("its connection failed: {error}");
    let bytes = framed(question)?;
    let mut sender = sender.ready().await.map_err(failed)?;
    let (response, mut stream) = sender.send_request(request(uri), false).map_err(failed)?;
    stream.send_data(bytes, true).map_err(failed)?;
    let (head, mut body) = response.await.map_err(failed)?.into_parts();
    if head.status != StatusCode::OK {
        return Err(format!("it answered {}; expected a gRPC server", head.status));
    }
    let mut read = BytesMut::new();
    while let Some(data) = body.data().await {
        let data = data.map_err(failed)?;
        if read.len() + data.len() > PREFIX + LARGEST {
            return Err(format!("an answer of more than {LARGEST} bytes"));
        }
        body.flow_control().release_capacity(data.len()).map_err(failed)?;
        read.extend_from_slice(&data);
    }
    let trailers = body.trailers().await.map_err(failed)?;
    // An answer without a message has only a head.
    ended_well(trailers.as_ref().unwrap_or(&head.headers))?;
    let response = RateLimitResponse::decode(message(&read)?).map_err(|error| format!("it cannot be read: {error}"))?;
    response.verdict().ok_or_else(|| "it answered UNKNOWN".to_owned())
}

pub(super) fn message(read: &[u8]) -> Result<&[u8], String> {
    let (length, message) = head(read)?.ok_or("an answer without a message")?;
    if length != message.len() {
        return Err(format!("a message of {length} bytes that has {}", message.len()));
    }
    Ok(message)
}

pub(super) fn ended_well(trailers: &HeaderMap) -> Result<(), String> {
    match Ended::of(trailers) {
        Ended { status, .. } if status == "0" => Ok(()),
        Ended { status, message } => Err(format!("it ended the call, grpc-status `{status}`: {message}")),
    }
}

/// Longest reset believed: a day.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// Assumed if a service gives no time.
const UNTOLD: Duration = Duration::from_secs(1);

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitRequest {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(message, repeated, tag = "2")]
    pub(crate) descriptors: Vec<Descriptor>,
    #[prost(uint32, tag = "3")]
    pub(crate) hits_addend: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Descriptor {
    #[prost(message, repeated, tag = "1")]
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Entry {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RateLimitResponse {
    #[prost(enumeration = "Code", tag = "1")]
    pub(crate) overall_code: i32,
    #[prost(message, repeated, tag = "2")]
    pub(crate) statuses: Vec<DescriptorStatus>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DescriptorStatus {
    #[prost(enumeration = "Code", tag = "1")]
    pub(crate) code: i32,
    #[prost(message, optional, tag = "4")]
    pub(crate) duration_until_reset: Option<Reset>,
}

/// `google.protobuf.Duration`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Reset {
    #[prost(int64, tag = "1")]
    pub(crate) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(crate) nanos: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub(crate) enum Code {
    Unknown = 0,
    Ok = 1,
    OverLimit = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Within,
    /// Until there is room again.
    Over(Duration),
}

impl RateLimitResponse {
    /// `None` for `Unknown`.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        match self.overall_code() {
            Code::Unknown => None,
            Code::Ok => Some(Verdict::Within),
            Code::OverLimit => {
                let over = self.statuses.iter().filter(|status| status.code() == Code::OverLimit);
                let resets = over.filter_map(|status| status.duration_until_reset.as_ref()?.duration());
                Some(Verdict::Over(resets.max().unwrap_or(UNTOLD).min(LONGEST)))
            }
        }
    }
}

impl Reset {
    /// `None` if negative or invalid.
    fn duration(&self) -> Option<Duration> {
        let nanos = u32::try_from(self.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
        Some(Duration::new(u64::try_from(self.seconds).ok()?, nanos))
    }
}
