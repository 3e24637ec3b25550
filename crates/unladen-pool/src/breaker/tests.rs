use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

fn settings() -> BreakerSettings {
    BreakerSettings::default()
}

fn report(breaker: &Breaker, ok: bool, now_ms: u64) {
    let pass = breaker.admit(now_ms).expect("it passes");
    breaker.report(pass, ok, now_ms);
}

/// Opened by failures alone; when trials may begin.
fn opened(breaker: &Breaker, now_ms: u64) -> u64 {
    for _ in 0..settings().requests {
        report(breaker, false, now_ms);
    }
    assert_eq!(breaker.state(), BreakerState::Open);
    now_ms + breaker.admit(now_ms).expect_err("open").as_millis() as u64
}

#[test]
fn it_opens_at_the_share_of_failures_and_not_before() {
    let breaker = Breaker::new(settings());
    for _ in 0..10 {
        report(&breaker, true, 0);
    }
    for _ in 0..9 {
        report(&breaker, false, 0);
    }
    assert_eq!(breaker.state(), BreakerState::Closed, "19 requests are too few");
    report(&breaker, true, 0);
    report(&breaker, false, 0);
    assert_eq!(breaker.state(), BreakerState::Closed, "10 of 21");
    report(&breaker, false, 0);
    assert_eq!(breaker.state(), BreakerState::Open, "11 of 22");
    assert_eq!(breaker.opened(), 1);
    assert_eq!(breaker.state().into_str(), "open");
}

#[test]
fn failures_long_ago_do_not_open_it() {
    let breaker = Breaker::new(settings());
    for second in 0..100 {
        report(&breaker, false, second * 1_000);
    }
    assert_eq!(breaker.state(), BreakerState::Closed, "ten within any ten seconds");
}

#[test]
fn as_many_successes_as_trials_close_it_and_what_was_before_is_forgotten() {
    let breaker = Breaker::new(settings());
    let gate = opened(&breaker, 0);
    assert!((4_500..=5_500).contains(&gate), "{gate}");
    assert!(breaker.admit(gate - 1).is_err());
    let trials = [(); 3].map(|()| breaker.admit(gate).expect("a trial"));
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    assert_eq!(breaker.admit(gate).expect_err("a fourth"), TRIAL_WAIT);
    for trial in trials {
        breaker.report(trial, true, gate);
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
    report(&breaker, false, gate);
    assert_eq!(breaker.state(), BreakerState::Closed, "the failures before it opened do not count again");
}

#[test]
fn each_failed_trial_opens_it_for_twice_as_long_up_to_a_bound_and_closing_starts_anew() {
    let breaker = Breaker::new(settings());
    let mut gate = opened(&breaker, 0);
    for growth in [2, 4, 8, 8, 8] {
        let at = gate;
        report(&breaker, false, at);
        let open = breaker.admit(at).expect_err("open again").as_millis() as u64;
        assert!((growth * 4_500..=growth * 5_500).contains(&open), "{growth}: {open}");
        gate = at + open;
    }
    for _ in 0..3 {
        report(&breaker, true, gate);
    }
    assert_eq!(breaker.opened(), 6);
    assert!(opened(&breaker, gate) - gate <= 5_500);
}

#[test]
fn a_trial_that_is_dropped_makes_room_for_another() {
    let breaker = Breaker::new(settings());
    let gate = opened(&breaker, 0);
    for _ in 0..100 {
        drop(breaker.admit(gate).expect("room for a trial"));
    }
    assert_eq!(breaker.state(), BreakerState::HalfOpen, "it says nothing of the upstream");
}

#[test]
fn a_request_from_before_it_opened_decides_nothing() {
    let breaker = Breaker::new(settings());
    let early = [(); 40].map(|()| breaker.admit(0).expect("closed"));
    let gate = opened(&breaker, 0);
    let trial = breaker.admit(gate).expect("a trial");
    for (index, pass) in early.into_iter().enumerate() {
        breaker.report(pass, index % 2 == 0, gate);
    }
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    assert_eq!(breaker.opened(), 1);
    // And a trial of an earlier round none of a later one.
    let failing = breaker.admit(gate).expect("a second trial");
    breaker.report(failing, false, gate);
    let next = gate + breaker.admit(gate).expect_err("open").as_millis() as u64;
    let _current = breaker.admit(next).expect("a trial of the second round");
    breaker.report(trial, false, next);
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
}

#[test]
fn many_threads_begin_no_more_trials_than_allowed() {
    let breaker = Breaker::new(settings());
    let gate = opened(&breaker, 0);
    let admitted = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..100).filter_map(|_| breaker.admit(gate).ok()).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(admitted.len(), 3);
}

#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Admit,
    /// Of those under way, this one (modulo).
    Report(usize, bool),
    Drop(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (0_u64..4_000).prop_map(Step::Wait),
        1 => Just(Step::Wait(60_000)),
        8 => Just(Step::Admit),
        6 => (any::<usize>(), any::<bool>()).prop_map(|(which, ok)| Step::Report(which, ok)),
        4 => any::<usize>().prop_map(|which| Step::Report(which, false)),
        1 => any::<usize>().prop_map(Step::Drop),
    ]
}

/// The same breaker, written for the eye: a list of outcomes, and a state that is looked up.
struct Model {
    settings: BreakerSettings,
    outcomes: Vec<(u64, bool)>,
    state: BreakerState,
    round: u64,
    openings: u32,
    opened_at: u64,
    trials: u32,
    successes: u32,
}

impl Model {
    fn open(&mut self, now: u64) {
        self.state = BreakerState::Open;
        self.opened_at = now;
        self.openings += 1;
    }

    /// What admitting must give: none where the jitter decides.
    fn admits(&self, now: u64) -> Option<bool> {
        let open = self.settings.open.as_millis() as f64 * f64::from(2_u32.pow(self.openings.clamp(1, 4) - 1));
        let since = (now - self.opened_at) as f64;
        match self.state {
            BreakerState::Closed => Some(true),
            BreakerState::HalfOpen => Some(self.trials < self.settings.trials),
            BreakerState::Open if since < 0.9 * open - 1.0 => Some(false),
            BreakerState::Open if since > 1.1 * open => Some(true),
            BreakerState::Open => None,
        }
    }

    /// It was let pass; of which round its trial is, if it is one.
    fn admitted(&mut self) -> Option<u64> {
        if self.state == BreakerState::Closed {
            return None;
        }
        if self.state == BreakerState::Open {
            self.state = BreakerState::HalfOpen;
            (self.round, self.trials, self.successes) = (self.round + 1, 0, 0);
        }
        self.trials += 1;
        Some(self.round)
    }

    fn reported(&mut self, trial: Option<u64>, ok: bool, now: u64) {
        match trial {
            None => {
                self.outcomes.push((now, ok));
                let part = self.settings.window.as_millis() as u64 / 10;
                let counted: Vec<_> = self.outcomes.iter().filter(|(at, _)| at / part + 10 > now / part).collect();
                let failed = counted.iter().filter(|(_, ok)| !ok).count();
                if !ok
                    && self.state == BreakerState::Closed
                    && counted.len() >= self.settings.requests as usize
                    && failed as f64 >= self.settings.failures * counted.len() as f64
                {
                    self.open(now);
                }
            }
            Some(round) if round == self.round && self.state == BreakerState::HalfOpen => {
                self.trials -= 1;
                if !ok {
                    return self.open(now);
                }
                self.successes += 1;
                if self.successes == self.settings.trials {
                    self.state = BreakerState::Closed;
                    self.outcomes.clear();
                    self.openings = 0;
                }
            }
            Some(_) => {}
        }
    }

    fn dropped(&mut self, trial: Option<u64>) {
        if trial == Some(self.round) && self.state == BreakerState::HalfOpen {
            self.trials -= 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn it_does_what_the_model_does(
        failures in 0.1_f64..=1.0,
        requests in 1_u32..12,
        trials in 1_u32..5,
        steps in prop::collection::vec(step(), 1..400),
    ) {
        let settings = BreakerSettings { failures, requests, trials, ..settings() };
        let breaker = Breaker::new(settings.clone());
        let mut model = Model {
            settings, outcomes: Vec::new(), state: BreakerState::Closed,
            round: 0, openings: 0, opened_at: 0, trials: 0, successes: 0,
        };
        let mut under_way: VecDeque<(Pass, Option<u64>)> = VecDeque::new();
        let mut now = 1;
        for step in steps {
            match step {
                Step::Wait(ms) => now += ms,
                Step::Admit => {
                    let must = model.admits(now);
                    match breaker.admit(now) {
                        Ok(pass) => {
                            prop_assert_ne!(must, Some(false));
                            under_way.push_back((pass, model.admitted()));
                        }
                        Err(wait) => {
                            prop_assert_ne!(must, Some(true));
                            prop_assert!(wait > Duration::ZERO);
                        }
                    }
                }
                Step::Report(which, ok) if !under_way.is_empty() => {
                    let (pass, trial) = under_way.remove(which % under_way.len()).unwrap();
                    breaker.report(pass, ok, now);
                    model.reported(trial, ok, now);
                }
                Step::Drop(which) if !under_way.is_empty() => {
                    let (pass, trial) = under_way.remove(which % under_way.len()).unwrap();
                    drop(pass);
                    model.dropped(trial);
                }
                _ => {}
            }
            prop_assert_eq!(breaker.state(), model.state);
        }
    }
}
