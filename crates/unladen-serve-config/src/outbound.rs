//! [`ProxySettings`]: a listener and the upstream behind it, as `[[outbound]]` has them; and how they are read.

use serde::Serialize;
use unladen_pool::{Balance, LimitSettings, PoolSettings, Protocol, TimeoutSettings, UpstreamSettings};
use unladen_toml::{Bad, Table, Value, nearest};

use super::explain::{Showable, Shown};
use super::groups::{self, BufferSettings, ClientSettings};
use super::keys::{self, Whose, strangers};
use super::level::Level;
use super::listen::{self, ListenAddress};
use super::rates::{self, RateSettings};
use super::reading::Reading;
use super::strings::checked;
use super::{origins, tls};

/// A listener and its upstream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProxySettings {
    /// Where the application calls: one address or more.
    pub listen: Vec<ListenAddress>,
    /// Mode of its Unix sockets, as of chmod.
    pub socket_mode: u32,
    pub upstream: UpstreamSettings,
    pub host: HostRule,
    /// What happens to `X-Forwarded-*` and `Forwarded`.
    pub forwarded: Forwarded,
    pub via: bool,
    /// Whether a request without `X-Request-Id` is given one.
    pub request_id: bool,
    pub http2: bool,
    pub client: ClientSettings,
    pub rates: Vec<RateSettings>,
    /// Buffering of bodies, so that a slow client occupies no upstream connection.
    pub buffer: BufferSettings,
}

/// `Host` sent to the upstream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostRule {
    /// The upstream's own name, as in its URL.
    #[default]
    Upstream,
    /// The application's value.
    Keep,
    Fixed(String),
}

/// What happens to `X-Forwarded-For`, `-Host`, `-Proto` and `Forwarded` (RFC 7239).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarded {
    /// Passed on: beside an application, it is the application that knows for whom it calls.
    #[default]
    Pass,
    /// `X-Forwarded-For`, `-Host`, `-Proto` are appended to.
    XForwarded,
    /// `Forwarded` is appended to.
    Forwarded,
    /// Removed.
    Strip,
}

/// A socket's user and group may open it.
const SOCKET_MODE: u32 = 0o660;
/// Longest name: it stands in each log line and each metric.
const LONGEST_NAME: usize = 64;

/// Defaults that depend on the table's place.
pub(super) struct Usual {
    pub(super) host: HostRule,
    pub(super) forwarded: Forwarded,
    pub(super) forwards: &'static [(&'static str, Forwarded)],
    pub(super) breaker: bool,
    pub(super) limits: LimitSettings,
    pub(super) timeouts: TimeoutSettings,
    pub(super) client: ClientSettings,
    pub(super) buffer: BufferSettings,
}

/// A table and its places, for comparison with others.
pub(super) struct Placed<'t> {
    pub(super) level: Level<'t>,
    pub(super) settings: ProxySettings,
    pub(super) listen: Vec<(ListenAddress, std::ops::Range<usize>)>,
    /// Changes with the files of its TLS settings.
    pub(super) stamp: u64,
}

/// Reads one `[[outbound]]`; `None` if too little is known of it.
pub(super) fn read<'t>(value: &Value<'t>, defaults: Option<Table<'t>>, r: &mut Reading<'_>) -> Option<Placed<'t>> {
    let table = r.keep(Table::of(value, "[[outbound]]", "a table"))?;
    r.bads.extend(strangers(&table, &known(&keys::names("outbound"))));
    let mut level = Level::of("outbound", table);
    // Explained values go by name; without a name, nothing is explained in the end.
    let name = level.own.as_ref().and_then(|table| table.get("name")).and_then(|name| name.as_text());
    level.whose = Whose::Outbound(name.unwrap_or_default().to_owned());
    let about = "the name in logs and metrics, such as name = \"search\"";
    let name = level.require("name", about, r, |value, _| self::name(value), String::shown);
    let about = "the address that the application calls, such as listen = \"127.0.0.1:6102\"";
    let listen = level.require("listen", about, r, addresses, |listen| show_addresses(listen));
    let about = "the service to which the calls go, such as upstream = \"https://search.example:9243\"";
    let origins = level.require("upstream", about, r, origins::all, |origins| origins::show(origins));
    level.defaults = defaults;
    let upstream = UpstreamSettings::new(name.clone().unwrap_or_default(), origins.clone().unwrap_or_default());
    let (settings, stamp) = rest(&level, upstream, Usual::default(), r);
    let (_, listen, _) = (name?, listen?, origins.filter(|origins| !origins.is_empty())?);
    let settings = ProxySettings { listen: listen.iter().map(|(address, _)| address.clone()).collect(), ..settings };
    Some(Placed { level, settings, listen, stamp })
}

/// Checks `[defaults]` by themselves: a mistake is one even if no `[[outbound]]` uses the value.
pub(super) fn check_defaults(table: &Table<'_>, r: &mut Reading<'_>) {
    let mut trial = r.trial();
    trial.bads.extend(strangers(table, &known(&keys::SHARED)));
    let (whose, defaults) = (Whose::Outbound(String::new()), Some(table.clone()));
    let level = Level { whose, own: None, defaults, ..Level::of("outbound", table.clone()) };
    rest(&level, UpstreamSettings::new("", Vec::new()), Usual::default(), &mut trial);
    r.bads.extend(trial.bads);
}

pub(super) fn known(own: &[&'static str]) -> Vec<&'static str> {
    let mut known = own.to_vec();
    known.extend(keys::GROUPS.iter().filter(|group| !own.contains(group)));
    known
}

/// All keys that `[defaults]` can have too, and a few after them: how the upstream is called.
pub(super) fn rest(
    level: &Level<'_>,
    mut upstream: UpstreamSettings,
    usual: Usual,
    r: &mut Reading<'_>,
) -> (ProxySettings, u64) {
    let (tls, stamp) = tls::read(level, &upstream, r);
    upstream.tls = tls;
    let host = whom(level, &mut upstream, usual.host, r);
    let forwarded = level.choice("forwarded", usual.forwards, usual.forwarded, r);
    let via = level.flag("via", true, r);
    let request_id = level.flag("request_id", true, r);
    let http2 = level.flag("http2", true, r);
    let socket_mode =
        level.take("socket_mode", SOCKET_MODE, r, |value, _| mode(value), |mode| Shown::Text(format!("{mode:04o}")));
    limits(level, level, &mut upstream, (usual.limits, usual.timeouts, usual.breaker), r);
    let settings = ProxySettings {
        listen: Vec::new(),
        socket_mode,
        upstream,
        host,
        forwarded,
        via,
        request_id,
        http2,
        client: groups::client(&level.group("client", r), usual.client, r),
        buffer: groups::buffer(&level.group("buffer", r), usual.buffer, r),
        rates: rates::read_all(level, r),
    };
    (settings, stamp)
}

/// The protocol, the choice among endpoints, and the `Host` that is sent.
fn whom(level: &Level<'_>, upstream: &mut UpstreamSettings, usual: HostRule, r: &mut Reading<'_>) -> HostRule {
    let words = [("auto", Protocol::Auto), ("1", Protocol::Http1), ("2", Protocol::Http2)];
    let http = level.choice("http", &words, Protocol::Auto, r);
    if upstream.http != Protocol::FastCgi {
        upstream.http = http;
    } else if level.says("http") && http != Protocol::Auto {
        level.alone("http", "works only with an `upstream`, not with `php`: remove this key", r);
    }
    let words = [("least-requests", Balance::LeastRequests), ("round-robin", Balance::RoundRobin)];
    upstream.balance = level.choice("balance", &words, Balance::default(), r);
    let show = |host: &HostRule| {
        Shown::Text(match host {
            HostRule::Upstream => "upstream".into(),
            HostRule::Keep => "keep".into(),
            HostRule::Fixed(name) => name.clone(),
        })
    };
    level.take("host", usual, r, |value, _| host(value), show)
}

/// Bounds of an upstream; `own` is the level without another upstream's values.
fn limits(
    level: &Level<'_>,
    own: &Level<'_>,
    upstream: &mut UpstreamSettings,
    (limits, timeouts, breaker): (LimitSettings, TimeoutSettings, bool),
    r: &mut Reading<'_>,
) {
    let pool = if upstream.http == Protocol::FastCgi { PoolSettings::fastcgi() } else { PoolSettings::default() };
    upstream.pool = groups::pool(&own.group("pool", r), pool, r);
    upstream.limits = groups::limits(&level.group("limits", r), limits, r);
    upstream.timeouts = groups::timeouts(&level.group("timeouts", r), timeouts, r);
    upstream.retry = groups::retry(&level.group("retry", r), r);
    upstream.breaker = level.switch("breaker", breaker, r).map(|level| groups::breaker(&level, r));
    upstream.outlier = level.switch("outlier", true, r).map(|level| groups::outlier(&level, r));
    upstream.health = own.switch("health", false, r).and_then(|level| groups::health(&level, r));
    upstream.resolve = groups::resolve(&level.group("resolve", r), r);
}

/// A site's other upstream, as its route says. Missing values are the site's (`level` has both), except those that hold
/// for one upstream alone, which are the route's (`own`).
pub(super) fn called(
    level: &Level<'_>,
    own: &Level<'_>,
    mut upstream: UpstreamSettings,
    site: &ProxySettings,
    r: &mut Reading<'_>,
) -> (ProxySettings, u64) {
    let (tls, stamp) = tls::read(own, &upstream, r);
    upstream.tls = tls;
    let host = whom(level, &mut upstream, site.host.clone(), r);
    let breaker = site.upstream.breaker.is_some();
    let of_site = (site.upstream.limits.clone(), site.upstream.timeouts.clone(), breaker);
    limits(level, own, &mut upstream, of_site, r);
    let settings = ProxySettings { listen: Vec::new(), upstream, host, rates: Vec::new(), ..site.clone() };
    (settings, stamp)
}

impl Default for Usual {
    fn default() -> Self {
        Self {
            host: HostRule::default(),
            forwarded: Forwarded::default(),
            forwards: &[
                ("pass", Forwarded::Pass),
                ("x-forwarded", Forwarded::XForwarded),
                ("forwarded", Forwarded::Forwarded),
                ("strip", Forwarded::Strip),
            ],
            breaker: true,
            limits: LimitSettings::default(),
            timeouts: TimeoutSettings::default(),
            client: ClientSettings::default(),
            buffer: BufferSettings::default(),
        }
    }
}

/// A name goes into metric labels, and into systemd's `FileDescriptorName=`, which takes no colon.
pub(super) fn name(value: &Value<'_>) -> Result<String, Bad> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let expected = format!("at most {LONGEST_NAME} characters of a-z, A-Z, 0-9, `-`, `_` and `.`");
    checked(value, &expected, |text| text.len() <= LONGEST_NAME && text.bytes().all(is_plain))
}

pub(super) type Addresses = Vec<(ListenAddress, std::ops::Range<usize>)>;

pub(super) fn show_addresses(listen: &[(ListenAddress, std::ops::Range<usize>)]) -> Shown {
    match listen {
        [(one, _)] => Shown::Text(listen::text(one)),
        all => Shown::list(all.iter().map(|(address, _)| listen::text(address))),
    }
}

pub(super) fn addresses(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Addresses, Bad> {
    let each = value.each();
    if each.is_empty() {
        return Err(value.refuse("empty", "at least one address"));
    }
    each.iter().map(|one| Ok((listen::address(one, r)?, one.span()))).collect()
}

/// `upstream`, `keep`, or a fixed host, perhaps with a port (RFC 9110, 7.2).
fn host(value: &Value<'_>) -> Result<HostRule, Bad> {
    const WORDS: [&str; 2] = ["upstream", "keep"];
    let text = value.one_line()?;
    match text {
        "upstream" => return Ok(HostRule::Upstream),
        "keep" => return Ok(HostRule::Keep),
        _ => {}
    }
    if let Some(meant) = nearest(text, &WORDS) {
        let meant = format!("did you mean `{meant}`?");
        return Err(value.unknown_word(text, meant));
    }
    match text.parse::<http::uri::Authority>() {
        Ok(authority) if !text.contains('@') && !authority.host().is_empty() => Ok(HostRule::Fixed(text.into())),
        _ => Err(value.refuse(format!("`{text}`"), "\"upstream\", \"keep\", or a host name, optionally with a port")),
    }
}

fn mode(value: &Value<'_>) -> Result<u32, Bad> {
    let form = "a file mode in octal, as a string: \"0660\"";
    let text = value.text_as(form)?;
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777 && text.len() <= 4);
    mode.ok_or_else(|| value.refuse(format!("`{text}`"), form))
}
