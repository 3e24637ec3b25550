//! [`follow`] finds who takes a request, whom they ask for it, and so on: its [`Route`].
//!
//! A request is sent, and all listeners at its target are watched. It was taken by those who read from an accepted
//! connection and wrote to it. They asked whomever they sent something meanwhile: certainly if the connection bears the
//! mark; otherwise if they had no other request at that time, as with a process that takes one at a time. Those are
//! watched too, and the request is sent again, until nobody new turns up; and then a few times more, as not every
//! request of a page asks everybody.

mod step;

use std::collections::BTreeSet;

use unladen_load::{Cancel, DriverConfig};
use unladen_probe::TraceError;
use unladen_trace::PathUnknown;

use crate::listener::listeners;
use crate::route::{Address, MOST_STATIONS, PathError, Route, Station};
use crate::trail::Trail;
use step::Step;

/// Most requests sent: each finds somebody new, or lost events.
const MOST_REQUESTS: usize = 24;

/// Follows the request of this index. Sends at least a few requests, each of which must be answered as expected.
///
/// The route says what cannot be seen: without privilege it ends with the listeners at the target, if of the same user.
///
/// Fails if a request fails, is not served on this machine, or this is cancelled.
pub fn follow(driver: &DriverConfig, index: usize, cancel: &Cancel) -> Result<Route, PathError> {
    let mut trail = match Trail::open(driver, index) {
        Ok(trail) => trail,
        Err(PathError::Trace(error)) => return unprivileged(driver, index, &error),
        Err(error) => return Err(error),
    };
    let first: Vec<Address> = trail.target().collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut looks = Looks::default();
    for _ in 0..MOST_REQUESTS {
        let seen = trail.send(cancel)?;
        let step = Step::of(&seen.events, trail.mark(), &first, |address| trail.at(address));
        let is_wider = trail.widen(step.asked.iter().take(MOST_STATIONS).map(|asked| asked.address.clone()))?;
        steps.push(step);
        looks.add(is_wider, seen.lost);
        if looks.are_enough() {
            break;
        }
    }
    let mut route = Step::route(&steps, &first, |address| trail.at(address).map(<[u32]>::to_vec));
    route.unknown = looks.unknown();
    Ok(route)
}

/// The listeners at the request's target, which need no privilege if they are this user's, and nobody beyond.
fn unprivileged(driver: &DriverConfig, index: usize, error: &TraceError) -> Result<Route, PathError> {
    let Some(request) = driver.requests.get(index) else {
        return Err(PathError::Mark("there is none".to_owned()));
    };
    let target = unladen_load::Target::resolve(request.url(), driver.connect_to.as_ref(), driver.timeout)?;
    let unix = target.unix_path().map(|path| Address::Unix(path.to_owned()));
    let mut stations = Vec::new();
    for address in unix.into_iter().chain(target.addresses().iter().map(|one| Address::Tcp(*one))) {
        let pids: BTreeSet<u32> = listeners(&address)?.unwrap_or_default().into_iter().collect();
        if !pids.is_empty() {
            stations.push(Station { address, pids: pids.into_iter().collect(), seen: false });
        }
    }
    let privilege = matches!(error, TraceError::NotAllowed);
    Ok(Route {
        stations,
        beyond: Vec::new(),
        unknown: Some(PathUnknown {
            why: error.to_string(),
            takes: if privilege {
                "root, or CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE".to_owned()
            } else {
                String::new()
            },
        }),
    })
}

/// Requests observed once nobody new turns up.
const ENOUGH: usize = 3;

/// Whether a path was observed often enough.
#[derive(Debug, Default)]
struct Looks {
    /// Requests seen whole, in which nobody new turned up.
    quiet: usize,
    lost: u64,
}

impl Looks {
    /// Adds a request. If events were lost, it does not show that there is nobody else.
    fn add(&mut self, is_wider: bool, lost: u64) {
        self.lost += lost;
        match (is_wider, lost) {
            // Earlier requests were observed without them.
            (true, _) => self.quiet = 0,
            (false, 0) => self.quiet += 1,
            (false, _) => {}
        }
    }

    fn are_enough(&self) -> bool {
        self.quiet >= ENOUGH
    }

    /// Why the path is not known, if they were not enough.
    fn unknown(&self) -> Option<PathUnknown> {
        let why = match self.lost {
            _ if self.are_enough() => return None,
            0 => "each request went to a different process".to_owned(),
            lost => format!("{lost} events were lost while the request was followed: the machine is too busy"),
        };
        Some(PathUnknown { why, takes: String::new() })
    }
}

#[cfg(test)]
mod tests;
