//! Where a fix belongs: a server that is not known ([`of_unknown`]), a container ([`in_container`]), another host
//! ([`on_host`]).

use unladen_trace::{ContainerSeen, Evidence};

use crate::again;
use crate::finding::Finding;
use crate::rules::unladen_site;

/// Commands that need the host's services or packages: a container has neither.
const OF_THE_HOST: [&str; 6] = ["systemctl", "service", "apt", "apt-get", "dnf", "sudo"];

/// Says where the fix of a containerised group belongs: its files are the container's, and its commands, run on the
/// host, would change another program or none.
pub(crate) fn in_container(evidence: &Evidence, finding: &mut Finding) {
    let named = evidence.groups.iter().position(|group| group.name == finding.group);
    let container = |group: Option<usize>| evidence.groups.get(group?)?.container.as_ref();
    let fix = &mut finding.fix;
    let group = fix.group.or(named);
    let home = |text: &str, group: Option<usize>| container(group).filter(|_| !text.contains(unladen_site::FILE));
    let mut homes: Vec<&ContainerSeen> = Vec::new();
    let mut at_home = |text: &str, group: Option<usize>| {
        let home = home(text, group)?;
        if !homes.contains(&home) {
            homes.push(home);
        }
        Some(home)
    };
    let own = fix.file.iter_mut().filter(|_| !fix.lines.is_empty()).map(|file| (file, group));
    let mut mounted = Vec::new();
    for (file, group) in own.chain(fix.also.iter_mut().map(|part| (&mut part.file, part.group.or(group)))) {
        if let Some(home) = at_home(file, group) {
            mounted.extend(mount(home, file));
            file.push_str(&format!(", inside {}", home.name));
        }
    }
    let mut inside = Vec::new();
    for command in std::mem::take(&mut fix.commands) {
        match at_home(&command, group) {
            None => fix.commands.push(command),
            Some(_) if is_of_the_host(&command) => {}
            Some(home) => inside.push((home.name.clone(), command)),
        }
    }
    if let (Some(unladen_site::FILE), Some(own)) = (fix.file.as_deref(), container(named)) {
        fix.advice
            .push_str(&format!("; it has to run in the network of {}, or listen where that can reach it", own.name));
    }
    for home in &homes {
        fix.advice.push_str(&format!(
            "; it runs inside {}: make the change in its image, or in a file mounted into it",
            home.name
        ));
        let of_it: Vec<&str> =
            mounted.iter().filter(|(name, _)| *name == home.name).map(|(_, line)| line.as_str()).collect();
        if !of_it.is_empty() {
            fix.advice.push_str(&format!(" ({})", of_it.join("; ")));
        }
        let of_it: Vec<&str> =
            inside.iter().filter(|(name, _)| *name == home.name).map(|(_, command)| command.as_str()).collect();
        if !of_it.is_empty() {
            fix.advice.push_str(&format!("; run inside it: {}", of_it.join("; ")));
        }
        match &home.restart {
            Some(restart) => fix.commands.insert(0, restart.clone()),
            None => fix.advice.push_str(", and restart it"),
        }
    }
    if !homes.is_empty() {
        // A knob would write the host's file and restart the host's service.
        fix.knob = None;
        if fix.file.as_deref() != Some(unladen_site::FILE) {
            finding.check_again = again::weigh(evidence);
        }
    }
}

/// How a file of the fix gets into a container: by a line of its Dockerfile, Compose file, Quadlet file or pod values.
/// Only for a file that the fix creates: an existing one has other lines too.
fn mount(home: &ContainerSeen, file: &str) -> Option<(String, String)> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let is_path = file.starts_with('/') && file.bytes().all(is_plain);
    let name = file.rsplit('/').next().filter(|name| is_path && name.contains("unladen"))?;
    let line = if home.name.starts_with("the service ") {
        format!("in the Compose file, below volumes: of that service: - ./{name}:{file}:ro")
    } else if home.name.contains(" of the pod ") {
        format!(
            "in the pod's template or its Helm values: a ConfigMap with {name}, mounted at {file} with subPath: {name}"
        )
    } else if let Some(unit) = home.restart.as_deref().and_then(quadlet) {
        format!("below [Container] in {unit}.container, its Quadlet file: Volume=./{name}:{file}:ro")
    } else {
        format!("in its Dockerfile: COPY {name} {file}")
    };
    Some((home.name.clone(), line))
}

fn quadlet(restart: &str) -> Option<&str> {
    restart.strip_prefix("systemctl ")?.rsplit(' ').next()?.strip_suffix(".service")
}

fn is_of_the_host(command: &str) -> bool {
    command.split_whitespace().any(|word| OF_THE_HOST.contains(&word.rsplit('/').next().unwrap_or(word)))
}

/// Names the host in a finding and its fix. Its knob runs there.
pub(crate) fn on_host(evidence: &Evidence, finding: &mut Finding) {
    let Some(host) = &evidence.host else { return };
    if !finding.group.is_empty() {
        finding.group = format!("{host}/{}", finding.group);
    }
    let fix = &mut finding.fix;
    fix.advice = format!("on {host}: {}", fix.advice);
    for file in fix.file.iter_mut().chain(fix.also.iter_mut().map(|part| &mut part.file)) {
        *file = format!("{file}, on {host}");
    }
    fix.host = Some(host.clone());
    fix.knob = fix.knob.take().and_then(|knob| knob.on_host(host));
    finding.check_again = again::of(evidence, fix);
}

/// Says that it is not known which server is meant, or where its files are: one's files and commands would change
/// another.
pub(crate) fn of_unknown(evidence: &Evidence, finding: &mut Finding) {
    let named = evidence.groups.iter().position(|group| group.name == finding.group);
    let fix = &mut finding.fix;
    let group = fix.group.or(named);
    let server = group.and_then(|group| evidence.groups.get(group)?.server.as_ref());
    let Some(server) = server.filter(|server| server.is_hidden || !server.several.is_empty()) else { return };
    if fix.file.as_deref() == Some(unladen_site::FILE) {
        return;
    }
    let why = if server.is_hidden {
        "; only root sees which files this server reads: `sudo unladen weigh` shows them, with the commands".to_owned()
    } else {
        let pids: Vec<String> = server.several.iter().map(ToString::to_string).collect();
        format!(
            "; {} servers of this kind run (processes {}), and it is not known which of them answers: `--group-by pid` \
             separates them, and shows the files and commands of each",
            pids.len(),
            pids.join(", ")
        )
    };
    fix.advice.push_str(&why);
    // Commands for neither server stay: a map of classes.
    fix.commands.retain(|command| command.starts_with("unladen "));
    fix.in_place.clear();
    // The PHP that answered was asked itself.
    let is_asked = group.is_some_and(|group| evidence.php_of(group).is_some());
    for file in fix.file.iter_mut().chain(fix.also.iter_mut().map(|part| &mut part.file)).filter(|_| !is_asked) {
        *file = file.rsplit('/').next().unwrap_or_default().to_owned();
    }
    fix.knob = None;
    finding.check_again = again::weigh(evidence);
}

#[cfg(test)]
mod tests;
