//! The principal type is [`View`]: where counters are read from, so that no process is counted twice.

use unladen_agent::{Host, Standpoint};

#[derive(Debug)]
pub(super) struct View<'a> {
    /// `None` for this machine.
    pub(super) host: Option<&'a Host>,
    pub(super) standpoint: Standpoint,
    /// For each place, in order, whether its reading process is seen from here.
    pub(super) sees: Vec<bool>,
}

/// Two of them see the same processes, which would count twice.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Overlap {
    #[error(
        "--host {host}: `{command}` leads to this very machine, whose processes are counted anyway: leave --host {host} out"
    )]
    Here { host: String, command: String },
    #[error(
        "--host {host}: `{command}` leads into a container of this machine (or another PID namespace of it), whose processes are seen \
         from here too and would count twice: leave --host {host} out; containers of this machine are groups by their own names"
    )]
    Below { host: String, command: String },
    #[error(
        "--host {host}: this is a container of {host} (or another PID namespace of it), where its processes are seen too and would \
         count twice: run unladen on {host} itself, without --host {host}"
    )]
    Above { host: String },
    #[error(
        "--host {one} and --host {other} lead to one machine (`{command}`, `{other_command}`), whose processes would count twice: leave one of them out"
    )]
    Same { one: String, command: String, other: String, other_command: String },
    #[error(
        "--host {inner}: `{command}` leads into a container of {outer} (or another PID namespace of it), where its processes are seen \
         too and would count twice: leave --host {inner} out; containers of {outer} are groups by their own names"
    )]
    Inside { inner: String, command: String, outer: String },
}

/// Fails if any two of them see each other's processes. The error names the first two that do.
pub(super) fn check(views: &[View<'_>]) -> Result<(), Overlap> {
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
                    "whether processes count here and at {} too could not be checked: /proc of {} does not show all of them (hidepid, or \
                     the /proc of another namespace); take root there, or leave --host {} out if it is the same machine.",
                    first.name(),
                    hider.name(),
                    second.name(),
                ),
            ));
        } else if a.is_same_kernel(b) {
            notes.push((
                other,
                format!(
                    "it and {} are parts of one machine: its processes are counted once, but counters of the machine (network of the \
                     host, steal) may be the same at both, and so are its cores.",
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
                "whether {} is a part of the same machine as another one could not be checked: its \
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

/// The relation of two places, by who sees whom: `other` is a host.
fn between(one: &View<'_>, other: &View<'_>, sees: bool, is_seen: bool) -> Option<Overlap> {
    let host = other.host?;
    let (name, command) = (host.name.clone(), host.told_command());
    Some(match (one.host, sees, is_seen) {
        (_, false, false) => return None,
        (None, true, true) => Overlap::Here { host: name, command },
        (None, true, false) => Overlap::Below { host: name, command },
        (None, false, true) => Overlap::Above { host: name },
        (Some(one), true, true) => {
            Overlap::Same { one: one.name.clone(), command: one.told_command(), other: name, other_command: command }
        }
        (Some(one), true, false) => Overlap::Inside { inner: name, command, outer: one.name.clone() },
        (Some(one), false, true) => {
            Overlap::Inside { inner: one.name.clone(), command: one.told_command(), outer: name }
        }
    })
}

impl View<'_> {
    fn name(&self) -> &str {
        self.host.map_or("this machine", |host| &host.name)
    }
}

#[cfg(test)]
mod tests;
