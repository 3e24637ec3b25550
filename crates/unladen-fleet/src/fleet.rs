//! The principal type is [`Fleet`]: this process as one node of a fleet.
//!
//! `wait` relies on this order: a purge is applied here, then written to the bus. Each node reads on from its position,
//! forgets, and only then reports its position. The purging side waits until each node in the list has reported one at
//! or after the purge, or has left the list: such a node has stopped relying on its lease before the engine ended it,
//! since it counts a shorter time, from before it asked for it.

mod progress;
mod queue;
mod reader;
mod watch;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, mpsc, oneshot};

use self::progress::{Contact, Progress, Waiting};
use self::queue::{NotTaken, Queue, Sending};
use crate::nodes::{FleetState, Nodes};
use crate::recent::{Recent, Seldom};
use crate::{
    BusError, FleetSettings, Forget, Lease, News, Outcome, Position, PurgeBus, Record, Wait, What, WhenCutOff, bus,
};

/// Share of the queue's room for purges that anyone could flood by forging addresses.
const PART_OF_UNVERIFIED: usize = 2;
/// Such purges wait while more than this are queued and the engine is reached …
const FEW: u64 = 500;
/// … for at most this long.
const TURN: Duration = Duration::from_secs(1);
/// Maximum purges that wait for nodes at a time; further ones only learn that they are written.
const WATCHED: usize = 1000;
/// The node's own lease is shorter by this part than the engine's: clocks may differ.
const MARGIN: u32 = 8;
/// Time limit of leaving: its lease ends soon anyway.
const LEAVING: Duration = Duration::from_millis(500);
/// This many records in a row without a notification are no chance.
const UNTOLD: u32 = 3;
/// Renewals in a lease.
const BEATS: u32 = 4;

/// This process as one node of a fleet.
#[derive(Debug)]
pub struct Fleet {
    settings: FleetSettings,
    bus: Arc<dyn PurgeBus>,
    lease: Arc<Lease>,
    number: AtomicU64,
    progress: Mutex<Progress>,
    recent: Mutex<Recent>,
    counts: Counts,
    /// Rate-limits reports of losses and of records from newer versions.
    lost: Seldom,
    newer: Seldom,
    queue: Queue,
    /// Position of this node's latest purge on the bus.
    written: Mutex<Option<Position>>,
    successor: OnceLock<Arc<Fleet>>,
    /// As of the last look.
    nodes: Mutex<Nodes>,
    watching: mpsc::Sender<Waiting>,
    /// Taken by the task.
    watched: Mutex<Option<mpsc::Receiver<Waiting>>>,
    /// Notified when the position to report has moved.
    moved: Notify,
    /// Notified on a rewind: the current read is void.
    rewound: Notify,
    /// Open [`Hold`]s: the start position is still to be set.
    holds: AtomicUsize,
}

/// Reading is paused as long as this exists, until the start position is set.
#[derive(Debug)]
pub struct Hold {
    fleet: Arc<Fleet>,
}

#[derive(Debug, Default)]
struct Counts {
    sent: AtomicU64,
    received: AtomicU64,
    late: AtomicU64,
    repeated: AtomicU64,
    unreadable: AtomicU64,
    lost: AtomicU64,
    members: AtomicU64,
    contact: Mutex<Contact>,
}

const LEFT: &str = "this node has left the fleet: other nodes are not notified";
const LONGEST_WAIT: Duration = Duration::from_secs(300);

impl Fleet {
    /// Connects to the engine of the settings' URL, only in [`Fleet::run`].
    ///
    /// # Errors
    /// If the URL cannot be used, or its authorities cannot be read.
    pub fn new(settings: FleetSettings) -> Result<Arc<Self>, BusError> {
        let bus = bus::open(&settings.bus)?;
        Ok(Self::over(bus, settings))
    }

    /// Uses an engine that is already open.
    pub fn over(bus: Arc<dyn PurgeBus>, settings: FleetSettings) -> Arc<Self> {
        let (watching, watched) = mpsc::channel(WATCHED);
        let contact = Contact { cut_off_since: Some(Instant::now()), ..Contact::default() };
        Arc::new(Self {
            settings,
            bus,
            lease: Arc::default(),
            number: AtomicU64::new(1),
            progress: Mutex::default(),
            recent: Mutex::default(),
            counts: Counts { contact: Mutex::new(contact), ..Counts::default() },
            lost: Seldom::default(),
            newer: Seldom::default(),
            queue: Queue::default(),
            written: Mutex::default(),
            successor: OnceLock::new(),
            nodes: Mutex::default(),
            watching,
            watched: Mutex::new(Some(watched)),
            moved: Notify::new(),
            rewound: Notify::new(),
            holds: AtomicUsize::new(0),
        })
    }

    /// Its settings.
    pub fn settings(&self) -> &FleetSettings {
        &self.settings
    }

    /// The lease that responses from memory must check; `None` if memory is served whether or not the engine is
    /// reached.
    pub fn lease(&self) -> Option<Arc<Lease>> {
        (self.settings.when_cut_off == WhenCutOff::Revalidate).then(|| self.lease.clone())
    }

    /// Runs the node until it is dropped. Call it once.
    pub async fn run(self: Arc<Self>, forget: Arc<dyn Forget>) {
        let watching = self.watched.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(watching) = watching else { return };
        tokio::join!(
            self.read(&forget),
            self.beat(),
            self.send(&*forget),
            self.watch(watching),
            self.look_after(&*forget),
        );
    }

    /// Sends a purge, already applied here, to the others, and waits for them as requested. It is applied here once
    /// more when it is read back: memory from before may have been loaded meanwhile.
    pub async fn purge(&self, site: Option<&str>, what: What, is_soft: bool, wait: Option<Wait>) -> Outcome {
        self.purge_within(site, what, is_soft, wait, None).await
    }

    /// The same with a wait of `wait_for`; `None` as configured.
    pub async fn purge_within(
        &self,
        site: Option<&str>,
        what: What,
        is_soft: bool,
        wait: Option<Wait>,
        wait_for: Option<Duration>,
    ) -> Outcome {
        let wait = wait.unwrap_or(self.settings.wait);
        let began = Instant::now();
        let until = began + wait_for.unwrap_or(self.settings.wait_for).min(LONGEST_WAIT);
        let mut outcome =
            Outcome { wait, written: None, is_confirmed: false, nodes: Vec::new(), why: None, took: Duration::ZERO };
        let (reply, written) = oneshot::channel();
        let record = self.record(site, what, is_soft);
        if let Err(why) = self.enqueue(Sending { record: record.clone(), reply: Some(reply) }, 1) {
            outcome.why = Some(why.into());
            outcome.took = began.elapsed();
            return outcome;
        }
        outcome.written = within(until, written).await;
        // A successor may have taken over this node's queue meanwhile.
        let latest = self.latest();
        let fleet = latest.as_deref().unwrap_or(self);
        match &outcome.written {
            None => outcome.why = Some(fleet.why_not()),
            Some(_) if wait == Wait::Nobody => outcome.is_confirmed = true,
            Some(position) => {
                let (reply, told) = oneshot::channel();
                let waiting = Waiting::new(record, position.clone(), fleet.epoch(), wait, (began, until), reply);
                match fleet.watching.try_send(waiting) {
                    Err(_) => {
                        outcome.why =
                            Some("too many purges wait for nodes: it was written, and they will read it".into());
                    }
                    // A little longer: the watching node keeps the time.
                    Ok(()) => match within(until + Duration::from_secs(1), told).await {
                        None => {
                            outcome.why = Some(
                                "it was written, but the engine does not report which nodes have read \
                                it"
                                .into(),
                            );
                        }
                        Some(watched) => {
                            outcome.is_confirmed = watched.is_confirmed;
                            outcome.nodes = watched.nodes;
                            outcome.why = watched.why;
                        }
                    },
                }
            }
        }
        outcome.took = began.elapsed();
        outcome
    }

    /// Sends a purge, already applied here, to the others, without waiting.
    pub fn tell(&self, site: Option<&str>, what: What, is_soft: bool) {
        let record = self.record(site, what, is_soft);
        // A rejected purge is covered by the overflow.
        let _ = self.enqueue(Sending { record, reply: None }, 1);
    }

    /// The same, for purges that anybody could flood: it leaves room for others. Wait for [`Fleet::has_room`] before.
    pub fn tell_unverified(&self, site: Option<&str>, what: What, is_soft: bool) {
        let record = self.record(site, what, is_soft);
        let _ = self.enqueue(Sending { record, reply: None }, PART_OF_UNVERIFIED);
    }

    /// Waits briefly until the queue is nearly empty, while the engine is reached.
    pub async fn has_room(&self) {
        let until = Instant::now() + TURN;
        let goes_on = |now: Instant| now < until && self.lease.holds(now);
        while self.queue.len() >= FEW && goes_on(Instant::now()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// This node's purges that the engine does not have yet.
    pub fn unsent(&self) -> u64 {
        self.queue.len()
    }

    /// Drops the unsent purges, which something else sends to the fleet. Returns their number.
    pub fn give_up_unsent(&self) -> u64 {
        self.queue.give_up()
    }

    /// Makes this node leave, once [`Fleet::run`] is dropped. `to` sends its unsent and later purges, if given. Returns
    /// the number of purges that nobody sends.
    pub fn hand_on(&self, to: Option<&Arc<Self>>) -> u64 {
        if let Some(to) = to {
            // Once: a later one gets them from the first.
            let _ = self.successor.set(to.clone());
        }
        let Some(to) = self.successor.get() else {
            let mut lost = 0;
            let has_overflowed = self.queue.close(|_| lost += 1);
            return lost + u64::from(has_overflowed);
        };
        let give = |sending| {
            let _ = to.enqueue(sending, 1);
        };
        if self.queue.close(give) {
            to.queue.overflow();
        }
        0
    }

    /// All purges up to this are applied here; `None` if unknown.
    pub fn position(&self) -> Option<Position> {
        self.progress().position().cloned()
    }

    /// The same, if all of this node's purges have come back to it: a node that has read as far knows all of them.
    /// `None` if some have not, or the position is unknown.
    pub fn settled_position(&self) -> Option<Position> {
        if self.queue.len() > 0 {
            return None;
        }
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // After both: a purge sent meanwhile is read after any question asked now.
        let position = self.position()?;
        // With a new history, all nodes doubt everything.
        let has_come_back = written.is_none_or(|last| last.epoch() != position.epoch() || position.has_reached(&last));
        has_come_back.then_some(position)
    }

    /// Reads again from this position, since stored content has become older meanwhile. Until then, this node is cut
    /// off. `None` if the position is unknown: everything is revalidated.
    pub fn rewind(&self, to: Option<Position>) {
        let mut progress = self.progress();
        progress.rewind(to, &self.lease);
        // Under the lock: the current read belongs to the time before, and is repeated.
        self.recent().clear();
        drop(progress);
        self.rewound.notify_one();
        self.moved.notify_one();
    }

    /// Pauses reading, and reliance on the lease, until [`Fleet::rewind`] has set the start position.
    pub fn hold(self: &Arc<Self>) -> Hold {
        self.holds.fetch_add(1, Ordering::SeqCst);
        Hold { fleet: self.clone() }
    }

    /// The nodes of the fleet as of this node's last look, up to 15 s ago.
    pub fn nodes(&self) -> Nodes {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Current state.
    pub fn state(&self) -> FleetState {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (lag, now) = (self.progress().lag(), Instant::now());
        let is_connected = self.lease.holds(now);
        let contact = self.contact();
        let going_on = contact.cut_off_since.map(|since| now.saturating_duration_since(since)).unwrap_or_default();
        FleetState {
            bus: self.settings.bus.url.to_string(),
            node: self.settings.bus.node.clone(),
            is_connected,
            lag,
            last_beat: contact.last_beat.map(|at| now.saturating_duration_since(at)),
            members: count(&self.counts.members),
            sent: count(&self.counts.sent),
            waiting: self.queue.len(),
            received: count(&self.counts.received),
            late: count(&self.counts.late),
            repeated: count(&self.counts.repeated),
            unreadable: count(&self.counts.unreadable),
            lost: count(&self.counts.lost),
            cut_offs: contact.cut_offs,
            cut_off: contact.cut_off + going_on,
            error: contact
                .why(now, self.settings.lease / BEATS)
                .filter(|_| !is_connected)
                .map(|error| error.to_string()),
        }
    }

    /// Waits until the queue is empty, at most `patience`.
    pub async fn sent(&self, patience: Duration) {
        let until = Instant::now() + patience;
        while self.unsent() > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Removes this node from the list: nobody waits for it any more. At the end, once [`Fleet::run`] is dropped:
    /// memory may be outdated afterwards.
    pub async fn leave(&self) {
        self.lease.end();
        let _ = tokio::time::timeout(LEAVING, self.bus.leave()).await;
    }

    fn record(&self, site: Option<&str>, what: What, is_soft: bool) -> String {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let node = self.settings.bus.node.clone();
        Record { node, number, site: site.map(ToOwned::to_owned), what, is_soft }.write()
    }

    /// Queues it; the error says why it is not accepted.
    fn enqueue(&self, sending: Sending, part: usize) -> Result<(), &'static str> {
        match (self.queue.push(sending, part), self.successor.get()) {
            (Ok(()), _) => Ok(()),
            (Err(NotTaken::Full), _) => {
                Err("too many purges wait for the engine: all nodes will revalidate everything")
            }
            (Err(NotTaken::Closed(sending)), Some(next)) => next.enqueue(sending, part),
            (Err(NotTaken::Closed(_)), None) => Err(LEFT),
        }
    }

    fn latest(&self) -> Option<Arc<Self>> {
        let mut latest = self.successor.get()?;
        while let Some(next) = latest.successor.get() {
            latest = next;
        }
        Some(latest.clone())
    }

    fn epoch(&self) -> Option<String> {
        self.progress().position().map(|position| position.epoch().to_owned())
    }

    fn why_not(&self) -> String {
        let rest = if self.queue.is_closed() { LEFT } else { "it is kept, and written as soon as possible" };
        match self.contact().why(Instant::now(), self.settings.lease / BEATS) {
            Some(error) => format!("it is not written to {} yet: {error}; {rest}", self.settings.bus.url),
            None => format!("it is not written to {} yet; {rest}", self.settings.bus.url),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn contact(&self) -> MutexGuard<'_, Contact> {
        self.counts.contact.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pause before a retry after an error; grows with each failure.
    fn pause(&self, error: BusError, failures: &mut u32) -> Duration {
        self.contact().error = Some(error);
        *failures = failures.saturating_add(1);
        let longest = (self.settings.lease / 2).clamp(Duration::from_millis(50), Duration::from_secs(2));
        let pause = (Duration::from_millis(20) * 2u32.saturating_pow((*failures).min(10))).min(longest);
        // Not all nodes at the same time.
        pause.mul_f64(0.5 + fastrand::f64() / 2.0)
    }

    async fn look_after(&self, forget: &dyn Forget) {
        let mut ticks = tokio::time::interval((self.settings.lease / 8).max(Duration::from_millis(10)));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // A short while at the start is not worth a report.
        let patience = Instant::now() + self.settings.lease;
        let mut is_told = false;
        let mut is_deaf = false;
        loop {
            ticks.tick().await;
            // Once: it stays so until the address changes.
            if !is_deaf && self.bus.untold() >= UNTOLD {
                is_deaf = true;
                forget.tell(&News::Untold);
            }
            let now = Instant::now();
            let is_connected = self.lease.holds(now);
            let mut contact = self.contact();
            let news = match (is_connected, contact.cut_off_since) {
                (true, Some(since)) => {
                    let after = now.saturating_duration_since(since);
                    contact.cut_off += after;
                    contact.cut_off_since = None;
                    contact.error = None;
                    let is_first = !std::mem::replace(&mut contact.has_been_connected, true);
                    // Without a reported beginning, the end is not reported either.
                    let is_heard = is_first || std::mem::take(&mut is_told);
                    is_heard.then_some(News::Connected { after: (!is_first).then_some(after) })
                }
                (false, None) => {
                    contact.cut_offs += 1;
                    contact.cut_off_since = Some(now);
                    None
                }
                // Nor is a short rewind.
                (false, Some(since)) if !is_told && now > patience && now > since + self.settings.lease / 4 => {
                    is_told = true;
                    Some(News::CutOff { why: contact.why(now, self.settings.lease / BEATS) })
                }
                _ => None,
            };
            drop(contact);
            news.iter().for_each(|news| forget.tell(news));
        }
    }
}

// === impl Hold ===

impl Hold {
    /// Whose it is.
    pub fn fleet(&self) -> &Arc<Fleet> {
        &self.fleet
    }

    /// Sets the start position; `None` if unknown.
    pub fn begin_at(self, position: Option<Position>) {
        self.fleet.rewind(position);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.fleet.holds.fetch_sub(1, Ordering::SeqCst);
        self.fleet.rewound.notify_one();
    }
}

async fn within<T>(until: Instant, coming: oneshot::Receiver<T>) -> Option<T> {
    tokio::time::timeout(until.saturating_duration_since(Instant::now()), coming).await.ok()?.ok()
}

#[cfg(test)]
mod tests;
