//! The principal type is [`Snapshots`]: makes what sites keep outlive this process.
//!
//! A thread of its own loads what the previous process wrote, and writes what has changed from time to time; the
//! control thread pauses it, and writes the last snapshot itself. There is no thread unless a site has a file.

use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use unladen_fleet::{Fleet, Hold};

use super::fleet::report_lost;
use crate::cache::snapshot::disk::{load, write};
use crate::cache::snapshot::file::{FileError, doubts};
use crate::cache::snapshot::remembered::Remembered;
use crate::cache::snapshot::succession::{give, take, take_back};
use crate::cache::snapshot::successor::{BYE, Successor, UNSENT, frame};
use crate::plan::Plan;
use crate::say::say;

/// How long a successor waits for what is kept before it carries requests; meanwhile the old process does. Later
/// entries are taken all the same.
const UNTIL_SERVING: Duration = Duration::from_secs(3);
/// Its longer wait for word that the old process's purges reach it.
const UNTIL_REACHED: Duration = Duration::from_secs(8);
/// How long a successor has until it listens, which is its time until it serves.
const UNTIL_LISTENING: Duration = Duration::from_secs(10);

/// How long the last purges have to reach other nodes.
const LAST_WORDS: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Snapshots {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    successor: Option<Arc<Successor>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct State {
    sites: Vec<Arc<Remembered>>,
    /// Tells what was purged while nobody served.
    fleet: Option<Arc<Fleet>>,
    hold: Option<Hold>,
    /// Times that `sites` was replaced.
    changes: u64,
    is_to_load: bool,
    /// Another process may write, so this one does not.
    rests: bool,
    is_over: bool,
}

impl Snapshots {
    pub(super) fn follow(&mut self, plan: &Plan) {
        let sites = plan.places.iter().filter_map(|planned| planned.site.as_deref());
        let sites: Vec<_> = sites.filter_map(Remembered::of).map(Arc::new).collect();
        let has_files = sites.iter().any(|site| site.settings.is_some());
        let mut state = self.shared.lock();
        state.sites = sites;
        state.fleet.clone_from(&plan.fleet);
        state.changes += 1;
        drop(state);
        self.shared.bell.notify_all();
        if has_files && self.thread.is_none() {
            let shared = self.shared.clone();
            let thread = thread::Builder::new().name("snapshots".into()).spawn(move || shared.run());
            self.thread =
                thread.map_err(|error| say!("unladen: no snapshots are written: cannot start a thread: {error}")).ok();
        }
    }

    pub(super) fn load(&self, hold: Option<Hold>) {
        let mut state = self.shared.lock();
        state.is_to_load = true;
        // Without files there is no thread to do it.
        state.hold = hold.filter(|_| self.thread.is_some());
        drop(state);
        self.shared.bell.notify_all();
    }

    /// Takes over from the previous process in the background, and waits for that up to a bound.
    pub(super) fn inherit(&self, stream: UnixStream, hold: Option<Hold>) {
        let (shared, sites) = (self.shared.clone(), self.shared.lock().sites.clone());
        let (began, is_reached) = channel();
        let (done, is_whole) = channel();
        let take = move || {
            let now = |name: &str| shared.lock().sites.iter().find(|site| site.name == name).cloned();
            // The receiver may have given up waiting.
            let reached = || began.send(()).unwrap_or_default();
            let whole = || done.send(()).unwrap_or_default();
            if let Err(error) = take(&stream, &sites, hold, now, (reached, whole)) {
                say!(
                    "unladen: the previous process ended unexpectedly ({error}): all stored responses that were taken \
                     over will be revalidated"
                );
            }
        };
        match thread::Builder::new().name("inheritance".into()).spawn(take) {
            Ok(_) => {
                let until = Instant::now() + UNTIL_SERVING;
                let _ = is_reached.recv_timeout(UNTIL_REACHED);
                let _ = is_whole.recv_timeout(until.saturating_duration_since(Instant::now()));
            }
            Err(error) => say!("unladen: stored responses are not taken over: cannot start a thread: {error}"),
        }
    }

    /// Sends what is kept to a successor once it listens to this stream.
    pub(super) fn give(&mut self, stream: UnixStream) {
        self.shared.lock().rests = true;
        let successor = Successor::new(stream);
        self.successor = Some(successor.clone());
        let (sites, fleet) = {
            let state = self.shared.lock();
            (state.sites.clone(), state.fleet.clone())
        };
        let give = move || {
            if give(&successor, &sites, fleet.as_deref(), UNTIL_LISTENING).is_err() {
                // An older version takes nothing; how the process ended is reported elsewhere.
                take_back(&successor, &sites);
            }
        };
        if let Err(error) = thread::Builder::new().name("legacy".into()).spawn(give) {
            say!("unladen: stored responses are not handed over: cannot start a thread: {error}");
        }
    }

    pub(super) fn begin_succession(&self) {
        self.shared.lock().sites.iter().for_each(|site| site.cache.successor.begin_to_serve());
    }

    pub(super) fn go_on(&mut self) {
        if let Some(successor) = self.successor.take() {
            take_back(&successor, &self.shared.lock().sites);
        }
        self.shared.lock().rests = false;
        self.shared.bell.notify_all();
    }

    /// Says farewell once this process serves nothing and another does.
    pub(super) fn farewell(&mut self) {
        if let Some(successor) = self.successor.take() {
            let fleet = self.shared.lock().fleet.clone();
            if let Some(fleet) = fleet.filter(|fleet| !is_all_sent(fleet)) {
                let unsent = fleet.give_up_unsent();
                if unsent > 0
                    && let Err(error) = frame(UNSENT, &[]).and_then(|word| successor.send(&word))
                {
                    say!("unladen: cannot send purges to the process that takes over: {error}");
                    report_lost(&fleet, unsent);
                }
            }
            let _ = frame(BYE, &[]).and_then(|bye| successor.send(&bye));
        }
        self.end();
    }

    /// Writes all that is kept for the last time, once nothing is served any more.
    pub(super) fn finish(&mut self) {
        self.end();
        let (sites, fleet) = {
            let state = self.shared.lock();
            (state.sites.clone(), state.fleet.clone())
        };
        // With unsent purges, no bus position is valid to read on from.
        let fleet = fleet.filter(|fleet| is_all_sent(fleet));
        // Nobody else needs the disk.
        sites.iter().for_each(|site| keep(site, fleet.as_deref(), true, &|_| true));
    }

    fn end(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.bell.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut due: Vec<Due> = Vec::new();
        loop {
            let mut state = self.lock();
            // Pending loads come first, as the files are about to be rewritten.
            if state.is_over && !state.is_to_load {
                return;
            }
            let seen = state.changes;
            let sites: Vec<_> = state.sites.iter().filter(|site| site.settings.is_some()).cloned().collect();
            let is_to_load = std::mem::take(&mut state.is_to_load);
            let (rests, fleet, hold) = (state.rests, state.fleet.clone(), state.hold.take());
            drop(state);
            if is_to_load {
                sites.iter().for_each(|site| restore(site, fleet.as_deref()));
            }
            drop(hold);
            due = sites.iter().map(|site| Due::of(site, &due)).collect();
            if !rests {
                let now = Instant::now();
                for (due, site) in due.iter_mut().zip(&sites).filter(|(due, _)| due.at <= now) {
                    due.write(site, fleet.as_deref(), &|pause| self.wait(pause));
                }
            }
            let next = due.iter().map(|due| due.at).min().filter(|_| !rests);
            let state = self.lock();
            if state.is_over || state.is_to_load || state.rests != rests || state.changes != seen {
                continue;
            }
            let pause = next.map_or(Duration::from_secs(3600), |at| at.saturating_duration_since(Instant::now()));
            drop(self.bell.wait_timeout(state, pause));
        }
    }

    /// Waits while writing; `false` if that is to be given up.
    fn wait(&self, pause: Duration) -> bool {
        let goes_on = |state: &State| !state.is_over && !state.rests;
        let mut state = self.lock();
        if !goes_on(&state) || pause.is_zero() {
            return goes_on(&state);
        }
        let until = Instant::now() + pause;
        while goes_on(&state) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.bell.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }
}

#[derive(Clone, Debug)]
struct Due {
    name: String,
    at: Instant,
    /// The store's counts of stored and purged when last written.
    was: (u64, u64),
}

impl Due {
    /// As before, or for a new site, after its interval.
    fn of(site: &Remembered, before: &[Self]) -> Self {
        let every = site.settings.as_ref().map_or(Duration::MAX, |settings| settings.every);
        let new = || Self { name: site.name.clone(), at: Instant::now() + every, was: (0, 0) };
        before.iter().find(|due| due.name == site.name).cloned().unwrap_or_else(new)
    }

    fn write(&mut self, site: &Arc<Remembered>, fleet: Option<&Fleet>, waits: &dyn Fn(Duration) -> bool) {
        let totals = site.cache.store.totals();
        let is = (totals.stored, totals.purged);
        if is != self.was {
            keep(site, fleet, false, waits);
        }
        self.was = is;
        self.at = Instant::now() + site.settings.as_ref().map_or(Duration::MAX, |settings| settings.every);
    }
}

fn restore(site: &Arc<Remembered>, fleet: Option<&Fleet>) {
    let Some(settings) = &site.settings else { return };
    let (name, file) = (&site.name, settings.file.display());
    match load(site, &settings.file, settings.trust, fleet) {
        // The first start: problems with writing are reported in advance.
        Ok(None) => {
            doubts(&settings.file).into_iter().for_each(|doubt| say!("unladen: site `{name}`: {doubt}"));
        }
        Ok(Some(count)) => say!("unladen: site `{name}`: {count} responses were loaded from {file}"),
        Err(error) => {
            say!("unladen: site `{name}`: the snapshot {file} is not used: {error}");
            site.cache.account.refused(error.to_string());
        }
    }
}

/// Whether all purges made here are sent; waits up to [`LAST_WORDS`].
fn is_all_sent(fleet: &Fleet) -> bool {
    let until = Instant::now() + LAST_WORDS;
    while fleet.unsent() > 0 && Instant::now() < until {
        thread::sleep(Duration::from_millis(5));
    }
    fleet.unsent() == 0
}

/// Writes a site's file, and reports a failure once.
fn keep(site: &Arc<Remembered>, fleet: Option<&Fleet>, is_last: bool, waits: &dyn Fn(Duration) -> bool) {
    let Some(settings) = &site.settings else { return };
    // Taken first: all purges up to it are then in what is written.
    let position = fleet.and_then(Fleet::position);
    match write(site, settings, position.as_ref(), is_last, waits) {
        Ok(Some(written)) => site.cache.account.written(written),
        Ok(None) => {}
        Err(error) => {
            let (name, file) = (&site.name, settings.file.display());
            let text = error.to_string();
            if site.cache.account.failed(text) {
                let hint = hint(&error);
                say!(
                    "unladen: site `{name}`: the snapshot {file} cannot be written: {error}{hint}; the previous one \
                     stays"
                );
            }
        }
    }
}

fn hint(error: &FileError) -> &'static str {
    let FileError::Io(error) = error else { return "" };
    match error.kind() {
        io::ErrorKind::NotFound => " (its folder does not exist: create it with `mkdir`)",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            " (it needs as much space as `cache.memory`, twice that while it is written)"
        }
        _ => "",
    }
}
