//! The principal type is [`Upstreams`]: the configured upstreams in their present state, and counts of earlier ones.
//!
//! An upstream counts its own connections, and a reload may replace it by another of the same name. Readers see both as
//! one: the counts of former ones are added.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::Value;
use unladen_pool::{EndpointAddress, UpstreamSettings, UpstreamState, Usable};

/// An upstream's state for display.
pub trait UpstreamView: Send + Sync {
    fn settings(&self) -> &UpstreamSettings;

    fn state(&self) -> UpstreamState;

    /// Connection counts, without the cost of [`Self::state`].
    fn counts(&self) -> unladen_pool::Counts {
        self.state().counts
    }

    /// How many endpoints can take requests, as far as known without probing.
    fn usable(&self) -> Usable {
        let endpoints = self.state().endpoints;
        let all = endpoints.iter().filter(|endpoint| !endpoint.draining);
        Usable { usable: all.clone().filter(|endpoint| endpoint.healthy).count(), all: all.count() }
    }
}

#[derive(Default)]
pub(super) struct Upstreams(Mutex<State>);

#[derive(Default)]
struct State {
    configured: Vec<Arc<dyn UpstreamView>>,
    former: Vec<Former>,
    gone: BTreeMap<String, Counts>,
}

/// A replaced or removed upstream, which may still have requests.
struct Former {
    name: String,
    view: Weak<dyn UpstreamView>,
    counts: Counts,
}

/// Connection counts, by the field names of [`unladen_pool::Counts`].
pub(super) type Counts = BTreeMap<String, u64>;

#[derive(Clone, Debug)]
pub(super) struct Configured {
    /// Its counts are its own alone.
    pub(super) state: UpstreamState,
    /// Its counts, with those of all earlier ones of its name.
    pub(super) counts: Counts,
    pub(super) at: At,
    /// Maximum of connections, of waiting requests, and of requests in flight.
    pub(super) limits: [(&'static str, usize); 3],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub(super) scheme: &'static str,
    pub(super) address: String,
    pub(super) port: Option<u16>,
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

    /// Connections opened by each configured upstream, earlier ones of its name included. Reads nothing else.
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

    pub(super) fn usable(&self, name: &str) -> Option<Usable> {
        let view = {
            let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.configured.iter().find(|view| view.settings().name == name).cloned()
        };
        Some(view?.usable())
    }

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
    /// Updates the counts of former upstreams; those of dropped ones are kept by name.
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

/// By field names: new counters of the pool are included automatically.
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
