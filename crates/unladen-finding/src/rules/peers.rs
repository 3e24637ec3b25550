//! Shared by the rules on connections: which count, how they are named, what they cost.

use unladen_trace::{ConnectionSeen, Counted, Evidence, Interval, Protocol, Series, State};

use crate::application::Application;
use crate::finding::{Saves, Share};
use crate::stack::Stack;
use crate::words;

/// From this many a request on, opening is the habit and not the exception: a pool opens one in hundreds of requests,
/// when the other side has closed it; without a pool, each request that uses the peer opens one. Half lies between, and
/// covers a page half of whose requests use the peer.
pub(super) const LEAST_PER_REQUEST: f64 = 0.5;

/// Sockets that the C library tries whenever a user or a host is looked up.
const NAME_SERVICE: &[&str] = &["/var/run/nscd/socket", "/run/nscd/socket", "/run/systemd/userdb/"];

/// Connections that a page opens by habit. In first requests of fresh processes all are new, even those of the best
/// pool. The C library's own connections do not count.
pub(super) fn habits(evidence: &Evidence) -> impl Iterator<Item = &ConnectionSeen> {
    let is_ours = |seen: &&ConnectionSeen| !NAME_SERVICE.iter().any(|path| seen.peer.starts_with(path));
    evidence.connections.iter().filter(|_| evidence.state == State::Warm).filter(is_ours)
}

/// Whether it is TCP: neither a Unix socket nor an unknown peer.
pub(super) fn is_tcp(seen: &ConnectionSeen) -> bool {
    !seen.peer.starts_with(['/', '@']) && port(seen).is_some()
}

pub(super) fn port(seen: &ConnectionSeen) -> Option<u16> {
    seen.peer.rsplit_once(':').and_then(|(_, port)| port.parse().ok())
}

pub(super) fn is_database(seen: &ConnectionSeen) -> bool {
    matches!(protocol(seen), Protocol::Postgres | Protocol::Mysql)
}

/// The protocol; for a database over TLS the database's, which began before the TLS did.
pub(super) fn protocol(seen: &ConnectionSeen) -> Protocol {
    match (seen.protocol, seen.inside) {
        (Protocol::Tls, Some(inside @ (Protocol::Postgres | Protocol::Mysql))) => inside,
        (protocol, _) => protocol,
    }
}

pub(super) fn spoken(protocol: Protocol) -> &'static str {
    protocol.name().unwrap_or("TCP")
}

pub(super) fn often(evidence: &Evidence, series: &Series, least: f64) -> Option<Interval> {
    evidence.per_request(series).filter(|count| count.low > 0.0 && count.value >= least)
}

pub(super) fn part(evidence: &Evidence, some: &Series, all: &Series) -> Option<f64> {
    let all = evidence.mean(all);
    (all > 0.0).then(|| (evidence.mean(some) / all).clamp(0.0, 1.0))
}

/// Total of several kinds of waiting, ns a request, without what tracing added on either side.
pub(super) fn time(evidence: &Evidence, counted: &[&Counted]) -> Option<Interval> {
    evidence.wait_of(&Counted::sum(counted.iter().copied()))
}

/// Whether a query costs much besides waiting: object mappers build the text and the objects, where nothing is counted.
pub(super) fn is_mapped(evidence: &Evidence, group: usize) -> bool {
    let mapper = Application::of(evidence, group).and_then(Application::for_many).is_some();
    mapper || matches!(Stack::of(evidence, group), Stack::Python | Stack::Perl | Stack::Ruby | Stack::Node)
}

/// What fewer queries save: their waiting, and the driver's work around it.
pub(super) fn fewer_questions(evidence: &Evidence, group: usize, takes: &Share) -> Saves {
    /// The driver's own work, relative to the waiting: a PDO call takes some 15 µs around a wait of 60 µs and more.
    const DRIVER: f64 = 1.5;
    if is_mapped(evidence, group) {
        return Saves::unproved("the application's own work around each call is saved too, but not counted");
    }
    Saves::part_of(takes, DRIVER)
}

/// Cost of opening the connections to a peer, ns a request, including handshakes and logins.
pub(super) fn opening(evidence: &Evidence, seen: &ConnectionSeen) -> Option<Interval> {
    time(evidence, &[&seen.opened, &seen.handshakes, &seen.logins])
}

/// Part of [`opening`] that goes to connections without queries. A connection with queries has logged in, so logins are
/// counted for those as far as they suffice; the rest is split by number.
pub(super) fn unused_part(evidence: &Evidence, seen: &ConnectionSeen) -> Option<f64> {
    let by_count = part(evidence, &seen.unused, &seen.opened.count)?;
    let asked = seen.opened.count.less(&seen.unused);
    let logins_asked = part(evidence, &asked, &seen.logins.count).unwrap_or(1.0);
    let time = |counted: &Counted| evidence.mean(&counted.time_ns).max(0.0);
    let (logins, others) = (time(&seen.logins), time(&seen.opened) + time(&seen.handshakes));
    let all = logins + others;
    Some(if all > 0.0 { (others * by_count + logins * (1.0 - logins_asked)) / all } else { by_count })
}

pub(super) fn cut(text: &str) -> String {
    const LONGEST: usize = 120;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words::cut(&text, LONGEST)
}
