//! The principal type is [`Remedy`]: a finding of a kept run, with the experiment that switches its fix.

use std::io;
use std::path::Path;

use unladen_agent::Host;
use unladen_document::{Finding, WeighDocument};
use unladen_prove::{Experiment, Reach};

use crate::exit::Failure;
use crate::fix::planned::Planned;

#[derive(Debug, Clone)]
pub(crate) struct Remedy {
    /// Number of the run.
    pub(crate) run: String,
    /// From 1, as the run's tables number findings.
    pub(crate) number: usize,
    pub(crate) finding: Finding,
    /// How its proof is planned, if enough is known of its page.
    pub(crate) planned: Option<Planned>,
}

impl Remedy {
    pub(crate) fn all(run: &str, document: &WeighDocument) -> Vec<Self> {
        let page = |finding: &Finding| document.urls.iter().find(|page| page.url == finding.url);
        let remedy = |(at, finding): (usize, &Finding)| Self {
            run: run.to_owned(),
            number: at + 1,
            planned: page(finding).and_then(|page| Planned::of(page, finding)),
            finding: finding.clone(),
        };
        document.numbered().into_iter().enumerate().map(remedy).collect()
    }

    /// Name of its folder: `12-3` is the third finding of run 12.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.run, self.number)
    }

    /// What no experiment does, one line each: the fix of a developer, lines for files that the experiment leaves alone.
    pub(crate) fn by_hand(&self) -> Vec<String> {
        let is_left = |file: &str| !self.finding.experiment().is_some_and(|text| text.contains(file));
        let left = self.lines().filter(|(file, _)| is_left(file));
        left.map(|(file, lines)| format!("into {file}: {}", lines.join("; "))).collect()
    }

    /// Each file, as the fix names it (perhaps in a container, or on a host), and the lines that belong in it.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&str, &[String])> {
        let fix = &self.finding.fix;
        let own = fix.file.iter().map(|file| (file.as_str(), fix.lines.as_slice()));
        let parts = own.chain(fix.also.iter().map(|part| (part.file.as_str(), part.lines.as_slice())));
        parts.filter(|(_, lines)| !lines.is_empty())
    }

    /// The experiment of this fix, as the file that it is to be kept in. Nothing of it is run: the run may come from
    /// elsewhere, and nobody has agreed yet. Fails if it has none, or it would not leave the fix in place:
    /// `unladen serve` in front of the page is a service of its own.
    pub(crate) fn experiment(&self, file: &Path) -> Result<Experiment, Failure> {
        let names_none = |_: &Path| Err(io::Error::other("the experiment of a finding names no files"));
        let folder = file.parent().unwrap_or(Path::new("/"));
        let mut experiment = Experiment::parse(self.text()?, file, folder, &names_none)?;
        experiment.file = Some(file.to_owned());
        experiment.title = format!("{}, {}", self.finding.rule, self.finding.url);
        let mut changes = experiment.knobs.iter().flat_map(|knob| &knob.changes);
        if changes.any(|change| change.reach() == Reach::Request) {
            let Self { number, finding, run, .. } = self;
            return Err(Failure::CannotMeasure(format!(
                "finding {number} ({}) is fixed by a service in front of the page, which clients have to reach: {}. \
                 `unladen fix --run {run} {number} --files DIR` writes its lines, and `unladen weigh --experiments DIR` the \
                 experiment that proves it",
                finding.rule, finding.fix.advice
            )));
        }
        Ok(experiment)
    }

    /// With the command that leads to the host of the finding, if it is of one, in place of the variable that its
    /// experiment has for it.
    pub(crate) fn reached(mut self, hosts: &[Host]) -> Result<Self, Failure> {
        let Self { number, finding, .. } = &mut self;
        let Some(name) = finding.host.clone().filter(|_| finding.experiment().is_some()) else { return Ok(self) };
        let host = hosts.iter().find(|host| host.name == name).ok_or_else(|| {
            let how = format!("--host {name}='ssh {name}' says how it is reached");
            Failure::Usage(format!("finding {number} ({}) is of the host {name}: {how}", finding.rule))
        })?;
        // It stands in quotes there.
        let command = host.command.replace('\\', "\\\\").replace('"', "\\\"");
        let mut parts = finding.check_again.split("${HOST_");
        let first = parts.next().unwrap_or_default().to_owned();
        finding.check_again = parts.fold(first, |text, part| match part.split_once(":?}") {
            Some((_, after)) => format!("{text}{command}{after}"),
            None => format!("{text}${{HOST_{part}"),
        });
        Ok(self)
    }

    /// Text of the experiment.
    pub(crate) fn text(&self) -> Result<&str, Failure> {
        let Self { number, finding, run, .. } = self;
        finding.experiment().ok_or_else(|| {
            let who = if finding.fix.audience == "developer" { "in the application's code" } else { "by hand" };
            let files = match self.lines().next() {
                Some(_) => format!("`unladen fix --run {run} {number} --files DIR` writes its lines"),
                None => format!("`unladen runs show {} --details` has all of it", self.run),
            };
            let Finding { rule, fix, .. } = finding;
            Failure::CannotMeasure(format!("finding {number} ({rule}) is fixed {who}: {}; {files}", fix.advice))
        })
    }
}
