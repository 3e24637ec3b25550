//! The principal type is [`Plans`]: makes a plan of a configuration, and keeps what it can of the one before.

use std::sync::Arc;

use unladen_pool::{Upstream, UpstreamError};

use super::error::ServeError;
use super::found::Found;
use super::listeners::{Changed, Listeners, Wanted};
use crate::beside::Beside;
use crate::config::Config;
use crate::plan::{Listener, Plan, Planned, State};
use crate::settings::{BesideSettings, ListenAddress};

/// Who may open the admin's Unix socket: its user and group.
const ADMIN_MODE: u32 = 0o660;

/// Makes plans.
#[derive(Debug)]
pub(super) struct Plans {
    pub(super) listeners: Listeners,
    threads: usize,
    generation: u64,
    kept: Vec<Kept>,
}

/// A `[[beside]]` as it is.
#[derive(Debug)]
struct Kept {
    beside: Arc<Beside>,
    /// Of its certificates and key: with others of the same names, it is another upstream.
    stamp: u64,
}

/// What a configuration comes to.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) plan: Plan,
    pub(super) admin: Option<Arc<Listener>>,
    pub(super) changed: Changed,
}

// === impl Plans ===

impl Plans {
    pub(super) fn new(threads: usize) -> Self {
        Self { listeners: Listeners::default(), threads, generation: 0, kept: Vec::new() }
    }

    /// Makes one; or, with an error, leaves everything as it is.
    pub(super) fn make(&mut self, config: &Config, found: &mut Vec<Found>) -> Result<Made, ServeError> {
        let settings = &config.settings;
        let stamped = settings.beside.iter().zip(&config.stamps);
        let kept: Vec<Kept> = stamped.map(|(beside, stamp)| self.beside(beside, *stamp)).collect::<Result<_, _>>()?;
        let admin = settings.admin.as_ref().map(|admin| &admin.listen);
        let (listeners, changed) = self.listen(&settings.beside, admin, found)?;
        let mut listeners = listeners.into_iter();
        let planned = |kept: &Kept| {
            let count = kept.beside.settings.listen.len();
            Planned { beside: kept.beside.clone(), listeners: listeners.by_ref().take(count).collect() }
        };
        let besides = kept.iter().map(planned).collect();
        self.generation += 1;
        self.kept = kept;
        let plan = Plan {
            generation: self.generation,
            besides,
            trace_sample: settings.otlp.as_ref().map(|otlp| otlp.sample),
            state: State::Running,
        };
        Ok(Made { plan, admin: listeners.next(), changed })
    }

    fn beside(&self, settings: &BesideSettings, stamp: u64) -> Result<Kept, ServeError> {
        let mut same = self.kept.iter().filter(|kept| kept.stamp == stamp);
        if let Some(kept) = same.clone().find(|kept| kept.beside.settings == *settings) {
            return Ok(Kept { beside: kept.beside.clone(), stamp });
        }
        let upstream = match same.find(|kept| kept.beside.settings.upstream == settings.upstream) {
            Some(kept) => kept.beside.upstream.clone(),
            None => Upstream::new(settings.upstream.clone(), self.threads)
                .map_err(|source| refused(&settings.upstream.name, source))?,
        };
        Ok(Kept { beside: Arc::new(Beside::new(settings.clone(), upstream)), stamp })
    }

    /// Those of each in turn, and the admin's last.
    fn listen(
        &mut self,
        besides: &[BesideSettings],
        admin: Option<&ListenAddress>,
        found: &mut Vec<Found>,
    ) -> Result<(Vec<Arc<Listener>>, Changed), ServeError> {
        let threads = self.threads;
        let of = |beside| {
            let BesideSettings { listen, upstream, socket_mode, .. }: &BesideSettings = beside;
            let wanted = |address| Wanted { address, name: &upstream.name, mode: *socket_mode, threads };
            listen.iter().map(wanted)
        };
        let mut wanted: Vec<Wanted<'_>> = besides.iter().flat_map(of).collect();
        wanted.extend(admin.map(|address| Wanted { address, name: "admin", mode: ADMIN_MODE, threads: 1 }));
        self.listeners.become_these(&wanted, found)
    }

    /// A plan to stop: nothing is listened at any more, so that the threads are the last to have the sockets.
    pub(super) fn last(&mut self, state: State) -> Plan {
        self.generation += 1;
        self.kept.clear();
        Plan { generation: self.generation, besides: Vec::new(), trace_sample: None, state }
    }
}

/// Looks at what only an attempt can tell: whether upstreams can be made as they are configured, with their certificates and keys.
///
/// # Errors
/// The first that cannot.
pub fn try_upstreams(config: &Config) -> Result<(), ServeError> {
    for beside in &config.settings.beside {
        Upstream::new(beside.upstream.clone(), 1).map_err(|source| refused(&beside.upstream.name, source))?;
    }
    Ok(())
}

fn refused(name: &str, source: UpstreamError) -> ServeError {
    ServeError::Upstream { name: name.to_owned(), source: Box::new(source) }
}
