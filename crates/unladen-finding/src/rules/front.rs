//! What answers the client, and lines for its settings: [`stack`], [`nginx`], [`apache`].

use unladen_trace::{Evidence, Response};

use super::in_front;
use crate::again;
use crate::cure::Cure;
use crate::stack::Stack;

/// Tries nginx's settings, and takes them over where they are right.
const NGINX_RELOAD: &str = "nginx -t && nginx -s reload";
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
    (0..evidence.groups.len()).any(|group| Stack::of(evidence, group) == Stack::Php)
}

/// Lines for a file of nginx's, which reads that whole folder into its `http` block.
pub(super) fn nginx(advice: impl Into<String>, name: &str, lines: Vec<String>) -> Cure {
    Cure::advice(advice).lines(format!("/etc/nginx/conf.d/unladen-{name}.conf"), lines).command(NGINX_RELOAD)
}

/// Lines for a file of Apache's.
pub(super) fn apache(advice: impl Into<String>, name: &str, lines: Vec<String>) -> Cure {
    Cure::advice(advice).lines(format!("/etc/apache2/conf-enabled/unladen-{name}.conf"), lines).command(APACHE_RELOAD)
}

/// A name for files and blocks: letters, digits and `-` alone.
pub(super) fn slug(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

/// How to see that it works: a knob where lines go into a file of the server that answers.
pub(super) fn again(evidence: &Evidence, cure: &Cure, name: &str) -> String {
    match cure.file.as_deref() {
        Some(file) if file.starts_with("/etc/nginx/") => again::knob(name, file, &cure.lines, "nginx"),
        Some(file) if file.starts_with("/etc/apache2/") => again::knob(name, file, &cure.lines, "apache2"),
        Some(in_front::FILE) => in_front::again(evidence),
        _ => again::weigh(evidence),
    }
}
