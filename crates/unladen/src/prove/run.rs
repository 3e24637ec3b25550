//! [`prove`]: runs the arms of an experiment in turn, puts everything back, and compares.

use std::time::{Duration, Instant};

use unladen_document::ProveDocument;
use unladen_load::Cancel;
use unladen_lockin::{Arm, Estimate, MIN_BLOCKS, Until, Verdict};
use unladen_machine::{MachineClock, MachineReading};
use unladen_probe::{Instrument, Own, Reading};
use unladen_prove::{KnobController, PutBack};
use unladen_report::ArmProfile;

use crate::exit::Failure;
use crate::interrupt::Stopped;
use crate::load::Client;
use crate::machine::ReferenceWork;
use crate::progress::Progress;
use crate::prove::analysis::analyse;
use crate::prove::came::tell;
use crate::prove::counted::{Counted, Counts};
use crate::prove::measured::{BASELINE, Measured, headline};
use crate::prove::options::{Options, Profiles};
use crate::prove::path::{OnPath, telling};
use crate::prove::phase::{Sender, Stretch};
use crate::prove::plan::{LONGEST_IDLE, PASSES, Plan, SETTLE, warm_up};
use crate::prove::profiles::{self, Profiling};
use crate::prove::recording::{ArmRecord, BlockRecord, Recording};
use crate::say::say;

/// Limit with `--until`, unless the experiment's own time is longer or the command line sets the budget.
const MOST_TIME_UNTIL: Duration = Duration::from_secs(1_800);

/// Agents begin this many times the longest reading of counters after agreeing: what they send has to be counted.
const READINGS: u32 = 2;

/// Most attempts at a phase: one that agents began while counters were being read is sent again, and the longer reading
/// is then allowed for.
const TRIES: usize = 5;

pub(crate) struct Proved {
    pub(crate) result: ProveDocument,
    /// Why the result is not the complete one that was asked for.
    pub(crate) failure: Option<Failure>,
    pub(crate) put_back: PutBack,
}

struct Sent {
    record: ArmRecord,
    begun: MachineReading,
    before: Option<Reading>,
}

struct Run<'a> {
    options: &'a Options,
    arms: &'a [Arm],
    board: KnobController,
    sender: Sender,
    instrument: Option<Instrument>,
    clock: MachineClock,
    reference: ReferenceWork,
    plan: Plan,
    cancel: &'a Cancel,
    progress: &'a Progress,
    recording: Recording,
    rng: fastrand::Rng,
    begun: Instant,
    /// Total time of the blocks, once they are done.
    elapsed: Option<Duration>,
    /// Switching a knob restarts a service, so each phase begins with a restart.
    restarts_at_switches: bool,
    reading: Duration,
    path: OnPath,
    counts: Counts,
    tried: Vec<bool>,
    /// Services were restarted, and these arms have not been warmed up since.
    cold: Vec<bool>,
}

/// Runs an experiment. Fails with whatever ended it before there were enough blocks to compare; everything has been put
/// back then, or the failure says what has not.
pub(crate) fn prove(options: &Options, cancel: &Cancel) -> Result<Proved, Failure> {
    let progress = Progress::new(options.quiet);
    let arms = options.experiment.arms();
    if !options.hosts.is_empty() {
        progress.say("starting the agents");
    }
    let sender = Sender::start(options, &arms, cancel)?;
    progress.say("preparing the knobs");
    let board = KnobController::open(&options.experiment).map_err(Failure::from)?;
    let mut run = Run {
        options,
        arms: &arms,
        board,
        sender,
        instrument: None,
        clock: MachineClock::open(),
        reference: ReferenceWork::start(options.seed),
        plan: Plan::choose(&options.experiment, None, arms.len()),
        cancel,
        progress: &progress,
        recording: Recording::default(),
        rng: fastrand::Rng::with_seed(options.seed),
        begun: Instant::now(),
        elapsed: None,
        restarts_at_switches: options.experiment.knobs.iter().any(|knob| !knob.restart.is_empty()),
        reading: Duration::ZERO,
        path: OnPath::unknown("the run ended before that was examined"),
        counts: Counts::none("the run ended before that"),
        tried: vec![false; arms.len()],
        cold: vec![true; arms.len()],
    };
    if let Some(found) = run.board.found() {
        say!("unladen: an earlier run was killed; {found}");
    }
    let mut stopped = match run.prepare() {
        Ok(()) => run.blocks(),
        Err(failure) => Stopped::by(failure),
    };
    run.elapsed = Some(run.begun.elapsed());
    if let Stopped::Done = stopped
        && let Err(failure) = run.look_at_path()
    {
        stopped = Stopped::by(failure);
    }
    let mut profiles = Vec::new();
    if let (Stopped::Done, Some(wanted)) = (&stopped, &options.profiles) {
        match run.profiles(wanted) {
            Ok(made) => profiles = made,
            Err(failure) => stopped = Stopped::by(failure),
        }
    }
    progress.say("putting everything back");
    let put_back = run.board.put_back();
    progress.clear();
    let mut proved = run.finish(stopped, put_back)?;
    proved.result.profiles = profiles;
    Ok(proved)
}

impl Run<'_> {
    fn prepare(&mut self) -> Result<(), Failure> {
        // Whether other hosts reach the service cannot be seen from here.
        if self.options.hosts.is_empty() {
            self.board.ask(self.sender.config.clone());
        }
        self.progress.say("trying the baseline");
        self.board.set(&self.arms[0], self.cancel)?;
        let latency = self.try_out(0)?;
        self.board.note_answered();
        self.plan = Plan::choose(&self.options.experiment, Some(latency), self.arms.len());
        if let Some(group_by) = self.options.group_by {
            self.progress.say("finding all processes");
            // Processes that lead to sending hosts work in step with the requests, but are no work of the server.
            let own = self.sender.carriers().into_iter().fold(Own::new(), Own::with_tree);
            let mut instrument = Instrument::open_with(group_by, own)?;
            instrument.calibrate()?;
            self.instrument = Some(instrument);
        }
        Ok(())
    }

    fn try_out(&mut self, arm: usize) -> Result<Duration, Failure> {
        self.tried[arm] = true;
        let urls = self.options.experiment.urls.len();
        let mut tried = self.sender.try_out(arm, urls, self.cancel);
        if let Err(Failure::Load(error)) = &tried
            && self.board.answers_after_all(error, self.cancel)?
        {
            tried = self.sender.try_out(arm, urls, self.cancel);
        }
        tried.map_err(|failure| match failure {
            Failure::Load(error) => Failure::Arm { arm: self.arms[arm].name.clone(), error: Box::new(error) },
            Failure::AgentLoad { agent, kind, why } => {
                Failure::AgentLoad { agent, kind, why: format!("in the arm `{}`: {why}", self.arms[arm].name) }
            }
            other => other,
        })
    }

    fn blocks(&mut self) -> Stopped {
        self.begun = Instant::now();
        self.progress.say("measuring the first block");
        let mut until = self.options.until.map(Until::new);
        let may_go_on = until.is_some() && !self.options.is_budget_firm;
        let most =
            self.plan.time.unwrap_or(Duration::ZERO).max(if may_go_on { MOST_TIME_UNTIL } else { Duration::ZERO });
        let mut index = 0;
        loop {
            let restart = self.plan.restart(index, self.begun.elapsed());
            match self.block(restart) {
                Ok(true) => {}
                Ok(false) => return Stopped::Interrupted,
                Err(failure) => return Stopped::by(failure),
            }
            index += 1;
            // Nothing is measured between blocks, so no arm is disturbed.
            self.reference.between_blocks(self.cancel);
            let widest = headline(&self.options.experiment, self.arms, &self.recording);
            self.show(index, widest.as_ref());
            if let (Some(until), Some(widest)) = (&mut until, &widest)
                && until.look(widest) == Verdict::Stop
            {
                return Stopped::Done;
            }
            let elapsed = self.begun.elapsed();
            let block = elapsed / index as u32;
            let is_late = !most.is_zero() && elapsed + block / 2 >= most && index >= MIN_BLOCKS;
            let is_complete = index >= self.plan.blocks() && !may_go_on && self.plan.time.is_none();
            if is_late || is_complete {
                return Stopped::Done;
            }
        }
    }

    /// One block: an idle phase, then every arm once in random order, then once more in reverse order. Returns false if
    /// cancelled.
    fn block(&mut self, restart: usize) -> Result<bool, Failure> {
        if self.recording.blocks.last().is_some_and(|last| last.restart != restart) {
            self.progress.say("restarting the services");
            self.board.restart_all(self.cancel)?;
            self.cold.fill(true);
        }
        let mut block =
            BlockRecord { restart, arms: vec![ArmRecord::default(); self.arms.len()], ..Default::default() };
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        self.rng.shuffle(&mut order);
        let Some(idle) = self.idle()? else { return Ok(false) };
        block.idle = idle;
        let back: Vec<usize> = order.iter().rev().copied().collect();
        debug_assert_eq!(PASSES, 2);
        for (pass, order) in [order, back].into_iter().enumerate() {
            for arm in order {
                let Some(record) = self.arm(arm, pass == 0)? else { return Ok(false) };
                block.stretches.push(record.stretch());
                block.arms[arm].absorb(record);
            }
        }
        self.recording.blocks.push(block);
        Ok(true)
    }

    /// A phase without requests; `None` if cancelled.
    fn idle(&mut self) -> Result<Option<ArmRecord>, Failure> {
        if self.instrument.is_none() {
            return Ok(Some(ArmRecord::default()));
        }
        let begun = self.clock.read();
        let before = self.read()?;
        if self.cancel.wait(self.plan.phase.min(LONGEST_IDLE)) {
            return Ok(None);
        }
        let mut record = ArmRecord::default();
        self.count(&mut record, before)?;
        record.times = self.clock.read().since(&begun);
        Ok(Some(record))
    }

    /// Switches to an arm and runs one phase of it; `None` if cancelled.
    fn arm(&mut self, arm: usize, with_cold: bool) -> Result<Option<ArmRecord>, Failure> {
        let switched = self.board.set(&self.arms[arm], self.cancel)?;
        let mut restarted = !switched.restarted.is_empty();
        if !restarted && self.restarts_at_switches {
            // The previous arm had the same knobs: without a restart, this phase would run warmer than others.
            self.board.restart_all(self.cancel)?;
            restarted = true;
        }
        if restarted {
            self.cold.fill(true);
        }
        if !self.tried[arm] {
            self.try_out(arm)?;
        }
        let mut cold = ArmRecord::default();
        if let (Some(of_cold), true) = (&self.options.experiment.cold, with_cold) {
            for _ in 0..of_cold.requests {
                self.board.cold(self.cancel)?;
                let Some(record) = self.sender.once(arm, self.cancel)? else { return Ok(None) };
                cold.absorb(record);
            }
            self.cold.fill(true);
        }
        let needs_warmth = !switched.knobs.is_empty() || std::mem::take(&mut self.cold[arm]);
        if needs_warmth {
            let time = warm_up(&self.options.experiment);
            let stretch = Stretch { time, requests: None };
            let ready = self.sender.prepare(arm, stretch, Duration::ZERO, self.cancel)?;
            let Some(_) = self.sender.send(ready, self.cancel)? else { return Ok(None) };
            if self.cancel.wait(SETTLE) {
                return Ok(None);
            }
        }
        let stretch = Stretch { time: self.plan.phase, requests: self.plan.requests };
        let Some(Sent { mut record, begun, before }) = self.send(arm, stretch)? else { return Ok(None) };
        if record.answered == 0 && record.errors > 0 {
            // It broke after it was tried: that ends the experiment with the reason, instead of one without an answer.
            self.try_out(arm)?;
        }
        if self.cancel.wait(SETTLE) {
            return Ok(None);
        }
        self.count(&mut record, before)?;
        record.times = self.clock.read().since(&begun);
        record.cold_ns = cold.latencies_ns;
        // A failure is no latency, and must not get lost.
        record.errors += cold.errors;
        record.cut_short += cold.cut_short;
        cold.statuses.into_iter().for_each(|(status, count)| *record.statuses.entry(status).or_default() += count);
        Ok(Some(record))
    }

    /// Sends a phase, all of it after the counters were read; `None` if cancelled.
    fn send(&mut self, arm: usize, stretch: Stretch) -> Result<Option<Sent>, Failure> {
        for _ in 0..TRIES {
            let ready = self.sender.prepare(arm, stretch, self.reading * READINGS, self.cancel)?;
            let begun = self.clock.read();
            let before = self.read()?;
            // Requests before the last counter was read are in no difference of readings.
            let is_counted = before.is_none() || !ready.has_begun();
            let Some(record) = self.sender.send(ready, self.cancel)? else { return Ok(None) };
            if is_counted {
                return Ok(Some(Sent { record, begun, before }));
            }
            if self.cancel.wait(SETTLE) {
                return Ok(None);
            }
        }
        Err(Failure::Agent(format!(
            "reading the counters took up to {:.1} s, and {TRIES} times in a row the agents began before it was done: \
             such a phase is not fully counted. Try again when this machine is less busy, or without counters \
             (--no-weights)",
            self.reading.as_secs_f64()
        )))
    }

    /// Observes the requests' path in the [`telling`] arms, and counts what requests do in those that are compared,
    /// after all timing.
    fn look_at_path(&mut self) -> Result<(), Failure> {
        if self.instrument.is_none() {
            // Nobody wants it.
            self.counts = Counts::default();
            return Ok(());
        }
        if !self.sender.is_local {
            self.counts = Counts::none("the requests go to another machine");
            return Ok(());
        }
        self.progress.say("finding the requests' path");
        let urls = self.options.experiment.urls.len();
        let (mut path, mut counts) = (OnPath::default(), Counts::default());
        let changed = Counts::changed_arm(self.arms);
        for arm in telling(self.arms) {
            self.board.set(&self.arms[arm], self.cancel)?;
            let latency = self.try_out(arm)?;
            let Some(instrument) = &mut self.instrument else { continue };
            let (groups, took) = path.add(&self.sender.config, arm * urls..(arm + 1) * urls, instrument, self.cancel);
            if arm != BASELINE && Some(arm) != changed {
                continue;
            }
            if let Some(why) = &path.unknown {
                counts.lacks(why);
                continue;
            }
            self.sender.wake(arm, self.cancel)?;
            let Client::Here(driver) = &mut self.sender.client else {
                counts.lacks("other hosts send the requests");
                continue;
            };
            let (cancel, progress, seed) = (self.cancel, self.progress, self.options.seed);
            let counted = Counted { driver, instrument, groups, took, latency, seed, cancel, progress };
            if counts.add(arm, counted, arm * urls).is_err() {
                return Err(Failure::Interrupted { shown: false });
            }
        }
        (self.path, self.counts) = (path, counts);
        Ok(())
    }

    /// Profiles all arms, in turns as they were measured, after all timing. Writes the differences.
    fn profiles(&mut self, wanted: &Profiles) -> Result<Vec<ArmProfile>, Failure> {
        let arms = self.arms;
        let mut profiling = Profiling::new(wanted, arms, &self.options.experiment);
        for round in 0..profiles::ROUNDS {
            for arm in profiling.order(&mut self.rng) {
                self.progress.say(format!(
                    "profiling, round {} of {}: {}",
                    round + 1,
                    profiles::ROUNDS,
                    arms[arm].name
                ));
                self.board.set(&arms[arm], self.cancel)?;
                self.try_out(arm)?;
                profiling.visit(arm, self.cancel, self.progress)?;
            }
        }
        self.progress.say("writing the profiles");
        profiling.write()
    }

    fn read(&mut self) -> Result<Option<Reading>, Failure> {
        let begun = Instant::now();
        let reading = self.instrument.as_mut().map(Instrument::read).transpose()?;
        self.reading = self.reading.max(begun.elapsed());
        Ok(reading)
    }

    fn count(&mut self, record: &mut ArmRecord, before: Option<Reading>) -> Result<(), Failure> {
        if let (Some(before), Some(after)) = (before, self.read()?) {
            record.grown = after.since(&before).map(|(group, counter, grown)| ((group, counter), grown)).collect();
            record.duration_ns = after.at_ns().saturating_sub(before.at_ns());
        }
        Ok(())
    }

    fn show(&self, blocks: usize, widest: Option<&Estimate>) {
        let elapsed = self.begun.elapsed();
        let done = match self.plan.time {
            Some(time) => elapsed.as_secs_f64() / time.as_secs_f64(),
            None => blocks as f64 / self.plan.blocks() as f64,
        };
        let of = if self.plan.time.is_some() { String::new() } else { format!(" of {}", self.plan.blocks()) };
        let what = widest.map_or("too few for an interval yet".to_owned(), |widest| {
            let percent = |ratio: f64| (ratio - 1.0) * 100.0;
            format!("{:+.1} % ({:+.1} to {:+.1})", percent(widest.value), percent(widest.low), percent(widest.high))
        });
        self.progress.at(done, elapsed, self.plan.time, &format!("block {blocks}{of}  {what}"));
    }

    fn finish(mut self, stopped: Stopped, put_back: PutBack) -> Result<Proved, Failure> {
        let blocks = self.recording.blocks.len();
        let restarts = self.recording.blocks.chunk_by(|a, b| a.restart == b.restart).count();
        let is_enough = blocks >= MIN_BLOCKS || (restarts >= 2 && blocks >= restarts);
        let (ended, failure) = match stopped.ended(is_enough) {
            Ok(ended) => ended,
            Err(failure) if !put_back.is_complete() => {
                return Err(Failure::NotPutBack { report: put_back.to_string(), before: Some(Box::new(failure)) });
            }
            Err(failure) => {
                if !put_back.done.is_empty() {
                    say!("unladen: {put_back}");
                }
                return Err(failure);
            }
        };
        let lost = self.instrument.as_mut().is_some_and(|instrument| instrument.newly_lost() > 0);
        // Before any figure is looked at.
        let spoiled = self.recording.leave_out_spoiled();
        let spoiled_at_agents = self.recording.leave_out_spoiled_at_agents();
        let measured = Measured {
            options: self.options,
            arms: self.arms,
            plan: self.plan,
            recording: &self.recording,
            spoiled: &spoiled,
            spoiled_at_agents: &spoiled_at_agents,
            reference: &self.reference,
            instrument: self.instrument.as_ref(),
            elapsed: self.elapsed.unwrap_or_else(|| self.begun.elapsed()),
            path: &self.path,
            is_local: self.sender.is_local,
            lost,
            ended,
            put_back: &put_back,
        };
        let mut result = analyse(&measured);
        (result.counted, result.not_counted) = self.counts.told(self.arms);
        tell(self.arms, &self.sender.came, &self.options.experiment.expect_change, &mut result.arms);
        result.warnings.extend(self.sender.client.strangers().map(|warning| warning.to_string()));
        Ok(Proved { result, failure, put_back })
    }
}
