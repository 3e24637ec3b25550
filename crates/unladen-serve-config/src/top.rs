//! [`Settings`]: all that `serve` does, with every default filled in; and how the top level, `[admin]`, `[log]` and `[otlp]`
//! are read.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;
use unladen_observability::{
    Addresses, LogField, LogFields, LogSettings, ObservabilitySettings, OtlpSettings, PeerAddress, ReadyCheck,
    config_document,
};
use unladen_toml::{Bad, DAY, Value};
use url::Url;

use super::explain::{Showable, Shown};
use super::fleet::FleetSettings;
use super::level::{Level, table};
use super::listen::{self, ListenAddress};
use super::outbound::ProxySettings;
use super::reading::Reading;
use super::strings;
use super::tier::TierSettings;

/// All settings of `serve`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    pub threads: usize,
    /// How long requests in flight may take after a stop or at a handover.
    pub drain: Duration,
    /// How long clients are still accepted after a stop was asked for, before `drain`.
    pub drain_delay: Duration,
    /// Bytes held for clients: unsent answers, requests, and bodies on their way.
    pub client_memory: usize,
    /// Zone of this machine: discovery may prefer endpoints in the same zone.
    pub zone: Option<String>,
    pub admin: Option<AdminSettings>,
    pub log: Option<LogSettings>,
    pub otlp: Option<OtlpSettings>,
    /// Nodes that purges have to reach.
    pub fleet: Option<FleetSettings>,
    /// Peers that are asked before applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierSettings>,
    /// Proxies beside the application.
    pub outbound: Vec<ProxySettings>,
    /// Proxies in front of applications.
    pub site: Vec<crate::SiteSettings>,
}

/// Where `serve` offers its metrics and live page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdminSettings {
    /// Loopback or a Unix socket.
    pub listen: ListenAddress,
    /// Address of probes for a supervisor on another machine.
    pub probes: Option<ListenAddress>,
    pub ready: Vec<ReadyCheck>,
    /// Other nodes, which the live page shows too.
    pub peers: Vec<PeerAddress>,
}

impl Settings {
    /// The settings of metrics, traces, logs and the live page.
    pub fn observability(&self) -> ObservabilitySettings {
        let admin = |admin: &AdminSettings| (admin.ready.clone(), admin.peers.clone());
        let (ready, peers) = self.admin.as_ref().map(admin).unwrap_or_default();
        ObservabilitySettings {
            log: self.log.clone(),
            otlp: self.otlp.clone(),
            peers,
            ready,
            config: config_document(self),
        }
    }
}

/// As long as an upstream may take to begin its answer.
const DRAIN: Duration = Duration::from_secs(30);
/// OpenTelemetry's default (`OTEL_METRIC_EXPORT_INTERVAL`).
const EVERY: Duration = Duration::from_secs(60);
/// Share of requests whose caller has not decided.
const TRACED: f64 = 0.01;
const MOST_THREADS: u64 = 1024;
/// All are asked at once while somebody looks.
const MOST_PEERS: usize = 64;
/// As in endpoint files.
const LONGEST_ZONE: usize = 64;
/// With its overhead and malloc's, a process stays within 64 MiB of its idle size.
const CLIENT_MEMORY: usize = 48 << 20;
/// Less would not hold the heads of a few dozen requests.
const CLIENT_MEMORY_BOUNDS: std::ops::RangeInclusive<u64> = 4 << 20..=1 << 40;

pub(super) fn threads(top: &Level<'_>, r: &mut Reading<'_>) -> usize {
    let usual = r.machine.processors();
    let threads = top.count("threads", 1..=MOST_THREADS, usual, r);
    if threads > 4 * usual {
        r.warn(
            top.at(&["threads"]),
            format!("{threads} threads for {usual} CPUs: threads wait for each other; one per CPU is fastest"),
        );
    }
    threads
}

pub(super) fn drain(top: &Level<'_>, r: &mut Reading<'_>) -> Duration {
    top.duration("drain", Duration::ZERO..=DAY, DRAIN, r)
}

pub(super) fn drain_delay(top: &Level<'_>, r: &mut Reading<'_>) -> Duration {
    top.duration("drain_delay", Duration::ZERO..=DAY, Duration::ZERO, r)
}

pub(super) fn client_memory(top: &Level<'_>, r: &mut Reading<'_>) -> usize {
    top.bytes("client_memory", CLIENT_MEMORY_BOUNDS, CLIENT_MEMORY, r)
}

pub(super) fn zone(top: &Level<'_>, r: &mut Reading<'_>) -> Option<String> {
    let read = |value: &Value<'_>, _: &mut Reading<'_>| {
        let text = value.one_line()?;
        if text.is_empty() || text.len() > LONGEST_ZONE {
            return Err(value.refuse(format!("`{text}`"), format!("the zone's name, of at most {LONGEST_ZONE} bytes")));
        }
        Ok(text.to_owned())
    };
    top.optional("zone", r, read, String::shown)
}

/// The admin settings, and the place of each address.
pub(super) fn admin(top: &Level<'_>, r: &mut Reading<'_>) -> Option<(AdminSettings, Vec<Range<usize>>)> {
    let level = table(top, "admin", "[admin]", r)?;
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        let address = listen::address(value, r)?;
        match address {
            ListenAddress::Tcp(tcp) if !tcp.ip().is_loopback() => Err(value.refuse(
                format!("`{tcp}`"),
                "a loopback address or a Unix socket: the admin address shows requests to anyone; from another \
                 machine, use a tunnel (`ssh -L`), or put a server with a password in front",
            )),
            address => Ok(address),
        }
    };
    let about = "the admin address, such as listen = \"127.0.0.1:6190\"";
    let shown = |address: &ListenAddress| Shown::Text(listen::text(address));
    let listen = level.require("listen", about, r, read, shown);
    let probes = level.optional("probes", r, |value, r| listen::address(value, r), shown);
    let ready = level.take("ready", ReadyCheck::WORDS.map(|(_, check)| check).to_vec(), r, ready, |checks| {
        Shown::list(checks.iter().map(|check| check.into_str()))
    });
    let peers = level.take("peers", Vec::new(), r, peers, |peers| Shown::list(peers));
    let mut spans = vec![level.at(&["listen"])];
    spans.extend(probes.is_some().then(|| level.at(&["probes"])));
    Some((AdminSettings { listen: listen?, probes, ready, peers }, spans))
}

/// Wrong addresses are reported.
fn peers(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<PeerAddress>, Bad> {
    let expected = "a list of the other nodes' addresses, such as [\"http://10.0.0.2:9902\"]: the values of their \
        `probes`";
    let list = value.list(expected)?;
    if list.len() > MOST_PEERS {
        return Err(value.refuse(format!("{} addresses", list.len()), format!("at most {MOST_PEERS} addresses")));
    }
    let mut peers = Vec::new();
    for one in list {
        let form =
            "an address such as \"http://10.0.0.2:9902\" or \"unix:/run/other/admin.sock\", to which /metrics is added";
        let peer = one.one_line().and_then(|text| {
            text.parse::<PeerAddress>().map_err(|error| one.refuse(format!("`{text}` ({error})"), form))
        });
        peers.extend(r.keep(peer).filter(|peer| !peers.contains(peer)));
    }
    Ok(peers)
}

/// Unknown checks are reported.
fn ready(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<ReadyCheck>, Bad> {
    let mut checks = Vec::new();
    for one in value.list("a list of conditions, such as [\"certificates\", \"upstreams\"]")? {
        let check = one.choice(&ReadyCheck::WORDS);
        checks.extend(r.keep(check).filter(|check| !checks.contains(check)));
    }
    Ok(checks)
}

pub(super) fn log(top: &Level<'_>, r: &mut Reading<'_>) -> Option<LogSettings> {
    let level = table(top, "log", "[log]", r)?;
    let file = level.path("file", r);
    let sample = level.share("sample", 1.0, r);
    let fields = level
        .take("fields", LogFields::EVERY, r, fields, |fields| Shown::list(fields.iter().map(|field| field.as_str())));
    let addresses = level.choice("addresses", &Addresses::WORDS, Addresses::default(), r);
    if addresses != Addresses::default() && !fields.has(LogField::Client) {
        r.warn(level.at(&["addresses"]), "`addresses` has no effect: `fields` has no \"client\"".to_owned());
    }
    Some(LogSettings { file, sample, fields, addresses })
}

/// Unknown fields are reported.
fn fields(value: &Value<'_>, r: &mut Reading<'_>) -> Result<LogFields, Bad> {
    let form = "a list of field names such as [\"time\", \"client\", \"status\"]";
    let fields = strings::list(value, form, |one| one.choice(&LogField::WORDS), r)?;
    if fields.is_empty() && value.each().is_empty() {
        return Err(value.refuse("an empty list", "at least one field name; to write no log, remove [log]"));
    }
    Ok(fields.into_iter().collect())
}

pub(super) fn otlp(top: &Level<'_>, r: &mut Reading<'_>) -> Option<OtlpSettings> {
    let level = table(top, "otlp", "[otlp]", r)?;
    let about = "the URL of the collector, such as endpoint = \"http://127.0.0.1:4318\"";
    let endpoint = level.require("endpoint", about, r, |value, _| endpoint(value), String::shown);
    let words = |value: &Value<'_>, _: &mut Reading<'_>| value.one_line().map(str::to_owned);
    let sample = level.share("sample", TRACED, r);
    let every = level.duration("every", Duration::from_secs(1)..=DAY, EVERY, r);
    let service = level.take("service", "unladen".to_owned(), r, words, String::shown);
    let environment = level.optional("environment", r, words, String::shown);
    Some(OtlpSettings { endpoint: endpoint?, sample, every, service, environment, zone: r.zone.clone() })
}

/// The collector's URL, without a slash at its end.
fn endpoint(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let expected = "a URL such as \"http://127.0.0.1:4318\", to which /v1/traces and /v1/metrics are added";
    let url = Url::parse(text).map_err(|error| value.refuse(format!("`{text}` ({error})"), expected))?;
    if url.scheme() != "http" || url.host().is_none() || url.query().is_some() || url.fragment().is_some() {
        let plain = "; run a collector on this machine that accepts plain HTTP and forwards with encryption";
        return Err(value.refuse(format!("`{text}`"), format!("{expected}{plain}")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(value.refuse("a URL with a user name or a password", expected));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}
