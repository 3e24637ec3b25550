//! `unladen serve` as a cache in front of the application: [`fix`], and its knob: [`switched`].

use unladen_trace::{Evidence, Response};

use super::strangers::strangers;
use super::{answers, unladen_site, web_server};
use crate::fix::Fix;

/// `unladen serve` answers in the application's stead while the page is declared fresh for anonymous visitors, with the
/// lines that declare it. If the application forbids that, there are no lines: the cache would keep nothing.
pub(super) fn fix(evidence: &Evidence, response: &Response, advice: &str) -> Fix {
    let Some(strangers) = strangers(evidence, response) else {
        return Fix::advice(format!(
            "{advice} first see whether it is meant: many frameworks, and PHP's sessions, forbid caching by themselves. Where it is meant, \
             leave it. Else send no such header to requests without a cookie"
        ));
    };
    let advice = format!(
        "{advice} {}. `unladen serve` in front then answers strangers in its stead for that minute, also by 304, and passes on who has a \
         cookie{}",
        strangers.advice,
        unladen_site::counter(evidence)
    );
    let site = unladen_site::fix(evidence, &advice).unwrap_or_else(|| Fix::advice(&advice));
    let commands = strangers.commands.into_iter().chain(site.commands).collect();
    Fix { also: strangers.parts, commands, group: strangers.group, ..site }
}

/// Adds the knob. A cache keeps only what the application allows: without a declaration, and without lines for it, both
/// sides of an experiment would be regenerated for each request, and the fix would look slower than nothing.
pub(super) fn switched(evidence: &Evidence, response: &Response, fix: Fix) -> Fix {
    let is_said = !fix.also.is_empty() || answers::is_fresh(response);
    if fix.file.as_deref() == Some(unladen_site::FILE) && !is_said {
        fix
    } else {
        let mut fix = web_server::switched(evidence, fix, "cache");
        if let Some(knob) = fix.knob.as_mut().filter(|knob| knob.site.is_some()) {
            knob.changes = vec!["cache".into()];
        }
        fix
    }
}
