//! The end of a [`Run`]: makes an [`Outcome`] of the recording.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use unladen_agent::Standpoint;
use unladen_document::{Answer, NotJudged};
use unladen_load::{Request, Sample};
use unladen_lockin::MIN_BLOCKS;
use unladen_probe::GroupId;
use unladen_report::Ended;
use unladen_trace::{EvidenceSource, PageRecord};

use crate::exit::Failure;
use crate::interrupt::Stopped;
use crate::load::strangers;
use crate::weigh::analysis::analyse;
use crate::weigh::inside::{Looked, Weighed, inside, look_inside};
use crate::weigh::left_behind::left_behind;
use crate::weigh::measured::{Elsewhere, Measured};
use crate::weigh::run::{Found, Outcome, Run};

impl Run<'_> {
    fn part_with_sources(&mut self, urls: usize) {
        for index in 0..self.elsewhere.len() {
            self.elsewhere[index].spoiled = self.recording.leave_out_spoiled_at(index, urls);
        }
        for (elsewhere, fate) in self.elsewhere.iter_mut().zip(self.edges.fates()) {
            (elsewhere.gone, elsewhere.notes, elsewhere.has_lost) = (fate.gone, fate.notes, fate.has_lost);
        }
    }

    /// Fails with whatever ended the run, if there are too few blocks to show.
    pub(super) fn finish(
        mut self,
        ended: Stopped,
        requests: &[Request],
        (samples, answers): (&[Sample], Vec<Answer>),
        probe_cpu: Duration,
    ) -> Result<Outcome, Failure> {
        let (ended, failure) = ended.ended(self.recording.rounds(requests.len()) >= MIN_BLOCKS)?;
        // Before any figure is looked at.
        let spoiled = self.recording.leave_out_spoiled(requests.len());
        let lost = self.instrument.newly_lost() > 0;
        self.part_with_sources(requests.len());
        let is_alone = self.elsewhere.iter().all(|elsewhere| elsewhere.is_exporter);
        let mut paths = self.paths(ended, is_alone);
        if ended == Ended::Complete {
            self.follow_to_hosts(&mut paths);
        }
        let measured = Measured {
            options: self.options,
            plan: &self.plan,
            recording: &self.recording,
            spoiled: &spoiled,
            reference: &self.reference,
            instrument: &self.instrument,
            catalog: &self.catalog,
            elsewhere: &self.elsewhere,
            requests,
            samples,
            paths: &paths,
            remote: (0..requests.len())
                .filter(|index| self.driver.target(*index).is_some_and(|target| !target.is_local()))
                .collect(),
            targets: (0..requests.len())
                .map(|index| self.driver.target(index).map(|target| target.addresses().to_vec()).unwrap_or_default())
                .collect(),
            standpoint: Standpoint::here(),
            settle_for: self.settle_for.clone(),
            probe_cpu,
            missed: self.missed,
            lost,
            ended,
        };
        let mut result = analyse(&measured);
        result.pages.iter_mut().zip(answers).for_each(|(page, answer)| page.url.answer = Some(answer));
        let (mut pages, mut found) = (Vec::new(), Vec::new());
        if self.options.inside && failure.is_none() && ended == Ended::Complete {
            pages = look_inside(Weighed {
                options: self.options,
                settle: self.plan.settle,
                driver: &mut self.driver,
                instrument: &mut self.instrument,
                edges: &self.edges,
                cancel: self.cancel,
                progress: &self.progress,
                requests,
                samples,
                paths: &paths,
                result: &result,
            });
            self.progress.clear();
            for (page, record) in result.pages.iter_mut().zip(&pages) {
                let Looked { mut inside, warm, fresh } = inside(record);
                let not_traced = |elsewhere| not_traced(&page.url.url, elsewhere);
                inside.not_judged.extend(self.elsewhere.iter().filter_map(not_traced));
                page.inside = Some(inside);
                found.push(Found { latency: record.warm.page.latency, warm, fresh });
            }
            if self.cancel.is_cancelled() {
                result.run.ended = Ended::Interrupted.into_str().to_owned();
            }
        }
        let evidence: Vec<_> = pages.iter().flat_map(|page| std::iter::once(&page.warm).chain(&page.fresh)).collect();
        let is_traced = |page: &PageRecord| page.warm.has(EvidenceSource::Syscalls) && !page.warm.groups.is_empty();
        let is_looked_for = !pages.is_empty() && pages.iter().all(is_traced);
        result.run.left_behind = is_looked_for.then(|| left_behind(&evidence, self.since, |name| self.root_of(name)));
        result.run.warnings.extend(strangers(self.driver.strangers()).map(|warning| warning.to_string()));
        let on_path: BTreeSet<GroupId> = paths.iter().flat_map(|path| path.groups.iter().copied()).collect();
        let executables = on_path.into_iter().filter_map(|group| self.executable_of(group)).collect();
        Ok(Outcome { result, pages, found, failure, executables })
    }

    /// Where the root folder of a group's processes, which may live in a container, is reached.
    fn root_of(&self, name: &str) -> Option<PathBuf> {
        let (group, _) = self.instrument.groups().find(|(_, group)| group.name == name)?;
        let member = self.instrument.members(group).next()?;
        Some(PathBuf::from(format!("/proc/{}/root", member.pid)))
    }

    /// The program of a group's processes, via their root folder, which may be a container's.
    fn executable_of(&self, group: GroupId) -> Option<PathBuf> {
        let member = self.instrument.members(group).next()?;
        let program = std::fs::read_link(format!("/proc/{}/exe", member.pid)).ok()?;
        Some(PathBuf::from(format!("/proc/{}/root", member.pid)).join(program.strip_prefix("/").ok()?))
    }
}

/// A source that was not looked into, so that no finding is no claim about it. Hosts that are still there say so
/// themselves.
fn not_traced(url: &str, elsewhere: &Elsewhere) -> Option<NotJudged> {
    let why = match (&elsewhere.gone, elsewhere.is_exporter) {
        (_, true) => "its counters are read, but its processes cannot be traced from here",
        (Some(_), false) => "it disconnected before its processes could be traced",
        (None, false) => return None,
    };
    let (url, what, why) = (url.to_owned(), elsewhere.name.clone(), why.to_owned());
    Some(NotJudged { url, what, why, elsewhere: true, ..NotJudged::default() })
}
