//! The principal type is [`Fleet`]: this process as one node of a fleet.
//!
//! The order of things is what `wait` rests on. A purge is forgotten here, then written to the bus. Each node reads on
//! from its place, forgets, and only then tells its place. Whoever purges waits until each node in the list has told
//! one that is not before the purge, or is no longer in the list: such a node has stopped counting on its lease before
//! the engine ended it, since it counts from before it asked for it, and less.

mod beat;
mod contact;
mod progress;
mod queue;
mod reader;
mod sender;
mod sending;
mod waiting;
mod watch;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, mpsc, oneshot};

use self::contact::Contact;
use self::progress::Progress;
use self::queue::{NotTaken, Queue};
use self::sending::Sending;
use self::waiting::Waiting;
use crate::nodes::Nodes;
use crate::recent::Recent;
use crate::seldom::Seldom;
use crate::state::FleetState;
use crate::{
    BusError, FleetSettings, Forget, Lease, News, Outcome, Position, PurgeBus, Record, Wait, What, WhenCutOff, bus,
};

/// What may be flooded by whoever forges an address has this part of the room for what waits for the engine …
const PART_OF_UNVERIFIED: usize = 2;
/// … and waits its turn behind no more than this while the engine is reached, …
const FEW: u64 = 500;
/// … for no longer than this.
const TURN: Duration = Duration::from_secs(1);
/// Purges that wait for nodes at a time, at most; who comes then is told that it is written.
const WATCHED: usize = 1000;
/// This part of a lease ends before the engine ends it: for what clocks may differ.
const MARGIN: u32 = 8;
/// Its lease is over soon anyway.
const LEAVING: Duration = Duration::from_millis(500);
/// So often in a row, it is no chance that nobody told of what had come.
const UNTOLD: u32 = 3;
/// So often in a lease it is renewed.
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
    /// What was lost, and what a newer version wrote, as it is told.
    lost: Seldom,
    newer: Seldom,
    queue: Queue,
    /// Where the last of what this node has purged stands on the bus.
    written: Mutex<Option<Position>>,
    /// Who sends instead, once this one is left.
    successor: OnceLock<Arc<Fleet>>,
    /// As they were looked at last.
    nodes: Mutex<Nodes>,
    watching: mpsc::Sender<Waiting>,
    /// For the task, which takes it.
    watched: Mutex<Option<mpsc::Receiver<Waiting>>>,
    /// More is forgotten than was told.
    moved: Notify,
    /// It goes back, and what is being read is not what is wanted.
    rewound: Notify,
    /// Whoever has to say first from where on.
    holds: AtomicUsize,
}

/// Nothing is read as long as this is there: it is said first from where on.
#[derive(Debug)]
pub struct Hold {
    fleet: Arc<Fleet>,
}

/// What became of it so far.
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

/// Why nothing is sent any more.
const LEFT: &str = "this node has left the fleet: no other node is told";
/// However long somebody asks to wait.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

impl Fleet {
    /// Over the engine of the settings' URL. Nothing is asked there before [`Fleet::run`].
    ///
    /// # Errors
    /// If the URL cannot be used, or its authorities cannot be read.
    pub fn new(settings: FleetSettings) -> Result<Arc<Self>, BusError> {
        let bus = bus::open(&settings.bus)?;
        Ok(Self::over(bus, settings))
    }

    /// Over an engine that is open already.
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

    /// How it is.
    pub fn settings(&self) -> &FleetSettings {
        &self.settings
    }

    /// What whoever serves from memory has to look at; none: memory is served whether or not the engine is reached.
    pub fn lease(&self) -> Option<Arc<Lease>> {
        (self.settings.when_cut_off == WhenCutOff::Revalidate).then(|| self.lease.clone())
    }

    /// Does all of it, until it is dropped. Once.
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

    /// Tells the others what was forgotten here already, and waits for them as asked for. It is forgotten here once more
    /// when it is read: memory of before may have been taken over meanwhile.
    pub async fn purge(&self, site: Option<&str>, what: What, is_soft: bool, wait: Option<Wait>) -> Outcome {
        self.purge_within(site, what, is_soft, wait, None).await
    }

    /// The same, but that the others are waited for this long; none: as it is configured.
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
        // Meanwhile another may have taken over what this one had to send.
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
                        outcome.why = Some("too many purges wait for nodes: it is written, and they read it".into());
                    }
                    // A little longer: the other one watches the time.
                    Ok(()) => match within(until + Duration::from_secs(1), told).await {
                        None => {
                            outcome.why = Some("it is written, and the engine does not tell who has read it".into());
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

    /// Tells the others what was forgotten here already, and waits for nobody.
    pub fn tell(&self, site: Option<&str>, what: What, is_soft: bool) {
        let record = self.record(site, what, is_soft);
        // What is not taken is told with what else is too much.
        let _ = self.enqueue(Sending { record, reply: None }, 1);
    }

    /// The same, for what anybody could flood: it leaves room for what others purge. Wait for
    /// [`Fleet::has_room`] before.
    pub fn tell_unverified(&self, site: Option<&str>, what: What, is_soft: bool) {
        let record = self.record(site, what, is_soft);
        let _ = self.enqueue(Sending { record, reply: None }, PART_OF_UNVERIFIED);
    }

    /// While the engine is reached, waits a moment until it has nearly all that is to be sent.
    pub async fn has_room(&self) {
        let until = Instant::now() + TURN;
        let goes_on = |now: Instant| now < until && self.lease.holds(now);
        while self.queue.len() >= FEW && goes_on(Instant::now()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Purges of this node that the engine does not have yet.
    pub fn unsent(&self) -> u64 {
        self.queue.len()
    }

    /// What the engine does not have is no longer sent from here: somebody else tells the fleet. How many there were.
    pub fn give_up_unsent(&self) -> u64 {
        self.queue.give_up()
    }

    /// This node leaves, once [`Fleet::run`] is dropped. What it has not sent, and what it is still told, this
    /// other one sends, if there is one. How many purges nobody sends.
    pub fn hand_on(&self, to: Option<&Arc<Self>>) -> u64 {
        if let Some(to) = to {
            // Once: whoever comes second is told by the first.
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

    /// All up to this is forgotten here; none: it is not known.
    pub fn position(&self) -> Option<Position> {
        self.progress().position().cloned()
    }

    /// The same, if all that this node has purged has come back to it: none of it can be unknown to a node that has come
    /// as far. None: some of it has not, or the place is not known.
    pub fn settled_position(&self) -> Option<Position> {
        if self.queue.len() > 0 {
            return None;
        }
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // After both: what is told meanwhile is told after whatever is asked now.
        let position = self.position()?;
        // An engine that begins anew has all nodes doubt all.
        let has_come_back = written.is_none_or(|last| last.epoch() != position.epoch() || position.has_reached(&last));
        has_come_back.then_some(position)
    }

    /// What was forgotten after this place is to be forgotten again: what is stored has come to be so meanwhile. Until
    /// it is, this node is cut off. None: it is not known from which place on, and everything is asked about.
    pub fn rewind(&self, to: Option<Position>) {
        let mut progress = self.progress();
        progress.rewind(to, &self.lease);
        // With the lock: what is being read belongs to before, and is read again.
        self.recent().clear();
        drop(progress);
        self.rewound.notify_one();
        self.moved.notify_one();
    }

    /// Has it wait, before it reads anything, until [`Fleet::rewind`] has said from where on; and, until then, rely on
    /// nothing.
    pub fn hold(self: &Arc<Self>) -> Hold {
        self.holds.fetch_add(1, Ordering::SeqCst);
        Hold { fleet: self.clone() }
    }

    /// The nodes of the fleet, as this one looked at them last, for whoever looks; it may be 15 s ago.
    pub fn nodes(&self) -> Nodes {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How it does.
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

    /// Waits, no longer than this, until all that was to be sent is.
    pub async fn sent(&self, patience: Duration) {
        let until = Instant::now() + patience;
        while self.unsent() > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Takes this node off the list: nobody waits for it any more. For the end, once [`Fleet::run`] is dropped: what is
    /// served from memory afterwards may be old.
    pub async fn leave(&self) {
        self.lease.end();
        let _ = tokio::time::timeout(LEAVING, self.bus.leave()).await;
    }

    /// A record of this node.
    fn record(&self, site: Option<&str>, what: What, is_soft: bool) -> String {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let node = self.settings.bus.node.clone();
        Record { node, number, site: site.map(ToOwned::to_owned), what, is_soft }.write()
    }

    /// The error: why it is not taken.
    fn enqueue(&self, sending: Sending, part: usize) -> Result<(), &'static str> {
        match (self.queue.push(sending, part), self.successor.get()) {
            (Ok(()), _) => Ok(()),
            (Err(NotTaken::Full), _) => {
                Err("more purges wait for the engine than may: all will be told to ask about everything")
            }
            (Err(NotTaken::Closed(sending)), Some(next)) => next.enqueue(sending, part),
            (Err(NotTaken::Closed(_)), None) => Err(LEFT),
        }
    }

    /// Who sends what this one is told; none: itself.
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

    /// Why nothing is written.
    fn why_not(&self) -> String {
        let rest = if self.queue.is_closed() { LEFT } else { "it is kept, and written once it can be" };
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

    /// Something went wrong; the pause before it is tried again, which gets longer.
    fn pause(&self, error: BusError, failures: &mut u32) -> Duration {
        self.contact().error = Some(error);
        *failures = failures.saturating_add(1);
        let longest = (self.settings.lease / 2).clamp(Duration::from_millis(50), Duration::from_secs(2));
        let pause = (Duration::from_millis(20) * 2u32.saturating_pow((*failures).min(10))).min(longest);
        // Not all nodes at the same time.
        pause.mul_f64(0.5 + fastrand::f64() / 2.0)
    }

    /// Notices, for whoever reads a log, when this node is cut off and when it is no longer.
    async fn look_after(&self, forget: &dyn Forget) {
        let mut ticks = tokio::time::interval((self.settings.lease / 8).max(Duration::from_millis(10)));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // At the start, a short while is no news.
        let patience = Instant::now() + self.settings.lease;
        let mut is_told = false;
        let mut is_deaf = false;
        loop {
            ticks.tick().await;
            // Once: it stays so until somebody gives it another address.
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
                    // What nobody heard the beginning of has no end.
                    let is_heard = is_first || std::mem::take(&mut is_told);
                    is_heard.then_some(News::Connected { after: (!is_first).then_some(after) })
                }
                (false, None) => {
                    contact.cut_offs += 1;
                    contact.cut_off_since = Some(now);
                    None
                }
                // Going back for a moment is none either.
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

    /// It is said: none, where it is not known.
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

/// What comes until then.
async fn within<T>(until: Instant, coming: oneshot::Receiver<T>) -> Option<T> {
    tokio::time::timeout(until.saturating_duration_since(Instant::now()), coming).await.ok()?.ok()
}

#[cfg(test)]
mod tests;
