//! The principal types are [`Queue`], the places at the application and those who wait for one, for all threads; and
//! [`Place`] and [`Ticket`]: being at the application, and waiting for it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use unladen_observability::QueueState;
use unladen_serve_config::QueueSettings;

use super::discipline::Discipline;
use super::{Flow, QueueEntry, Refusal, Why};

/// As many places as requests: nobody waits.
const UNBOUNDED: u32 = u32::MAX;
/// One in the upper half of [`Queue::state`].
const ONE_WAITS: u64 = 1 << 32;

/// The places at the application, and those who wait for one.
///
/// Both counts are in one word: while nobody waits, a place is taken or given back by one atomic operation, and nobody
/// can begin to wait while the last place is given back. Waiters are behind a lock, whose holder alone changes their
/// number. A place given back while somebody waits is handed on: the thread woken has it already.
#[derive(Debug)]
pub(crate) struct Queue {
    /// Requests at the application in the lower half, waiting ones in the upper.
    state: AtomicU64,
    places: AtomicU32,
    /// Whether the settings give the number of places.
    is_configured: AtomicBool,
    discipline: Mutex<Discipline<Arc<Waiter>>>,
}

impl Queue {
    /// Unbounded where the settings do not give the number of places.
    pub(crate) fn new(settings: &QueueSettings) -> Self {
        let places = places(settings.running);
        Self {
            state: AtomicU64::new(0),
            places: AtomicU32::new(places),
            is_configured: AtomicBool::new(settings.running.is_some()),
            discipline: Mutex::new(Discipline::new(places as usize, settings.length, settings.wait)),
        }
    }

    /// Replaces the settings. Where they give no number of places, the application's stands, but not that of earlier
    /// settings.
    pub(crate) fn set(&self, settings: &QueueSettings) {
        let was_configured = self.is_configured.swap(settings.running.is_some(), Ordering::Relaxed);
        let said = || if was_configured { UNBOUNDED } else { self.places.load(Ordering::Relaxed) };
        let running = settings.running.map_or_else(said, |n| places(Some(n)));
        self.change(|discipline| discipline.set(running as usize, settings.length, settings.wait));
    }

    /// Sets the number of places the application has, if known. The settings take precedence.
    pub(crate) fn set_running(&self, running: Option<usize>) {
        if self.is_configured.load(Ordering::Relaxed) {
            return;
        }
        let places = places(running) as usize;
        self.change(|discipline| discipline.set(places, discipline.length, discipline.wait));
    }

    fn change(&self, change: impl FnOnce(&mut Discipline<Arc<Waiter>>)) {
        let mut discipline = self.lock();
        change(&mut discipline);
        self.places.store(places(Some(discipline.places)), Ordering::Relaxed);
        let (now, mut wakers) = (Instant::now(), Vec::new());
        while at_work(self.state.load(Ordering::Relaxed)) < self.places.load(Ordering::Relaxed)
            && self.hand_on(&mut discipline, now, &mut wakers)
        {
            self.state.fetch_add(1, Ordering::AcqRel);
        }
        drop(discipline);
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn enter(&self, queue_entry: &QueueEntry<'_>, now: Instant) -> Result<Entered<'_>, Refusal> {
        if queue_entry.is_question {
            self.state.fetch_add(1, Ordering::AcqRel);
            return Ok(Entered::Place(Place(self)));
        }
        if self.take() { Ok(Entered::Place(Place(self))) } else { self.wait(queue_entry, now) }
    }

    fn take(&self) -> bool {
        let places = self.places.load(Ordering::Relaxed);
        let next = |state| (waiting(state) == 0 && at_work(state) < places).then_some(state + 1);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, next).is_ok()
    }

    #[cold]
    fn wait(&self, queue_entry: &QueueEntry<'_>, now: Instant) -> Result<Entered<'_>, Refusal> {
        let mut discipline = self.lock();
        let places = self.places.load(Ordering::Relaxed);
        let is_free = |state| waiting(state) == 0 && at_work(state) < places;
        let next = |state| Some(if is_free(state) { state + 1 } else { state + ONE_WAITS });
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, next);
        // From here on whoever gives a place back sees that somebody waits, and has to wait for the lock.
        if before.is_ok_and(is_free) {
            return Ok(Entered::Place(Place(self)));
        }
        let waiter = Arc::new(Waiter::default());
        let mut refused = Vec::new();
        let pushed = discipline.push(now, queue_entry.flow, queue_entry.shared, waiter.clone(), &mut refused);
        let wakers = self.refuse(refused);
        if pushed.is_err() {
            self.state.fetch_sub(ONE_WAITS, Ordering::AcqRel);
        }
        drop(discipline);
        wakers.into_iter().for_each(Waker::wake);
        pushed.map(|number| Entered::Ticket(Ticket { queue: self, number, waiter, is_over: false }))
    }

    /// Somebody else waits for an answer already asked for: it may go in that client's turn too, if it still waits.
    pub(crate) fn join(&self, key: &[u8], flow: Flow) {
        if waiting(self.state.load(Ordering::Acquire)) > 0 {
            self.lock().join(key, flow);
        }
    }

    /// Frees a place, or hands it on if somebody waits.
    fn give_back(&self) {
        let places = self.places.load(Ordering::Relaxed);
        let next = |state| (waiting(state) == 0 || at_work(state) > places).then(|| state - 1);
        if self.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, next).is_err() {
            self.give_to_next();
        }
    }

    #[cold]
    fn give_to_next(&self) {
        let mut discipline = self.lock();
        let mut wakers = Vec::new();
        if !self.hand_on(&mut discipline, Instant::now(), &mut wakers) {
            self.state.fetch_sub(1, Ordering::AcqRel);
        }
        drop(discipline);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Gives a place to the next waiter; whether there was one.
    fn hand_on(&self, discipline: &mut Discipline<Arc<Waiter>>, now: Instant, wakers: &mut Vec<Waker>) -> bool {
        let mut refused = Vec::new();
        let next = discipline.next(now, &mut refused);
        wakers.extend(self.refuse(refused));
        let Some(waiter) = next else { return false };
        self.state.fetch_sub(ONE_WAITS, Ordering::AcqRel);
        wakers.extend(waiter.grant());
        true
    }

    /// Ends their waits; returns the wakers to wake once the lock is released.
    fn refuse(&self, refused: Vec<(Arc<Waiter>, Refusal)>) -> Vec<Waker> {
        self.state.fetch_sub(refused.len() as u64 * ONE_WAITS, Ordering::AcqRel);
        refused.into_iter().filter_map(|(waiter, refusal)| waiter.refuse(refusal)).collect()
    }

    /// Ends a waiter's time; returns its refusal, unless it was told something else meanwhile.
    #[cold]
    fn expire(&self, number: u64, now: Instant) -> Refusal {
        let mut discipline = self.lock();
        let was_waiting = self.is_out(&mut discipline, number);
        discipline.refusal(now, Why::Timeout, was_waiting)
    }

    /// Removes a waiter that leaves. If it has got a place meanwhile, that is handed on.
    #[cold]
    fn leave(&self, number: u64, waiter: &Waiter) {
        let mut discipline = self.lock();
        if self.is_out(&mut discipline, number) {
            discipline.counts.left += 1;
            return;
        }
        drop(discipline);
        if waiter.told() == Some(Ok(())) {
            self.give_back();
        }
    }

    fn is_out(&self, discipline: &mut Discipline<Arc<Waiter>>, number: u64) -> bool {
        let was_waiting = discipline.leave(number);
        if was_waiting {
            self.state.fetch_sub(ONE_WAITS, Ordering::AcqRel);
        }
        was_waiting
    }

    pub(crate) fn is_waited(&self) -> bool {
        waiting(self.state.load(Ordering::Relaxed)) > 0
    }

    fn longest(&self) -> Duration {
        self.lock().wait
    }

    pub(crate) fn state(&self) -> QueueState {
        let discipline = self.lock();
        let places = self.places.load(Ordering::Relaxed);
        QueueState {
            running: u64::from(at_work(self.state.load(Ordering::Relaxed))),
            places: (places != UNBOUNDED).then(|| u64::from(places)),
            waiting: discipline.len() as u64,
            length: discipline.length as u64,
            is_overload: discipline.is_overload(Instant::now()),
            refused: discipline.counts.by_reason(),
            left: discipline.counts.left,
            waited: discipline.counts.waited,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Discipline<Arc<Waiter>>> {
        self.discipline.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn places(running: Option<usize>) -> u32 {
    running.filter(|running| *running > 0).map_or(UNBOUNDED, |running| u32::try_from(running).unwrap_or(UNBOUNDED))
}

fn at_work(state: u64) -> u32 {
    (state & u64::from(u32::MAX)) as u32
}

fn waiting(state: u64) -> u32 {
    (state >> 32) as u32
}

/// Where a waiting thread learns its fate from another.
#[derive(Debug, Default)]
pub(super) struct Waiter(Mutex<Fate>);

#[derive(Debug)]
enum Fate {
    Waits(Option<Waker>),
    Granted,
    Refused(Refusal),
}

impl Default for Fate {
    fn default() -> Self {
        Self::Waits(None)
    }
}

impl Waiter {
    /// Gives it a place; returns the waker to wake once no lock is held.
    #[must_use]
    pub(super) fn grant(&self) -> Option<Waker> {
        self.become_(Fate::Granted)
    }

    #[must_use]
    pub(super) fn refuse(&self, refusal: Refusal) -> Option<Waker> {
        self.become_(Fate::Refused(refusal))
    }

    pub(super) fn told(&self) -> Option<Result<(), Refusal>> {
        match &*self.fate() {
            Fate::Granted => Some(Ok(())),
            Fate::Refused(refusal) => Some(Err(*refusal)),
            Fate::Waits(_) => None,
        }
    }

    /// Polls for a place; the last to poll is woken.
    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Result<(), Refusal>> {
        let mut fate = self.fate();
        let before = match &mut *fate {
            Fate::Granted => return Poll::Ready(Ok(())),
            Fate::Refused(refusal) => return Poll::Ready(Err(*refusal)),
            Fate::Waits(Some(waker)) if waker.will_wake(cx.waker()) => None,
            Fate::Waits(waker) => waker.replace(cx.waker().clone()),
        };
        // Dropping a waker may drop anything: not with the lock held.
        drop(fate);
        drop(before);
        Poll::Pending
    }

    fn become_(&self, fate: Fate) -> Option<Waker> {
        match std::mem::replace(&mut *self.fate(), fate) {
            Fate::Waits(waker) => waker,
            Fate::Granted | Fate::Refused(_) => None,
        }
    }

    fn fate(&self) -> MutexGuard<'_, Fate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place at the application; dropping it passes it on.
#[derive(Debug)]
pub(crate) struct Place<'q>(&'q Queue);

/// Waits for a place; dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct Ticket<'q> {
    queue: &'q Queue,
    number: u64,
    waiter: Arc<Waiter>,
    is_over: bool,
}

#[derive(Debug)]
pub(crate) enum Entered<'q> {
    Place(Place<'q>),
    Ticket(Ticket<'q>),
}

impl<'q> Ticket<'q> {
    pub(crate) fn longest(&self) -> Duration {
        self.queue.longest()
    }

    pub(crate) fn poll(&mut self, cx: &Context<'_>) -> Poll<Result<Place<'q>, Refusal>> {
        let told = self.waiter.poll(cx);
        self.is_over |= told.is_ready();
        told.map_ok(|()| Place(self.queue))
    }

    /// Ends the wait; it may have got a place at the last moment.
    pub(crate) fn expire(mut self, now: Instant) -> Result<Place<'q>, Refusal> {
        self.is_over = true;
        let refusal = self.queue.expire(self.number, now);
        match self.waiter.told() {
            Some(told) => told.map(|()| Place(self.queue)),
            None => Err(refusal),
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.queue.leave(self.number, &self.waiter);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}
