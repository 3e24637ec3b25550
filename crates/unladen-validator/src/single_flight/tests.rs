//! Tests of [`SingleFlight`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::task::{JoinSet, spawn_local, yield_now};
use tokio::time::sleep;

use super::*;
use crate::State;

/// Answers with the time of a clock of its own, at which it was asked.
#[derive(Default)]
struct Clock {
    now: AtomicU64,
    pause: Duration,
    /// By question: how many are asked at the moment.
    asked: Mutex<HashMap<Question, usize>>,
    twice: AtomicBool,
    silent: AtomicBool,
    seed: AtomicU64,
}

impl Clock {
    fn tick(&self) -> u64 {
        self.now.fetch_add(1, SeqCst)
    }
}

/// Ends the asking, also when it is dropped.
struct Asking<'a>(&'a Clock, Question);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        *locked(&self.0.asked).get_mut(&self.1).unwrap() -= 1;
    }
}

impl Ask for Clock {
    async fn ask(&self, _: usize, question: &Question) -> Answer {
        let asked = {
            let mut asked = locked(&self.asked);
            let count = asked.entry(question.clone()).or_default();
            *count += 1;
            *count
        };
        if asked > 1 {
            self.twice.store(true, SeqCst);
        }
        let _asking = Asking(self, question.clone());
        let sent = self.tick();
        while self.silent.load(SeqCst) {
            sleep(Duration::from_millis(1)).await;
        }
        match self.seed.fetch_add(0x9E37_79B9, SeqCst) % 7 {
            0 => {}
            1 => sleep(self.pause).await,
            steps => {
                for _ in 0..steps {
                    yield_now().await;
                }
            }
        }
        Ok(Some(sent.to_string().into_bytes().into()))
    }
}

fn runtime() -> LocalRuntime {
    Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap()
}

fn question(name: &str) -> Question {
    Question { parameters: vec![name.to_owned()] }
}

fn time(answer: Answer) -> u64 {
    std::str::from_utf8(&answer.unwrap().unwrap()).unwrap().parse().unwrap()
}

fn is_empty<A>(single_flight: &SingleFlight<A>) -> bool {
    single_flight.shards.iter().all(|shard| locked(shard).is_empty()) && single_flight.flying.load(Relaxed) == 0
}

#[test]
fn an_answer_is_sent_after_whoever_gets_it_asked() {
    let clock = Clock { pause: Duration::from_millis(1), ..Clock::default() };
    let single_flight = Arc::new(SingleFlight::new(clock, Duration::from_secs(20)));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let single_flight = single_flight.clone();
            scope.spawn(move || {
                runtime().block_on(async {
                    let mut tasks = JoinSet::new();
                    for task in 0..50_u64 {
                        let single_flight = single_flight.clone();
                        tasks.spawn_local(async move {
                            for step in 0..40_u64 {
                                let before = single_flight.asker().tick();
                                let asked =
                                    single_flight.ask(thread, question(if (task + step) % 3 == 0 { "a" } else { "b" }));
                                // Some leave early.
                                if (task + step) % 11 == 0 {
                                    let _ = timeout(Duration::from_micros(200), asked).await;
                                } else {
                                    let sent = time(asked.await);
                                    assert!(sent > before, "sent at {sent}, asked for at {before}");
                                }
                            }
                        });
                    }
                    while let Some(ended) = tasks.join_next().await {
                        ended.unwrap();
                    }
                    // Rounds that nobody waits for any more.
                    while !is_empty(&single_flight) {
                        sleep(Duration::from_millis(1)).await;
                    }
                });
            });
        }
    });
    let state = single_flight.counts().state();
    assert!(!single_flight.asker().twice.load(SeqCst), "a question was asked twice at a time");
    assert!(state.shared > state.asked, "{state:?}");
    assert_eq!((state.failed, state.timeouts), (0, 0));
    assert!(is_empty(&single_flight));
}

#[test]
fn those_who_come_during_a_question_share_the_next() {
    let single_flight = Arc::new(SingleFlight::new(Clock::default(), Duration::from_secs(20)));
    single_flight.asker().silent.store(true, SeqCst);
    runtime().block_on(async {
        let mut tasks = JoinSet::new();
        let ask = || {
            let single_flight = single_flight.clone();
            async move { single_flight.ask(0, question("a")).await }
        };
        tasks.spawn_local(ask());
        sleep(Duration::from_millis(5)).await;
        for _ in 0..100 {
            tasks.spawn_local(ask());
        }
        sleep(Duration::from_millis(5)).await;
        single_flight.asker().silent.store(false, SeqCst);
        while let Some(answer) = tasks.join_next().await {
            answer.unwrap().unwrap();
        }
    });
    assert_eq!(single_flight.counts().state(), State { asked: 2, shared: 100, answered: 2, ..State::default() });
}

#[test]
fn who_waits_does_not_hang_when_the_asking_thread_ends() {
    let single_flight = Arc::new(SingleFlight::new(Clock::default(), Duration::from_secs(20)));
    single_flight.asker().silent.store(true, SeqCst);
    let first = runtime();
    let other = single_flight.clone();
    first.block_on(async move {
        spawn_local(async move { other.ask(0, question("a")).await });
        sleep(Duration::from_millis(5)).await;
    });
    let waiting = std::thread::spawn({
        let single_flight = single_flight.clone();
        move || runtime().block_on(single_flight.ask(1, question("a")))
    });
    while single_flight.counts().state().shared == 0 {
        std::thread::yield_now();
    }
    // With its task, amid a question.
    drop(first);
    single_flight.asker().silent.store(false, SeqCst);
    waiting.join().unwrap().unwrap();
    assert!(is_empty(&single_flight));
}

#[test]
fn who_leaves_takes_no_answer_away() {
    let single_flight = Arc::new(SingleFlight::new(Clock::default(), Duration::from_secs(20)));
    single_flight.asker().silent.store(true, SeqCst);
    runtime().block_on(async {
        let first = spawn_local({
            let single_flight = single_flight.clone();
            async move { single_flight.ask(0, question("a")).await }
        });
        sleep(Duration::from_millis(5)).await;
        let second = spawn_local({
            let single_flight = single_flight.clone();
            async move { single_flight.ask(0, question("a")).await }
        });
        sleep(Duration::from_millis(5)).await;
        first.abort();
        single_flight.asker().silent.store(false, SeqCst);
        second.await.unwrap().unwrap();
    });
    assert!(is_empty(&single_flight));
}

#[test]
fn each_waits_for_its_own_time() {
    let single_flight = Arc::new(SingleFlight::new(Clock::default(), Duration::from_millis(60)));
    single_flight.asker().silent.store(true, SeqCst);
    runtime().block_on(async {
        let start = tokio::time::Instant::now();
        let early = single_flight.ask(0, question("a"));
        let late = async {
            sleep(Duration::from_millis(40)).await;
            single_flight.ask(0, question("a")).await
        };
        let (early, late) =
            tokio::join!(async { (early.await, start.elapsed()) }, async { (late.await, start.elapsed()) });
        assert_eq!((early.0, late.0), (Err(AskError::Timeout), Err(AskError::Timeout)));
        assert!(early.1 >= Duration::from_millis(60) && late.1 >= Duration::from_millis(100));
        single_flight.asker().silent.store(false, SeqCst);
        time(single_flight.ask(0, question("a")).await);
    });
    assert!(single_flight.counts().state().timeouts >= 1);
}

#[test]
fn there_is_a_bound() {
    let single_flight = Arc::new(SingleFlight::new(Clock::default(), Duration::from_secs(20)));
    single_flight.asker().silent.store(true, SeqCst);
    runtime().block_on(async {
        let mut tasks = JoinSet::new();
        for number in 0..=MOST_FLYING {
            let single_flight = single_flight.clone();
            tasks.spawn_local(async move { single_flight.ask(0, question(&number.to_string())).await });
        }
        let first = tasks.join_next().await.unwrap().unwrap();
        assert_eq!(first, Err(AskError::TooMany));
        single_flight.asker().silent.store(false, SeqCst);
        while let Some(answer) = tasks.join_next().await {
            answer.unwrap().unwrap();
        }
    });
    assert!(is_empty(&single_flight));
}
