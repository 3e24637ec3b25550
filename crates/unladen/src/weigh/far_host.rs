//! The principal type is [`FarHost`]: the counters of another host, by way of its agent. Where counters are read from is a
//! [`View`], so that no process is counted twice.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use unladen_agent::{FarInstrument, Host, Session, SessionError, SessionOptions, Standpoint, Witness};
use unladen_load::Cancel;
use unladen_probe::{GroupBy, GroupKind, Unit};

use crate::exit::Failure;
use crate::progress::Progress;
use crate::weigh::edge::{EdgeReading, EdgeSource, Series, SeriesKind, SourceKind};

const MOST: usize = 32;
/// The first look is at all processes, and may cost a second.
const OPEN_WITHIN: Duration = Duration::from_secs(30);
/// Readings before the first phase, which measure the round trip; together they are limited by [`OPEN_WITHIN`].
const TRIALS: usize = 9;
/// The settle gap has room for the slowest of them, and for a slower one.
const ROOM: (u32, u32) = (3, 2);

/// Most counters of groups of one host: above what a thousand groups have. Further ones are not weighed, which is
/// reported.
const MOST_SERIES: usize = 50_000;

pub(crate) struct FarHost {
    name: String,
    instrument: FarInstrument,
    series: Vec<Series>,
    ids: HashMap<(usize, usize), u32>,
    /// The slowest of the trial readings, there and back.
    round_trip: Duration,
    /// Number of lost records of ended processes.
    lost: u64,
    /// Counters were left out, as there were too many.
    is_cut: bool,
    remarks: Vec<String>,
    /// Why it could not be asked.
    unasked: Option<SessionError>,
}

/// Connects to all hosts one after another, since some ask for a password. Fails if two have one name, or one cannot be
/// reached.
pub(crate) fn open(
    hosts: &[Host],
    session: &SessionOptions,
    by: GroupBy,
    cancel: &Cancel,
    progress: &Progress,
) -> Result<Vec<Box<dyn EdgeSource>>, Failure> {
    if hosts.len() > MOST {
        return Err(Failure::Usage(format!("--host: {} hosts were named; at most {MOST} are supported", hosts.len())));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = hosts.iter().find(|host| !names.insert(&host.name)) {
        return Err(Failure::Usage(format!("--host: two hosts are named {}: give each a different name", twice.name)));
    }
    let mut open = Vec::with_capacity(hosts.len());
    for host in hosts {
        progress.say(format!("connecting to {}", host.name));
        open.push(FarHost::open(host, session, by, cancel)?);
        if cancel.is_cancelled() {
            return Err(Failure::Interrupted { shown: false });
        }
    }
    see_each_other(&mut open, hosts)?;
    Ok(open.into_iter().map(|host| Box::new(host) as Box<dyn EdgeSource>).collect())
}

/// Checks that no process is seen at two places, including this machine, and notes what cannot be determined.
fn see_each_other(open: &mut [FarHost], hosts: &[Host]) -> Result<(), Failure> {
    if open.is_empty() {
        return Ok(());
    }
    let here = Standpoint::here();
    let standpoints: Vec<Standpoint> =
        std::iter::once(here).chain(open.iter().map(|host| host.instrument.opened().standpoint.clone())).collect();
    let witnesses: Vec<Witness> = standpoints.iter().filter_map(|standpoint| standpoint.witness).collect();
    // A host without a witness is seen by nobody.
    let of_all = |seen: Vec<bool>| -> Vec<bool> {
        let mut seen = seen.into_iter();
        standpoints.iter().map(|at| at.witness.is_some() && seen.next().unwrap_or(false)).collect()
    };
    let mut sees = vec![of_all(Standpoint::sees(&witnesses))];
    for host in open.iter_mut() {
        sees.push(of_all(host.instrument.sees(&witnesses, Instant::now() + OPEN_WITHIN)?));
    }
    let of = std::iter::once(None).chain(hosts.iter().map(Some));
    let views: Vec<View<'_>> =
        of.zip(standpoints).zip(sees).map(|((host, standpoint), sees)| View { host, standpoint, sees }).collect();
    check(&views).map_err(Failure::Usage)?;
    for (place, note) in notes(&views) {
        if let Some(host) = place.checked_sub(1).and_then(|index| open.get_mut(index)) {
            host.remarks.push(note);
        }
    }
    Ok(())
}

impl FarHost {
    fn open(host: &Host, session: &SessionOptions, by: GroupBy, cancel: &Cancel) -> Result<Self, SessionError> {
        let session = Session::start_unless(host, session, &|| cancel.is_cancelled())?;
        let mut instrument = FarInstrument::open(session, by, Instant::now() + OPEN_WITHIN)?;
        let mut round_trip = Duration::ZERO;
        let until = Instant::now() + OPEN_WITHIN;
        for _ in 0..TRIALS {
            round_trip = round_trip.max(instrument.read(until)?.round_trip);
        }
        Ok(Self {
            name: host.name.clone(),
            instrument,
            series: Vec::new(),
            ids: HashMap::new(),
            round_trip,
            lost: 0,
            is_cut: false,
            remarks: Vec::new(),
            unasked: None,
        })
    }

    /// The index of a group's counter. Both numbers come from the agent unchecked; the table is bounded.
    fn id(&mut self, group: usize, counter: usize) -> Option<u32> {
        if let Some(id) = self.ids.get(&(group, counter)) {
            return Some(*id);
        }
        if self.series.len() >= MOST_SERIES {
            self.is_cut = true;
            return None;
        }
        let (far, known) = (self.instrument.groups().get(group)?, self.instrument.counters().get(counter)?);
        let kind = match far.kind {
            GroupKind::Machine => SeriesKind::Machine,
            GroupKind::Own => SeriesKind::Own,
            GroupKind::Kernel | GroupKind::Unit { .. } | GroupKind::Processes => SeriesKind::Processes,
        };
        let series = Series {
            group: far.name.clone(),
            counter: known.name.clone(),
            title: known.title.clone(),
            unit: known.known_unit().unwrap_or(Unit::Count),
            approximate: known.approximate,
            family: None,
            deciding: known.name == "cpu",
            kind,
        };
        let id = u32::try_from(self.series.len()).ok()?;
        self.series.push(series);
        self.ids.insert((group, counter), id);
        Some(id)
    }
}

impl EdgeSource for FarHost {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Host
    }

    fn settle(&self) -> Duration {
        self.round_trip * ROOM.0 / ROOM.1
    }

    fn round_trip(&self) -> Option<Duration> {
        Some(self.round_trip)
    }

    fn read_cpu(&self) -> Duration {
        // The agent's claim; it cannot have worked for longer than the answer took.
        Duration::from_nanos(self.instrument.opened().cost_cpu_ns).min(self.round_trip)
    }

    fn processors(&self) -> Option<usize> {
        usize::try_from(self.instrument.opened().processors).ok().filter(|count| *count > 0)
    }

    fn far(&self) -> Option<&FarInstrument> {
        Some(&self.instrument)
    }

    fn standpoint(&self) -> Option<&Standpoint> {
        Some(&self.instrument.opened().standpoint)
    }

    fn carrier(&self) -> Option<u32> {
        Some(self.instrument.session().carrier())
    }

    fn has_lost(&self) -> bool {
        self.lost > 0
    }

    fn ask(&mut self) {
        self.unasked = self.instrument.ask_read().err();
    }

    fn answer(&mut self, deadline: Instant) -> Result<EdgeReading, String> {
        let read = match self.unasked.take() {
            Some(error) => Err(error),
            None => self.instrument.wait_read(deadline),
        };
        let read = read.map_err(|error| error.to_string())?;
        self.lost = self.lost.saturating_add(read.lost);
        let mut grown = Vec::with_capacity(read.grown.len());
        for (group, counter, by) in read.grown {
            if let Some(id) = self.id(group, counter) {
                grown.push((id, by as f64));
            }
        }
        Ok(EdgeReading { at_ns: read.at_ns, grown, times: Some(read.times) })
    }

    fn series(&self) -> &[Series] {
        &self.series
    }

    fn notes(&mut self) -> Vec<String> {
        let opened = self.instrument.opened();
        let mut notes = self.remarks.clone();
        for takes in opened.shortfalls.iter().map(|short| &short.takes).collect::<BTreeSet<_>>() {
            let missing = opened.shortfalls.iter().filter(|short| short.takes == *takes);
            let missing: Vec<&str> = missing.map(|short| short.missing.as_str()).collect();
            notes.push(format!("with {takes} there, also: {}.", missing.join("; ")));
        }
        notes.extend(opened.unavailable.iter().map(|(probe, why)| format!("probe {probe} left out: {why}.")));
        if self.is_cut {
            notes.push(format!(
                "it has more groups than can be weighed: only the first {MOST_SERIES} series that grew are; group \
                 processes differently (--group-by)."
            ));
        }
        if self.lost > 0 {
            notes.push(
                "records of ended processes were lost there: too many ended at once. Its weights marked ! are too low; use shorter phases \
                 (--phase)."
                    .to_owned(),
            );
        }
        notes
    }
}

#[derive(Debug)]
pub(super) struct View<'a> {
    /// `None` for this machine.
    pub(super) host: Option<&'a Host>,
    pub(super) standpoint: Standpoint,
    /// For each place, in order, whether its reading process is seen from here.
    pub(super) sees: Vec<bool>,
}

/// Fails if any two of them see each other's processes. The error names the first two that do.
pub(super) fn check(views: &[View<'_>]) -> Result<(), String> {
    for (one, other) in pairs(views) {
        let sees = |from: usize, to: usize| views[from].sees.get(to).copied().unwrap_or(false);
        let (sees, is_seen) = (sees(one, other), sees(other, one));
        // In one namespace, if one user's processes are hidden from the other, neither contains the other.
        let is_one = (sees || is_seen) && views[one].standpoint.is_same_namespace(&views[other].standpoint);
        if let Some(overlap) = between(&views[one], &views[other], sees || is_one, is_seen || is_one) {
            return Err(overlap);
        }
    }
    Ok(())
}

/// Notes on hosts where that is uncertain, or where two are parts of one machine: a host's index, and a sentence.
pub(super) fn notes(views: &[View<'_>]) -> Vec<(usize, String)> {
    let mut notes = Vec::new();
    for (one, other) in pairs(views) {
        let (first, second) = (&views[one], &views[other]);
        let (a, b) = (&first.standpoint, &second.standpoint);
        let may_be_one = a.is_same_kernel(b) || a.boot_id.is_none() || b.boot_id.is_none();
        if may_be_one && !(a.is_clear() && b.is_clear()) {
            let hider = if a.is_clear() { second } else { first };
            notes.push((
                other,
                format!(
                    "cannot check whether processes count both here and at {}: /proc of {} does not show all of them \
                     (hidepid, or the /proc of another namespace); connect as root there, or leave --host {} out if \
                     it is the same machine.",
                    first.name(),
                    hider.name(),
                    second.name(),
                ),
            ));
        } else if a.is_same_kernel(b) {
            notes.push((
                other,
                format!(
                    "it and {} are parts of one machine: its processes are counted once, but the machine's counters \
                     (network, steal) may be the same for both, and its cores are.",
                    first.name()
                ),
            ));
        }
    }
    for (place, view) in views.iter().enumerate().filter(|(_, view)| view.standpoint.boot_id.is_none()) {
        notes.push((
            // This machine has no notes of its own: the first host takes it.
            place.max(1),
            format!(
                "cannot check whether {} is part of the same machine as another host: its \
                 /proc/sys/kernel/random/boot_id cannot be read.",
                view.name()
            ),
        ));
    }
    notes
}

fn pairs(views: &[View<'_>]) -> impl Iterator<Item = (usize, usize)> {
    let count = views.len();
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)))
}

/// What the relation of two places forbids, by who sees whom: `other` is a host.
fn between(one: &View<'_>, other: &View<'_>, sees: bool, is_seen: bool) -> Option<String> {
    let host = other.host?;
    let (name, command) = (&host.name, host.told_command());
    let inside = |inner: &str, command: &str, outer: &str| {
        format!(
            "--host {inner}: `{command}` leads into a container of {outer} (or another PID namespace of it), where \
             its processes are also seen and would count twice: leave --host {inner} out; containers of {outer} form \
             groups with their own names"
        )
    };
    Some(match (one.host, sees, is_seen) {
        (_, false, false) => return None,
        (None, true, true) => format!(
            "--host {name}: `{command}` leads to this machine, whose processes are counted anyway: leave --host \
             {name} out"
        ),
        (None, true, false) => format!(
            "--host {name}: `{command}` leads into a container of this machine (or another PID namespace of it), \
             whose processes are also seen from here and would count twice: leave --host {name} out; containers of \
             this machine form groups with their own names"
        ),
        (None, false, true) => format!(
            "--host {name}: unladen runs in a container of {name} (or another PID namespace of it), where its \
             processes are also seen and would count twice: run unladen on {name} itself, without --host {name}"
        ),
        (Some(one), true, true) => format!(
            "--host {} and --host {name} lead to one machine (`{}`, `{command}`), whose processes would count twice: leave one of them out",
            one.name,
            one.told_command()
        ),
        (Some(one), true, false) => inside(name, &command, &one.name),
        (Some(one), false, true) => inside(&one.name, &one.told_command(), name),
    })
}

impl View<'_> {
    fn name(&self) -> &str {
        self.host.map_or("this machine", |host| &host.name)
    }
}

#[cfg(test)]
mod tests;
