//! The principal type is [`Troubles`]: problems and their causes, written to standard error: the first at once, then at
//! a limited rate.
//!
//! Each kind (upstream, endpoint, reason, cause without digits) gets at most one line a minute, with the number since
//! the last. A separate thread writes, so that nobody waits for an unread pipe; the first trouble starts it.

use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(60);
/// Maximum of kinds; beyond it the one that was quiet for longest is forgotten.
const KINDS: usize = 64;
/// Maximum lines of all kinds in that time: peers choose parts of the causes.
const LINES: u32 = 30;
const LOOK: Duration = Duration::from_secs(1);
const LONGEST: usize = 500;
/// Maximum characters of a request's id, which a peer may have chosen.
const LONGEST_ID: usize = 64;

/// One problem.
#[derive(Clone, Copy, Debug)]
pub struct Trouble<'a> {
    pub whom: &'a str,
    pub place: Option<&'a str>,
    pub reason: &'static str,
    /// What happened, and what to do.
    pub cause: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) place: Option<Box<str>>,
    pub(crate) reason: &'static str,
    pub(crate) cause: Box<str>,
    pub(crate) request: Option<Box<str>>,
    pub(crate) count: u64,
    pub(crate) ago: Duration,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Troubles(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    kinds: Mutex<Kinds>,
    /// Notified when a line is due.
    wake: Condvar,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Kinds {
    all: Vec<Kind>,
    /// Start of the current window, and the lines in it.
    window: Option<(Instant, u32)>,
    is_written: bool,
    is_over: bool,
}

#[derive(Debug)]
struct Kind {
    hash: u64,
    whom: Box<str>,
    place: Option<Box<str>>,
    reason: &'static str,
    cause: Box<str>,
    request: Option<Box<str>>,
    count: u64,
    untold: u64,
    last: Instant,
    told: Option<Instant>,
}

impl Troubles {
    pub(crate) fn tell(&self, trouble: &Trouble<'_>, request: &[u8]) {
        let is_due = self.0.locked().add(trouble, request, self.0.hash(trouble), Instant::now());
        if is_due {
            self.start();
            self.0.wake.notify_all();
        }
    }

    pub(crate) fn of(&self, whom: &str, now: Instant) -> Vec<Told> {
        let kinds = self.0.locked();
        let mut told: Vec<Told> = kinds
            .all
            .iter()
            .filter(|kind| *kind.whom == *whom)
            .map(|kind| Told {
                place: kind.place.clone(),
                reason: kind.reason,
                cause: kind.cause.clone(),
                request: kind.request.clone(),
                count: kind.count,
                ago: now.saturating_duration_since(kind.last),
            })
            .collect();
        told.sort_by_key(|told| told.ago);
        told
    }

    /// Writes what is due or unreported, then stops. Blocks at most `within`.
    pub(crate) fn close(&self, within: Duration) {
        let mut kinds = self.0.locked();
        kinds.is_over = true;
        if kinds.is_written {
            self.0.wake.notify_all();
            let waited = self.0.wake.wait_timeout_while(kinds, within, |kinds| kinds.is_written);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn start(&self) {
        let mut kinds = self.0.locked();
        if kinds.is_written || kinds.is_over {
            return;
        }
        let shared = self.0.clone();
        let write = move || {
            // A separate descriptor: std's is locked during writes, and others need it.
            match io::stderr().as_fd().try_clone_to_owned() {
                Ok(stderr) => shared.write(&mut File::from(stderr)),
                // No file descriptor is left, which needs reporting all the more.
                Err(_) => shared.write(&mut io::stderr()),
            }
            shared.locked().is_written = false;
            shared.wake.notify_all();
        };
        kinds.is_written = std::thread::Builder::new().name("troubles".to_owned()).spawn(write).is_ok();
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, Kinds> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hash that identifies a kind. Digits are ignored: another age or port is the same trouble.
    fn hash(&self, trouble: &Trouble<'_>) -> u64 {
        let words: String = trouble.cause.chars().filter(|c| !c.is_ascii_digit()).take(LONGEST).collect();
        self.hasher.hash_one((trouble.whom, trouble.place, trouble.reason, words))
    }

    fn write(&self, to: &mut impl Write) {
        let mut kinds = self.locked();
        loop {
            let is_over = kinds.is_over;
            let lines = kinds.due(Instant::now(), is_over);
            if !lines.is_empty() {
                drop(kinds);
                // A failure could not be reported anywhere.
                let _ = to.write_all(lines.as_bytes());
                kinds = self.locked();
                continue;
            }
            if is_over {
                return;
            }
            let waited = self.wake.wait_timeout(kinds, LOOK);
            kinds = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Kinds {
    fn add(&mut self, trouble: &Trouble<'_>, request: &[u8], hash: u64, now: Instant) -> bool {
        let place = match self.all.iter().position(|kind| kind.hash == hash) {
            Some(place) => place,
            None => {
                if self.all.len() >= KINDS
                    && let Some(oldest) =
                        (0..self.all.len()).min_by_key(|place| self.all.get(*place).map(|kind| kind.last))
                {
                    self.all.swap_remove(oldest);
                }
                self.all.push(Kind::new(trouble, hash, now));
                self.all.len() - 1
            }
        };
        let Some(kind) = self.all.get_mut(place) else { return false };
        kind.count += 1;
        kind.untold += 1;
        kind.last = now;
        kind.cause = shown(trouble.cause, LONGEST);
        kind.request = (!request.is_empty()).then(|| shown(&String::from_utf8_lossy(request), LONGEST_ID));
        kind.is_due(now)
    }

    fn due(&mut self, now: Instant, is_over: bool) -> String {
        let mut lines = String::new();
        let (began, mut count) = match self.window {
            Some((began, count)) if now.saturating_duration_since(began) < EVERY => (began, count),
            _ => (now, 0),
        };
        for kind in &mut self.all {
            if kind.untold == 0 || !(is_over || kind.is_due(now)) || (count >= LINES && !is_over) {
                continue;
            }
            count += 1;
            lines.push_str(&format!("unladen: {}\n", Line { kind, now }));
            kind.told = Some(now);
            kind.untold = 0;
        }
        self.window = Some((began, count));
        lines
    }
}

impl Kind {
    fn new(trouble: &Trouble<'_>, hash: u64, now: Instant) -> Self {
        Self {
            hash,
            whom: trouble.whom.into(),
            place: trouble.place.map(Into::into),
            reason: trouble.reason,
            cause: shown(trouble.cause, LONGEST),
            request: None,
            count: 0,
            untold: 0,
            last: now,
            told: None,
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        self.told.is_none_or(|told| now.saturating_duration_since(told) >= EVERY)
    }
}

/// The text on one line, without terminal escapes.
fn shown(cause: &str, longest: usize) -> Box<str> {
    let mut text: String = cause.chars().take(longest).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if cause.chars().nth(longest).is_some() {
        text.push('…');
    }
    text.into()
}

struct Line<'k> {
    kind: &'k Kind,
    now: Instant,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kind { whom, place, reason, cause, request, untold, told, .. } = self.kind;
        write!(f, "`{whom}`")?;
        if let Some(place) = place {
            write!(f, " ({place})")?;
        }
        write!(f, ": {cause} [{reason}]")?;
        if let Some(request) = request {
            write!(f, ", request {request}")?;
        }
        match told {
            Some(told) => {
                let minutes = self.now.saturating_duration_since(*told).as_secs().div_ceil(60).max(1);
                let last = if minutes == 1 { "minute".to_owned() } else { format!("{minutes} minutes") };
                write!(f, " ({untold} more in the last {last})")
            }
            None if *untold > 1 => write!(f, " ({untold} times)"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
