//! What answers the client, and lines for its settings: [`stack`], [`nginx`], [`apache`].

use unladen_trace::{Evidence, Response};

use super::unladen_site;
use crate::again;
use crate::fix::Fix;
use crate::knob::{Knob, KnobService};
use crate::stack::Stack;

/// Tries nginx's settings, and takes them over where they are right.
pub(super) const NGINX_RELOAD: &str = "nginx -t && nginx -s reload";
/// The same for Apache.
const APACHE_RELOAD: &str = "apachectl configtest && apachectl graceful";

/// What answers the client: the name that the answer gives itself, else a group that can only be that.
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

/// Whether a PHP is among those that answer: its lines are of use then.
pub(super) fn has_php(evidence: &Evidence) -> bool {
    busiest(evidence, Stack::Php).is_some()
}

/// The group of such a stack that does most: another one's settings would be of no use.
pub(super) fn busiest(evidence: &Evidence, stack: Stack) -> Option<usize> {
    busiest_of(evidence, |group| Stack::of(evidence, group) == stack)
}

/// The group that does most of those.
pub(super) fn busiest_of(evidence: &Evidence, is_one: impl Fn(usize) -> bool) -> Option<usize> {
    let cpu = |group: &usize| evidence.groups.get(*group).and_then(|seen| seen.cpu).map_or(0.0, |cpu| cpu.value);
    let groups = (0..evidence.groups.len()).rev().filter(|group| is_one(*group));
    groups.max_by(|a, b| cpu(a).total_cmp(&cpu(b)))
}

/// Lines for a file of nginx's, which reads that whole folder into its `http` block.
pub(super) fn nginx(group: Option<usize>, advice: impl Into<String>, name: &str, lines: Vec<String>) -> Fix {
    Fix::advice(advice).lines(nginx_file(name), lines).command(NGINX_RELOAD).of(group)
}

/// A file of that folder.
pub(super) fn nginx_file(name: &str) -> String {
    format!("/etc/nginx/conf.d/unladen-{name}.conf")
}

/// Lines for a file of Apache's.
pub(super) fn apache(group: Option<usize>, advice: impl Into<String>, name: &str, lines: Vec<String>) -> Fix {
    let file = format!("/etc/apache2/conf-enabled/unladen-{name}.conf");
    Fix::advice(advice).lines(file, lines).command(APACHE_RELOAD).of(group)
}

/// A name for files and blocks: letters, digits and `-` alone.
pub(super) fn slug(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

/// How to see that it works: through the site, where the fix is one.
pub(super) fn again(evidence: &Evidence, fix: &Fix) -> String {
    match fix.file.as_deref() {
        Some(unladen_site::FILE) => unladen_site::again(evidence, fix.knob.as_ref()),
        _ => again::of(evidence, fix),
    }
}

/// A fix with its knob, where its lines go into a file of their own of the server that answers, or of a site.
pub(super) fn switched(evidence: &Evidence, fix: Fix, name: &str) -> Fix {
    let service = |name: &str, restart: &str| {
        Some(KnobService { name: name.to_owned(), restart: Some(restart.to_owned()), is_application: false })
    };
    let knob = match fix.file.as_deref() {
        Some(file) if file.starts_with("/etc/nginx/") => {
            Some(Knob::of_file(name, file, &fix.lines, service("nginx", NGINX_RELOAD)))
        }
        Some(file) if file.starts_with("/etc/apache2/") => {
            Some(Knob::of_file(name, file, &fix.lines, service("apache2", APACHE_RELOAD)))
        }
        Some(unladen_site::FILE) => unladen_site::knob(evidence, &fix, name),
        _ => None,
    };
    Fix { knob, ..fix }
}
