//! [`FleetSettings`]: `[fleet]`, and how it is read.

use std::hash::{DefaultHasher, Hasher};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use serde::Serialize;
use unladen_fleet::{BUSES, BusUrl, Wait, WhenCutOff};
use unladen_toml::{Bad, Value};

use super::explain::{Showable, Shown};
use super::level::{Level, table};
use super::reading::{OfFleet, Reading};
use super::strings::checked;
use super::{tls, trusted};

/// The fleet that this process belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetSettings {
    /// The engine that carries purges. It is shown without its password.
    pub purges: BusUrl,
    /// Authorities of the engine's certificate; `None` for the system's.
    pub ca: Option<PathBuf>,
    /// Changes with that file.
    #[serde(skip)]
    pub stamp: u64,
    /// The fleet's name on the engine.
    pub name: String,
    /// This node's name; `None` for the machine's.
    pub node: Option<String>,
    /// A node that has not been heard for this long is out of the fleet.
    pub lease: Duration,
    /// What happens to stored pages while the engine is unreachable.
    pub when_cut_off: WhenCutOff,
    /// Whom a purge waits for, unless it says so itself …
    pub wait: Wait,
    /// … and for how long.
    pub wait_for: Duration,
    /// Records that the engine keeps for nodes that catch up late.
    pub keep: u64,
    /// UDP address of HTCP purges.
    pub htcp: Option<SocketAddr>,
    /// HTCP senders allowed; empty for this machine alone.
    pub htcp_from: Vec<IpNet>,
    pub htcp_groups: Vec<IpAddr>,
}

/// Reception of HTCP purges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtcpSettings {
    pub listen: SocketAddr,
    /// Senders allowed; empty for this machine alone.
    pub from: Vec<IpNet>,
    pub groups: Vec<IpAddr>,
}

impl FleetSettings {
    /// The settings of HTCP, if it has an address.
    pub fn htcp(&self) -> Option<HtcpSettings> {
        let (from, groups) = (self.htcp_from.clone(), self.htcp_groups.clone());
        self.htcp.map(|listen| HtcpSettings { listen, from, groups })
    }
}

/// Some pauses of an overloaded machine take a second.
const LEASE: Duration = Duration::from_secs(2);
/// Heartbeats come four times as often; a shorter lease would cost more than it saves.
const LEASE_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(200)..=Duration::from_secs(60);
/// Most people and programs wait this long without wondering.
const WAIT_FOR: Duration = Duration::from_secs(1);
const WAIT_FOR_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(300);
/// Records of some 200 bytes each.
const KEEP: u64 = 100_000;
const KEEP_BOUNDS: std::ops::RangeInclusive<u64> = 1_000..=100_000_000;
/// A name is part of keys, subjects and tables.
const LONGEST_NAME: usize = 32;
/// With the random part, it is still a label.
const LONGEST_NODE: usize = 64;
const FORM: &str = "a URL such as \"valkey://user:password@cache.example:6379/0\"";

/// What sites ask of it.
pub(super) fn of_fleet(fleet: &FleetSettings) -> OfFleet {
    let FleetSettings { name, purges, ca, stamp, when_cut_off, .. } = fleet;
    OfFleet { name: name.clone(), purges: purges.clone(), ca: ca.clone(), stamp: *stamp, when_cut_off: *when_cut_off }
}

pub(super) fn read(top: &Level<'_>, r: &mut Reading<'_>) -> Option<FleetSettings> {
    let level = table(top, "fleet", "[fleet]", r)?;
    let about = "the engine, such as purges = \"valkey://cache.example:6379/0\"";
    let purges = level.require("purges", about, r, |value, _| url(value), |url| Shown::Text(url.to_string()));
    let mut stamp = DefaultHasher::new();
    let ca = level.optional("ca", r, |value, r| tls::pem(value, "CERTIFICATE", &mut stamp, r), PathBuf::shown);
    let name = level.take("name", "unladen".to_owned(), r, |value, _| word(value, LONGEST_NAME), String::shown);
    let node = level.optional("node", r, |value, _| word(value, LONGEST_NODE), String::shown);
    let lease = level.duration("lease", LEASE_BOUNDS, LEASE, r);
    let words = [WhenCutOff::Revalidate, WhenCutOff::Serve].map(|word| (word.into_str(), word));
    let when_cut_off = level.choice("when_cut_off", &words, WhenCutOff::default(), r);
    let wait = level.choice("wait", &Wait::ALL, Wait::default(), r);
    let wait_for = level.duration("wait_for", WAIT_FOR_BOUNDS, WAIT_FOR, r);
    let keep = level.count("keep", KEEP_BOUNDS, KEEP, r);
    let (htcp, htcp_from, htcp_groups) = htcp(&level, r);
    Some(FleetSettings {
        purges: purges?,
        ca,
        stamp: stamp.finish(),
        name,
        node,
        lease,
        when_cut_off,
        wait,
        wait_for,
        keep,
        htcp,
        htcp_from,
        htcp_groups,
    })
}

/// A URL with a password is not repeated in messages.
fn url(value: &Value<'_>) -> Result<BusUrl, Bad> {
    let text = value.one_line()?;
    let Some((scheme, _)) = text.split_once("://") else { return Err(value.refuse("not a URL", FORM)) };
    if !BUSES.iter().any(|bus| bus.schemes.contains(&scheme)) {
        let known: Vec<_> = BUSES.iter().flat_map(|bus| bus.schemes).map(|known| format!("`{known}`")).collect();
        return Err(value.unknown_word(format!("{scheme}://…"), format!("expected one of {}", known.join(", "))));
    }
    BusUrl::parse(text).map_err(|error| value.refuse(format!("not a URL ({error})"), FORM))
}

fn word(value: &Value<'_>, longest: usize) -> Result<String, Bad> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    checked(value, &format!("1 to {longest} letters, digits, `.`, `-` and `_`"), |text| {
        (1..=longest).contains(&text.len()) && text.bytes().all(is_known)
    })
}

/// The listen address, the senders allowed, and the multicast groups to join.
fn htcp(level: &Level<'_>, r: &mut Reading<'_>) -> (Option<SocketAddr>, Vec<IpNet>, Vec<IpAddr>) {
    let listen = level.optional("htcp", r, |value, _| address(value), |listen| Shown::Text(listen.to_string()));
    let from = level.take("htcp_from", Vec::new(), r, nets, |nets: &Vec<IpNet>| trusted::show(nets, false));
    let groups = level.take("htcp_groups", Vec::new(), r, groups, |groups: &Vec<IpAddr>| Shown::list(groups));
    let Some(address) = listen else {
        for (key, is_given) in [("htcp_from", !from.is_empty()), ("htcp_groups", !groups.is_empty())] {
            if is_given {
                level.alone(key, "`htcp`, the address to listen at", r);
            }
        }
        return (None, from, groups);
    };
    if from.is_empty() && !address.ip().is_loopback() {
        level.alone(
            "htcp",
            "`htcp_from`: anyone who can send a datagram there could purge; list the allowed senders",
            r,
        );
    }
    if let Some(group) = groups.iter().find(|group| group.is_ipv4() != address.is_ipv4()) {
        let without = if group.is_ipv4() { "an `htcp` of IPv4" } else { "an `htcp` of IPv6" };
        level.alone("htcp_groups", without, r);
    }
    r.warn(
        level.at(&["htcp"]),
        "HTCP uses UDP, which can lose datagrams unnoticed: a page whose purge was lost stays until its lifetime \
         ends. Give all pages that are purged this way a lifetime (Cache-Control: s-maxage=…)",
    );
    (listen, from, groups)
}

fn address(value: &Value<'_>) -> Result<SocketAddr, Bad> {
    let form = "an address and a port, such as \"127.0.0.1:4827\"";
    let text = value.text_as(form)?;
    let address = text.parse::<SocketAddr>().ok().filter(|address| address.port() != 0);
    address.ok_or_else(|| value.refuse(format!("`{text}`"), form))
}

fn nets(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<IpNet>, Bad> {
    match trusted::list(value, r)? {
        (nets, false) => Ok(nets),
        (_, true) => Err(value.refuse("`unix`", "addresses and networks: a Unix socket has no UDP here")),
    }
}

fn groups(value: &Value<'_>, _: &mut Reading<'_>) -> Result<Vec<IpAddr>, Bad> {
    let form = "addresses of multicast, such as [\"239.128.0.112\"]";
    let group = |one: Value<'_>| {
        let text = one.text_as(form)?;
        let group = text.parse::<IpAddr>().ok().filter(IpAddr::is_multicast);
        group.ok_or_else(|| one.refuse(format!("`{text}`"), form))
    };
    value.list(form)?.into_iter().map(group).collect()
}
