//! The principal type is [`Follower`]: maintains one certificate.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::answers::Answers;
use crate::clock::now;
use crate::error::AcmeError;
use crate::event::{Event, Pace, Tell};
use crate::held::Held;
use crate::issued::Issued;
use crate::order::{self, Ordering};
use crate::schedule::{Schedule, Step};
use crate::state::{Folder, StateError};
use crate::wanted::Wanted;

/// Pause in seconds before a state that cannot be written is reported again.
const TOLD_AGAIN: u64 = 3600;
/// Pause before writing is tried again.
const STUCK: Duration = Duration::from_secs(30);

pub(super) struct Follower {
    wanted: Wanted,
    held: Arc<Held>,
    folder: Folder,
    answers: Arc<Answers>,
    pace: Pace,
    tell: Tell,
    read: Option<Stamp>,
    /// Reports by file, with their time: they are not repeated at each look.
    told: HashMap<PathBuf, (String, u64)>,
    is_waiting_told: bool,
    is_elsewhere_told: bool,
}

/// Changes with the file or its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    changed: (i64, i64),
    length: u64,
}

/// Marks an order under way; dropping it before the order ends counts as no failure.
struct UnderWay<'a> {
    folder: &'a Folder,
    held: &'a Held,
    name: &'a str,
    schedule: Schedule,
    is_over: bool,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.held.note(|look| look.is_ordering = false);
        if !self.is_over {
            self.schedule.interrupted(now());
            // If this cannot be written, the file still has a longer wait.
            let _ = self.folder.keep_schedule(self.name, &self.schedule);
        }
    }
}

impl Follower {
    pub(super) fn new(
        wanted: Wanted,
        held: Arc<Held>,
        folder: Folder,
        (answers, pace, tell): (Arc<Answers>, Pace, Tell),
    ) -> Self {
        Self {
            wanted,
            held,
            folder,
            answers,
            pace,
            tell,
            read: None,
            told: HashMap::new(),
            is_waiting_told: false,
            is_elsewhere_told: false,
        }
    }

    pub(super) async fn run(mut self) {
        loop {
            let pause = match self.turn().await {
                Ok(pause) => pause,
                Err(error) => {
                    self.stuck(error);
                    STUCK
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// Takes the step that is due; returns the pause until the next.
    async fn turn(&mut self) -> Result<Duration, StateError> {
        self.load();
        let now = now();
        let schedule = self.schedule(now);
        match self.step(&schedule, now) {
            Step::Wait(until) => {
                self.waits(&schedule, until, now);
                Ok(Duration::from_secs(until.saturating_sub(now)).min(self.pace.look))
            }
            Step::Ask => {
                self.folder.make()?;
                let Some(_lock) = self.folder.lock(self.wanted.name())? else { return Ok(self.elsewhere()) };
                self.ask().await?;
                Ok(Duration::ZERO)
            }
            Step::Order => {
                self.folder.make()?;
                let Some(_lock) = self.folder.lock(self.wanted.name())? else { return Ok(self.elsewhere()) };
                self.is_elsewhere_told = false;
                // The lock's last holder may have just done it.
                self.load();
                let schedule = self.schedule(now);
                if self.step(&schedule, now) == Step::Order {
                    self.order(schedule).await?;
                }
                Ok(Duration::ZERO)
            }
        }
    }

    fn step(&self, schedule: &Schedule, now: u64) -> Step {
        let held = self.held.issued().filter(|issued| issued.prove(self.wanted.names(), now).is_ok());
        let id = held.as_ref().map(|issued| id_of(issued));
        schedule.step(now, held.as_ref().zip(id.as_deref()).map(|(held, id)| (held.lifetime, id, held.number())))
    }

    async fn order(&mut self, mut schedule: Schedule) -> Result<(), StateError> {
        let name = self.wanted.name();
        let turn = schedule.failures;
        let before = self.held.issued();
        schedule.begin(now(), fastrand::f64());
        // Nothing is ordered that a restart would not know of.
        self.folder.keep_schedule(name, &schedule)?;
        let why = self.why(before.as_deref());
        self.say(&Event::Ordering { names: self.wanted.names(), directory: &self.wanted.authority().directory, why });
        self.held.note(|look| look.is_ordering = true);
        let mut under_way = UnderWay { folder: &self.folder, held: &self.held, name, schedule, is_over: false };
        let ordering = Ordering {
            wanted: &self.wanted,
            folder: &self.folder,
            answers: &self.answers,
            settle: self.pace.settle,
            turn,
            replaces: before.and_then(|issued| issued.id.clone()),
        };
        let tell = self.tell.clone();
        let ordered = ordering.run(|event| tell(event)).await;
        under_way.is_over = true;
        let mut schedule = under_way.schedule.clone();
        drop(under_way);
        match ordered {
            Ok((issued, pem)) => {
                let not_after = issued.not_after();
                self.held.hold(Arc::new(issued));
                schedule.succeeded(now());
                self.held.note(|look| (look.failures, look.failed_at, look.error) = (0, None, None));
                self.is_waiting_told = false;
                // It is used even if it cannot be stored.
                self.folder.keep_issued(name, &pem)?;
                self.read = stamp(&self.folder.pem(name));
                self.folder.keep_schedule(name, &schedule)?;
                self.say(&Event::Held { names: self.wanted.names(), not_after, is_found: false });
                self.doubts_clock();
            }
            Err(error) => {
                schedule.failed(now(), error.to_string(), error.retry_after(), fastrand::f64());
                let not_after = self.held.issued().map(|issued| issued.not_after());
                self.is_waiting_told = true;
                // Before it is reported: a reader may remove the file at once, for another order.
                let kept = self.folder.keep_schedule(name, &schedule);
                self.say(&Event::Failed { name, error: &error, next: schedule.not_until, not_after });
                self.note(&schedule);
                kept?;
            }
        }
        Ok(())
    }

    fn why(&self, before: Option<&Issued>) -> &'static str {
        let Some(before) = before else { return "there is none" };
        if self.wanted.names().iter().any(|name| !before.is_for(name)) {
            return "the existing one is not for all names";
        }
        if before.not_after() <= now() { "the existing one has expired" } else { "it is time to renew it" }
    }

    async fn ask(&mut self) -> Result<(), StateError> {
        self.load();
        let mut schedule = self.schedule(now());
        let Some(held) = self.held.issued() else { return Ok(()) };
        match &held.id {
            None => schedule.not_suggested(now(), false),
            Some((key, serial)) => {
                // If this cannot be written, the authority would be asked at each look.
                schedule.not_suggested(now(), true);
                self.folder.keep_schedule(self.wanted.name(), &schedule)?;
                let tell = self.tell.clone();
                match order::ask(&self.wanted, &self.folder, (key, serial), |event| tell(event)).await {
                    Ok(Some((window, again))) => {
                        schedule.suggested(now(), &id_of(&held), window, again, fastrand::f64());
                    }
                    Ok(None) => schedule.not_suggested(now(), false),
                    // No harm: it is then renewed at two thirds of its life.
                    Err(_) => schedule.not_suggested(now(), true),
                }
            }
        }
        self.folder.keep_schedule(self.wanted.name(), &schedule)
    }

    fn load(&mut self) {
        let path = self.folder.pem(self.wanted.name());
        let stamp = stamp(&path);
        if stamp == self.read {
            return;
        }
        let is_first = self.read.is_none();
        match self.folder.issued(self.wanted.name()) {
            Ok(Some(issued)) => {
                let before = self.held.issued();
                // One that could not be stored is newer than the one on disk. A newer one may end sooner: authorities
                // shorten lives.
                let begins = issued.lifetime.not_before;
                let is_later = |before: &Arc<Issued>| **before != issued && before.lifetime.not_before <= begins;
                if before.as_ref().is_none_or(is_later) {
                    let not_after = issued.not_after();
                    self.held.hold(Arc::new(issued));
                    if !is_first {
                        self.say(&Event::Held { names: self.wanted.names(), not_after, is_found: true });
                    }
                }
            }
            Ok(None) => {}
            Err(why) => self.spoiled(&path, &why),
        }
        self.read = stamp;
        self.doubts_clock();
    }

    /// Reports if, by the clock, the current certificate is not yet valid.
    fn doubts_clock(&self) {
        let now = now();
        if let Some(held) = self.held.issued().filter(|held| held.is_ahead(now)) {
            let not_before = held.lifetime.not_before;
            self.say(&Event::SlowClock { name: self.wanted.name(), not_before, now });
        }
    }

    /// The stored schedule; an empty one if it cannot be read: the next failure begins another wait.
    fn schedule(&mut self, now: u64) -> Schedule {
        let path = self.folder.json(self.wanted.name());
        let schedule = self.folder.schedule(self.wanted.name(), now).unwrap_or_else(|why| {
            self.spoiled(&path, &why);
            None
        });
        schedule.unwrap_or_default()
    }

    fn waits(&mut self, schedule: &Schedule, until: u64, now: u64) {
        self.note(schedule);
        self.held.note(|look| look.next = Some(until));
        if !self.is_waiting_told
            && schedule.not_until > now
            && let Some(error) = &schedule.error
        {
            self.is_waiting_told = true;
            let path = self.folder.json(self.wanted.name());
            self.say(&Event::Waiting { name: self.wanted.name(), next: until, error, path: &path });
        }
    }

    fn note(&self, schedule: &Schedule) {
        self.held.note(|look| {
            (look.failures, look.failed_at) = (schedule.failures, schedule.failed_at);
            look.error.clone_from(&schedule.error);
            look.next = Some(schedule.not_until);
        });
    }

    fn elsewhere(&mut self) -> Duration {
        if !self.is_elsewhere_told {
            self.is_elsewhere_told = true;
            self.say(&Event::Elsewhere { name: self.wanted.name() });
        }
        self.pace.elsewhere
    }

    fn spoiled(&mut self, path: &Path, why: &str) {
        if self.is_new(path, why) {
            self.say(&Event::Spoiled { path, why });
        }
    }

    fn stuck(&mut self, error: StateError) {
        let (path, why) = (error.path.clone(), error.to_string());
        let error = AcmeError::State(error);
        self.held.note(|look| look.error = Some(why.clone()));
        if self.is_new(&path, &why) {
            self.say(&Event::Stuck { name: self.wanted.name(), error: &error });
        }
    }

    fn is_new(&mut self, path: &Path, why: &str) -> bool {
        let now = now();
        let is_new = self.told.get(path).is_none_or(|(told, at)| told != why || at + TOLD_AGAIN <= now);
        if is_new {
            self.told.insert(path.to_owned(), (why.to_owned(), now));
        }
        is_new
    }

    fn say(&self, event: &Event<'_>) {
        (self.tell)(event);
    }
}

fn id_of(issued: &Issued) -> String {
    issued.id.as_ref().map_or_else(String::new, |(key, serial)| format!("{key}.{serial}"))
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok()?;
    Some(Stamp { inode: found.ino(), changed: (found.mtime(), found.mtime_nsec()), length: found.len() })
}
