//! Who takes on other hosts what is asked for the requests of a [`Run`].

use std::collections::{BTreeSet, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use unladen_agent::SessionError;
use unladen_load::Stop;
use unladen_report::FarStation;
use unladen_trace::{PathUnknown, Unseen};

use super::Run;
use crate::path::Path;

/// Addresses that are followed at most for each URL.
const MOST: usize = 16;

/// Within this a host has to answer.
const WITHIN: Duration = Duration::from_secs(10);

/// For so long requests are sent while a host looks for connections.
const SENDING: Duration = Duration::from_millis(350);

/// An address that is asked.
struct Asked {
    address: SocketAddr,
    /// The host whose own loopback address it is, if it is one.
    on: Option<String>,
    /// A request was seen to go there.
    certain: bool,
}

impl Run<'_> {
    /// Adds to each path who takes it at addresses of other hosts, and whom those have connections to. Requests are sent
    /// meanwhile; the timing is done by then.
    pub(super) fn follow_to_hosts(&mut self, paths: &mut [Path]) {
        if self.edges.fars().next().is_none() {
            return;
        }
        for (url, path) in paths.iter_mut().enumerate() {
            if self.cancel.is_cancelled() {
                return;
            }
            self.progress.say("looking who takes the requests on other hosts");
            let done = self.follow_far(url, path);
            if path.groups.is_empty() && !path.far.is_empty() {
                let why = "on other hosts connections are seen, and not which requests they are for".to_owned();
                path.seen.unknown = Some(PathUnknown { why, takes: String::new() });
            }
            if let Err(error) = done {
                path.seen.unknown.get_or_insert_with(|| PathUnknown { why: error.to_string(), takes: String::new() });
            }
        }
    }

    fn follow_far(&mut self, url: usize, path: &mut Path) -> Result<(), SessionError> {
        let mut next: VecDeque<Asked> = self.first_asked(url, path).collect();
        let mut known: BTreeSet<(String, SocketAddr)> = BTreeSet::new();
        let mut looked_at: BTreeSet<(String, usize)> = BTreeSet::new();
        while let Some(Asked { address, on, certain }) = next.pop_front() {
            let Some(host) = on.or_else(|| self.host_at(address.ip())) else { continue };
            if path.far.len() == MOST || !known.insert((host.clone(), address)) {
                continue;
            }
            let Some((_, far)) = self.edges.fars().find(|(name, _)| *name == host) else { continue };
            let groups = far.takers(&[address], Instant::now() + WITHIN)?.concat();
            let names: Vec<String> =
                groups.iter().filter_map(|group| Some(format!("{host}/{}", far.groups().get(*group)?.name))).collect();
            if names.is_empty() {
                continue;
            }
            path.far.push(FarStation { peer: address.to_string(), groups: names, certain });
            let new: Vec<usize> = groups.into_iter().filter(|group| looked_at.insert((host.clone(), *group))).collect();
            if new.is_empty() {
                continue;
            }
            far.ask_asked(&new)?;
            // A failure shows in the answers of whoever looks inside next.
            let _ = self.driver.run(url, Stop::after(SENDING), self.cancel);
            for address in far.wait_asked(Instant::now() + WITHIN)? {
                let on = address.ip().to_canonical().is_loopback().then(|| host.clone());
                next.push_back(Asked { address, on, certain: false });
            }
        }
        Ok(())
    }

    /// Where requests were seen to leave this machine.
    fn first_asked(&self, url: usize, path: &Path) -> impl Iterator<Item = Asked> {
        let target = self.driver.target(url).filter(|target| !target.is_local());
        // Of several addresses of one name, the client goes to the first that answers.
        let target = target.and_then(|target| target.addresses().first().copied());
        let beyond = path.seen.beyond.iter().filter(|seen| seen.why == Unseen::Elsewhere);
        let beyond: Vec<SocketAddr> = beyond.filter_map(|seen| seen.peer.parse().ok()).collect();
        target.into_iter().chain(beyond).map(|address| Asked { address, on: None, certain: true })
    }

    /// The host that has this address. One that several have, as networks of containers do, leads nowhere.
    fn host_at(&self, ip: IpAddr) -> Option<String> {
        let ip = ip.to_canonical();
        let has = |addresses: &[IpAddr]| addresses.iter().any(|own| own.to_canonical() == ip);
        let mut hosts = self
            .elsewhere
            .iter()
            .filter(|elsewhere| elsewhere.standpoint.as_ref().is_some_and(|standpoint| has(&standpoint.addresses)));
        let only = hosts.next()?;
        hosts.next().is_none().then(|| only.name.clone())
    }
}
