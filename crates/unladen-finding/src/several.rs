//! Fixes for one of several servers of a group: [`place`].

use unladen_trace::Evidence;

use crate::again;
use crate::finding::Finding;
use crate::rules::unladen_site;

/// Says that several servers may be meant if it is not known which: one's files and commands would change another.
pub(crate) fn place(evidence: &Evidence, finding: &mut Finding) {
    let named = evidence.groups.iter().position(|group| group.name == finding.group);
    let fix = &mut finding.fix;
    let group = fix.group.or(named);
    let server = group.and_then(|group| evidence.groups.get(group)?.server.as_ref());
    let several = server.map(|server| server.several.as_slice()).unwrap_or_default();
    if several.is_empty() || fix.file.as_deref() == Some(unladen_site::FILE) {
        return;
    }
    // Commands for neither server stay: a map of classes.
    fix.commands.retain(|command| command.starts_with("unladen "));
    fix.in_place.clear();
    // The PHP that answered was asked itself.
    let is_asked = group.is_some_and(|group| evidence.php_of(group).is_some());
    for file in fix.file.iter_mut().chain(fix.also.iter_mut().map(|part| &mut part.file)).filter(|_| !is_asked) {
        *file = file.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let pids: Vec<String> = several.iter().map(ToString::to_string).collect();
    fix.advice.push_str(&format!(
        "; {} servers of this kind run (processes {}), and it is not known which of them answers: `--group-by pid` tells them \
         apart, and has the files and commands of the one",
        several.len(),
        pids.join(", ")
    ));
    fix.knob = None;
    finding.check_again = again::weigh(evidence);
}

#[cfg(test)]
mod tests;
