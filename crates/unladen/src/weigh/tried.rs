//! [`tried`]: tries lines for `unladen serve` on the weighed page before they are printed. Lines that it would refuse,
//! or that would keep nothing of that page, are useless.

use std::path::Path;

use unladen_finding::{Finding, Fix};
use unladen_serve::{Asking, Rule, outlook};
use unladen_serve_config::{Config, Machine};

/// The configuration's name in findings.
const FILE: &str = "unladen.toml";

/// The findings of a page, without useless lines, which are reported. `host` is where they were found if elsewhere: its
/// files are not here.
pub(super) fn tried(mut findings: Vec<Finding>, url: &str, host: Option<&str>) -> Vec<Finding> {
    for finding in &mut findings {
        let Some(why) = refused(&finding.fix, url, host.is_some()) else { continue };
        let fix = &mut finding.fix;
        fix.file = None;
        fix.lines.clear();
        fix.knob = None;
        fix.commands.retain(|command| !command.starts_with("unladen serve"));
        fix.advice = format!("{} (the lines for this are left out: {why})", fix.advice);
        // Checking again would rely on the removed lines.
        finding.check_again.clear();
    }
    findings
}

fn refused(fix: &Fix, url: &str, is_elsewhere: bool) -> Option<String> {
    if fix.file.as_deref() != Some(FILE) || fix.lines.is_empty() {
        return None;
    }
    // Kept evidence of another machine names that one's files.
    let is_of_file = |line: &str| line.starts_with("ca = \"");
    let named = fix.lines.iter().filter_map(|line| line.strip_prefix("ca = \"")?.strip_suffix('"'));
    if !is_elsewhere && named.into_iter().any(|file| !Path::new(file).exists()) {
        return None;
    }
    // A local file of that name says nothing of the one there.
    let tried = fix.lines.iter().filter(|line| !(is_elsewhere && is_of_file(line)));
    let text: String = tried.flat_map(|line| [line, "\n"]).collect();
    match Config::parse(&text, Path::new(FILE), Path::new("/"), &Machine) {
        Ok(config) => useless(&config, fix, url),
        Err(error) => Some(format!("`unladen serve` refuses them: {}", in_a_line(&error.to_string()))),
    }
}

/// Why a site keeps nothing of the page, by what decides when it is served; `None` if it would, provided the
/// application says for how long.
fn useless(config: &Config, fix: &Fix, url: &str) -> Option<String> {
    let site = config.settings.site.first()?;
    let listen = fix.lines.iter().find_map(|line| line.strip_prefix("listen = \"")?.strip_suffix('"'))?;
    // By the page's own name, at the site's port.
    let mut url = url::Url::parse(url).ok()?;
    url.set_scheme("http").ok()?;
    url.set_port(listen.rsplit_once(':').and_then(|(_, port)| port.parse().ok())).ok()?;
    match outlook(config, &Asking { url, fields: Vec::new(), connect: false }) {
        Ok(seen) if !site.validators.is_empty() && seen.rule != Rule::Validator => {
            Some("none of their validators covers this page".into())
        }
        Ok(seen) if matches!(seen.rule, Rule::Validator | Rule::Lifetime) => None,
        Ok(_) => Some("they would not store this page".into()),
        Err(error) => Some(in_a_line(&error.to_string())),
    }
}

fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
