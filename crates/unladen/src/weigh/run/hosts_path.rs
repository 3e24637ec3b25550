//! Who takes the requests of a [`Run`], here and on other hosts.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use unladen_agent::FarInstrument;
use unladen_load::Stop;
use unladen_path::{PathError, follow};
use unladen_probe::connected_sockets;
use unladen_report::{Ended, FarStation};
use unladen_trace::{PathUnknown, Unseen};

use crate::path::Path;
use crate::weigh::measured::{Elsewhere, leads_to};
use crate::weigh::run::Run;

/// Most stations reported per URL.
const MOST: usize = 16;

/// Most addresses asked for at once: as many as an agent answers.
const MOST_ASKED: usize = 256;

/// Limit of a host's answer.
const WITHIN: Duration = Duration::from_secs(10);

/// Limit of all hosts together, for all URLs.
const ALL_WITHIN: Duration = Duration::from_secs(60);

/// How long requests are sent while hosts look for connections.
const SENDING: Duration = Duration::from_millis(350);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    address: SocketAddr,
    /// The host whose own loopback address it is, if it is one.
    on: Option<String>,
    /// A request was seen to go there.
    certain: bool,
    /// The host that reports a connection to it, if one does.
    by: Option<String>,
    /// The user's name for it.
    name: Option<String>,
}

/// The path of one URL's requests on other hosts.
#[derive(Debug, Default)]
struct Followed {
    stations: Vec<FarStation>,
    /// What is unknown, and why.
    notes: BTreeSet<String>,
}

impl Run<'_> {
    /// Sends a few requests to each URL that is served here, and observes who takes them, after all timing. `is_alone`:
    /// no other host is observed.
    pub(super) fn paths(&mut self, ended: Ended, is_alone: bool) -> Vec<Path> {
        let all = 0..self.options.driver.requests.len();
        if ended != Ended::Complete {
            return all.map(|_| Path::unknown("the run ended before it was found".to_owned())).collect();
        }
        self.progress.say("finding the requests' path");
        all.map(|url| match follow(&self.options.driver, url, self.cancel) {
            Ok(route) => Path::of(route, &mut self.instrument),
            Err(error @ PathError::Remote { .. }) if is_alone => {
                Path::unknown(format!("{error}: run unladen on its server"))
            }
            Err(error @ PathError::Remote { .. }) => {
                Path::unknown(format!("{error}, so connections are not followed on other hosts"))
            }
            Err(error) => Path::unknown(error.to_string()),
        })
        .collect()
    }

    /// Adds to each path who takes it at addresses of other hosts, and whom those have connections to. Requests are
    /// sent meanwhile, after all timing.
    pub(super) fn follow_to_hosts(&mut self, paths: &mut [Path]) {
        if self.edges.fars().next().is_none() {
            return;
        }
        let end = Instant::now() + ALL_WITHIN;
        // A host that was late or went away is not waited for again.
        let mut silent = BTreeSet::new();
        for (url, path) in paths.iter_mut().enumerate() {
            if self.cancel.is_cancelled() {
                return;
            }
            self.progress.say("finding the processes that take the requests on other hosts");
            let Followed { stations, mut notes } = self.follow_far(url, path, end, &mut silent);
            path.far = stations;
            if path.groups.is_empty() && !path.far.is_empty() {
                notes.insert("on other hosts only connections are seen, not the requests they are for".to_owned());
            }
            if !notes.is_empty() {
                let why = notes.into_iter().collect::<Vec<_>>().join("; ");
                let unknown =
                    path.seen.unknown.get_or_insert_with(|| PathUnknown { why: String::new(), takes: String::new() });
                unknown.why = if unknown.why.is_empty() { why } else { format!("{}; {why}", unknown.why) };
            }
        }
    }

    /// Step by step: all hosts are asked at once who takes it at their addresses, and then at once whom those ask.
    fn follow_far(&mut self, url: usize, path: &Path, end: Instant, silent: &mut BTreeSet<String>) -> Followed {
        let mut followed = Followed::default();
        let claims = Claims::of(&self.elsewhere);
        let mut next: BTreeSet<Asked> = self.first_asked(url, path);
        let mut known: BTreeSet<(String, SocketAddr)> = BTreeSet::new();
        let mut looked_at: BTreeSet<(String, usize)> = BTreeSet::new();
        while !next.is_empty() && !self.cancel.is_cancelled() {
            if Instant::now() >= end {
                followed.notes.insert("no time was left to ask other hosts".to_owned());
                break;
            }
            let mut by_host: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
            let mut now: Vec<Asked> = std::mem::take(&mut next).into_iter().collect();
            // Of two with one address, the one that was seen counts.
            now.sort_by_key(|asked| !asked.certain);
            for asked in now {
                let host = match asked.on.clone().map_or_else(|| claims.host_at(asked.address.ip()), Claim::Of) {
                    Claim::Of(host) => host,
                    Claim::Nobody => continue,
                    Claim::Several(hosts) => {
                        let hosts = hosts.join(" and ");
                        followed.notes.insert(format!("{hosts} each claim the address {}", asked.address.ip()));
                        continue;
                    }
                };
                if silent.contains(&host) {
                    followed.notes.insert(format!("{host} did not answer"));
                } else if known.insert((host.clone(), asked.address)) {
                    by_host.entry(host).or_default().push(asked);
                }
            }
            let mut new: Vec<(String, Vec<usize>)> = Vec::new();
            for (host, asked) in by_host {
                let groups = self.takers(&host, &asked, end, silent, &mut followed);
                let groups: Vec<usize> =
                    groups.into_iter().filter(|group| looked_at.insert((host.clone(), *group))).collect();
                if !groups.is_empty() {
                    new.push((host, groups));
                }
            }
            next = self.asked_by(url, &new, end, silent, &mut followed);
        }
        followed
    }

    /// Adds those who take it at these addresses of a host, and returns their groups there.
    fn takers(
        &self,
        host: &str,
        asked: &[Asked],
        end: Instant,
        silent: &mut BTreeSet<String>,
        followed: &mut Followed,
    ) -> Vec<usize> {
        let Some(far) = self.far(host) else { return Vec::new() };
        if asked.len() > MOST_ASKED {
            followed.notes.insert(format!("of {} addresses of {host}, {MOST_ASKED} were checked", asked.len()));
        }
        let asked = &asked[..asked.len().min(MOST_ASKED)];
        let addresses: Vec<SocketAddr> = asked.iter().map(|asked| asked.address).collect();
        let takers = match far.takers(&addresses, self.until(end), &|| !self.cancel.is_cancelled()) {
            Ok(takers) => takers,
            Err(error) => {
                silent.insert(host.to_owned());
                followed.notes.insert(error.to_string());
                return Vec::new();
            }
        };
        let mut all = Vec::new();
        for (asked, groups) in asked.iter().zip(takers) {
            let name = |group: &usize| Some(format!("{host}/{}", far.groups().get(*group)?.name));
            let names: Vec<String> = groups.iter().filter_map(name).collect();
            if names.is_empty() {
                continue;
            }
            if followed.stations.len() == MOST {
                followed.notes.insert(format!("only the first {MOST} stations on other hosts are shown"));
                break;
            }
            let peer = asked.address.to_string();
            let on_word_of = self.on_word_of(host, asked);
            followed.stations.push(FarStation { peer, groups: names, certain: asked.certain, on_word_of });
            all.extend(groups);
        }
        all
    }

    /// The hosts whose word alone says that this address is this host's, and that something goes there. Which groups a
    /// host has is always its own word: it was asked for that.
    fn on_word_of(&self, host: &str, asked: &Asked) -> Vec<String> {
        let ip = asked.address.ip().to_canonical().to_string();
        let leads_there =
            |command: &str| leads_to(command, &ip) || asked.name.as_ref().is_some_and(|name| leads_to(command, name));
        let is_named = self.options.hosts.iter().any(|one| one.name == host && leads_there(&one.command));
        let owner = (asked.on.is_none() && !is_named).then(|| host.to_owned());
        asked.by.iter().cloned().chain(owner).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whom these groups of hosts have connections to while requests are sent.
    fn asked_by(
        &mut self,
        url: usize,
        groups: &[(String, Vec<usize>)],
        end: Instant,
        silent: &mut BTreeSet<String>,
        followed: &mut Followed,
    ) -> BTreeSet<Asked> {
        let mut next = BTreeSet::new();
        let mut waited_for = Vec::new();
        for (host, groups) in groups {
            match self.far(host).map(|far| far.ask_asked(groups)) {
                Some(Ok(())) => waited_for.push(host),
                Some(Err(error)) => {
                    silent.insert(host.clone());
                    followed.notes.insert(error.to_string());
                }
                None => {}
            }
        }
        if waited_for.is_empty() {
            return next;
        }
        // A failure shows in the answers when looking inside next.
        let _ = self.driver.run(url, Stop::after(SENDING), self.cancel);
        for host in waited_for {
            let Some(far) = self.far(host) else { continue };
            // After a cancellation the answer is received all the same, or it would be taken for another one.
            match far.wait_asked(self.until(end), &|| !self.cancel.is_cancelled()) {
                Ok(addresses) => next.extend(addresses.into_iter().map(|address| {
                    let on = address.ip().to_canonical().is_loopback().then(|| host.clone());
                    Asked { address, on, certain: false, by: Some(host.clone()), name: None }
                })),
                Err(error) => {
                    silent.insert(host.clone());
                    followed.notes.insert(error.to_string());
                }
            }
        }
        next
    }

    fn far(&self, host: &str) -> Option<&FarInstrument> {
        self.edges.fars().find(|(name, _)| *name == host).map(|(_, far)| far)
    }

    fn until(&self, end: Instant) -> Instant {
        end.min(Instant::now() + WITHIN)
    }

    /// Where requests were seen to leave this machine.
    fn first_asked(&self, url: usize, path: &Path) -> BTreeSet<Asked> {
        let target = self.driver.target(url).filter(|target| !target.is_local());
        let addresses = target.map(|target| target.addresses().to_vec()).unwrap_or_default();
        let name = target.and_then(|_| self.options.driver.requests.get(url)?.url().host_str().map(str::to_owned));
        let targets = targets(&addresses, &connected_to(&addresses), name.as_deref());
        let beyond = path.seen.beyond.iter().filter(|seen| seen.why == Unseen::Elsewhere);
        let beyond: Vec<SocketAddr> = beyond.filter_map(|seen| seen.peer.parse().ok()).collect();
        let beyond = beyond.into_iter().map(|address| Asked { address, on: None, certain: true, by: None, name: None });
        targets.into_iter().chain(beyond).collect()
    }
}

/// Of the addresses of a URL's host, those that requests go to: the only one, or those that this process has
/// connections to. If none is left, it may be any of them.
fn targets(addresses: &[SocketAddr], connected: &[SocketAddr], name: Option<&str>) -> Vec<Asked> {
    let (of, certain) = match (addresses, connected) {
        ([_], _) => (addresses, true),
        (_, []) => (addresses, false),
        _ => (connected, true),
    };
    let asked = |address: &SocketAddr| {
        let name = name.map(str::to_owned);
        Asked { address: *address, on: None, certain, by: None, name }
    };
    of.iter().map(asked).collect()
}

/// The addresses that hosts claim to have; there is nothing but their word for it.
#[derive(Debug)]
struct Claims {
    hosts: Vec<(String, Vec<IpAddr>)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Claim {
    /// Claimed by this host alone.
    Of(String),
    Nobody,
    /// Claimed by each of these, as with container networks.
    Several(Vec<String>),
}

impl Claims {
    pub(super) fn of(elsewhere: &[Elsewhere]) -> Self {
        let of = |host: &Elsewhere| {
            let addresses = &host.standpoint.as_ref()?.addresses;
            Some((host.name.clone(), addresses.iter().map(IpAddr::to_canonical).collect()))
        };
        Self { hosts: elsewhere.iter().filter_map(of).collect() }
    }

    pub(super) fn host_at(&self, ip: IpAddr) -> Claim {
        let ip = ip.to_canonical();
        let hosts = self.hosts.iter().filter(|(_, addresses)| addresses.contains(&ip));
        let names: Vec<String> = hosts.map(|(name, _)| name.clone()).collect();
        match names.as_slice() {
            [] => Claim::Nobody,
            [only] => Claim::Of(only.clone()),
            _ => Claim::Several(names),
        }
    }
}

/// Most bytes of a network's table that are read: some 400,000 sockets.
const MAX_TABLE: u64 = 1 << 26;

/// Those of the addresses to which this process, not another one, has an open connection.
fn connected_to(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    if addresses.is_empty() {
        return Vec::new();
    }
    let own = own_sockets();
    let mut peers = HashSet::new();
    for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        let mut text = String::new();
        if File::open(table).and_then(|file| file.take(MAX_TABLE).read_to_string(&mut text)).is_ok() {
            peers.extend(
                connected_sockets(&text).filter(|socket| own.contains(&socket.inode)).map(|socket| socket.peer),
            );
        }
    }
    // The kernel's table has neither scopes nor IPv4-mapped IPv6 addresses.
    let is_peer = |address: &&SocketAddr| peers.contains(&SocketAddr::new(address.ip().to_canonical(), address.port()));
    addresses.iter().filter(is_peer).copied().collect()
}

fn own_sockets() -> HashSet<u64> {
    let links = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let links = links.filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
