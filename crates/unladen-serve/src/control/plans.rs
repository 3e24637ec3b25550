//! The principal type is [`Plans`]: makes a plan of a configuration, and keeps what it can of the one before.

use std::sync::Arc;

use unladen_pool::{Upstream, UpstreamError};

use super::error::ServeError;
use super::found::Found;
use super::listeners::{Changed, Listeners, Wanted};
use crate::beside::Beside;
use crate::config::{Config, FrontStamp};
use crate::front::{Front, FrontSettings};
use crate::plan::{Listener, Plan, Planned, State};
use crate::settings::{BesideSettings, ListenAddress, Settings};

/// Who may open the admin's Unix socket: its user and group.
const ADMIN_MODE: u32 = 0o660;

/// Makes plans.
#[derive(Debug)]
pub(super) struct Plans {
    pub(super) listeners: Listeners,
    threads: usize,
    generation: u64,
    kept: Vec<Kept>,
    fronts: Vec<KeptFront>,
}

/// A `[[front]]` as it is.
#[derive(Debug)]
struct KeptFront {
    front: Arc<Front>,
    stamp: FrontStamp,
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
        Self { listeners: Listeners::default(), threads, generation: 0, kept: Vec::new(), fronts: Vec::new() }
    }

    /// Makes one; or, with an error, leaves everything as it is.
    pub(super) fn make(&mut self, config: &Config, found: &mut Vec<Found>) -> Result<Made, ServeError> {
        let settings = &config.settings;
        let stamped = settings.beside.iter().zip(&config.stamps);
        let kept: Vec<Kept> = stamped.map(|(beside, stamp)| self.beside(beside, *stamp)).collect::<Result<_, _>>()?;
        let admin = settings.admin.as_ref().map(|admin| &admin.listen);
        let stamped = settings.front.iter().zip(&config.front_stamps);
        let fronts: Vec<KeptFront> =
            stamped.map(|(front, stamp)| self.front(front, *stamp)).collect::<Result<_, _>>()?;
        let (listeners, changed) = self.listen(settings, admin, found)?;
        let mut listeners = listeners.into_iter();
        let planned = |kept: &Kept| {
            let count = kept.beside.settings.listen.len();
            let listeners = listeners.by_ref().take(count).collect();
            Planned { beside: kept.beside.clone(), front: None, redirects: Vec::new(), listeners }
        };
        let mut places: Vec<Planned> = kept.iter().map(planned).collect();
        places.extend(fronts.iter().map(|KeptFront { front, .. }| {
            let (count, redirects) = (front.settings.app.listen.len(), front.settings.redirect.len());
            let own = listeners.by_ref().take(count).collect();
            let redirects = listeners.by_ref().take(redirects).collect();
            Planned { beside: front.app.clone(), front: Some(front.clone()), listeners: own, redirects }
        }));
        self.generation += 1;
        self.kept = kept;
        self.fronts = fronts;
        let plan = Plan {
            generation: self.generation,
            places,
            trace_sample: settings.otlp.as_ref().map(|otlp| otlp.sample),
            state: State::Running,
        };
        Ok(Made { plan, admin: listeners.next(), changed })
    }

    fn front(&self, settings: &FrontSettings, stamp: FrontStamp) -> Result<KeptFront, ServeError> {
        let name = &settings.app.upstream.name;
        let before = self.fronts.iter().find(|kept| kept.front.app.upstream.settings().name == *name);
        if let Some(kept) = before.filter(|kept| kept.stamp == stamp && kept.front.settings == *settings) {
            return Ok(KeptFront { front: kept.front.clone(), stamp });
        }
        let is_same = |kept: &&KeptFront| {
            kept.stamp.app == stamp.app && kept.front.settings.app.upstream == settings.app.upstream
        };
        let upstream = match before.filter(is_same) {
            Some(kept) => kept.front.app.upstream.clone(),
            None => {
                Upstream::new(settings.app.upstream.clone(), self.threads).map_err(|source| refused(name, source))?
            }
        };
        let app = Arc::new(Beside::new(settings.app.clone(), upstream));
        let front = Front::new(settings.clone(), app, self.threads, before.map(|kept| &*kept.front))
            .map_err(|source| ServeError::Front { name: name.clone(), source })?;
        Ok(KeptFront { front: Arc::new(front), stamp })
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
        settings: &Settings,
        admin: Option<&ListenAddress>,
        found: &mut Vec<Found>,
    ) -> Result<(Vec<Arc<Listener>>, Changed), ServeError> {
        let threads = self.threads;
        let of = |beside| {
            let BesideSettings { listen, upstream, socket_mode, .. }: &BesideSettings = beside;
            let wanted = |address| Wanted { address, name: &upstream.name, mode: *socket_mode, threads };
            listen.iter().map(wanted)
        };
        let mut wanted: Vec<Wanted<'_>> = settings.beside.iter().flat_map(of).collect();
        for front in &settings.front {
            let FrontSettings { app, redirect, .. } = front;
            wanted.extend(of(app));
            let to = |address| Wanted { address, name: &app.upstream.name, mode: app.socket_mode, threads };
            wanted.extend(redirect.iter().map(to));
        }
        wanted.extend(admin.map(|address| Wanted { address, name: "admin", mode: ADMIN_MODE, threads: 1 }));
        self.listeners.become_these(&wanted, found)
    }

    /// A plan to stop: nothing is listened at any more, so that the threads are the last to have the sockets.
    pub(super) fn last(&mut self, state: State) -> Plan {
        self.generation += 1;
        self.kept.clear();
        self.fronts.clear();
        Plan { generation: self.generation, places: Vec::new(), trace_sample: None, state }
    }
}

/// Looks at what only an attempt can tell: whether upstreams can be made as they are configured, with their certificates and keys.
///
/// What is doubtful about them, a sentence each.
///
/// # Errors
/// The first that cannot.
pub fn try_upstreams(config: &Config) -> Result<Vec<String>, ServeError> {
    for beside in &config.settings.beside {
        Upstream::new(beside.upstream.clone(), 1).map_err(|source| refused(&beside.upstream.name, source))?;
    }
    let mut doubts = Vec::new();
    for settings in &config.settings.front {
        let name = &settings.app.upstream.name;
        let upstream = Upstream::new(settings.app.upstream.clone(), 1).map_err(|source| refused(name, source))?;
        let app = Arc::new(Beside::new(settings.app.clone(), upstream));
        let front = Front::new(settings.clone(), app, 1, None)
            .map_err(|source| ServeError::Front { name: name.clone(), source })?;
        doubts.extend(front.doubts());
    }
    Ok(doubts)
}

fn refused(name: &str, source: UpstreamError) -> ServeError {
    ServeError::Upstream { name: name.to_owned(), source: Box::new(source) }
}
