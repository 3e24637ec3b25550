//! [`SiteSettings`]: `[[site]]`, and how it is read.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use unladen_fleet::WhenCutOff;
use unladen_pool::{LimitSettings, Protocol, TimeoutSettings, UpstreamSettings};
use unladen_toml::{Bad, DAY, Table, Value};
use unladen_validator::ValidatorSettings;

use super::acme::{self, AcmeSettings};
use super::application::{self, Application};
use super::cache::{self, CacheSettings};
use super::explain::{Showable, Shown};
use super::groups::{BufferSettings, ClientSettings, Pace};
use super::hosts::{self, HostName, Hosts};
use super::keys::{self, Whose, strangers};
use super::level::Level;
use super::listen::ListenAddress;
use super::outbound::{self, Addresses, Forwarded, HostRule, ProxySettings, Usual};
use super::reading::Reading;
use super::routes::{self, OfSite, RouteSettings};
use super::site_tables::{self, CrowdSettings, FilesSettings, QueueSettings, SnapshotSettings};
use super::tls::{self, ServerTlsSettings};
use super::trusted::{self, TrustedSettings};
use super::{preset, validators};

/// A site: what `serve` does in front of an application.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteSettings {
    /// Listener and upstream, as beside an application.
    pub proxy: ProxySettings,
    /// Certificates; `None` for plain HTTP.
    pub tls: Option<ServerTlsSettings>,
    /// Addresses of plain HTTP that redirect to https.
    pub redirect: Vec<ListenAddress>,
    /// `Strict-Transport-Security`, as sent.
    pub hsts: Option<String>,
    /// Proxies whose word on the client is believed.
    pub trusted: TrustedSettings,
    /// Whether fields are passed on whose names have other bytes than letters, digits and hyphens.
    pub underscores: bool,
    /// Concurrent requests of one client (its address; for IPv6 its /64).
    pub per_client: usize,
    pub clients: CrowdSettings,
    /// `Retry-After` when the application is overloaded.
    pub retry_after: Duration,
    /// Whether bodies that the application left plain are compressed.
    pub compress: bool,
    /// Cache settings; `None` for no cache.
    pub cache: Option<CacheSettings>,
    /// Validators; the first whose path matches is asked.
    pub validators: Vec<ValidatorSettings>,
    /// Further GETs that may change something: validators of many pages are not asked for them.
    pub effects: Vec<String>,
    /// GETs that change nothing, though the usual list has them.
    pub no_effects: Vec<String>,
    /// Names it answers to; empty for all that no other site at its addresses answers to.
    pub hosts: Vec<HostName>,
    /// Whether it also answers to names that no site at its addresses has.
    pub is_default: bool,
    /// Issuer of its certificate; `None` if it uses `tls`, or has none.
    pub acme: Option<AcmeSettings>,
    pub application: Application,
    /// The first match counts.
    pub routes: Vec<RouteSettings>,
    pub files: FilesSettings,
    /// Requests that wait for the application; `None` if none do, besides those of `limits.pending`.
    pub queue: Option<QueueSettings>,
    /// The page of local replies; `None` for plain text.
    pub error_page: Option<PathBuf>,
    /// What the cache writes to disk; `None` for nothing.
    pub snapshot: Option<SnapshotSettings>,
    pub preset: Option<&'static str>,
}

impl SiteSettings {
    /// Whether clients use TLS.
    pub fn is_tls(&self) -> bool {
        self.tls.is_some() || self.acme.is_some()
    }

    /// Whether it also answers to names that no site at its addresses has.
    pub fn takes_all_names(&self) -> bool {
        self.hosts.is_empty() || self.is_default
    }
}

/// The default name: there is mostly one site.
const NAME: &str = "site";
const HTTP: u16 = 80;
const HTTPS: u16 = 443;
/// Longest page of local replies, in bytes.
const LONGEST_PAGE: usize = 256 * 1024;
/// A year: what browsers' preload list asks for.
const HSTS: &str = "max-age=31536000";
/// As many as an HTTP/2 connection may have.
const PER_CLIENT: usize = 128;
const RETRY_AFTER: Duration = Duration::from_secs(5);
/// Apache's own `MaxRequestWorkers`: more would wait in the application's queue, where nothing bounds them.
const CONNECTIONS: usize = 256;
const PENDING: usize = 1024;
/// Apache's default in mod_reqtimeout: bytes of a body that earn a second more.
const RATE: u64 = 500;
/// Time for a film over a bad line, and whatever an application makes of it.
const WHOLE: Duration = Duration::from_secs(3600);
/// How the application learns of its client. Not `pass`: whatever clients say of themselves would be believed.
const FORWARDS: [(&str, Forwarded); 3] =
    [("x-forwarded", Forwarded::XForwarded), ("forwarded", Forwarded::Forwarded), ("strip", Forwarded::Strip)];

/// A site and its places, for comparison with others.
pub(super) struct PlacedSite<'t> {
    pub(super) level: Level<'t>,
    pub(super) settings: SiteSettings,
    pub(super) hosts: Hosts,
    pub(super) listen: Vec<(ListenAddress, Range<usize>)>,
    pub(super) redirect: Vec<(ListenAddress, Range<usize>)>,
    pub(super) stamp: SiteStamp,
}

/// Reads one `[[site]]`; `None` if too little is known of it.
pub(super) fn read<'t>(value: &Value<'t>, r: &mut Reading<'_>) -> Option<PlacedSite<'t>> {
    let table = r.keep(Table::of(value, "[[site]]", "a table"))?;
    r.bads.extend(strangers(&table, &outbound::known(&keys::names("site"))));
    let name = table.get("name").and_then(|name| name.as_text()).map(str::to_owned);
    let mut level = Level::of("site", table);
    let usual_name = hosts::usual_name(&level).unwrap_or_else(|| NAME.to_owned());
    let name = name.unwrap_or_else(|| usual_name.clone());
    let name = name.as_str();
    level.whose = Whose::Site(name.to_owned());
    let (level, preset) = preset::read(level, r);
    let said_name = level.take("name", usual_name, r, |value, _| outbound::name(value), String::shown);
    let (hosts, is_default) = hosts::read(&level, r);
    let (tls, tls_stamp) = tls::certificates(&level, r);
    let acme = acme::read(&level, &hosts, r);
    let is_tls = tls.is_some() || acme.is_some() || level.find("tls", r).is_some();
    // A certificate that an authority issues has no files here.
    let issued = acme.as_ref().map(|_| ServerTlsSettings { certificates: Vec::new(), tls12: true });
    let tls = tls.or(issued);
    let listen = listen(&level, is_tls, !hosts.is_empty(), r);
    let application = application::read(&level, r);
    let redirect = redirect(&level, is_tls, r);
    let hsts = hsts(&level, r);
    if !is_tls {
        for (key, without) in [
            ("redirect", "redirects clients to https, but there is no `tls`: set `tls` too, or remove this key"),
            ("hsts", "makes browsers insist on https, but there is no `tls`: set `tls` too, or remove this key"),
        ] {
            if level.says(key) && (key != "hsts" || hsts.is_some()) {
                level.alone(key, without, r);
            }
        }
    }
    let underscores = level.flag("underscores", false, r);
    let per_client = level.count("per_client", 1..=1_000_000, PER_CLIENT, r);
    let retry_after = level.duration("retry_after", Duration::from_secs(1)..=DAY, RETRY_AFTER, r);
    let compress = level.flag("compress", true, r);
    let (effects, no_effects) = site_tables::effects(&level, r);
    let trusted = trusted::read(&level, r);
    let clients = site_tables::clients(&level, r);
    let (cache, country) = match level.switch("cache", true, r) {
        Some(level) => {
            let (cache, stamp) = cache::read(&level, r);
            (Some(cache), stamp)
        }
        None => (None, 0),
    };
    if let Some(cache) = &cache
        && overlap(&cache.purge, &trusted.proxies)
    {
        r.warn(
            level.at(&["cache", "trusted"]),
            "`cache.purge` has addresses of `trusted.proxies`: if such a proxy does not state the client, a PURGE \
             counts as the proxy's own; make sure that the proxy always states the client, or refuses PURGE",
        );
    }
    let origins = application.as_ref().map(|(_, origins)| origins.clone());
    let mut upstream = UpstreamSettings::new(said_name.as_str(), origins.unwrap_or_default());
    if matches!(application, Some((Application::Php(_), _))) {
        upstream.http = Protocol::FastCgi;
    }
    let (proxy, app_stamp) = outbound::rest(&level, upstream, usual(), r);
    let files = site_tables::files(&level, r);
    let mut route_stamp = DefaultHasher::new();
    let error_page = error_page(&level, &mut route_stamp, r);
    let none = Application::Upstream;
    let of = OfSite {
        name: said_name.as_str(),
        proxy: &proxy,
        application: application.as_ref().map_or(&none, |(application, _)| application),
    };
    let routes = routes::read_all(&level, &of, &mut route_stamp, r);
    let asks = matches!(&application, Some((Application::Php(script), _)) if script.status_path.is_some());
    let queue = site_tables::queue(&level, asks, proxy.upstream.limits.connections, r);
    let snapshot = site_tables::snapshot(&level, said_name.as_str(), cache.as_ref(), r);
    let mut validators = validators::read_all(&level, r);
    validators.extend(preset::validators(&level, preset, r));
    if cache.is_none() && !validators.is_empty() {
        r.warn(level.at(&["cache"]), "the cache is off (`cache = false`), so no validator is ever asked");
    }
    let serves_cut_off = r.fleet.as_ref().is_some_and(|fleet| fleet.when_cut_off == WhenCutOff::Serve);
    if serves_cut_off && cache.is_some() && validators.is_empty() {
        r.warn(
            level.at(&["cache"]),
            "this site has no validator, so only their lifetime limits its stored pages, and `[fleet]` has \
             `when_cut_off = \"serve\"`: while the engine cannot be reached, a page that was purged on another node \
             is served until its lifetime ends, even after the purge was confirmed. Add a validator, or leave \
             `when_cut_off` at \"revalidate\"",
        );
    }
    let (listen, (application, _)) = (listen?, application?);
    let only = |list: &Addresses| list.iter().map(|(address, _)| address.clone()).collect();
    let settings = SiteSettings {
        proxy: ProxySettings { listen: only(&listen), ..proxy },
        tls,
        redirect: only(&redirect),
        hsts,
        trusted,
        underscores,
        per_client,
        clients,
        retry_after,
        compress,
        cache,
        validators,
        effects,
        no_effects,
        hosts: hosts.iter().map(|(host, _)| host.clone()).collect(),
        is_default,
        acme,
        application,
        routes,
        files,
        queue,
        error_page,
        snapshot,
        preset: preset.map(|preset| preset.name),
    };
    let stamp = SiteStamp { proxy: app_stamp, tls: tls_stamp, country, routes: route_stamp.finish() };
    Some(PlacedSite { level, settings, hosts, listen, redirect, stamp })
}

/// Defaults that suit an application server, which carries few requests at a time, and unknown clients.
fn usual() -> Usual {
    let client = ClientSettings::default();
    Usual {
        host: HostRule::Keep,
        forwarded: Forwarded::XForwarded,
        forwards: &FORWARDS,
        breaker: false,
        timeouts: TimeoutSettings { request: Some(WHOLE), ..TimeoutSettings::default() },
        limits: LimitSettings { connections: CONNECTIONS, pending: PENDING, ..LimitSettings::default() },
        client: ClientSettings {
            body_pace: Pace { rate: Some(RATE), ..client.body_pace },
            answer_pace: Pace { rate: Some(RATE), ..client.answer_pace },
            ..client
        },
        buffer: BufferSettings { requests: true, answers: true, ..BufferSettings::default() },
    }
}

fn overlap(one: &[ipnet::IpNet], other: &[ipnet::IpNet]) -> bool {
    one.iter().any(|one| other.iter().any(|other| one.contains(other) || other.contains(one)))
}

/// Listen addresses; by default https's port with TLS, http's with names alone.
fn listen(level: &Level<'_>, is_tls: bool, has_hosts: bool, r: &mut Reading<'_>) -> Option<Addresses> {
    let usual = match (is_tls, has_hosts) {
        (true, _) => Some(HTTPS),
        (false, true) => Some(HTTP),
        (false, false) => None,
    };
    if let Some(port) = usual.filter(|_| level.find("listen", r).is_none()) {
        let usual = everywhere(port, &level.at(&["hosts", "acme", "tls"]), r);
        return Some(level.take("listen", usual, r, addresses, |listen| outbound::show_addresses(listen)));
    }
    let about = "the address that clients call, such as listen = \":443\"";
    level.require("listen", about, r, addresses, |listen| outbound::show_addresses(listen))
}

fn redirect(level: &Level<'_>, is_tls: bool, r: &mut Reading<'_>) -> Addresses {
    let show = |list: &Addresses| if list.is_empty() { Shown::None } else { outbound::show_addresses(list) };
    let is_usual = is_tls && level.find("listen", r).is_none();
    let usual = if is_usual { everywhere(HTTP, &level.at(&["hosts", "acme", "tls"]), r) } else { Vec::new() };
    // An empty list means no redirect.
    let read = |value: &Value<'_>, r: &mut Reading<'_>| match value.each().is_empty() {
        true => Ok(Vec::new()),
        false => addresses(value, r),
    };
    level.take("redirect", usual, r, read, show)
}

/// Addresses; `:443` is that port at all addresses of the machine. A site is public by default; an outbound, for the
/// application beside it, has to name its address.
fn addresses(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Addresses, Bad> {
    let port = |one: &Value<'_>| {
        let port = one.as_text()?.strip_prefix(':')?;
        let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
        port.parse::<u16>().ok().filter(|port| is_number && *port > 0)
    };
    let each = value.each();
    if !each.iter().any(|one| port(one).is_some()) {
        return outbound::addresses(value, r);
    }
    let mut all = Addresses::new();
    for one in &each {
        match port(one) {
            Some(port) => all.extend(everywhere(port, &one.span(), r)),
            None => all.extend(outbound::addresses(one, r)?),
        }
    }
    Ok(all)
}

/// All IPv4 addresses and, where the machine has it, all IPv6 ones.
fn everywhere(port: u16, place: &Range<usize>, r: &Reading<'_>) -> Addresses {
    let four = ListenAddress::Tcp((Ipv4Addr::UNSPECIFIED, port).into());
    let six = r.machine.has_ipv6().then(|| ListenAddress::Tcp((Ipv6Addr::UNSPECIFIED, port).into()));
    [Some(four), six].into_iter().flatten().map(|address| (address, place.clone())).collect()
}

fn error_page(level: &Level<'_>, stamp: &mut DefaultHasher, r: &mut Reading<'_>) -> Option<PathBuf> {
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        let path = r.path(value.one_line()?);
        let bytes = r.machine.read(&path).map_err(|source| value.unusable(path.clone(), source))?;
        let text = std::str::from_utf8(&bytes);
        let wrong = |why: &'static str| value.unusable(path.clone(), std::io::Error::other(why));
        text.map_err(|_| wrong("it is not UTF-8"))?;
        if bytes.len() > LONGEST_PAGE {
            return Err(wrong("it is longer than 256 KiB, and is held for each client that gets it"));
        }
        bytes.hash(stamp);
        Ok(path)
    };
    level.optional("error_page", r, read, PathBuf::shown)
}

/// `true`, `false`, or the value to send.
fn hsts(level: &Level<'_>, r: &mut Reading<'_>) -> Option<String> {
    let read = |value: &Value<'_>, _: &mut Reading<'_>| match value.as_flag() {
        Some(is_on) => Ok(is_on.then(|| HSTS.to_owned())),
        None => policy(value).map(Some),
    };
    level.take("hsts", None, r, read, |hsts| hsts.clone().map_or(Shown::Flag(false), Shown::Text))
}

/// RFC 6797, 6.1: `max-age` is required; an unknown directive is a typing error.
fn policy(value: &Value<'_>) -> Result<String, Bad> {
    let form = "true, false, or a string such as \"max-age=31536000; includeSubDomains\"";
    value.text_as(form)?;
    let text = value.one_line()?;
    let mut has_age = false;
    for directive in text.split(';').map(str::trim) {
        let is_known = match directive.split_once('=') {
            Some((name, age)) if name.trim().eq_ignore_ascii_case("max-age") => {
                let age = age.trim().trim_matches('"');
                let is_first = !std::mem::replace(&mut has_age, true);
                is_first && age.parse::<u32>().is_ok() && age.bytes().all(|byte| byte.is_ascii_digit())
            }
            Some(_) => false,
            None => ["includeSubDomains", "preload"].iter().any(|known| directive.eq_ignore_ascii_case(known)),
        };
        if !is_known {
            return Err(value.refuse(format!("`{text}`"), form));
        }
    }
    if has_age { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), form)) }
}

/// Numbers that change with the files of a `[[site]]`, even if the settings stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteStamp {
    /// TLS files of its calls to the application: if they change, it is another upstream.
    pub proxy: u64,
    /// Certificates and keys for clients.
    pub tls: u64,
    pub country: u64,
    /// Files that its routes name (passwords, other upstreams' TLS), and the page of local replies.
    pub routes: u64,
}
