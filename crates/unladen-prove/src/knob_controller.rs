//! The principal type is [`KnobController`]: it sets the knobs for an arm, and puts everything back in the end.
//!
//! The order of a switch: the knobs that go off, the last first; those that go on, the first first; then each service
//! that one of them names, once; then all `ready` checks; then, if a command was run, the wait until the first URL is
//! answered as before; then the longest `settle`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unladen_load::{Cancel, DriverConfig, LoadError};

use crate::answering::{Answering, Judge, STEADY, SURE, is_passing};
use crate::error::{CommandFault, Fault, NotPutBack, PutBack, SwitchError};
use crate::experiment::Experiment;
use crate::journal::Journal;
use crate::knob::{Reach, Switch};
use crate::plan::{Known, Plan};
use crate::ready::{Ready, USUAL};
use crate::saver::{Claim, Saver};
use crate::shell::{COMMAND_TIME, Shell, quoted};
use crate::systemd::Systemd;
use unladen_lockin::Arm;

/// Sets the knobs of one experiment for an arm.
///
/// See the [crate's example](crate). If dropped before it has put back, it does so then, and errors are lost.
#[derive(Debug)]
pub struct KnobController {
    experiment: Experiment,
    shell: Shell,
    systemd: Systemd,
    /// `None` if nothing on the system is switched.
    journal: Option<Journal>,
    claims: Vec<Claim>,
    plan: Plan,
    /// For each knob, its current side, if it is on one.
    now: Vec<Option<bool>>,
    made: Vec<Vec<bool>>,
    switched: BTreeSet<usize>,
    stale: BTreeSet<usize>,
    found: Option<PutBack>,
    asks: Option<DriverConfig>,
    has_answered: bool,
    arm: Option<Arm>,
    /// The wait after the last switch, if that ran a command.
    answering: Option<Answering>,
}

/// What a switch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switched {
    pub knobs: Vec<usize>,
    pub restarted: Vec<usize>,
    pub took: Duration,
}

/// What a killed run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOver {
    pub journal: PathBuf,
    pub knobs: Vec<String>,
}

// === impl KnobController ===

impl KnobController {
    /// Puts back what a killed run left, checks that everything can be switched, and records the way back. Switches
    /// nothing yet. Fails when another run of the experiment is under way, leftovers cannot be put back, a knob could
    /// not be switched or put back, or the journal cannot be written. Nothing was switched then.
    pub fn open(experiment: &Experiment) -> Result<Self, SwitchError> {
        Self::open_with(experiment, Systemd::new())
    }

    pub(crate) fn open_with(experiment: &Experiment, systemd: Systemd) -> Result<Self, SwitchError> {
        let acts = experiment.knobs.iter().any(|knob| knob.acts());
        let journal = match &experiment.file {
            Some(file) if acts || !experiment.services.is_empty() => Some(Journal::open(file)?),
            _ => None,
        };
        let mut found = None;
        if let Some(journal) = &journal {
            found = put_back_left_over(journal, &systemd)?;
            if found.as_ref().is_some_and(|found| !found.is_complete()) {
                return Err(SwitchError::LeftOver(found.unwrap_or_default()));
            }
            journal.clear()?;
        }
        let shell = Shell::new(&experiment.folder);
        let folder = journal.as_ref().map_or(Path::new("/nonexistent"), Journal::folder);
        let mut saver = Saver::new(folder);
        let plan = Plan::make(experiment, &mut saver, &systemd);
        let claims = saver.claims;
        let plan = plan.and_then(|plan| match &journal {
            Some(journal) => journal.write(&plan).map(|()| plan),
            None => Ok(plan),
        });
        if let (Err(_), Some(journal)) = (&plan, &journal) {
            // Nothing was switched, so nothing needs to be remembered; the first error is more useful.
            let _ = journal.remove();
        }
        Ok(Self {
            now: experiment.knobs.iter().map(|knob| knob.found()).collect(),
            made: experiment.knobs.iter().map(|knob| vec![false; knob.changes.len()]).collect(),
            switched: BTreeSet::new(),
            stale: BTreeSet::new(),
            experiment: experiment.clone(),
            plan: plan?,
            shell,
            systemd,
            journal,
            claims,
            found,
            asks: None,
            has_answered: false,
            arm: None,
            answering: None,
        })
    }

    /// From now on, after each restart or knob command, waits until the first request of the arm is answered as
    /// `config` expects, several times in a row.
    pub fn ask(&mut self, config: DriverConfig) {
        self.asks = Some(config);
    }

    /// Records that the requests succeed: they must again when all is put back.
    pub fn note_answered(&mut self) {
        self.has_answered = true;
    }

    /// To be called after a failed request of the arm: if the last switch ran a command, and time may resolve the
    /// error, waits once more, for longer. Returns whether another try is worth it. Fails as [`set`](Self::set) does.
    pub fn answers_after_all(&mut self, error: &LoadError, cancel: &Cancel) -> Result<bool, SwitchError> {
        let Some(answering) = self.answering.take().filter(|_| is_passing(error)) else { return Ok(false) };
        answering.wait(SURE, Judge::Caller, cancel)?;
        Ok(true)
    }

    /// What [`open`](Self::open) put back after a killed run.
    pub fn found(&self) -> Option<&PutBack> {
        self.found.as_ref()
    }

    /// Sets the knobs for the arm. Knobs already set are not touched, and restart no service. Fails when a knob, a
    /// restart or a ready check fails, or on cancellation, which kills a running command. Knobs may be in any state
    /// after that, and [`put_back`](Self::put_back) is due.
    pub fn set(&mut self, arm: &Arm, cancel: &Cancel) -> Result<Switched, SwitchError> {
        let started = Instant::now();
        if cancel.is_cancelled() {
            return Err(SwitchError::Cancelled);
        }
        let wanted = |knob: usize| arm.on.get(knob).copied().unwrap_or(false);
        self.arm = Some(arm.clone());
        self.answering = None;
        let differs = |knob: &usize| self.experiment.knobs[*knob].acts() && self.now[*knob] != Some(wanted(*knob));
        let knobs: Vec<usize> = (0..self.now.len()).filter(differs).collect();
        if let Some(journal) = &self.journal {
            journal.mark(&knobs)?;
        }
        let off = knobs.iter().rev().filter(|knob| !wanted(**knob));
        for knob in off.chain(knobs.iter().filter(|knob| wanted(**knob))) {
            // One by one: those after a failed one are unchanged, and need no putting back.
            self.switched.insert(*knob);
            self.switch(*knob, wanted(*knob), cancel)?;
        }
        let restarted = self.restart(self.stale.clone(), cancel)?;
        for knob in &knobs {
            let knob = &self.experiment.knobs[*knob];
            knob.ready.as_ref().map_or(Ok(()), |ready| ready.wait(&knob.name, &self.shell, cancel))?;
        }
        self.wait_for_answers(&knobs, &restarted, cancel)?;
        let settle = knobs.iter().map(|knob| self.experiment.knobs[*knob].settle).max().unwrap_or_default();
        if cancel.wait(settle) {
            return Err(SwitchError::Cancelled);
        }
        Ok(Switched { knobs, restarted, took: started.elapsed() })
    }

    /// Restarts all services, with the environment from the knobs' current state, and waits until they are ready. Fails
    /// as [`set`](Self::set) does.
    pub fn restart_all(&mut self, cancel: &Cancel) -> Result<Switched, SwitchError> {
        let started = Instant::now();
        let restarted = self.restart((0..self.experiment.services.len()).collect(), cancel)?;
        self.wait_for_answers(&[], &restarted, cancel)?;
        Ok(Switched { knobs: Vec::new(), restarted, took: started.elapsed() })
    }

    /// Makes the next request a cold one: runs the cold command, if there is one, and waits until all services are
    /// ready. Returns the duration. Fails as [`set`](Self::set) does.
    pub fn cold(&mut self, cancel: &Cancel) -> Result<Duration, SwitchError> {
        let started = Instant::now();
        let Some(cold) = &self.experiment.cold else { return Ok(Duration::ZERO) };
        self.shell.run(&cold.command, &BTreeMap::new(), COMMAND_TIME, cancel).map_err(|fault| match fault {
            CommandFault::Cancelled => SwitchError::Cancelled,
            fault => SwitchError::Cold(fault),
        })?;
        self.wait(0..self.experiment.services.len(), cancel)?;
        Ok(started.elapsed())
    }

    /// Puts everything back as it was before [`open`](Self::open), by commands that cannot be cancelled. After a
    /// failure the rest is put back all the same, and the journal stays; another call tries again.
    pub fn put_back(&mut self) -> PutBack {
        let settled = |knob: &usize| self.now[*knob] == Some(self.experiment.knobs[*knob].initial);
        let known = Known {
            switched: self.switched.iter().copied().collect(),
            settled: self.switched.iter().copied().filter(settled).collect(),
            stale: self.stale.clone(),
            ready: self.experiment.services.iter().map(|service| service.ready.as_ref()).collect(),
            answering: self.answering_as_found(),
        };
        let folder = self.journal.as_ref().map(|journal| journal.folder().to_owned());
        let mut report = self.plan.put_back(&folder.clone().unwrap_or_default(), &known, &self.systemd);
        report.journal = folder;
        for (knob, now) in self.now.iter_mut().enumerate().filter(|(knob, _)| self.switched.contains(knob)) {
            *now = None;
            self.made[knob].fill(false);
        }
        if report.is_complete() {
            close(self.journal.take().as_ref(), &mut report);
            self.switched.clear();
            self.stale.clear();
            self.claims.clear();
        }
        report
    }

    /// Leaves everything as it is set now. The journal stays: [`restore`] puts everything back at any later time, except
    /// for what others have changed since.
    pub fn keep(mut self) {
        self.journal = None;
        self.switched.clear();
        self.stale.clear();
    }

    fn switch(&mut self, index: usize, on: bool, cancel: &Cancel) -> Result<(), SwitchError> {
        let knob = &self.experiment.knobs[index];
        let journal = self.journal.as_ref().map_or(Path::new("/nonexistent"), Journal::folder);
        self.now[index] = None;
        self.stale.extend(&knob.restart);
        for step in knob.steps(on, &self.made[index]) {
            let undo = &self.plan.knobs[index].undo[step].1;
            let ours = undo.files().iter().try_for_each(|file| file.refuse_foreign(journal));
            let switch = Switch { shell: &self.shell, undo, journal, cancel };
            ours.and_then(|()| knob.changes[step].set(on, &switch)).map_err(|fault| {
                let knob = knob.name.clone();
                or_cancelled(fault, |fault| SwitchError::Knob { knob, on, fault })
            })?;
            self.made[index][step] = knob.changes[step].has(on);
        }
        self.now[index] = Some(on);
        Ok(())
    }

    fn restart(&mut self, services: BTreeSet<usize>, cancel: &Cancel) -> Result<Vec<usize>, SwitchError> {
        let journal = self.journal.as_ref().map_or(Path::new("/nonexistent"), Journal::folder);
        self.stale.extend(&services);
        for index in &services {
            let service = &self.plan.services[*index];
            let variables = self.environment(*index);
            let started = service.start(&variables, journal, &self.shell, &self.systemd, cancel);
            started.map_err(|fault| {
                let service = service.name.clone();
                or_cancelled(fault, |fault| SwitchError::Restart { service, fault })
            })?;
        }
        self.wait(services.iter().copied(), cancel)?;
        self.stale.clear();
        Ok(services.into_iter().collect())
    }

    fn wait(&self, services: impl Iterator<Item = usize>, cancel: &Cancel) -> Result<(), SwitchError> {
        for service in services.map(|index| &self.experiment.services[index]) {
            service.ready.as_ref().map_or(Ok(()), |ready| ready.wait(&service.name, &self.shell, cancel))?;
        }
        Ok(())
    }

    /// After a command for these: waits until the arm's first request is answered as before.
    fn wait_for_answers(&mut self, knobs: &[usize], services: &[usize], cancel: &Cancel) -> Result<(), SwitchError> {
        let of_service = services.last().map(|index| {
            let service = &self.experiment.services[*index];
            (format!("the service `{}`", service.name), format!("`{}`", service.restart.command()))
        });
        let of_knob = || {
            knobs.iter().rev().find_map(|index| {
                let (knob, on) = (&self.experiment.knobs[*index], self.now[*index]?);
                let command =
                    knob.changes.iter().rev().find(|change| change.reach() == Reach::Command && change.has(on));
                Some((format!("the knob `{}`", knob.name), command?.what()))
            })
        };
        self.answering = match of_service.or_else(of_knob) {
            Some(ran) => self.arm.as_ref().and_then(|arm| self.answering(ran, arm)),
            None => None,
        };
        if let Some(answering) = &self.answering {
            answering.wait(STEADY, Judge::Caller, cancel)?;
        }
        Ok(())
    }

    /// The check that an arm answers. `None` if the arm has no request, which the trial of the arm reports.
    fn answering(&self, ran: (String, String), arm: &Arm) -> Option<Answering> {
        let request = self.experiment.requests(arm).ok()?.into_iter().next()?;
        let of_services = self.experiment.services.iter().filter_map(|service| service.ready.as_ref());
        let ready = of_services.chain(self.experiment.knobs.iter().filter_map(|knob| knob.ready.as_ref()));
        let within = ready.map(|Ready { within, .. }| *within).max().unwrap_or(USUAL);
        Some(Answering::new(ran, self.asks.as_ref()?, request, within))
    }

    /// The check that all answers as before the first switch; `None` if it never did.
    fn answering_as_found(&self) -> Option<Answering> {
        let on = self.experiment.knobs.iter().map(|knob| knob.acts() && knob.initial).collect();
        let arm = Arm { name: String::new(), on, roles: Vec::new() };
        self.answering(<(String, String)>::default(), &arm).filter(|_| self.has_answered)
    }

    fn environment(&self, service: usize) -> BTreeMap<String, String> {
        let knobs = self.experiment.knobs.iter().zip(&self.now).filter(|(knob, _)| knob.restart.contains(&service));
        let changes = knobs.flat_map(|(knob, now)| knob.changes.iter().map(move |change| (change, *now)));
        changes
            .filter_map(|(change, now)| change.environment(now?))
            .flatten()
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    }
}

impl Drop for KnobController {
    fn drop(&mut self) {
        // The last resort, such as on a panic; callers that need the errors have called it before.
        let _ = self.put_back();
    }
}

/// What a killed run of the experiment in this file left behind. The file itself need not exist any more. Fails when a
/// run is under way, or the journal cannot be read.
pub fn left_over(experiment: &Path) -> Result<Option<LeftOver>, SwitchError> {
    let Some(journal) = Journal::find(experiment)? else { return Ok(None) };
    Ok(journal.left_over()?.map(|(plan, switched)| LeftOver {
        journal: journal.folder().to_owned(),
        knobs: switched.iter().map(|knob| plan.knobs[*knob].name.clone()).collect(),
    }))
}

/// Puts back what a killed run of the experiment in this file left behind. Fails when a run is under way, or the
/// journal cannot be read. The report has what could not be put back.
pub fn restore(experiment: &Path) -> Result<PutBack, SwitchError> {
    let Some(journal) = Journal::find(experiment)? else {
        // A mistyped name must not be reported as nothing to put back. Without its file, a journal is enough.
        return match experiment.metadata() {
            Ok(found) if found.is_file() => Ok(PutBack::default()),
            Ok(_) => Err(SwitchError::NoExperiment { file: experiment.to_owned(), why: "it is not a file".to_owned() }),
            Err(error) => Err(SwitchError::NoExperiment { file: experiment.to_owned(), why: error.to_string() }),
        };
    };
    let mut report = put_back_left_over(&journal, &Systemd::new())?.unwrap_or_default();
    if report.is_complete() {
        close(Some(&journal), &mut report);
    }
    Ok(report)
}

fn put_back_left_over(journal: &Journal, systemd: &Systemd) -> Result<Option<PutBack>, SwitchError> {
    let Some((plan, switched)) = journal.left_over()? else { return Ok(None) };
    let _claims = plan.claim(&switched)?;
    let known = Known { switched, ..Known::default() };
    let mut report = plan.put_back(journal.folder(), &known, systemd);
    report.journal = Some(journal.folder().to_owned());
    Ok(Some(report))
}

/// Removes the journal; a failure is reported, as the next run would put back once more.
fn close(journal: Option<&Journal>, report: &mut PutBack) {
    if let Some((journal, Err(error))) = journal.map(|journal| (journal, journal.remove())) {
        report.failed.push(NotPutBack {
            what: "the journal".into(),
            why: error.to_string(),
            by_hand: Some(format!("rm -r {}", quoted(journal.folder()))),
        });
    }
}

fn or_cancelled(fault: Fault, error: impl FnOnce(Fault) -> SwitchError) -> SwitchError {
    if fault.is_cancelled() { SwitchError::Cancelled } else { error(fault) }
}

#[cfg(test)]
mod tests;
