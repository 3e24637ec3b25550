//! Who the requests go through, as groups: [`paths`].

use std::collections::{BTreeSet, HashMap};

use unladen_load::Cancel;
use unladen_path::{PathError, Route, Station, follow, listeners};
use unladen_probe::{GroupId, GroupKind, Instrument};
use unladen_report::Ended;
use unladen_trace::{PathSeen, PathUnknown};

use crate::progress::Progress;
use crate::weigh::options::Options;

/// Who the requests to one URL go through.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path {
    /// The groups of this machine, in the order in which they are asked.
    pub(crate) groups: Vec<GroupId>,
    /// Who else, and what is not known.
    pub(crate) seen: PathSeen,
}

/// Sends a few requests to each URL that is served here, and looks who takes them. The timing is done by then.
pub(super) fn paths(
    options: &Options,
    instrument: &mut Instrument,
    ended: Ended,
    cancel: &Cancel,
    progress: &Progress,
) -> Vec<Path> {
    let all = 0..options.driver.requests.len();
    if ended != Ended::Complete {
        return all.map(|_| Path::unknown("the run ended before it was looked for".to_owned())).collect();
    }
    progress.say("looking who the requests go through");
    all.map(|url| match follow(&options.driver, url, cancel) {
        Ok(route) => Path::of(route, instrument),
        Err(error @ PathError::Remote { .. }) => Path::unknown(format!("{error}: run unladen where it is")),
        Err(error) => Path::unknown(error.to_string()),
    })
    .collect()
}

// === impl Path ===

impl Path {
    fn unknown(why: String) -> Self {
        let unknown = Some(PathUnknown { why, takes: String::new() });
        Self { groups: Vec::new(), seen: PathSeen { beyond: Vec::new(), unknown } }
    }

    /// From what was seen of a request.
    pub(crate) fn of(route: Route, instrument: &mut Instrument) -> Self {
        let Route { stations, beyond, mut unknown } = route;
        // Those that were started for the requests are known from here on.
        if let Err(error) = instrument.read() {
            unknown.get_or_insert_with(|| PathUnknown { why: error.to_string(), takes: String::new() });
        }
        let by_pid = by_pid(instrument);
        let mut groups = Vec::new();
        for station in &stations {
            let found = groups_of(station, &by_pid);
            if found.is_empty() {
                unknown.get_or_insert_with(|| PathUnknown {
                    why: format!("those who take it at {} ended before they could be looked at", station.address),
                    takes: String::new(),
                });
            }
            for group in found {
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        Self { groups, seen: PathSeen { beyond, unknown } }
    }
}

/// Groups of processes alone: the machine and this process are none that a request is handed to.
fn by_pid(instrument: &Instrument) -> HashMap<u32, GroupId> {
    let groups =
        instrument.groups().filter(|(_, group)| matches!(group.kind, GroupKind::Unit { .. } | GroupKind::Processes));
    let members = groups.flat_map(|(id, _)| instrument.members(id).map(move |member| (member.pid.cast_unsigned(), id)));
    members.collect()
}

/// Whose processes they are. Those that have ended since, as a process for each connection has, are as those that
/// listen, who have started them.
fn groups_of(station: &Station, by_pid: &HashMap<u32, GroupId>) -> BTreeSet<GroupId> {
    let of = |pids: &[u32]| pids.iter().filter_map(|pid| by_pid.get(pid).copied()).collect::<BTreeSet<_>>();
    let found = of(&station.pids);
    if found.is_empty() {
        let listening = listeners(&station.address).ok().flatten().unwrap_or_default();
        return of(&listening);
    }
    found
}
