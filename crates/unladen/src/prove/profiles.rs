//! The principal type is [`Profiling`]: profiles the arms of an experiment.

use unladen_load::Cancel;
use unladen_lockin::{Arm, Role};
use unladen_profile::{Diff, Profile, diff, merge};
use unladen_prove::Experiment;
use unladen_report::{ArmProfile, Ended};

use crate::exit::Failure;
use crate::profile::{Budget, Page, Session, slug, write_flame_diff, write_native};
use crate::progress::Progress;
use crate::prove::options::Profiles;
use crate::prove::phase::driver;

/// Turns of each arm: what the machine does meanwhile affects all of them.
pub(super) const ROUNDS: u64 = 4;

pub(super) struct Profiling<'a> {
    wanted: &'a Profiles,
    arms: &'a [Arm],
    experiment: &'a Experiment,
    /// For each arm, one per visit and URL.
    seen: Vec<Vec<Profile>>,
}

impl<'a> Profiling<'a> {
    pub(super) fn new(wanted: &'a Profiles, arms: &'a [Arm], experiment: &'a Experiment) -> Self {
        Self { wanted, arms, experiment, seen: vec![Vec::new(); arms.len()] }
    }

    /// All arms in random order, without the baseline again, which is there for the noise of timing.
    pub(super) fn order(&self, rng: &mut fastrand::Rng) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.arms.len()).filter(|arm| !self.is_again(*arm)).collect();
        rng.shuffle(&mut order);
        order
    }

    /// Profiles the requests of an arm for a round. Its knobs have been set.
    pub(super) fn visit(&mut self, arm: usize, cancel: &Cancel, progress: &Progress) -> Result<(), Failure> {
        let load = &self.experiment.load;
        let options = &self.wanted.options;
        let all = match options.budget {
            Budget::Requests(requests) => requests,
            Budget::Time(_) => 100,
        };
        for request in self.experiment.requests(&self.arms[arm])? {
            let page = Page { title: self.arms[arm].name.clone(), driver: driver(load, vec![request]) };
            let mut session = Session::open(page, options, cancel, progress)?;
            for _ in 0..all.div_ceil(ROUNDS) {
                session.step(cancel)?;
            }
            self.seen[arm].push(session.finish(options, Ended::Complete)?.profile);
        }
        Ok(())
    }

    /// Writes a profile of each arm, a flame graph of the baseline, and differential ones of the others.
    pub(super) fn write(self) -> Result<Vec<ArmProfile>, Failure> {
        let Some(baseline) = self.arms.iter().position(|arm| arm.is(Role::Baseline)) else { return Ok(Vec::new()) };
        let of_baseline = self.merged(baseline)?;
        let mut written = vec![self.files(baseline, &of_baseline, None)?];
        for arm in (0..self.arms.len()).filter(|arm| *arm != baseline && !self.is_again(*arm)) {
            let profile = self.merged(arm)?;
            let changed = diff(&of_baseline, &profile)?;
            written.push(self.files(arm, &profile, Some(&changed))?);
        }
        Ok(written)
    }

    fn files(&self, arm: usize, profile: &Profile, changed: Option<&Diff>) -> Result<ArmProfile, Failure> {
        let folder = &self.wanted.folder;
        let name = format!("{}-{}", slug(&self.experiment.title), slug(&self.arms[arm].name));
        let files: Vec<String> = write_native(profile, folder, &name)?.into_iter().map(|one| one.file).collect();
        let [file, flame] = <[String; 2]>::try_from(files).unwrap_or_default();
        let picture = match changed {
            Some(changed) => write_flame_diff(changed, folder, &name)?.file,
            None => flame,
        };
        Ok(ArmProfile {
            arm: self.arms[arm].name.clone(),
            requests: profile.requests().unwrap_or(0),
            file,
            picture,
            functions_changed: changed.map(|changed| changed.rows.iter().filter(|row| row.is_changed).count() as u64),
        })
    }

    fn merged(&self, arm: usize) -> Result<Profile, Failure> {
        let mut profile = merge(&self.seen[arm])?;
        profile.about.title.clone_from(&self.arms[arm].name);
        Ok(profile)
    }

    fn is_again(&self, arm: usize) -> bool {
        self.arms[arm].is(Role::BaselineAgain) && !self.arms[arm].is(Role::Baseline)
    }
}
