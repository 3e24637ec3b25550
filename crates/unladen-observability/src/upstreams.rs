//! The principal type is [`Upstreams`]: those that are configured, as they are now, and what happened to those that
//! were.
//!
//! What is counted of an upstream's connections is counted by the upstream, which a reload may replace by another of
//! the same name. Who looks sees them as one: what the former ones counted is added.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;
use unladen_pool::{EndpointAddress, UpstreamSettings, UpstreamState, Usable};

/// An upstream, as it can be looked at.
pub trait UpstreamView: Send + Sync {
    /// What it was made of.
    fn settings(&self) -> &UpstreamSettings;

    /// How it does.
    fn state(&self) -> UpstreamState;

    /// What has happened to its connections, as in [`Self::state`], which may take longer.
    fn counts(&self) -> unladen_pool::Counts {
        self.state().counts
    }

    /// How many of its endpoints can take requests, as far as is known without asking them.
    fn usable(&self) -> Usable {
        let endpoints = self.state().endpoints;
        let all = endpoints.iter().filter(|endpoint| !endpoint.draining);
        Usable { usable: all.clone().filter(|endpoint| endpoint.healthy).count(), all: all.count() }
    }
}

/// Those that are configured, and what happened to those that were.
#[derive(Default)]
pub(super) struct Upstreams(Mutex<State>);

#[derive(Default)]
struct State {
    configured: Vec<Arc<dyn UpstreamView>>,
    former: Vec<Former>,
    /// By name, what those that are gone counted.
    gone: BTreeMap<String, Counts>,
}

/// One that was replaced or removed, and may have requests yet.
struct Former {
    name: String,
    view: Weak<dyn UpstreamView>,
    /// As it was last looked at.
    counts: Counts,
}

/// What happened to connections, by the names that [`unladen_pool::Counts`] has for it.
pub(super) type Counts = BTreeMap<String, u64>;

/// An upstream that is configured.
#[derive(Clone, Debug)]
pub(super) struct Configured {
    /// How it does. Its counts are its own.
    pub(super) state: UpstreamState,
    /// Its counts, and of all before it that had its name.
    pub(super) counts: Counts,
    pub(super) at: At,
    /// Connections there may be, and requests that may wait, or be in flight.
    pub(super) limits: [(&'static str, usize); 3],
}

/// The first place of an upstream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    /// `http` or `https`.
    pub(super) scheme: &'static str,
    /// A name, an address, or a socket's path.
    pub(super) address: String,
    /// None for a socket.
    pub(super) port: Option<u16>,
    /// As in its URL.
    pub(super) authority: String,
}

impl UpstreamView for unladen_pool::Upstream {
    fn settings(&self) -> &UpstreamSettings {
        self.settings()
    }

    fn state(&self) -> UpstreamState {
        self.state()
    }

    fn counts(&self) -> unladen_pool::Counts {
        self.counts()
    }

    fn usable(&self) -> Usable {
        self.usable()
    }
}

// === impl Upstreams ===

impl Upstreams {
    /// Others, from now on; some may be the same as before.
    pub(super) fn set(&self, configured: Vec<Arc<dyn UpstreamView>>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut state.configured, configured);
        let replaced: Vec<Former> = before
            .iter()
            .filter(|old| !state.configured.iter().any(|new| Arc::ptr_eq(old, new)))
            .map(|old| Former {
                name: old.settings().name.clone(),
                view: Arc::downgrade(old),
                counts: counts_of(old.counts()),
            })
            .collect();
        state.former.extend(replaced);
    }

    /// All that are configured, in the order of the settings.
    pub(super) fn look(&self) -> Vec<Configured> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.look_at_former();
        let State { configured, former, gone } = &*state;
        configured
            .iter()
            .map(|view| {
                let (settings, state) = (view.settings(), view.state());
                let mut counts = counts_of(state.counts);
                for others in former.iter().filter(|former| former.name == state.name).map(|former| &former.counts) {
                    add(&mut counts, others);
                }
                if let Some(others) = gone.get(&state.name) {
                    add(&mut counts, others);
                }
                let limits = &settings.limits;
                Configured {
                    counts,
                    at: At::of(settings),
                    limits: [
                        ("connections", limits.connections),
                        ("pending", limits.pending),
                        ("requests", limits.requests),
                    ],
                    state,
                }
            })
            .collect()
    }

    /// Of those that are configured, by name: connections that were made, also by those before of the same name.
    /// Nothing else is looked at.
    pub(super) fn connects(&self) -> HashMap<String, u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.look_at_former();
        let State { configured, former, gone } = &*state;
        let connects = |counts: &Counts| counts.get("connects").copied().unwrap_or(0);
        let of = |view: &Arc<dyn UpstreamView>| {
            let name = view.settings().name.clone();
            let others = former.iter().filter(|former| former.name == name).map(|former| &former.counts);
            let others: u64 = others.chain(gone.get(&name)).map(connects).sum();
            (name, view.counts().connects + others)
        };
        configured.iter().map(of).collect()
    }

    /// How many endpoints of the upstream of this name can take requests; none: there is no such upstream.
    pub(super) fn usable(&self, name: &str) -> Option<Usable> {
        let view = {
            let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.configured.iter().find(|view| view.settings().name == name).cloned()
        };
        Some(view?.usable())
    }

    /// Where the upstream of this name is.
    pub(super) fn at(&self, name: &str) -> Option<At> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.configured.iter().map(|view| view.settings()).find(|settings| settings.name == name).map(At::of)
    }
}

impl std::fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upstreams").finish_non_exhaustive()
    }
}

impl State {
    /// What those counted that were replaced; of those that are gone, it is kept by name.
    fn look_at_former(&mut self) {
        let Self { former, gone, .. } = self;
        former.retain_mut(|former| {
            let view = former.view.upgrade();
            if let Some(view) = &view {
                former.counts = counts_of(view.counts());
            } else {
                add(gone.entry(former.name.clone()).or_default(), &former.counts);
            }
            view.is_some()
        });
    }
}

impl At {
    fn of(settings: &UpstreamSettings) -> Self {
        let Some(origin) = settings.origins.first() else { return Self::default() };
        let (address, port) = match &origin.at {
            EndpointAddress::Tcp(host, port) => (host.clone(), Some(*port)),
            EndpointAddress::Unix(path) => (path.display().to_string(), None),
        };
        let scheme = if origin.tls { "https" } else { "http" };
        Self { scheme, address, port, authority: origin.authority.clone() }
    }
}

/// By the names of its fields: whatever else the pool comes to count is told too.
fn counts_of(counts: unladen_pool::Counts) -> Counts {
    match serde_json::to_value(counts) {
        Ok(Value::Object(fields)) => {
            fields.into_iter().filter_map(|(name, count)| Some((name, count.as_u64()?))).collect()
        }
        _ => Counts::new(),
    }
}

fn add(sums: &mut Counts, counts: &Counts) {
    for (name, count) in counts {
        *sums.entry(name.clone()).or_default() += count;
    }
}

#[cfg(test)]
pub(super) mod tests;
