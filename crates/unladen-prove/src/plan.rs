//! The principal type is [`Plan`]: how to put an experiment back, complete enough for another process to do it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unladen_load::Cancel;

use crate::answering::{Answering, Judge, SURE};
use crate::error::{Fault, NotPutBack, PutBack, SwitchError};
use crate::experiment::Experiment;
use crate::original::Original;
use crate::ready::{Ready, Restart};
use crate::saver::{Claim, Saver};
use crate::shell::{COMMAND_TIME, Shell, quoted};
use crate::systemd::Systemd;
use crate::undo::Undo;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) folder: PathBuf,
    pub(crate) knobs: Vec<KnobPlan>,
    pub(crate) services: Vec<ServicePlan>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnobPlan {
    pub(crate) name: String,
    pub(crate) undo: Vec<(String, Undo)>,
    order: Vec<usize>,
    restart: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServicePlan {
    pub(crate) name: String,
    pub(crate) restart: Restart,
    pub(crate) drop_in: Option<Original>,
}

#[derive(Debug, Default)]
pub(crate) struct Known<'a> {
    pub(crate) switched: Vec<usize>,
    /// Switched knobs that their commands have already put back.
    pub(crate) settled: BTreeSet<usize>,
    pub(crate) stale: BTreeSet<usize>,
    /// Ready check of each service; empty if unknown.
    pub(crate) ready: Vec<Option<&'a Ready>>,
    /// A check that succeeded before, and must again if a command is run.
    pub(crate) answering: Option<Answering>,
}

impl Plan {
    pub(crate) fn make(experiment: &Experiment, saver: &mut Saver<'_>, systemd: &Systemd) -> Result<Self, SwitchError> {
        let mut plan = Self { folder: experiment.folder.clone(), knobs: Vec::new(), services: Vec::new() };
        for knob in &experiment.knobs {
            let mut undo = Vec::new();
            for change in &knob.changes {
                let way_back = change.prepare(saver);
                let fault = |fault| SwitchError::Check { knob: knob.name.clone(), fault };
                let way_back = way_back.map_err(fault)?;
                plan.refuse_shared(&knob.name, &undo, &way_back)?;
                undo.push((change.what(), way_back));
            }
            let order = knob.steps(knob.initial, &vec![true; knob.changes.len()]);
            plan.knobs.push(KnobPlan { name: knob.name.clone(), undo, order, restart: knob.restart.clone() });
        }
        plan.blur_shared();
        for (index, service) in experiment.services.iter().enumerate() {
            let drop_in = match &service.restart {
                Restart::Unit(unit) if experiment.knobs.iter().any(|knob| knob.gives_variables_to(index)) => {
                    let fault = |fault| SwitchError::Service { service: service.name.clone(), fault };
                    Some(untouched(&systemd.drop_in(unit), saver).map_err(fault)?)
                }
                _ => None,
            };
            plan.services.push(ServicePlan { name: service.name.clone(), restart: service.restart.clone(), drop_in });
        }
        Ok(plan)
    }

    /// Refuses a file that another change also touches, perhaps by another name; patches may share one.
    fn refuse_shared(&self, knob: &str, undo: &[(String, Undo)], new: &Undo) -> Result<(), SwitchError> {
        let is_patch = |undo: &Undo| matches!(undo, Undo::Patch { .. });
        let others = self.knobs.iter().flat_map(|other| &other.undo).chain(undo);
        for (what, other) in others.filter(|(_, other)| !(is_patch(other) && is_patch(new))) {
            let shared = new.files().iter().find(|file| other.files().iter().any(|other| other.path == file.path));
            if let Some(file) = shared {
                let (path, is) = (file.path.clone(), format!("already changed by {what}"));
                let fault = Fault::Unsafe { path, is, instead: "its content would depend on the order" };
                return Err(SwitchError::Check { knob: knob.to_owned(), fault });
            }
        }
        Ok(())
    }

    /// A file that several patches touch may hold the result of any of them.
    fn blur_shared(&mut self) {
        let all = self.knobs.iter_mut().flat_map(|knob| &mut knob.undo).flat_map(|(_, undo)| undo.patched());
        let mut files: Vec<&mut Original> = all.collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let shared = files.chunk_by_mut(|one, other| one.path == other.path).filter(|of_one| of_one.len() > 1);
        shared.flatten().for_each(|file| file.may_hold_anything());
    }

    pub(crate) fn claim(&self, knobs: &[usize]) -> Result<Vec<Claim>, SwitchError> {
        let mut claims: Vec<Claim> = Vec::new();
        for knob in knobs.iter().filter_map(|knob| self.knobs.get(*knob)) {
            for file in knob.undo.iter().flat_map(|(_, undo)| undo.files()) {
                if !claims.iter().any(|claim| claim.path == file.path) {
                    let fault = |fault| SwitchError::Check { knob: knob.name.clone(), fault };
                    claims.extend(Claim::take(&file.path).map_err(fault)?);
                }
            }
        }
        Ok(claims)
    }

    /// Puts back what was switched, the last knob first, and restarts the services that need it.
    pub(crate) fn put_back(&self, journal: &Path, known: &Known<'_>, systemd: &Systemd) -> PutBack {
        let shell = Shell::new(&self.folder);
        let mut report = PutBack::default();
        let mut stale = known.stale.clone();
        // Target of the last command, and the command.
        let mut ran = None;
        for index in known.switched.iter().rev() {
            let Some(knob) = self.knobs.get(*index) else { continue };
            let settled = known.settled.contains(index);
            if knob.put_back(journal, &shell, settled, &mut report) || !settled {
                stale.extend(&knob.restart);
            }
            if !settled && let Some(command) = knob.command() {
                ran = Some((format!("the knob `{}`", knob.name), format!("`{command}`")));
            }
        }
        for index in stale {
            let Some(service) = self.services.get(index) else { continue };
            let ready = known.ready.get(index).copied().flatten();
            match service.start_as_it_was(journal, &shell, systemd, ready) {
                Ok(()) => {
                    report.done.push(format!("{} (restarted)", service.name));
                    ran = Some((format!("the service `{}`", service.name), format!("`{}`", service.restart.command())));
                }
                Err(why) => report.failed.push(NotPutBack {
                    what: format!("the service {}", service.name),
                    why,
                    by_hand: service.by_hand(journal, &shell),
                }),
            }
        }
        if let (true, Some(answering), Some((what, command))) = (report.is_complete(), &known.answering, ran) {
            let answering = answering.clone().after(what.clone(), command);
            if let Err(error) = answering.wait(SURE, Judge::Wait, &Cancel::new()) {
                report.failed.push(NotPutBack { what, why: error.to_string(), by_hand: None });
            }
        }
        report
    }
}

impl KnobPlan {
    fn command(&self) -> Option<&str> {
        let undo = self.order.iter().rev().filter_map(|index| self.undo.get(*index));
        undo.map(|(_, undo)| undo).find_map(|undo| match undo {
            Undo::Command { command, .. } => Some(command.as_str()),
            _ => None,
        })
    }

    /// Puts it back, except for what others have changed since, which is theirs; returns whether that changed anything.
    fn put_back(&self, journal: &Path, shell: &Shell, settled: bool, report: &mut PutBack) -> bool {
        let (mut changed, mut failed) = (false, false);
        for (what, undo) in self.order.iter().filter_map(|index| self.undo.get(*index)) {
            if settled && matches!(undo, Undo::Command { .. }) {
                continue;
            }
            let ours = undo.files().iter().try_for_each(|file| file.refuse_foreign(journal));
            match ours.and_then(|()| undo.run(journal, shell)) {
                Ok(did) => changed |= did,
                Err(error) => {
                    failed = true;
                    report.failed.push(NotPutBack {
                        what: format!("{what} (knob `{}`)", self.name),
                        why: error.to_string(),
                        by_hand: undo.by_hand(journal, shell),
                    });
                }
            }
        }
        if !failed {
            report.done.push(format!("`{}`", self.name));
        }
        changed || failed
    }
}

impl ServicePlan {
    pub(crate) fn start(
        &self,
        variables: &BTreeMap<String, String>,
        journal: &Path,
        shell: &Shell,
        systemd: &Systemd,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        match (&self.restart, &self.drop_in) {
            (Restart::Command(command), _) => Ok(shell.run(command, variables, COMMAND_TIME, cancel)?),
            (Restart::Unit(unit), drop_in) => {
                if let Some(drop_in) = drop_in {
                    systemd.set_variables(variables, (drop_in, journal), shell, cancel)?;
                }
                systemd.restart(unit, shell, cancel)
            }
        }
    }

    fn start_as_it_was(
        &self,
        journal: &Path,
        shell: &Shell,
        systemd: &Systemd,
        ready: Option<&Ready>,
    ) -> Result<(), String> {
        // Putting back is not cancelled.
        let cancel = Cancel::new();
        self.start(&BTreeMap::new(), journal, shell, systemd, &cancel).map_err(|error| error.to_string())?;
        ready.map_or(Ok(()), |ready| ready.wait(&self.name, shell, &cancel)).map_err(|error| error.to_string())
    }

    fn by_hand(&self, journal: &Path, shell: &Shell) -> Option<String> {
        match (&self.restart, &self.drop_in) {
            (Restart::Unit(unit), Some(drop_in)) => {
                let back = drop_in.by_hand(journal)?;
                Some(format!("{back} && systemctl daemon-reload && systemctl restart {unit}"))
            }
            (restart @ Restart::Unit(_), None) => Some(restart.command()),
            (Restart::Command(command), _) => Some(format!("cd {} && {command}", quoted(shell.folder()))),
        }
    }
}

/// A drop-in of ours, which must not exist yet.
fn untouched(path: &Path, saver: &mut Saver<'_>) -> Result<Original, Fault> {
    if path.exists() {
        return Err(Fault::Unsafe {
            path: path.to_owned(),
            is: "already there".into(),
            instead: "another experiment uses the unit, or was killed; restore that one first",
        });
    }
    Original::save(path, false, saver)
}
