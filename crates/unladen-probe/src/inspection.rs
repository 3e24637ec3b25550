//! The activity of process groups, as evidence. The principal type is [`Inspection`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unladen_trace::{Assembly, ContainerSeen, Evidence, EvidenceSource, GroupSeen, Missing, Resolver, Window};

use crate::container::{Container, first_of_program};
use crate::instrument::{Instrument, Member};
use crate::ledger::GroupId;
use crate::php_settings::{PhpSettings, PhpSettingsError};
use crate::procfs::ProbeError;
use crate::server::server_seen;
use crate::trace::{TraceError, Tracer, TracerConfig, Watched};

const TRACED: [EvidenceSource; 5] = [
    EvidenceSource::Syscalls,
    EvidenceSource::Processes,
    EvidenceSource::Php,
    EvidenceSource::Perl,
    EvidenceSource::Sqlite,
];

/// Traces groups of processes of this machine, phase by phase.
///
/// Phases are defined by the sender of the requests, possibly on another machine.
pub struct Inspection {
    tracer: Tracer,
    groups: Vec<GroupId>,
    /// Processes at which requests were seen.
    took: Vec<u32>,
    assembly: Assembly,
    /// The process of each group that did most during the counting so far.
    busiest: Vec<Option<u32>>,
}

impl Inspection {
    /// Evidence that only an inspection yields.
    pub const SOURCES: [EvidenceSource; 5] = TRACED;

    /// Attaches to these groups, which evidence names by index; of a group with processes in `took`, at which requests
    /// were seen, to their servers alone. Fails if this process may not trace, or the kernel cannot.
    pub fn open(
        config: &TracerConfig,
        instrument: &mut Instrument,
        groups: Vec<GroupId>,
        took: Vec<u32>,
    ) -> Result<Self, InspectionError> {
        let tracer = Tracer::open(config)?;
        let assembly = Assembly::new(Box::new(ProcResolver));
        let mut inspection = Self { tracer, groups, took, assembly, busiest: Vec::new() };
        inspection.watch(instrument)?;
        Ok(inspection)
    }

    /// Tells the tracer about current processes. Fails if they cannot be found, or the kernel has no room for them.
    pub fn watch(&mut self, instrument: &mut Instrument) -> Result<(), InspectionError> {
        instrument.read()?;
        let members = self.groups.iter().map(|group| of_servers(instrument.members(*group).collect(), &self.took));
        let members: Vec<Vec<_>> = members.collect();
        self.tracer.watch(&watched(&members, same_program))?;
        Ok(())
    }

    /// Discards what was traced since the last phase. Fails if the kernel's maps cannot be read.
    pub fn discard(&mut self) -> Result<(), InspectionError> {
        self.tracer.take()?;
        Ok(())
    }

    /// Adds a phase with everything traced since the last one. Fails if the kernel's maps cannot be read.
    pub fn phase(&mut self, window: &Window) -> Result<(), InspectionError> {
        let batch = self.tracer.take()?;
        self.assembly.phase(window, batch);
        Ok(())
    }

    /// Writes counts and their sources into the evidence, and begins a new counting.
    pub fn finish(&mut self, evidence: &mut Evidence) {
        let assembly = std::mem::replace(&mut self.assembly, Assembly::new(Box::new(ProcResolver)));
        self.busiest = (0..self.groups.len()).map(|group| assembly.busiest(group)).collect();
        assembly.finish(evidence);
        evidence.overhead_ns = self.tracer.overhead_ns();
        // Where no group runs Perl, for instance, nothing was missed.
        let missing: BTreeSet<EvidenceSource> = self.tracer.missing().iter().map(|missing| missing.source).collect();
        evidence.missing.extend(self.tracer.missing());
        evidence.sources.extend(TRACED.into_iter().filter(|source| !missing.contains(source)));
    }

    /// Asks the PHPs in the groups for their settings, in each group the process that did most in this counting.
    pub fn php_settings(&self, instrument: &Instrument, evidence: &mut Evidence) {
        settings_of(instrument, &self.groups, &self.busiest, evidence);
    }
}

/// Asks the PHPs in groups that are not traced for their settings.
pub fn php_settings(instrument: &Instrument, groups: &[GroupId], evidence: &mut Evidence) {
    settings_of(instrument, groups, &[], evidence);
}

/// Of several servers in a group, the members of those that took requests: the others work for somebody else.
fn of_servers(members: Vec<Member>, took: &[u32]) -> Vec<Member> {
    let mut servers: BTreeSet<Server> =
        members.iter().map(|member| pid_of(member.pid)).filter(|pid| took.contains(pid)).map(Server::of).collect();
    if servers.iter().any(|server| server.pool.is_none()) {
        // A master takes for any of its pools.
        servers = servers.into_iter().map(|server| Server { pool: None, ..server }).collect();
    }
    let is_one = |member: &Member| {
        let server = Server::of(pid_of(member.pid));
        servers.contains(&Server { pool: None, ..server.clone() }) || servers.contains(&server)
    };
    members.into_iter().filter(|member| servers.is_empty() || is_one(member)).collect()
}

/// A server among others of its program and user.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Server {
    first: u32,
    /// The title of a worker of PHP-FPM: `php-fpm: pool www`.
    pool: Option<String>,
}

impl Server {
    fn of(pid: u32) -> Self {
        let title = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let title = title.trim_end_matches(['\0', ' ']);
        Self { first: first_of_program(pid), pool: title.starts_with("php-fpm: pool ").then(|| title.to_owned()) }
    }
}

fn same_program(a: i32, b: i32) -> bool {
    let exe = |pid: i32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    exe(a).is_some_and(|a| Some(a) == exe(b))
}

/// Why groups cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectionError {
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// Folders of PHP settings by packager: Debian (newest first), the official PHP image, Alpine, Fedora.
const PHP_FOLDERS: [&str; 12] = [
    "/etc/php/8.5/fpm/conf.d",
    "/etc/php/8.4/fpm/conf.d",
    "/etc/php/8.3/fpm/conf.d",
    "/etc/php/8.2/fpm/conf.d",
    "/etc/php/8.1/fpm/conf.d",
    "/etc/php/7.4/fpm/conf.d",
    "/usr/local/etc/php/conf.d",
    "/etc/php84/conf.d",
    "/etc/php83/conf.d",
    "/etc/php82/conf.d",
    "/etc/php8/conf.d",
    "/etc/php.d",
];

/// A group's name, program, server and container, without weights. The processes in `took`, at which requests were
/// seen, tell its server from others of its kind.
pub fn group_seen(instrument: &Instrument, group: GroupId, took: &[u32]) -> GroupSeen {
    let exe = instrument.members(group).find_map(|member| {
        Some(std::fs::read_link(format!("/proc/{}/exe", member.pid)).ok()?.to_string_lossy().into_owned())
    });
    let container = one_container(instrument.members(group).map(|member| member.pid.cast_unsigned()));
    let pids = instrument.members(group).map(|member| member.pid.cast_unsigned());
    let server = server_seen(pids, took, container.is_some());
    GroupSeen { name: instrument.group(group).name.clone(), exe, container, server, ..GroupSeen::default() }
}

/// The container in which all of a group live; one of the same name on the host has its files there.
fn one_container(mut pids: impl Iterator<Item = u32>) -> Option<ContainerSeen> {
    let container = Container::of(pids.next()?)?;
    // An ended process lives nowhere.
    let has_ended = |pid| !std::path::Path::new("/proc").join(format!("{pid}")).exists();
    let is_there = |pid| Container::of(pid).is_some_and(|other| other.name == container.name);
    if !pids.all(|pid| is_there(pid) || has_ended(pid)) {
        return None;
    }
    let php_folder = container.first_folder(PHP_FOLDERS).map(ToOwned::to_owned);
    Some(ContainerSeen { name: container.name, restart: container.restart, php_folder })
}

/// Settings of the followed PHPs, as evidence.
fn settings_of(instrument: &Instrument, groups: &[GroupId], busiest: &[Option<u32>], evidence: &mut Evidence) {
    let mut asked = AskedPhp::default();
    for (index, group) in groups.iter().enumerate() {
        let exe = evidence.groups[index].exe.as_deref().and_then(|exe| exe.rsplit('/').next());
        let busiest = busiest.get(index).copied().flatten().map(u32::cast_signed);
        let is_php = exe.is_some_and(|name| name.starts_with("php")) || busiest.is_some_and(PhpSettings::are_within);
        let Some(answer) = is_php.then(|| ask(instrument, *group, busiest)).flatten() else { continue };
        match answer {
            Ok(php) => {
                asked.answered = true;
                evidence.php.push(unladen_trace::PhpSettings {
                    group: index,
                    ini: php.ini,
                    ini_folder: last_folder(&php.ini_folder).to_owned(),
                    fpm_config: php.pool_file,
                    extensions: php.extensions,
                    settings: php.settings,
                    set_again: php.set_again,
                    pool_unknown: php.pool_unknown,
                });
            }
            Err(error) if evidence.groups[index].cpu.is_some() || evidence.groups[index].on_path => {
                asked.failed = Some(error.to_string());
            }
            Err(error) => asked.perhaps_failed = Some(error.to_string()),
        }
    }
    let why = asked.why();
    if asked.answered || why.is_none() {
        evidence.sources.push(EvidenceSource::PhpSettings);
    }
    if let Some(why) = why {
        evidence.missing.push(Missing { source: EvidenceSource::PhpSettings, why, takes: String::new() });
    }
}

/// Asks the busiest process. If that was a replaced worker of PHP-FPM, asks the master instead, as another worker may
/// belong to another pool. `None` if there is nobody to ask.
fn ask(instrument: &Instrument, group: GroupId, busiest: Option<i32>) -> Option<Result<PhpSettings, PhpSettingsError>> {
    let is_alive = |pid: i32| Path::new("/proc").join(pid.to_string()).exists();
    if let Some(pid) = busiest.filter(|pid| is_alive(*pid)) {
        return Some(PhpSettings::of(pid));
    }
    match instrument.members(group).find(|member| is_alive(member.pid)) {
        Some(another) => Some(PhpSettings::of(another.parent).or_else(|_| PhpSettings::of(another.pid))),
        None => busiest.map(PhpSettings::of),
    }
}

#[derive(Debug, Default)]
struct AskedPhp {
    answered: bool,
    /// Why a followed process did not.
    failed: Option<String>,
    /// Why a possibly followed process did not.
    perhaps_failed: Option<String>,
}

impl AskedPhp {
    /// Why settings are missing. Those of possibly followed processes, likely someone else's, are not missed if others
    /// answered.
    fn why(&self) -> Option<String> {
        self.failed.clone().or_else(|| self.perhaps_failed.clone().filter(|_| !self.answered))
    }
}

/// The last non-empty settings folder, whose settings win. PHP separates folders by colons; an empty one is its own.
fn last_folder(folders: &str) -> &str {
    folders.rsplit(':').find(|folder| !folder.is_empty()).unwrap_or_default()
}

/// Looks descriptors up in /proc.
struct ProcResolver;

impl Resolver for ProcResolver {
    fn path_of(&self, pid: u32, fd: i32) -> Option<String> {
        link(&format!("/proc/{pid}/fd/{fd}"))
    }

    fn folder_of(&self, pid: u32) -> Option<String> {
        link(&format!("/proc/{pid}/cwd"))
    }
}

fn link(path: &str) -> Option<String> {
    let path = std::fs::read_link(path).ok()?.to_string_lossy().into_owned();
    path.starts_with('/').then_some(path)
}

/// All members of the groups, by index, and the masters that start them, whose children follow the requests. A master
/// may be in another group (root's, while its workers are not): its new workers still belong with the other workers,
/// and answer before they were examined.
fn watched(groups: &[Vec<Member>], same_program: impl Fn(i32, i32) -> bool) -> Vec<Watched> {
    let mut watched = BTreeMap::new();
    for (index, member) in each(groups) {
        watched.insert(member.pid, Watched { pid: pid_of(member.pid), group: index, children: index, own: true });
    }
    let mut masters = BTreeSet::new();
    for (index, Member { pid: worker, parent }) in each(groups) {
        if *parent <= 1 || masters.contains(parent) || !same_program(*worker, *parent) {
            continue;
        }
        masters.insert(*parent);
        let unknown = Watched { pid: pid_of(*parent), group: index, children: index, own: false };
        watched.entry(*parent).or_insert(unknown).children = index;
    }
    watched.into_values().collect()
}

fn each(groups: &[Vec<Member>]) -> impl Iterator<Item = (u32, &Member)> {
    (0_u32..).zip(groups).flat_map(|(index, members)| members.iter().map(move |member| (index, member)))
}

fn pid_of(pid: i32) -> u32 {
    pid.cast_unsigned()
}

#[cfg(test)]
mod tests;
