//! The principal type is [`Logs`]: whether the web server's logs can be read.

use std::fs::File;
use std::io::ErrorKind;

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::AS_ROOT;

pub(crate) struct Logs;

const VERBS: &[Verb] = &[Verb::Load];
const PLACES: [&str; 4] = [
    "var/log/nginx/access.log",
    "var/log/apache2/access.log",
    "var/log/httpd/access_log",
    "var/log/lighttpd/access.log",
];

impl Check for Logs {
    fn name(&self) -> &'static str {
        "logs"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        let rows: Vec<Row> = PLACES
            .into_iter()
            .filter_map(|place| match File::open(asked.path(place)) {
                Ok(_) => Some(Row::ok(VERBS, format!("/{place} can be read"))),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => Some(
                    Row::limited(VERBS, format!("/{place} cannot be read: {error}"))
                        .so("`load --access-log` asks for what visitors asked for")
                        .fix(AS_ROOT),
                ),
                Err(_) => None,
            })
            .collect();
        if rows.is_empty() { vec![Row::ok(VERBS, "no access log is at the usual places")] } else { rows }
    }
}

#[cfg(test)]
mod tests;
