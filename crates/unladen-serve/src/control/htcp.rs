//! The principal type is [`HtcpTask`]: applies HTCP purges to the sites and the fleet.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;
use tokio::task::{JoinHandle, spawn_blocking, spawn_local};
use unladen_fleet::{HtcpClear, LONGEST_HTCP_DATAGRAM, Page, What};
use unladen_observability::{Forget, Observability};
use unladen_serve_config::HtcpSettings;

use crate::say::say;

/// Most purges handled at once.
const BATCH: usize = 256;
/// How often listening is retried.
const AGAIN: Duration = Duration::from_secs(1);
/// Shortest time between reports of refused datagrams, which anybody can send.
const TELL: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct HtcpTask {
    now: Option<(HtcpSettings, JoinHandle<()>)>,
}

const STRANGER: &str = "its sender is not in `htcp_from`";

#[derive(Debug, Default)]
struct Refused {
    count: u64,
    told: Option<Instant>,
}

impl HtcpTask {
    pub(super) fn follow(&mut self, wanted: Option<HtcpSettings>, observability: &Arc<Observability>) {
        if self.now.as_ref().map(|(now, _)| now) == wanted.as_ref() {
            return;
        }
        self.end();
        self.now = wanted.map(|settings| {
            let (own, observability) = (settings.clone(), observability.clone());
            (settings, spawn_local(async move { listen(&own, &observability).await }))
        });
    }

    pub(super) fn end(&mut self) {
        if let Some((_, task)) = self.now.take() {
            task.abort();
        }
    }
}

async fn listen(settings: &HtcpSettings, observability: &Arc<Observability>) {
    let mut is_told = false;
    loop {
        match open(settings).and_then(UdpSocket::from_std) {
            Ok(socket) => {
                if is_told {
                    say!("unladen: purges of HTCP come in at {}", settings.listen);
                }
                is_told = false;
                if let Err(error) = serve(&socket, settings, observability).await {
                    say!("unladen: purges of HTCP do not come in any more: {}: {error}", settings.listen);
                }
            }
            Err(error) if !is_told => {
                let at = settings.listen;
                say!("unladen: purges of HTCP cannot come in yet: {at}: {error}; it is tried until they can");
                is_told = true;
            }
            Err(_) => {}
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// With SO_REUSEPORT, beside a process that hands over: purges sent to either reach both through the fleet.
fn open(settings: &HtcpSettings) -> io::Result<std::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(settings.listen), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_port(true)?;
    if settings.listen.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.bind(&settings.listen.into())?;
    for group in &settings.groups {
        match group {
            IpAddr::V4(group) => socket.join_multicast_v4(group, &std::net::Ipv4Addr::UNSPECIFIED)?,
            IpAddr::V6(group) => socket.join_multicast_v6(group, 0)?,
        }
    }
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

async fn serve(socket: &UdpSocket, settings: &HtcpSettings, observability: &Arc<Observability>) -> io::Result<()> {
    // One byte more reveals datagrams that are too long.
    let mut datagram = vec![0; LONGEST_HTCP_DATAGRAM + 1];
    let mut refused = Refused::default();
    loop {
        socket.readable().await?;
        let mut pages = Vec::new();
        for _ in 0..BATCH {
            match socket.try_recv_from(&mut datagram) {
                Ok((length, from)) => {
                    let datagram = datagram.get(..length).unwrap_or_default();
                    pages.extend(read(datagram, from, settings, &mut refused));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        // The same page for each device, or by both GET and HEAD.
        pages.dedup();
        forget(pages, observability).await;
    }
}

/// `None` if the sender is not allowed, or it is no purge.
fn read(datagram: &[u8], from: SocketAddr, settings: &HtcpSettings, refused: &mut Refused) -> Option<Page> {
    let address = from.ip().to_canonical();
    let may = match settings.from.as_slice() {
        [] => address.is_loopback(),
        nets => nets.iter().any(|net| net.contains(&address)),
    };
    let read =
        if may { HtcpClear::read(datagram).map_err(|error| error.to_string()) } else { Err(STRANGER.to_owned()) };
    match read {
        Ok(clear) => Some(clear.page()),
        Err(why) => {
            refused.tell(from, &why);
            None
        }
    }
}

async fn forget(pages: Vec<Page>, observability: &Arc<Observability>) {
    if pages.is_empty() {
        // A flood of refused datagrams must not starve this thread's other tasks.
        return tokio::task::yield_now().await;
    }
    let fleet = observability.fleet();
    if let Some(fleet) = &fleet {
        // Anybody can send datagrams, and others' purges must not wait behind a flood of them. The kernel drops the
        // excess.
        fleet.has_room().await;
    }
    let observability = observability.clone();
    let forgetting = spawn_blocking(move || {
        for page in pages {
            let what = What::Url(page);
            observability.forget(None, &Forget { what: (&what).into(), is_soft: false });
            if let Some(fleet) = &fleet {
                fleet.tell_unverified(None, what, false);
            }
        }
    });
    let _ = forgetting.await;
}

impl Refused {
    fn tell(&mut self, from: SocketAddr, why: &str) {
        self.count += 1;
        if self.told.is_none_or(|told| told.elapsed() > TELL) {
            self.told = Some(Instant::now());
            let count = std::mem::take(&mut self.count);
            say!("unladen: a datagram of {from} is no purge: {why} ({count} since this was told last)");
        }
    }
}
