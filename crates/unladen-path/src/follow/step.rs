//! The principal type is [`Step`]: what one marked request shows of its route.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use unladen_trace::wire::recognise;
use unladen_trace::{Event, Object, Peer, PeerSeen, Protocol, Unseen, Way, What};

use crate::route::{Address, MOST_STATIONS, Route, Station};
use crate::stream::marked;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// For each address that was reached, the processes that took the request.
    pub(super) took: Vec<(Address, Vec<u32>)>,
    /// Whom they asked, on this machine and elsewhere.
    pub(super) asked: Vec<Asked>,
    /// The mark went over a socket without a name.
    nameless: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) address: Address,
    pub(super) protocol: Protocol,
    /// The connection bore the mark.
    certain: bool,
}

#[derive(Debug, Default)]
struct Doing {
    /// Accepted connections: whether it read, and whether it wrote after that.
    accepted: HashMap<u64, (bool, bool)>,
    own: BTreeMap<u64, Own>,
}

#[derive(Debug)]
struct Own {
    peer: Peer,
    protocol: Protocol,
    sent: bool,
    answered: bool,
}

impl Step {
    /// From the events of the watched processes; `at` tells who could take a connection at an address.
    pub(super) fn of<'a>(
        events: &[Event],
        mark: &[u8],
        first: &[Address],
        at: impl Fn(&Address) -> Option<&'a [u32]>,
    ) -> Self {
        let (doing, children) = doings(events);
        let marks: HashSet<(u32, u64)> = marked(events, mark).iter().map(|seen| (seen.pid, seen.socket)).collect();
        let mut step = Self::default();
        let mut next: VecDeque<Address> = first.iter().cloned().collect();
        let mut known: HashSet<Address> = first.iter().cloned().collect();
        while let Some(address) = next.pop_front() {
            let mut able: Vec<u32> = at(&address).unwrap_or_default().to_vec();
            let mut index = 0;
            while let Some(pid) = able.get(index) {
                // Processes started for this request.
                let new: Vec<u32> = children.get(pid).into_iter().flatten().copied().collect();
                able.extend(new.into_iter().filter(|pid| !able.contains(pid)).collect::<Vec<_>>());
                index += 1;
            }
            let took: Vec<u32> =
                able.iter().copied().filter(|pid| doing.get(pid).is_some_and(Doing::took_something)).collect();
            for pid in &took {
                let Some(doing) = doing.get(pid) else { continue };
                step.ask(*pid, doing, &marks);
            }
            for asked in &step.asked {
                if known.len() < MOST_STATIONS && known.insert(asked.address.clone()) {
                    next.push_back(asked.address.clone());
                }
            }
            step.took.push((address, took));
        }
        step
    }

    fn ask(&mut self, pid: u32, doing: &Doing, marks: &HashSet<(u32, u64)>) {
        let hands_on = doing.own.keys().any(|socket| marks.contains(&(pid, *socket)));
        let alone = doing.accepted.values().filter(|(read, _)| *read).count() <= 1;
        for (socket, own) in doing.own.iter().filter(|(_, own)| own.sent) {
            let certain = marks.contains(&(pid, *socket));
            // A server with other requests sends for those as well, but what it passes on for ours bears the mark.
            if !certain && (!own.answered || hands_on && !alone) {
                continue;
            }
            let Some(address) = Address::of(&own.peer) else {
                self.nameless |= certain;
                continue;
            };
            match self.asked.iter_mut().find(|asked| asked.address == address) {
                Some(asked) => asked.certain |= certain,
                None => self.asked.push(Asked { address, protocol: own.protocol, certain }),
            }
        }
    }

    /// Combines several requests. A peer asked without a mark, in one request alone, was asked for something else.
    pub(super) fn route(steps: &[Self], first: &[Address], at: impl Fn(&Address) -> Option<Vec<u32>>) -> Route {
        let mut route = Route::default();
        let mut asked: Vec<(Asked, usize)> = Vec::new();
        for one in steps.iter().flat_map(|step| &step.asked) {
            match asked.iter_mut().find(|(known, _)| known.address == one.address) {
                Some((known, times)) => {
                    known.certain |= one.certain;
                    *times += 1;
                }
                None => asked.push((one.clone(), 1)),
            }
        }
        asked.retain(|(asked, times)| asked.certain || *times > 1);
        let addresses = first.iter().cloned().map(|address| (address, None));
        let addresses = addresses.chain(asked.into_iter().map(|(asked, _)| (asked.address, Some(asked.protocol))));
        for (index, (address, protocol)) in addresses.enumerate() {
            let mut beyond = |why| {
                let protocol = protocol.unwrap_or(Protocol::Http);
                route.beyond.push(PeerSeen { peer: address.to_string(), protocol, why });
            };
            if index >= MOST_STATIONS {
                beyond(Unseen::TooMany);
                continue;
            }
            let took = steps.iter().flat_map(|step| &step.took).filter(|(at, _)| *at == address);
            let took: BTreeSet<u32> = took.flat_map(|(_, pids)| pids).copied().collect();
            match at(&address) {
                // If a name has several addresses, a request goes to one.
                None if protocol.is_none() && first.len() > 1 => {}
                None => beyond(Unseen::Elsewhere),
                Some(able) if took.is_empty() && able.is_empty() => beyond(Unseen::Hidden),
                Some(able) => {
                    let seen = !took.is_empty();
                    if !seen && protocol.is_none() && first.len() > 1 {
                        continue;
                    }
                    let pids = if seen { took.into_iter().collect() } else { able };
                    route.stations.push(Station { address, pids, seen });
                }
            }
        }
        if steps.iter().any(|step| step.nameless) {
            let peer = "a socket without a name".to_owned();
            route.beyond.push(PeerSeen { peer, protocol: Protocol::Other, why: Unseen::Nameless });
        }
        route
    }
}

fn doings(events: &[Event]) -> (HashMap<u32, Doing>, HashMap<u32, Vec<u32>>) {
    let mut all: HashMap<u32, Doing> = HashMap::new();
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for event in events {
        match &event.what {
            What::Fork { child } => children.entry(event.pid).or_default().push(*child),
            What::Transfer { way, object: Object::Socket(socket), result, payload, .. }
                if !socket.datagram && *result > 0 =>
            {
                let doing = all.entry(event.pid).or_default();
                if socket.accepted {
                    let (read, wrote) = doing.accepted.entry(socket.id).or_default();
                    match way {
                        Way::In => *read = true,
                        Way::Out => *wrote |= *read,
                    }
                } else {
                    let own = doing.own.entry(socket.id).or_insert_with(|| Own {
                        peer: socket.peer.clone(),
                        protocol: Protocol::Other,
                        sent: false,
                        answered: false,
                    });
                    match way {
                        Way::Out if !own.sent => {
                            own.sent = true;
                            own.protocol = recognise(payload, &socket.peer);
                        }
                        Way::Out => {}
                        Way::In => own.answered |= own.sent,
                    }
                }
            }
            _ => {}
        }
    }
    (all, children)
}

impl Doing {
    /// Read from an accepted connection, and wrote to it.
    fn took_something(&self) -> bool {
        self.accepted.values().any(|(read, wrote)| *read && *wrote)
    }
}
