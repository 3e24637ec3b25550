//! The principal type is [`Path`]: the groups of processes that requests go through.

use std::collections::{BTreeSet, HashMap};

use unladen_path::{Route, Station, listeners};
use unladen_probe::{GroupId, GroupKind, Instrument};
use unladen_report::FarStation;
use unladen_trace::{PathSeen, PathUnknown};

#[derive(Debug, Clone, Default)]
pub(crate) struct Path {
    /// Groups of this machine, in the order in which they are asked.
    pub(crate) groups: Vec<GroupId>,
    /// Processes of this machine that took the requests.
    pub(crate) pids: Vec<u32>,
    pub(crate) far: Vec<FarStation>,
    /// All others, and what is unknown.
    pub(crate) seen: PathSeen,
}

impl Path {
    pub(crate) fn unknown(why: String) -> Self {
        let unknown = Some(PathUnknown { why, takes: String::new() });
        Self { seen: PathSeen { beyond: Vec::new(), unknown }, ..Self::default() }
    }

    pub(crate) fn of(route: Route, instrument: &mut Instrument) -> Self {
        let Route { stations, beyond, mut unknown } = route;
        // Processes that were started for the requests are found now.
        if let Err(error) = instrument.read() {
            unknown.get_or_insert_with(|| PathUnknown { why: error.to_string(), takes: String::new() });
        }
        let by_pid = by_pid(instrument);
        let mut groups = Vec::new();
        for station in &stations {
            let found = groups_of(station, &by_pid);
            if found.is_empty() {
                unknown.get_or_insert_with(|| PathUnknown {
                    why: format!(
                        "the processes that accept it at {} ended before they could be examined",
                        station.address
                    ),
                    takes: String::new(),
                });
            }
            for group in found {
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        let pids = stations.into_iter().flat_map(|station| station.pids).collect();
        Self { groups, pids, far: Vec::new(), seen: PathSeen { beyond, unknown } }
    }
}

/// Only groups of processes: no request is handed to the machine or to this process.
fn by_pid(instrument: &Instrument) -> HashMap<u32, GroupId> {
    let groups =
        instrument.groups().filter(|(_, group)| matches!(group.kind, GroupKind::Unit { .. } | GroupKind::Processes));
    let members = groups.flat_map(|(id, _)| instrument.members(id).map(move |member| (member.pid.cast_unsigned(), id)));
    members.collect()
}

/// The groups of a station's processes. A process that has ended since, such as one per connection, counts with the
/// listening processes that started it.
fn groups_of(station: &Station, by_pid: &HashMap<u32, GroupId>) -> BTreeSet<GroupId> {
    let of = |pids: &[u32]| pids.iter().filter_map(|pid| by_pid.get(pid).copied()).collect::<BTreeSet<_>>();
    let found = of(&station.pids);
    if found.is_empty() {
        let listening = listeners(&station.address).ok().flatten().unwrap_or_default();
        return of(&listening);
    }
    found
}
