//! Purges from elsewhere. The principal types are [`FleetTask`], which reads the fleet's and applies them to the sites,
//! and [`HtcpTask`], which applies those of HTCP to the sites and the fleet.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;
use tokio::task::{JoinHandle, spawn_blocking, spawn_local};
use unladen_fleet::{BusSettings, BusUrl, Fleet, Forget, HtcpClear, LONGEST_HTCP_DATAGRAM, News, Page, What};
use unladen_observability::Observability;
use unladen_serve_config::{FleetSettings, HtcpSettings};

use super::error::ServeError;
use crate::plan::Plan;
use crate::say::say;

/// How long unsent purges have to be sent when a fleet is left.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A node of this fleet, with a name that no other process has, not even the one that hands over to it.
pub(super) fn open(settings: &FleetSettings) -> Result<Arc<Fleet>, ServeError> {
    let bus = bus_settings(settings);
    let FleetSettings { lease, when_cut_off, wait, wait_for, .. } = settings.clone();
    let settings = unladen_fleet::FleetSettings { bus, lease, when_cut_off, wait, wait_for };
    Fleet::new(settings).map_err(ServeError::Fleet)
}

/// The bus, and a node name that no other process has.
pub(super) fn bus_settings(settings: &FleetSettings) -> BusSettings {
    let FleetSettings { purges, ca, name, node, keep, .. } = settings.clone();
    let node = BusSettings::unique_node(&node.unwrap_or_else(host_name));
    BusSettings { url: purges, ca, fleet: name, node, keep }
}

/// The kernel's host name, up to the first dot.
fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
    if name.is_empty() { "node".to_owned() } else { name }
}

#[derive(Debug, Default)]
pub(super) struct FleetTask {
    now: Option<(Arc<Fleet>, JoinHandle<()>)>,
    leaving: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Sites {
    observability: Arc<Observability>,
    bus: BusUrl,
}

impl FleetTask {
    pub(super) fn follow(&mut self, plan: &Plan, observability: &Arc<Observability>) {
        let is_same = match (&self.now, &plan.fleet) {
            (Some((now, _)), Some(fleet)) => Arc::ptr_eq(now, fleet),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return;
        }
        if let Some((fleet, task)) = self.now.take() {
            self.leaving.retain(|leaving| !leaving.is_finished());
            self.leaving.push(spawn_local(leave(fleet, task, plan.fleet.clone())));
        }
        observability.set_fleet(plan.fleet.clone());
        self.now = plan.fleet.clone().map(|fleet| {
            let bus = fleet.settings().bus.url.clone();
            let sites = Arc::new(Sites { observability: observability.clone(), bus });
            (fleet.clone(), spawn_local(fleet.run(sites)))
        });
    }

    pub(super) async fn end(&mut self) {
        if let Some((fleet, task)) = self.now.take() {
            leave(fleet, task, None).await;
        }
        for leaving in self.leaving.drain(..) {
            let _ = leaving.await;
        }
    }
}

/// Leaves a fleet once everything is sent; what is not sent in time is sent by `next`.
async fn leave(fleet: Arc<Fleet>, task: JoinHandle<()>, next: Option<Arc<Fleet>>) {
    fleet.sent(LAST_WORDS).await;
    // It would join the list again.
    task.abort();
    let _ = task.await;
    report_lost(&fleet, fleet.hand_on(next.as_ref()));
    fleet.leave().await;
}

pub(super) fn report_lost(fleet: &Fleet, lost: u64) {
    if lost > 0 {
        let bus = &fleet.settings().bus.url;
        say!(
            "unladen: {lost} purges are lost, because {bus} did not accept them in time: other nodes serve these \
             pages until their lifetime ends; purge them again (`unladen purge --all` purges everything)"
        );
    }
}

/// Suffix for a message that is printed at most once in a while.
fn often(times: u64) -> String {
    if times > 1 { format!("; {times} times since the last message") } else { String::new() }
}

impl Forget for Sites {
    fn forget(&self, site: Option<&str>, what: &What, is_soft: bool) -> u64 {
        let forget = unladen_observability::Forget { what: what.clone(), is_soft };
        self.observability.forget(site, &forget).unwrap_or(0)
    }

    fn doubt(&self) {
        self.forget(None, &What::All, true);
    }

    fn tell(&self, news: &News) {
        let bus = &self.bus;
        let rest = "every stored page is revalidated before it is served";
        match news {
            News::CutOff { why: Some(why) } => say!(
                "unladen: cut off from the fleet: {bus}: {why}; check whether it runs and can be reached from here; \
                 purges are read as soon as it can be"
            ),
            News::CutOff { why: None } => {
                say!("unladen: cut off from the fleet: purges arrive faster than they are applied here");
            }
            News::Connected { after: None } => say!("unladen: this is a node of the fleet at {bus}"),
            News::Connected { after: Some(after) } => {
                let after = humantime::format_duration(Duration::from_millis(after.as_millis() as u64));
                say!("unladen: connected to the fleet again after {after}; all purges since then have been applied");
            }
            News::Lost { why, times } => {
                let often = often(*times);
                say!("unladen: purges of the fleet may be missing ({bus}: {why}{often}): {rest}");
            }
            News::Unreadable { why, times } => {
                let often = often(*times);
                say!("unladen: {bus} has a record that this version cannot read as a purge ({why}{often}): {rest}");
            }
            News::Overflow => {
                say!("unladen: too many purges waited for {bus}: all nodes are told to revalidate every stored page");
            }
            News::Untold => say!("unladen: {bus}: {}", News::UNTOLD),
            _ => {}
        }
    }
}

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
        match bind(settings).and_then(UdpSocket::from_std) {
            Ok(socket) => {
                if is_told {
                    say!("unladen: accepting HTCP purges at {}", settings.listen);
                }
                is_told = false;
                if let Err(error) = serve(&socket, settings, observability).await {
                    say!("unladen: no longer accepting HTCP purges: {}: {error}", settings.listen);
                }
            }
            Err(error) if !is_told => {
                let at = settings.listen;
                say!("unladen: cannot accept HTCP purges yet: {at}: {error}; trying again");
                is_told = true;
            }
            Err(_) => {}
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// With SO_REUSEPORT, beside a process that hands over: purges sent to either reach both through the fleet.
fn bind(settings: &HtcpSettings) -> io::Result<std::net::UdpSocket> {
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
            refused.report(from, &why);
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
            let forget = unladen_observability::Forget { what: what.clone(), is_soft: false };
            observability.forget(None, &forget);
            if let Some(fleet) = &fleet {
                fleet.tell_unverified(None, what, false);
            }
        }
    });
    let _ = forgetting.await;
}

impl Refused {
    fn report(&mut self, from: SocketAddr, why: &str) {
        self.count += 1;
        if self.told.is_none_or(|told| told.elapsed() > TELL) {
            self.told = Some(Instant::now());
            let count = std::mem::take(&mut self.count);
            say!("unladen: a datagram from {from} is not a purge: {why} ({count} since the last message)");
        }
    }
}
