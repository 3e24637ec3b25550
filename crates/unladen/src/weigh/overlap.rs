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

/// What the relation of two places forbids, by who sees whom: `other` is a host.
fn between(one: &View<'_>, other: &View<'_>, sees: bool, is_seen: bool) -> Option<String> {
    let host = other.host?;
    let (name, command) = (&host.name, host.told_command());
    let inside = |inner: &str, command: &str, outer: &str| {
        format!(
            "--host {inner}: `{command}` leads into a container of {outer} (or another PID namespace of it), where its processes are seen \
             too and would count twice: leave --host {inner} out; containers of {outer} are groups by their own names"
        )
    };
    Some(match (one.host, sees, is_seen) {
        (_, false, false) => return None,
        (None, true, true) => format!(
            "--host {name}: `{command}` leads to this very machine, whose processes are counted anyway: leave --host {name} out"
        ),
        (None, true, false) => format!(
            "--host {name}: `{command}` leads into a container of this machine (or another PID namespace of it), whose processes are seen \
             from here too and would count twice: leave --host {name} out; containers of this machine are groups by their own names"
        ),
        (None, false, true) => format!(
            "--host {name}: this is a container of {name} (or another PID namespace of it), where its processes are seen too and would \
             count twice: run unladen on {name} itself, without --host {name}"
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
