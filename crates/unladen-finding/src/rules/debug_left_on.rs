//! Developer tools that are still on.

use unladen_trace::{Evidence, EvidenceSource, PhpSettings};

use crate::finding::{Finding, Rule, Saves, Share};
use crate::fix::Fix;
use crate::php;

/// Extensions that hook each function call, with the setting that disables them while loaded, if any. Excimer is not
/// listed: it samples by a timer, and costs nothing between ticks.
const PROFILERS: &[(&str, &str, Option<&str>)] = &[
    ("blackfire", "Blackfire's probe", None),
    ("tideways", "Tideways", None),
    ("tideways_xhprof", "Tideways' XHProf", None),
    ("xhprof", "XHProf", None),
    ("spx", "SPX", None),
    ("pcov", "PCOV (test coverage)", Some("pcov.enabled")),
];

const HEADERS: &[(&str, &str)] = &[
    ("x-debug-token", "Symfony's profiler"),
    ("x-debug-token-link", "Symfony's profiler"),
    ("phpdebugbar-id", "PHP Debug Bar"),
    ("x-clockwork-id", "Clockwork"),
];

struct On {
    what: String,
    line: Option<&'static str>,
    unload: Option<&'static str>,
}

pub(super) const RULE: Rule = Rule {
    name: "debug-left-on",
    about: "debuggers, profilers or assertions are on",
    needs: &[EvidenceSource::PhpSettings],
    reads: &[],
    page: include_str!("../../pages/debug-left-on.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    // A page has one debug bar, whichever PHP made it: reported with the first.
    let mut bar = bar(evidence);
    evidence
        .php
        .iter()
        .filter_map(|php| {
            let mut on = by_settings(php);
            on.extend(bar.take());
            (!on.is_empty()).then(|| finding(evidence, php.group, &on))
        })
        .collect()
}

fn finding(evidence: &Evidence, group: usize, on: &[On]) -> Finding {
    let told: Vec<&str> = on.iter().map(|on| on.what.as_str()).collect();
    let fix = php::switched(evidence, group, fix(evidence, group, on), "no debugging");
    let takes = Share::NotKnown("settings do not show a time".into());
    Finding {
        summary: told.join("; "),
        saves: Saves::unproved("a debugger slows all code down"),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    }
}

fn by_settings(php: &PhpSettings) -> Vec<On> {
    let has = |name| php::has_extension(Some(php), name) == Some(true);
    let mut on = Vec::new();
    if has("xdebug") {
        // Xdebug's own default.
        let mode = php::setting(Some(php), "xdebug.mode").filter(|mode| !mode.is_empty()).unwrap_or("develop");
        if mode != "off" {
            on.push(On {
                what: format!("Xdebug is loaded, in the mode {mode}"),
                line: Some("xdebug.mode=off"),
                unload: Some("xdebug"),
            });
        }
    }
    for (extension, name, switch) in PROFILERS {
        if has(extension) && switch.is_none_or(|switch| php.is_on(switch) != Some(false)) {
            on.push(On { what: format!("{name} is loaded"), line: None, unload: Some(extension) });
        }
    }
    if php::setting(Some(php), "zend.assertions") == Some("1") {
        on.push(On {
            what: "assertions are checked (zend.assertions=1)".into(),
            line: Some("zend.assertions=-1"),
            unload: None,
        });
    }
    if php.is_on("display_errors") == Some(true) {
        on.push(On {
            what: "errors are shown to visitors (display_errors)".into(),
            line: Some("display_errors=0"),
            unload: None,
        });
    }
    on
}

fn bar(evidence: &Evidence) -> Option<On> {
    let response = evidence.response.as_ref()?;
    let (header, name) = HEADERS.iter().find(|(header, _)| response.header(header).is_some())?;
    Some(On { what: format!("{name} answers with {header}"), line: None, unload: None })
}

fn fix(evidence: &Evidence, group: usize, on: &[On]) -> Fix {
    let lines: Vec<&str> = on.iter().filter_map(|on| on.line).collect();
    let mut advice = Vec::new();
    if !lines.is_empty() {
        advice.push("switch it off in production".to_owned());
    }
    let unload: Vec<&str> = on.iter().filter_map(|on| on.unload).collect();
    if !unload.is_empty() {
        advice.push(format!(
            "better still, do not load {} (Debian: phpdismod {})",
            unload.join(", "),
            unload.join(" ")
        ));
    }
    if on.iter().any(|on| on.line.is_none() && on.unload.is_none()) {
        advice.push("run the framework in its production environment (APP_ENV=prod, APP_DEBUG=0)".to_owned());
    }
    let advice = advice.join("; ");
    if lines.is_empty() {
        return Fix::advice(advice);
    }
    php::fix(evidence, group, advice, &lines)
}

#[cfg(test)]
mod tests;
