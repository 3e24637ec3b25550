//! [`ClientSettings`], [`BufferSettings`] and the other tables below `[[outbound]]` and `[[site]]`, and how they are read: one
//! function a table.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use unladen_pool::{
    BreakerSettings, HealthSettings, LimitSettings, OutlierSettings, PoolSettings, ResolveSettings, RetrySettings,
    TimeoutSettings,
};
use unladen_toml::{Bad, DAY, MILLISECOND, Value};

use super::explain::{Showable, Shown};
use super::level::Level;
use super::reading::Reading;
use super::strings::{checked, texts};

/// Bounds of a listener's clients, for all threads together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClientSettings {
    /// Connections; beyond, new ones wait in the listener's queue.
    pub connections: usize,
    pub head_bytes: usize,
    pub fields: usize,
    /// Bytes of a request's body; `None` for no bound.
    pub body_bytes: Option<u64>,
    /// From a request's first byte to its head's end.
    pub head_timeout: Duration,
    pub body_pace: Pace,
    /// Minimum speed at which an answer is taken.
    pub answer_pace: Pace,
    pub idle: Duration,
    pub streams: u32,
}

impl ClientSettings {
    /// The more generous of each bound.
    #[must_use]
    pub fn or_more(&self, other: &Self) -> Self {
        Self {
            connections: self.connections.max(other.connections),
            head_bytes: self.head_bytes.max(other.head_bytes),
            fields: self.fields.max(other.fields),
            body_bytes: self.body_bytes.zip(other.body_bytes).map(|(one, other)| one.max(other)),
            head_timeout: self.head_timeout.max(other.head_timeout),
            body_pace: self.body_pace.or_slower(other.body_pace),
            answer_pace: self.answer_pace.or_slower(other.answer_pace),
            idle: self.idle.max(other.idle),
            streams: self.streams.max(other.streams),
        }
    }
}

/// Buffering of bodies, so that a slow client occupies no upstream connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferSettings {
    /// Whether a request's body is read to its end before an upstream connection is requested.
    pub requests: bool,
    /// Whether an answer is read as fast as it comes, however slow its client is.
    pub answers: bool,
    /// Path prefixes of requests that are never buffered.
    pub streamed: Vec<String>,
    /// Bytes of one body in memory; the rest goes to a file.
    pub memory: usize,
    pub all_memory: u64,
    pub disk: u64,
    pub folder: PathBuf,
}

impl Default for BufferSettings {
    /// Defaults beside an application: its clients are trusted, and wait for streams.
    fn default() -> Self {
        Self {
            requests: false,
            answers: false,
            streamed: Vec::new(),
            memory: 64 * 1024,
            all_memory: 16 << 20,
            disk: 4 << 30,
            folder: PathBuf::from("/var/tmp"),
        }
    }
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            connections: 16 * 1024,
            head_bytes: 64 * 1024,
            fields: 128,
            body_bytes: None,
            head_timeout: Duration::from_secs(10),
            body_pace: Pace { grace: Duration::from_secs(20), rate: None },
            answer_pace: Pace { grace: Duration::from_secs(60), rate: None },
            idle: Duration::from_secs(60),
            streams: 128,
        }
    }
}

/// A client's minimum average speed, after a grace period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pace {
    /// Time in which no speed is required.
    pub grace: Duration,
    /// Bytes a second; `None` for no minimum.
    pub rate: Option<u64>,
}

impl Pace {
    /// When a transfer that began at `began` and has carried `bytes` becomes too slow, unless more come.
    pub fn until(&self, began: Instant, bytes: u64) -> Option<Instant> {
        let rate = self.rate?.max(1);
        let (whole, rest) = (bytes / rate, bytes % rate);
        // The rest is less than a second's: its ns fit, unless the rate exceeds any line.
        let part = u64::try_from(u128::from(rest) * 1_000_000_000 / u128::from(rate)).unwrap_or(0);
        let earned = Duration::from_secs(whole) + Duration::from_nanos(part);
        began.checked_add(self.grace.checked_add(earned)?)
    }

    /// The slower of both, which neither minds.
    pub(crate) fn or_slower(self, other: Self) -> Self {
        let rate = self.rate.zip(other.rate).map(|(one, other)| one.min(other));
        Self { grace: self.grace.max(other.grace), rate }
    }
}

/// Upstreams seldom keep an idle connection for longer.
const LONG_IDLE: Duration = Duration::from_secs(60);
/// A larger count is taken for a typing error.
const MANY: u64 = 1_000_000;
/// Bounds of a head's size, in bytes.
const HEAD: std::ops::RangeInclusive<u64> = 1 << 10..=16 << 20;
/// Statuses that say a repeated request may succeed later (RFC 9110, 15; RFC 6585, 4; RFC 8470, 5.2).
const WORTH_A_RETRY: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];

pub(super) fn pool(level: &Level<'_>, usual: PoolSettings, r: &mut Reading<'_>) -> PoolSettings {
    let pool = PoolSettings {
        idle: level.duration("idle", MILLISECOND..=DAY, usual.idle, r),
        fresh: level.duration("fresh", Duration::ZERO..=DAY, usual.fresh, r),
        warm: level.count("warm", 0..=MANY, usual.warm, r),
        max_idle: level.count("max_idle", 0..=MANY, usual.max_idle, r),
        max_age: level.duration("max_age", MILLISECOND..=30 * DAY, usual.max_age, r),
        max_requests: level.count("max_requests", 1..=u64::from(u32::MAX), usual.max_requests, r),
    };
    if pool.idle < pool.fresh {
        let why = "a connection would be closed while it is still fresh; make `fresh` shorter";
        level.contradict(r, ("idle", pool.idle.shown()), ("fresh", pool.fresh.shown()), why);
    }
    if pool.warm > pool.max_idle {
        let why = "warm connections count as idle; raise `max_idle`";
        let (warm, idle) = (Shown::Count(pool.warm as u64), Shown::Count(pool.max_idle as u64));
        level.contradict(r, ("warm", warm), ("max_idle", idle), why);
    }
    if pool.idle > LONG_IDLE {
        r.warn(
            level.at(&["idle"]),
            "`pool.idle` is longer than a minute: few servers keep an idle connection for so long, and a request on a connection \
             that the server closes is retried or fails; keep `pool.idle` below the upstream's keep-alive time",
        );
    }
    pool
}

pub(super) fn limits(level: &Level<'_>, usual: LimitSettings, r: &mut Reading<'_>) -> LimitSettings {
    let limits = LimitSettings {
        connections: level.count("connections", 1..=MANY, usual.connections, r),
        pending: level.count("pending", 0..=MANY, usual.pending, r),
        requests: level.count("requests", 1..=MANY, usual.requests, r),
        retries: level.count("retries", 0..=MANY, usual.retries, r),
        head_bytes: level.bytes("head_bytes", HEAD, usual.head_bytes, r),
    };
    if limits.pending > limits.requests {
        r.warn(
            level.at(&["pending", "requests"]),
            "`limits.pending` is above `limits.requests` and has no effect: `limits.requests` counts waiting requests too",
        );
    }
    limits
}

pub(super) fn timeouts(level: &Level<'_>, usual: TimeoutSettings, r: &mut Reading<'_>) -> TimeoutSettings {
    let request = |value: &Value<'_>, _: &mut Reading<'_>| or_none(value, |value| value.duration(MILLISECOND..=DAY));
    let timeouts = TimeoutSettings {
        connect: level.duration("connect", MILLISECOND..=DAY, usual.connect, r),
        first_byte: level.duration("first_byte", MILLISECOND..=DAY, usual.first_byte, r),
        idle: level.duration("idle", MILLISECOND..=DAY, usual.idle, r),
        request: level.take("request", usual.request, r, request, Option::shown),
        tunnel: level.duration("tunnel", MILLISECOND..=30 * DAY, usual.tunnel, r),
    };
    if timeouts.request.is_some_and(|request| request < timeouts.connect) {
        r.warn(
            level.at(&["request"]),
            "`timeouts.request` is below `timeouts.connect`: a request ends before a connection attempt times out, so no other endpoint is tried",
        );
    }
    timeouts
}

pub(super) fn retry(level: &Level<'_>, r: &mut Reading<'_>) -> RetrySettings {
    let usual = RetrySettings::default();
    let statuses = |value: &Value<'_>, _: &mut Reading<'_>| {
        let each = value.list("a list of statuses, such as [502, 503]")?;
        let status = |value: &Value<'_>| value.whole(400..=599).map(|status| u16::try_from(status).unwrap_or(0));
        each.iter().map(status).collect::<Result<Vec<u16>, Bad>>()
    };
    let numbers = |list: &Vec<u16>| Shown::List(list.iter().map(|status| Shown::Count(u64::from(*status))).collect());
    let retry = RetrySettings {
        attempts: level.count("attempts", 0..=10, usual.attempts, r),
        statuses: level.take("statuses", usual.statuses, r, statuses, numbers),
        budget: level.share("budget", usual.budget, r),
        backoff: level.duration("backoff", MILLISECOND..=DAY, usual.backoff, r),
        max_backoff: level.duration("max_backoff", MILLISECOND..=DAY, usual.max_backoff, r),
        replay_bytes: level.bytes("replay_bytes", 0..=64 << 20, usual.replay_bytes, r),
    };
    if retry.backoff > retry.max_backoff {
        let why = "waits are never longer than `max_backoff`; raise it";
        level.contradict(r, ("backoff", retry.backoff.shown()), ("max_backoff", retry.max_backoff.shown()), why);
    }
    if let Some(status) = retry.statuses.iter().find(|status| !WORTH_A_RETRY.contains(status)) {
        r.warn(
            level.at(&["statuses"]),
            format!("`retry.statuses` has {status}: a retry will be answered with the same status; remove it"),
        );
    }
    if retry.attempts == 0 && !retry.statuses.is_empty() {
        r.warn(level.at(&["statuses"]), "`retry.statuses` has no effect, because `retry.attempts` is 0");
    }
    retry
}

pub(super) fn breaker(level: &Level<'_>, r: &mut Reading<'_>) -> BreakerSettings {
    let usual = BreakerSettings::default();
    let failures = |value: &Value<'_>, _: &mut Reading<'_>| {
        let share = value.share()?;
        if share > 0.0 {
            Ok(share)
        } else {
            Err(value.refuse("0", "a share above 0; `breaker = false` switches it off"))
        }
    };
    BreakerSettings {
        failures: level.take("failures", usual.failures, r, failures, |share| Shown::Share(*share)),
        requests: level.count("requests", 1..=MANY, usual.requests, r),
        window: level.duration("window", 100 * MILLISECOND..=DAY, usual.window, r),
        open: level.duration("open", MILLISECOND..=DAY, usual.open, r),
        trials: level.count("trials", 1..=MANY, usual.trials, r),
    }
}

pub(super) fn outlier(level: &Level<'_>, r: &mut Reading<'_>) -> OutlierSettings {
    let usual = OutlierSettings::default();
    let outlier = OutlierSettings {
        consecutive: level.count("consecutive", 1..=MANY, usual.consecutive, r),
        ejection: level.duration("ejection", MILLISECOND..=DAY, usual.ejection, r),
        max_ejection: level.duration("max_ejection", MILLISECOND..=DAY, usual.max_ejection, r),
        max_share: level.share("max_share", usual.max_share, r),
    };
    if outlier.ejection > outlier.max_ejection {
        let why = "an endpoint is never ejected for longer than `max_ejection`; raise it";
        let (first, most) = (outlier.ejection.shown(), outlier.max_ejection.shown());
        level.contradict(r, ("ejection", first), ("max_ejection", most), why);
    }
    outlier
}

pub(super) fn health(level: &Level<'_>, r: &mut Reading<'_>) -> Option<HealthSettings> {
    let is_path =
        |text: &str| text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    let path = |value: &Value<'_>, _: &mut Reading<'_>| checked(value, "a path such as \"/health\"", is_path);
    let about = "the path to request, such as path = \"/health\"";
    let path = level.require("path", about, r, path, String::shown);
    let health = HealthSettings {
        path: path.unwrap_or_default(),
        every: level.duration("every", 100 * MILLISECOND..=DAY, Duration::from_secs(5), r),
        timeout: level.duration("timeout", MILLISECOND..=DAY, Duration::from_secs(2), r),
        healthy: level.count("healthy", 1..=1000, 2, r),
        unhealthy: level.count("unhealthy", 1..=1000, 3, r),
    };
    if health.timeout > health.every {
        r.warn(
            level.at(&["timeout", "every"]),
            "`health.timeout` is longer than `health.every`: a slow endpoint is checked less often than `health.every` says",
        );
    }
    (!health.path.is_empty()).then_some(health)
}

pub(super) fn resolve(level: &Level<'_>, r: &mut Reading<'_>) -> ResolveSettings {
    let usual = ResolveSettings::default();
    let resolve = ResolveSettings {
        servers: level.take("servers", usual.servers, r, dns_servers, |servers| Shown::list_or_none(servers)),
        min_ttl: level.duration("min_ttl", 100 * MILLISECOND..=DAY, usual.min_ttl, r),
        max_ttl: level.duration("max_ttl", 100 * MILLISECOND..=DAY, usual.max_ttl, r),
        timeout: level.duration("timeout", MILLISECOND..=DAY, usual.timeout, r),
    };
    if resolve.min_ttl > resolve.max_ttl {
        let why = "no TTL can satisfy both; raise `max_ttl`";
        level.contradict(r, ("min_ttl", resolve.min_ttl.shown()), ("max_ttl", resolve.max_ttl.shown()), why);
    }
    resolve
}

fn dns_servers(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<SocketAddr>, Bad> {
    const FORM: &str = "a list of at most 8 addresses with ports, such as [\"127.0.0.1:8600\"]";
    let one = |value: &Value<'_>| {
        let text = value.one_line()?;
        let address = text.parse().ok().filter(|address: &SocketAddr| address.port() > 0);
        address.ok_or_else(|| value.refuse(format!("`{text}`"), FORM))
    };
    if value.each().len() > 8 {
        return Err(value.refuse(format!("{} servers", value.each().len()), FORM));
    }
    texts(value, one, r)
}

pub(super) fn client(level: &Level<'_>, usual: ClientSettings, r: &mut Reading<'_>) -> ClientSettings {
    ClientSettings {
        connections: level.count("connections", 1..=MANY, usual.connections, r),
        head_bytes: level.bytes("head_bytes", HEAD, usual.head_bytes, r),
        fields: level.count("fields", 1..=10_000, usual.fields, r),
        body_bytes: level.take(
            "body_bytes",
            usual.body_bytes,
            r,
            |value, _| or_none(value, |value| value.bytes(0..=1 << 50)),
            |value| value.map_or(Shown::None, Shown::Bytes),
        ),
        head_timeout: level.duration("head_timeout", MILLISECOND..=DAY, usual.head_timeout, r),
        body_pace: pace(level, ("body_rate", "body_grace"), usual.body_pace, r),
        answer_pace: pace(level, ("answer_rate", "answer_grace"), usual.answer_pace, r),
        idle: level.duration("idle", MILLISECOND..=DAY, usual.idle, r),
        streams: level.count("streams", 1..=10_000, usual.streams, r),
    }
}

fn pace(level: &Level<'_>, (rate, grace): (&'static str, &'static str), usual: Pace, r: &mut Reading<'_>) -> Pace {
    let bytes = |value: &Value<'_>, _: &mut Reading<'_>| or_none(value, |value| value.bytes(1..=1 << 40));
    let rate = level.take(rate, usual.rate, r, bytes, |value| value.map_or(Shown::None, Shown::Bytes));
    Pace { rate, grace: level.duration(grace, MILLISECOND..=DAY, usual.grace, r) }
}

pub(super) fn or_none<'t, T>(
    value: &Value<'t>,
    read: impl FnOnce(&Value<'t>) -> Result<T, Bad>,
) -> Result<Option<T>, Bad> {
    if value.as_text() == Some("none") { Ok(None) } else { read(value).map(Some) }
}

const PATHS: &str = "a list of path prefixes, such as [\"/upload/\"]";

pub(super) fn buffer(level: &Level<'_>, usual: BufferSettings, r: &mut Reading<'_>) -> BufferSettings {
    let buffer = BufferSettings {
        requests: level.flag("requests", usual.requests, r),
        answers: level.flag("answers", usual.answers, r),
        streamed: level.take(
            "streamed",
            usual.streamed,
            r,
            |value, _| value.list(PATHS)?.iter().map(prefix).collect(),
            |paths| Shown::list(paths),
        ),
        memory: level.bytes("memory", 0..=64 << 20, usual.memory, r),
        all_memory: level.bytes("all_memory", 0..=1 << 40, usual.all_memory, r),
        disk: level.bytes("disk", 0..=1 << 50, usual.disk, r),
        folder: level.take("folder", usual.folder, r, |value, r| Ok(r.path(value.one_line()?)), PathBuf::shown),
    };
    if !buffer.requests && !buffer.streamed.is_empty() {
        r.warn(
            level.at(&["streamed"]),
            "`buffer.streamed` has no effect: `buffer.requests` is false, so all requests are streamed",
        );
    }
    buffer
}

fn prefix(value: &Value<'_>) -> Result<String, Bad> {
    checked(value, "a path prefix such as \"/upload/\"; it covers all paths that begin so", |text| {
        text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#*".contains(&byte))
    })
}

#[cfg(test)]
mod tests;
