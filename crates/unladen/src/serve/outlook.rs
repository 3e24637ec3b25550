//! [`text`]: what becomes of a request, for people.

use std::fmt::Write as _;

use unladen_serve::{KeptFor, Outlook, RouteSeen, Rule, WhyNot};

pub(super) fn text(outlook: &Outlook) -> String {
    let mut lines = Lines(format!("{}\n", outlook.url));
    let place = match (&outlook.site, &outlook.outbound) {
        (Some(site), _) => format!("{} of [[site]] `{site}`", outlook.listener),
        (None, Some(outbound)) => format!("{} of [[outbound]] `{outbound}`", outlook.listener),
        (None, None) => outlook.listener.clone(),
    };
    lines.put("listener", &place);
    if let Some(host) = &outlook.host {
        lines.put("host", &format!("{host}, of its `hosts`"));
    }
    if let Some(route) = &outlook.route {
        lines.route(route);
    }
    if let Some(key) = &outlook.key {
        lines.put("key", key);
    }
    for cookie in &outlook.cookies {
        let what = if cookie.counts { "distinguishes users" } else { "does not matter" };
        lines.put("cookie", &format!("{} {what}", cookie.name));
    }
    for (index, validator) in outlook.validators.iter().enumerate() {
        let said: Vec<String> =
            validator.parameters.iter().map(|(name, value)| format!("{name} = \"{}\"", value.escape_debug())).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) };
        let asked = if index == 0 { "" } else { ", not asked: an earlier one matches" };
        lines.put("validator", &format!("{}. path = \"{}\"{said}{asked}", validator.number, validator.path));
        if index == 0 {
            lines.put("", &validator.asks.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    if let Some(label) = &outlook.label {
        lines.put("label", label);
    }
    if let Some(answer) = &outlook.answer {
        lines.put("answer", &format!("{}, {} bytes", answer.status, answer.bytes));
        for (name, value) in &answer.fields {
            lines.put("", &format!("{name}: {value}"));
        }
    }
    lines.put("rule", rule(outlook.rule));
    match (outlook.kept, &outlook.kept_for) {
        (Some(true), Some(kept)) => lines.put("kept", &format!("yes, {}", whom(kept))),
        (Some(_), _) => {
            lines.put("kept", "no");
            lines.reasons(&outlook.why_not);
        }
        (None, _) if outlook.needs.is_empty() => {
            lines.put("kept", "yes, if it is a plain 200 (--connect asks the application)");
        }
        (None, _) => {
            lines.put("kept", "only if the answer says more than a plain 200 (--connect asks the application)");
            lines.reasons(&outlook.needs);
        }
    }
    for note in &outlook.notes {
        lines.put("note", note);
    }
    lines.0
}

fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Validator => "a validator says whether it is current",
        Rule::Lifetime => "the application says how long it is fresh",
        Rule::Passes => "every request goes to the application",
        Rule::NoCache => "this site stores nothing: `cache = false`",
        Rule::Outbound => "an [[outbound]] stores nothing",
        Rule::Redirect => "the client is redirected to https",
        Rule::Route => "the route answers itself, or stores nothing",
    }
}

fn whom(kept: &KeptFor) -> String {
    let mut text =
        String::from(if kept.with_cookies { "for everybody" } else { "for requests without cookies that matter" });
    if !kept.varies_by.is_empty() {
        let _ = write!(text, " with the same {}", kept.varies_by.join(", "));
    }
    text.push_str("; ");
    match (kept.validated, kept.fresh_seconds) {
        (true, _) => text.push_str("until the validator's label changes"),
        (false, 0) => text.push_str("revalidated each time"),
        (false, seconds) => {
            let _ = write!(text, "fresh for {seconds} s");
        }
    }
    text
}

struct Lines(String);

impl Lines {
    fn put(&mut self, what: &str, text: &str) {
        let _ = writeln!(self.0, "  {what:<10} {text}");
    }

    fn route(&mut self, route: &RouteSeen) {
        let place = match (&route.name, route.line) {
            (Some(name), Some(line)) => format!("`{name}`, line {line}"),
            (Some(name), None) => format!("`{name}`, of the preset"),
            (None, _) => "none of its own".to_owned(),
        };
        self.put("route", &format!("{place}: {}", route.because.join(", and ")));
        self.put("", &format!("answers: {}", route.answers));
        if let Some(comes_to) = &route.comes_to {
            self.put("", &format!("comes to {comes_to}"));
        }
    }

    fn reasons(&mut self, reasons: &[WhyNot]) {
        for why in reasons {
            self.put("", &format!("{}: {}", why.reason, why.message));
        }
    }
}

#[cfg(test)]
mod tests;
