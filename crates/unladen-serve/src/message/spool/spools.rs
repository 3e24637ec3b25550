//! The bounds of waiting bodies. The principal types are [`Spools`], with the counters of a listener's; [`Room`], a
//! shared bound in bytes; and [`Held`], one user's part of it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use unladen_observability::BufferState;
use unladen_serve_config::BufferSettings;

use crate::limits::crowd::network;
use crate::say::say;

/// Least time between messages: a failing disk fails for each request.
const TELL_EVERY: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Spools {
    pub(crate) settings: BufferSettings,
    name: String,
    pub(crate) memory: Arc<Room>,
    pub(crate) disk: Arc<Room>,
    clients: Mutex<Clients>,
    files: AtomicU64,
    failures: AtomicU64,
    told: Mutex<Option<Instant>>,
    is_telling: Arc<AtomicBool>,
}

impl Spools {
    pub(crate) fn new(name: &str, settings: &BufferSettings) -> Arc<Self> {
        Arc::new(Self {
            settings: settings.clone(),
            name: name.to_owned(),
            memory: Room::new(settings.all_memory),
            disk: Room::new(settings.disk),
            clients: Mutex::default(),
            files: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            told: Mutex::default(),
            is_telling: Arc::default(),
        })
    }

    pub(crate) fn state(&self) -> BufferState {
        BufferState {
            memory: self.memory.held(),
            disk: self.disk.held(),
            files: self.files.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
        }
    }

    /// Longest body of such a client that could ever fit.
    pub(crate) fn longest(&self, client: Option<IpAddr>) -> u64 {
        let disk = if client.is_some() { self.of_client() } else { self.settings.disk };
        disk.saturating_add(self.settings.memory as u64)
    }

    fn of_client(&self) -> u64 {
        self.settings.disk / OF_CLIENT
    }

    /// Disk space of this client (an address, or an IPv6 /64), shared by its bodies.
    pub(super) fn disk_of(&self, client: IpAddr) -> Arc<Room> {
        let mut known = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if known.rooms.len() >= known.most.max(MANY) {
            known.rooms.retain(|_, room| room.strong_count() > 0);
            known.most = known.rooms.len() * 2;
        }
        let kept = known.rooms.entry(network(client)).or_default();
        kept.upgrade().unwrap_or_else(|| {
            let room = Room::new(self.of_client());
            *kept = Arc::downgrade(&room);
            room
        })
    }

    pub(super) fn began_file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a failure to make, write or read a file; prints some of them.
    pub(crate) fn failed(&self, error: &std::io::Error) {
        let count = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|at| at.elapsed() < TELL_EVERY) {
            return;
        }
        *told = Some(Instant::now());
        drop(told);
        let folder = self.settings.folder.display();
        let line = format!(
            "unladen: {}: a body cannot be buffered in {folder} (`buffer.folder`): {error}; {count} so far. Until \
             there is space, long requests are answered 507 (disk_failed), and slow readers block the application",
            self.name
        );
        self.say(line);
    }

    /// On a thread of its own: requests do not wait for a pipe that nobody reads.
    fn say(&self, line: String) {
        if self.is_telling.swap(true, Ordering::Relaxed) {
            return;
        }
        let is_telling = self.is_telling.clone();
        let told = std::thread::Builder::new().name("spool-failed".to_owned()).spawn(move || {
            say!("{line}");
            is_telling.store(false, Ordering::Relaxed);
        });
        if told.is_err() {
            self.is_telling.store(false, Ordering::Relaxed);
        }
    }
}

/// Divisor of the disk bound for one client: half, which also bounds a single body.
const OF_CLIENT: u64 = 2;
/// Entries from which empty ones are purged, and again at twice the remaining number.
const MANY: usize = 256;

/// Each client's part of the disk.
#[derive(Debug, Default)]
struct Clients {
    rooms: HashMap<IpAddr, Weak<Room>>,
    most: usize,
}

#[derive(Debug)]
pub(crate) struct Room {
    bound: u64,
    held: AtomicU64,
}

/// One user's part, until dropped.
#[derive(Debug)]
pub(crate) struct Held {
    room: Arc<Room>,
    bytes: u64,
}

impl Room {
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { bound, held: AtomicU64::new(0) })
    }

    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> bool {
        let more = |held: u64| held.checked_add(bytes).filter(|after| *after <= self.bound);
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}

impl Held {
    pub(crate) fn none(room: &Arc<Room>) -> Self {
        Self { room: room.clone(), bytes: 0 }
    }

    /// Grows to `bytes` in all, and returns whether there was room. What is held already stays.
    pub(crate) fn grow(&mut self, bytes: u64) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let has_room = more == 0 || self.room.take(more);
        if has_room {
            self.bytes += more;
        }
        has_room
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
