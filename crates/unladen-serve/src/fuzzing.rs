//! For `fuzz/` alone: carries requests from a client's bytes to an upstream's, over sockets that lead to nobody. The
//! principal functions are [`carry`], for HTTP/1, and [`downgrade`], for heads of HTTP/2. Others fuzz country databases
//! ([`country`]), HTTP/2 frames ([`frames`]), and claims about the sender of a connection ([`proxied`]), a request
//! ([`asker`]) and a peer's question ([`peer_question`]).

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use unladen_http1::{Fields, HeadLimits, Request};
use unladen_pool::{Buffer, Half, Socket, Transport, UpstreamSettings};
use unladen_serve_config::{ClientSettings, Forwarded, HostRule, ProxySettings, TrustedSettings};

use crate::message::compose::{Additions, request_to_h1};
use crate::message::request_from_h2;
use crate::message::stream::{BodySource, H1Sink, H1Source, Pump, Sink};
use crate::site::proxy_protocol;
use crate::site::trust::Trust;
use crate::tier::words::{Question, Told};

/// Most bytes carried: sockets can buffer them, so that nobody has to read meanwhile.
pub const MOST: usize = 32 * 1024;

/// How requests are sent on.
#[derive(Clone, Debug)]
pub struct Way {
    pub host: HostRule,
    pub forwarded: Forwarded,
    pub via: bool,
    pub upgrade: bool,
}

fn pair() -> io::Result<(UnixStream, unladen_pool::UnixStream)> {
    let (other, ours) = UnixStream::pair()?;
    Ok((other, unladen_pool::UnixStream::from_std(ours.into_std()?)?))
}

/// Sends on a client's requests: for each its bytes, and whether it was whole.
///
/// # Errors
/// If there are no sockets.
pub async fn carry(bytes: &[u8], way: &Way) -> io::Result<Vec<(Vec<u8>, bool)>> {
    let (mut client, ours) = pair()?;
    client.write_all(bytes.get(..MOST).unwrap_or(bytes)).await?;
    client.shutdown().await?;
    let transport = RefCell::new(Transport::Plain(Socket::Unix(ours)));
    let (mut buffer, mut request, mut head) = (Buffer::default(), Request::default(), Vec::new());
    let (settings, mut sent) = (settings(way), Vec::new());
    while read(&mut request, Half(&transport), &mut buffer).await {
        let (mut upstream, ours) = pair()?;
        let onward = RefCell::new(Transport::Plain(Socket::Unix(ours)));
        head.clear();
        request_to_h1(&mut head, &request, &additions(&settings, way));
        let mut body = BodySource::H1(H1Source::new(Half(&transport), &mut buffer, request.length));
        let mut sink = Sink::from(H1Sink::new(Half(&onward), &mut head, request.length));
        let mut pump = Pump::keeping(0);
        let is_whole = poll_fn(|cx| pump.poll(cx, &mut body, &mut sink, None)).await.is_ok();
        drop(onward);
        let mut arrived = Vec::new();
        upstream.read_to_end(&mut arrived).await?;
        sent.push((arrived, is_whole));
        if !is_whole || !request.keeps_alive() {
            break;
        }
    }
    Ok(sent)
}

async fn read(request: &mut Request, half: Half<'_>, buffer: &mut Buffer) -> bool {
    let limits = HeadLimits::default();
    loop {
        if !buffer.is_empty() {
            match request.parse(buffer.bytes(), &limits) {
                Ok(Some(length)) => {
                    buffer.consume(length);
                    return true;
                }
                Ok(None) if buffer.is_full() => buffer.grow(limits.bytes + 1),
                Ok(None) => (),
                Err(_) => return false,
            }
        }
        if !matches!(half.read(buffer).await, Ok(count) if count > 0) {
            return false;
        }
    }
}

/// Head for the upstream of an HTTP/2 request, if it is accepted; it has no body if `ends`.
pub fn downgrade(head: &http::request::Parts, ends: bool, way: &Way) -> Option<Vec<u8>> {
    let (mut request, mut sent) = (Request::default(), Vec::new());
    request_from_h2(&mut request, head, ends, &HeadLimits::default()).ok()?;
    request_to_h1(&mut sent, &request, &additions(&settings(way), way));
    Some(sent)
}

fn additions<'a>(settings: &'a ProxySettings, way: &Way) -> Additions<'a> {
    Additions {
        waited: None,
        settings,
        authority: "upstream:80",
        tls: false,
        client: None,
        request_id: None,
        trace: None,
        upgrade: way.upgrade,
    }
}

fn settings(way: &Way) -> ProxySettings {
    ProxySettings {
        listen: Vec::new(),
        socket_mode: 0,
        upstream: UpstreamSettings::new("", Vec::new()),
        host: way.host.clone(),
        forwarded: way.forwarded,
        via: way.via,
        request_id: false,
        http2: true,
        client: ClientSettings::default(),
        rates: Vec::new(),
        buffer: unladen_serve_config::BufferSettings::default(),
    }
}

/// Looks up an address in bytes that may be a country database.
pub fn country(database: Vec<u8>, address: std::net::IpAddr) -> Option<String> {
    let country = crate::site::country::Country::new(database).ok()?;
    Some(country.lookup(address).to_owned())
}

/// Follows HTTP/2 frames in pieces of these sizes, repeated; returns the number of the head under way, if any, and how
/// many body bytes have passed.
pub fn frames(mut bytes: &[u8], preface: usize, sizes: &[usize]) -> (Option<u64>, u64) {
    let mut frames = crate::downstream::h2::wire::Frames::after(preface);
    for size in sizes.iter().cycle() {
        if bytes.is_empty() {
            break;
        }
        let (piece, rest) = bytes.split_at((*size).clamp(1, bytes.len()));
        frames.pass(piece);
        bytes = rest;
    }
    (frames.head(), frames.bodies)
}

/// The sender that a PROXY header gives, if it is accepted, and how many bytes are left.
///
/// # Errors
/// If there are no sockets.
pub async fn proxied(bytes: &[u8]) -> io::Result<Option<(Option<SocketAddr>, usize)>> {
    let (mut other, ours) = pair()?;
    other.write_all(bytes.get(..MOST).unwrap_or(bytes)).await?;
    other.shutdown().await?;
    let mut socket = Socket::Unix(ours);
    let Ok(told) = proxy_protocol::read(&mut socket).await else { return Ok(None) };
    let mut left = Vec::new();
    socket.read_to_end(&mut left).await?;
    Ok(Some((told, left.len())))
}

/// Client of a request from this address, and whether it used https.
pub fn asker(settings: &TrustedSettings, fields: &Fields, peer: Option<IpAddr>) -> (Option<IpAddr>, Option<bool>) {
    let asker = Trust::new(settings).asker(fields, peer);
    (asker.address, asker.is_https)
}

/// A peer's question and answer, parsed and written again.
pub fn peer_question(fields: &Fields) -> [Option<Fields>; 2] {
    let written = |write: &dyn Fn(&mut Fields)| {
        let mut fields = Fields::default();
        write(&mut fields);
        fields
    };
    [
        Question::read(fields).map(|question| written(&|fields| question.write(fields))),
        Told::read(fields).map(|told| written(&|fields| told.write(fields))),
    ]
}
