//! A run of `unladen weigh` by its [`Setting`].

use std::time::Duration;

use nix::unistd::Uid;

use super::binaries::Binaries;
use super::burn::Burn;
use super::cgroup::{self, Unit};
use super::disturbance::Disturbance;
use super::error::RealError;
use super::setting::Setting;
use super::weigh;
use super::weighed::Weighed;

impl Setting {
    /// Runs it. Whatever it starts is stopped, on failure too.
    ///
    /// # Errors
    /// If a program fails, or a control group cannot be made.
    pub fn run(&self, binaries: &Binaries) -> Result<Vec<Weighed>, RealError> {
        // In the order of their ends, from last to first: the group can go when the subject has ended.
        let unit = self.in_unit.then(Unit::create).transpose()?;
        let subject = Burn::start(binaries, self.time * 3 + Duration::from_secs(60))?;
        if let Some(unit) = &unit {
            unit.take(subject.pid())?;
        }
        let disturbance = Disturbance::start(self.beside, self.seed, &(&subject).into())?;
        let before = subject.truth()?;
        let weights = weigh::run(binaries, &subject, self)?;
        let after = subject.truth()?;
        drop(disturbance);

        let (own, children) = after.per_request_since(&before);
        let groups = if self.in_unit {
            vec![(cgroup::NAME, own + children)]
        } else if Uid::effective().is_root() {
            vec![("burn", own), ("burn-child", children)]
        } else {
            // Who has ended is told to root alone; the parent is credited.
            vec![("burn", own + children)]
        };
        groups.into_iter().map(|(group, truth)| weights.of(group, truth)).collect()
    }
}
