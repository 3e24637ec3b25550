//! The server that answers the client, and lines for its settings: [`stack`], [`nginx`], [`apache`].

use unladen_trace::{Evidence, Response, ServerSeen};

use crate::fix::Fix;
use crate::knob::{Knob, KnobService};
use crate::rules::unladen_site;
use crate::stack::Stack;
use crate::{again, server};

/// The server that answers the client: as named in the response, else a group that can only be that.
pub(super) fn stack(evidence: &Evidence, response: &Response) -> Stack {
    let server = response.header("server").unwrap_or_default().to_ascii_lowercase();
    match () {
        () if server.starts_with("nginx") || server.starts_with("openresty") => Stack::Nginx,
        () if server.starts_with("apache") => Stack::Apache,
        () => (0..evidence.groups.len())
            .map(|group| Stack::of(evidence, group))
            .find(|stack| matches!(stack, Stack::Nginx | Stack::Apache))
            .unwrap_or(Stack::Other),
    }
}

pub(super) fn has_php(evidence: &Evidence) -> bool {
    busiest(evidence, Stack::Php).is_some()
}

/// The busiest group of such a stack: another one's settings would be of no use.
pub(super) fn busiest(evidence: &Evidence, stack: Stack) -> Option<usize> {
    busiest_of(evidence, |group| Stack::of(evidence, group) == stack)
}

pub(super) fn busiest_of(evidence: &Evidence, is_one: impl Fn(usize) -> bool) -> Option<usize> {
    let cpu = |group: &usize| evidence.groups.get(*group).and_then(|seen| seen.cpu).map_or(0.0, |cpu| cpu.value);
    let groups = (0..evidence.groups.len()).rev().filter(|group| is_one(*group));
    groups.max_by(|a, b| cpu(a).total_cmp(&cpu(b)))
}

/// Lines for a file of the running nginx, which includes that folder in its `http` block, or is told to.
pub(super) fn nginx(
    evidence: &Evidence,
    group: Option<usize>,
    advice: impl Into<String>,
    name: &str,
    lines: Vec<String>,
) -> Fix {
    let include = |file: &str| format!("include \"{file}\"; # within its block http");
    let fix = Fix::advice(advice).of(group);
    included(evidence, fix, ("/etc/nginx/conf.d", name), lines, server::nginx, include)
}

/// A file in the folder that a server includes; else beside its settings.
pub(super) fn file_of(seen: Option<&ServerSeen>, usual: &str, name: &str) -> String {
    let beside = |seen: &ServerSeen| Some(seen.read.as_deref()?.rsplit_once('/')?.0.to_owned());
    let folder = seen.and_then(|seen| seen.folder.clone().or_else(|| beside(seen)));
    format!("{}/unladen-{name}.conf", folder.as_deref().unwrap_or(usual))
}

fn included(
    evidence: &Evidence,
    fix: Fix,
    (usual, name): (&str, &str),
    lines: Vec<String>,
    reload: fn(Option<&ServerSeen>) -> String,
    include: impl Fn(&str) -> String,
) -> Fix {
    let seen = server::of(evidence, fix.group);
    let file = file_of(seen, usual, name);
    let line = include(&file);
    let fix = fix.lines(file, lines).command(reload(seen));
    match seen.filter(|seen| seen.folder.is_none()).and_then(|seen| seen.read.as_ref()) {
        Some(read) => fix.also(read.clone(), [line]),
        None => fix,
    }
}

pub(super) fn apache(
    evidence: &Evidence,
    group: Option<usize>,
    advice: impl Into<String>,
    name: &str,
    lines: Vec<String>,
) -> Fix {
    let include = |file: &str| format!("Include \"{file}\"");
    let fix = Fix::advice(advice).of(group);
    included(evidence, fix, ("/etc/apache2/conf-enabled", name), lines, server::apache, include)
}

/// A name for files and blocks: only letters, digits and `-`.
pub(super) fn slug(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

pub(super) fn again(evidence: &Evidence, fix: &Fix) -> String {
    match fix.file.as_deref() {
        Some(unladen_site::FILE) => unladen_site::again(evidence, fix.knob.as_ref()),
        _ => again::of(evidence, fix),
    }
}

/// Adds the knob if its lines go into a file of their own, of the answering server or of a site.
pub(super) fn switched(evidence: &Evidence, fix: Fix, name: &str) -> Fix {
    let service = |name: &str| {
        let restart = fix.commands.last().cloned();
        Some(KnobService { name: name.to_owned(), restart, is_application: false })
    };
    let stack = fix.group.map(|group| Stack::of(evidence, group));
    let is_of = |file: &str, kind: Stack, usual: &str| {
        // A line in a shared file is not switched.
        fix.also.is_empty() && (stack == Some(kind) || file.starts_with(usual))
    };
    let knob = match fix.file.as_deref() {
        Some(unladen_site::FILE) => unladen_site::knob(evidence, &fix, name),
        Some(file) if is_of(file, Stack::Nginx, "/etc/nginx/") => {
            Some(Knob::of_file(name, file, &fix.lines, service("nginx")))
        }
        Some(file) if is_of(file, Stack::Apache, "/etc/apache2/") => {
            Some(Knob::of_file(name, file, &fix.lines, service("apache2")))
        }
        _ => None,
    };
    Fix { knob, ..fix }
}
