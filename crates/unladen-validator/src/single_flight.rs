//! The principal type is [`SingleFlight`]: asks a question once for all who ask it at the same time.
//!
//! An asker gets the answer to a question that is sent after the asking began, and so sees every change committed
//! before its request. So nobody joins a question that is already on its way. For each question, at most one round
//! flies, and one waits: newcomers join it, and it flies as soon as the first has landed. Rounds are flown by a task on
//! the first asker's thread, not by an asker, since askers may leave at any time. If that task goes away, with its
//! thread, all members ask again. A question's state is dropped when its last round has landed.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::spawn_local;
use tokio::time::timeout;

use crate::counts::{Counts, locked};
use crate::question::{Answer, Ask};
use crate::{AskError, Question};

/// Different questions at a time.
const MOST_FLYING: usize = 16_384;

const SHARDS: usize = 16;

/// Asks a question once for all who ask it at the same time.
#[derive(Debug)]
pub(crate) struct SingleFlight<A> {
    asker: A,
    timeout: Duration,
    counts: Counts,
    flying: AtomicUsize,
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

/// The questions with a flying round, and the round that waits.
type Shard = HashMap<Arc<Question>, Option<Arc<Flight>>>;

/// A round: those who share an answer.
#[derive(Debug, Default)]
struct Flight {
    /// `Some(None)` if it will never be answered.
    answer: OnceLock<Option<Answer>>,
    landed: Notify,
}

/// Flies the rounds of a question, until none waits.
struct Leader<A: Ask> {
    single_flight: Arc<SingleFlight<A>>,
    question: Arc<Question>,
    /// `None` if it has ended normally.
    flight: Option<Arc<Flight>>,
}

impl<A: Ask> SingleFlight<A> {
    /// `timeout` bounds each wait and each round.
    pub(crate) fn new(asker: A, timeout: Duration) -> Self {
        let shards = std::array::from_fn(|_| Mutex::default());
        Self {
            asker,
            timeout,
            counts: Counts::default(),
            flying: AtomicUsize::new(0),
            hasher: RandomState::new(),
            shards,
        }
    }

    pub(crate) fn asker(&self) -> &A {
        &self.asker
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Asks, or shares the answer to the same question if it is sent after this call. On a `LocalRuntime`.
    pub(crate) async fn ask(self: &Arc<Self>, thread: usize, question: Question) -> Answer {
        let question = Arc::new(question);
        let asked = async {
            loop {
                if let Some(answer) = self.join(thread, &question)?.landed().await {
                    return answer;
                }
            }
        };
        timeout(self.timeout, asked).await.unwrap_or(Err(AskError::Timeout))
    }

    /// A round that is sent after this call.
    fn join(self: &Arc<Self>, thread: usize, question: &Arc<Question>) -> Result<Arc<Flight>, AskError> {
        let mut shard = locked(self.shard(question));
        if let Some(waiting) = shard.get_mut(question) {
            self.counts.shared();
            return Ok(waiting.get_or_insert_default().clone());
        }
        if self.flying.load(Relaxed) >= MOST_FLYING {
            self.counts.failed(&AskError::TooMany);
            return Err(AskError::TooMany);
        }
        self.flying.fetch_add(1, Relaxed);
        shard.insert(question.clone(), None);
        drop(shard);
        let flight = Arc::new(Flight::default());
        let leader = Leader { single_flight: self.clone(), question: question.clone(), flight: Some(flight.clone()) };
        spawn_local(leader.run(thread));
        Ok(flight)
    }

    fn shard(&self, question: &Question) -> &Mutex<Shard> {
        let hash = self.hasher.hash_one(question);
        let place = hash as usize % SHARDS;
        &self.shards[place]
    }
}

// === impl Leader ===

impl<A: Ask> Leader<A> {
    async fn run(mut self, thread: usize) {
        let single_flight = self.single_flight.clone();
        while let Some(flight) = &self.flight {
            single_flight.counts.asked();
            let asked = timeout(single_flight.timeout, single_flight.asker.ask(thread, &self.question)).await;
            let answer = asked.unwrap_or(Err(AskError::Timeout));
            match &answer {
                Ok(_) => single_flight.counts.answered(),
                Err(error) => single_flight.counts.failed(error),
            }
            flight.land(Some(answer));
            self.flight = self.next();
        }
    }

    /// The next round, closed to newcomers; `None` if nobody waits, and the question is forgotten.
    fn next(&self) -> Option<Arc<Flight>> {
        let mut shard = locked(self.single_flight.shard(&self.question));
        // The map's own count is one: nobody is on board any more, and nobody boards while the shard is locked.
        let next = shard.get_mut(&self.question).and_then(Option::take).filter(|next| Arc::strong_count(next) > 1);
        if next.is_none() {
            forget(&mut shard, &self.question);
            self.single_flight.flying.fetch_sub(1, Relaxed);
        }
        next
    }
}

impl<A: Ask> Drop for Leader<A> {
    fn drop(&mut self) {
        let Some(flight) = self.flight.take() else { return };
        // The thread is going away, amid a round.
        let waiting = forget(&mut locked(self.single_flight.shard(&self.question)), &self.question);
        self.single_flight.flying.fetch_sub(1, Relaxed);
        flight.land(None);
        if let Some(waiting) = waiting {
            waiting.land(None);
        }
    }
}

fn forget(shard: &mut Shard, question: &Question) -> Option<Arc<Flight>> {
    let waiting = shard.remove(question).flatten();
    // Frees a burst's room.
    if shard.is_empty() && shard.capacity() > 256 {
        shard.shrink_to_fit();
    }
    waiting
}

impl Flight {
    fn land(&self, answer: Option<Answer>) {
        let _ = self.answer.set(answer);
        self.landed.notify_waiters();
    }

    /// The answer; `None` if there will never be one.
    async fn landed(&self) -> Option<Answer> {
        let landed = self.landed.notified();
        tokio::pin!(landed);
        // From here on `notify_waiters` is heard.
        landed.as_mut().enable();
        if self.answer.get().is_none() {
            landed.await;
        }
        self.answer.get().cloned().flatten()
    }
}

#[cfg(test)]
mod tests;
