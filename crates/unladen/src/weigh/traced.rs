//! The principal type is [`Traced`]: all that is traced while requests are sent, here and on other hosts.

use std::time::{Duration, Instant};

use unladen_agent::{FarInspection, FarInstrument, FarLack, Host, Patience, Unable, Wanted};
use unladen_load::Cancel;
use unladen_probe::{Group, GroupKind, Inspection, InspectionError, Instrument};
use unladen_report::WeighedPage;
use unladen_trace::{Evidence, EvidenceSource, GroupSeen, Missing, Page, PathSeen, State, Window};

use crate::weigh::judge::interval_of;

/// Loading the kernel's part takes a second on a busy machine, and the first look at all its functions another.
const ATTACH_WITHIN: Duration = Duration::from_secs(60);
/// The counts of a phase are there at once, but the machine may be busy.
const COUNT_WITHIN: Duration = Duration::from_secs(30);
/// Each PHP may take fifteen seconds to report its settings, and there are few.
const TELL_WITHIN: Duration = Duration::from_secs(120);

/// All that is traced while requests are sent. Hosts are asked at once, and share the time that they have to answer.
pub(crate) struct Traced<'a> {
    pub(crate) here: Option<Inspection>,
    /// Including hosts where nothing can be traced.
    pub(crate) hosts: Vec<HostTrace<'a>>,
    /// Ends waiting for hosts.
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Traced<'a> {
    pub(super) fn is_nothing(&self) -> bool {
        self.here.is_none() && !self.is_anywhere_else()
    }

    pub(super) fn is_anywhere_else(&self) -> bool {
        self.hosts.iter().any(|host| host.inspection.is_some())
    }

    /// Follows the present processes; what was traced before belongs to no phase. Fails if this machine's processes
    /// cannot be followed.
    pub(super) fn begin(&mut self, instrument: &mut Instrument) -> Result<(), InspectionError> {
        self.hosts.iter_mut().for_each(|host| host.try_to(FarInspection::ask_begin));
        let here = self.here.as_mut().map_or(Ok(()), |here| here.watch(instrument));
        self.wait_each(ATTACH_WITHIN, |host, patience| host.try_to(|inspection| inspection.wait_begun(patience)));
        here?;
        // Last, as waiting takes a while.
        self.here.as_mut().map_or(Ok(()), Inspection::discard)
    }

    /// Counts what was traced since [`Self::begin`] or the last phase. Phases without requests are cut into stretches
    /// of `request_ns`. Fails if this machine's trace cannot be counted.
    pub(super) fn phase(&mut self, window: &Window, request_ns: u64) -> Result<(), InspectionError> {
        for host in &mut self.hosts {
            host.try_to(|inspection| inspection.ask_phase(window.on, &window.sent_ns, request_ns));
        }
        let here = self.here.as_mut().map_or(Ok(()), |here| here.phase(window));
        self.wait_each(COUNT_WITHIN, |host, patience| host.try_to(|inspection| inspection.wait_counted(patience)));
        here
    }

    pub(super) fn wait_attached(&mut self) {
        self.wait_each(ATTACH_WITHIN, |host, patience| host.try_to(|inspection| inspection.wait_attached(patience)));
    }

    /// The evidence of each host; `page` and `result` have the undisturbed figures.
    pub(super) fn finish_hosts(&mut self, page: &Page, result: &WeighedPage) -> Vec<Evidence> {
        self.ask_finish(true);
        self.wait_each(TELL_WITHIN, |host, patience| host.finish(page, result, patience))
    }

    /// What first requests of fresh processes did on each host, compared with the given evidence on later ones.
    pub(super) fn finish_fresh_hosts<'e>(
        &mut self,
        warm: impl Iterator<Item = &'e Evidence>,
        page: &Page,
        result: &WeighedPage,
    ) -> Vec<Option<Evidence>> {
        self.ask_finish(false);
        let mut warm = warm;
        self.wait_each(TELL_WITHIN, |host, patience| host.finish_fresh(warm.next()?, page, result, patience))
    }

    pub(super) fn detach_hosts(&mut self) {
        self.hosts.iter_mut().for_each(|host| host.try_to(FarInspection::ask_detach));
        self.wait_each(COUNT_WITHIN, HostTrace::wait_detached);
    }

    /// Asks for the counts, and with `php` for PHP's settings too.
    fn ask_finish(&mut self, php: bool) {
        self.hosts.iter_mut().for_each(|host| host.try_to(|inspection| inspection.ask_finish(php)));
    }

    fn wait_each<T>(
        &mut self,
        within: Duration,
        mut wait: impl FnMut(&mut HostTrace<'a>, &Patience<'_>) -> T,
    ) -> Vec<T> {
        let is_wanted = || !self.cancel.is_cancelled();
        let patience = Patience { deadline: Instant::now() + within, is_wanted: &is_wanted };
        self.hosts.iter_mut().map(|host| wait(host, &patience)).collect()
    }
}

/// Stands for the path of an agent that was copied there.
const COPIED: &str = "copied";

pub(crate) struct HostTrace<'a> {
    host: &'a Host,
    far: &'a FarInstrument,
    /// The traced groups, in order: name and number there.
    groups: Vec<(String, Wanted)>,
    /// Further groups that may follow, but are too many.
    left_out: Vec<String>,
    inspection: Option<FarInspection<'a>>,
    /// Why nothing can be traced there, or nothing more.
    unable: Option<Unable>,
}

impl<'a> HostTrace<'a> {
    /// Asks to attach to the groups that follow the requests to a URL, and to at most `most_perhaps` that may. Does not
    /// wait, so that all hosts attach at once.
    pub(super) fn ask_attach(
        host: &'a Host,
        far: &'a FarInstrument,
        result: &WeighedPage,
        most_perhaps: usize,
    ) -> Self {
        let before = format!("{}/", host.name);
        let following = result.following_groups();
        let perhaps = result.perhaps_following_groups(Some(&host.name), most_perhaps);
        let all_perhaps = result.perhaps_following_groups(Some(&host.name), usize::MAX);
        let mut names: Vec<(&str, bool)> =
            following.into_iter().filter_map(|name| Some((name.strip_prefix(&before)?, true))).collect();
        let mut left_out = Vec::new();
        for name in all_perhaps.iter().filter_map(|name| name.strip_prefix(&before)) {
            if names.iter().any(|(known, _)| *known == name) {
                continue;
            }
            if perhaps.iter().any(|chosen| chosen.strip_prefix(&before) == Some(name)) {
                names.push((name, false));
            } else {
                left_out.push(name.to_owned());
            }
        }
        let groups = names.into_iter().filter_map(|(name, follows)| {
            let is_it = |group: &&Group| {
                group.name == name && matches!(group.kind, GroupKind::Unit { .. } | GroupKind::Processes)
            };
            let (number, _) = (0_u32..).zip(far.groups()).find(|(_, group)| is_it(group))?;
            Some((name.to_owned(), Wanted { group: number, follows }))
        });
        let mut trace = Self { host, far, groups: groups.collect(), left_out, inspection: None, unable: None };
        if !trace.groups.is_empty() {
            match FarInspection::ask_attach(far.session(), trace.wanted()) {
                Ok(inspection) => trace.inspection = Some(inspection),
                Err(unable) => trace.unable = Some(unable),
            }
        }
        trace
    }

    fn wanted(&self) -> Vec<Wanted> {
        self.groups.iter().map(|(_, wanted)| *wanted).collect()
    }

    /// A host that cannot go on ends its part, and nothing else.
    fn try_to(&mut self, what: impl FnOnce(&mut FarInspection<'a>) -> Result<(), Unable>) {
        if let Some(inspection) = &mut self.inspection
            && let Err(unable) = what(inspection)
        {
            self.unable = Some(unable);
            self.inspection = None;
        }
    }

    fn told(&mut self, patience: &Patience<'_>) -> Option<Evidence> {
        let mut told = None;
        self.try_to(|inspection| {
            told = Some(inspection.finish(patience)?);
            Ok(())
        });
        told
    }

    /// The evidence; `page` and `result` have its undisturbed figures. Where nothing was counted, the evidence says
    /// why.
    pub(super) fn finish(&mut self, page: &Page, result: &WeighedPage, patience: &Patience<'_>) -> Evidence {
        let told = self.told(patience);
        let mut evidence = told.or_else(|| self.described(patience)).unwrap_or_default();
        if !evidence.has(EvidenceSource::Syscalls) {
            let (why, takes) = self.why();
            let missing = Inspection::SOURCES.map(|source| Missing { source, why: why.clone(), takes: takes.clone() });
            evidence.missing.extend(missing);
        }
        self.place(&mut evidence, page, result);
        evidence
    }

    /// What first requests of fresh processes did; empty where that was not counted.
    pub(super) fn finish_fresh(
        &mut self,
        warm: &Evidence,
        page: &Page,
        result: &WeighedPage,
        patience: &Patience<'_>,
    ) -> Option<Evidence> {
        let mut evidence = self.told(patience)?;
        make_fresh(&mut evidence, warm);
        self.place(&mut evidence, page, result);
        Some(evidence)
    }

    /// Waits until it has detached. A host that does not answer loses its agent at the end, and the agent its tracer.
    pub(super) fn wait_detached(&mut self, patience: &Patience<'_>) {
        self.try_to(|inspection| inspection.wait_detached(patience));
        self.inspection = None;
    }

    /// Stops asking it, for a reason that is not its own.
    pub(super) fn give_up(&mut self, why: &str) {
        if self.inspection.take().is_some() {
            self.unable = Some(Unable::Lacks { lack: FarLack::Other, why: why.to_owned() });
        }
    }

    fn described(&self, patience: &Patience<'_>) -> Option<Evidence> {
        let is_there = matches!(self.unable, Some(Unable::Lacks { .. })) && !self.groups.is_empty();
        let describe = || FarInspection::describe(self.far.session(), self.wanted(), patience);
        is_there.then(describe)?.ok()
    }

    /// Adds what only this machine knows.
    fn place(&self, evidence: &mut Evidence, page: &Page, result: &WeighedPage) {
        evidence.host = Some(self.host.name.clone());
        // The very first request is the page's, and reported once.
        evidence.page = Page { requests: evidence.page.requests, first_ns: None, longest_ns: None, ..page.clone() };
        evidence.path = Some(PathSeen::default());
        evidence.left_out.clone_from(&self.left_out);
        evidence.groups.resize(self.groups.len(), GroupSeen::default());
        for (seen, (name, _)) in evidence.groups.iter_mut().zip(&self.groups) {
            seen.name.clone_from(name);
            let row = result.weight(&format!("{}/{name}", self.host.name), "cpu");
            seen.cpu = row.filter(|row| row.follows).map(interval_of);
        }
    }

    /// Why nothing was traced there, and what it takes.
    fn why(&self) -> (String, String) {
        let name = &self.host.name;
        match &self.unable {
            None => {
                let why = "no process there was seen to follow the requests".to_owned();
                (why, "a quieter time, or a longer one (--time)".to_owned())
            }
            Some(Unable::Lacks { lack: FarLack::Ebpf, .. }) => {
                let agent = if self.far.session().path() == COPIED { "that was copied" } else { "there" };
                let why = format!("nothing is traced there: the agent {agent} has no eBPF");
                (why, format!("unladen with eBPF, installed on {name} in its PATH"))
            }
            Some(Unable::Lacks { lack: FarLack::Privilege, .. }) => {
                let why = "nothing is traced there: tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON";
                (why.to_owned(), as_root(self.host))
            }
            Some(Unable::Lacks { lack: FarLack::Other, why }) => {
                (format!("nothing is traced there: {why}"), String::new())
            }
            Some(Unable::Lost(error)) => (format!("nothing more is traced there: {error}"), String::new()),
        }
    }
}

/// Turns it into evidence on first requests: some wastes are none in them. What could not be looked at is reported for
/// later ones.
fn make_fresh(evidence: &mut Evidence, warm: &Evidence) {
    evidence.state = State::Fresh;
    evidence.missing.clear();
    evidence.sources.clone_from(&warm.sources);
    evidence.php.clone_from(&warm.php);
}

/// The command that leads to root there, by its first word alone, since the rest may be a secret.
fn as_root(host: &Host) -> String {
    let program = host.command.split_whitespace().next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let name = &host.name;
    match program {
        "ssh" => format!("a command that runs as root there: --host {name}='ssh … sudo'"),
        "docker" | "podman" | "nerdctl" => {
            format!("a command that runs as root there: --host {name}='{program} exec -i -u 0 --privileged …'")
        }
        "kubectl" => "a container with root and these capabilities (securityContext)".to_owned(),
        _ => format!("a command that runs as root there (--host {name})"),
    }
}

#[cfg(test)]
mod tests;
