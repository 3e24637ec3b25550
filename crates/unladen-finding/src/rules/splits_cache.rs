//! A page that is the same for all, but of which caches must keep a copy for each client.

use unladen_trace::{Ask, Evidence, EvidenceSource, Response};

use crate::finding::{Finding, Item, Rule, Share};
use crate::fix::Fix;
use crate::rules::{answers, web_server};

pub(super) const RULE: Rule = Rule {
    name: "splits-cache",
    about: "the page is the same for all visitors, but caches must keep a copy for each",
    needs: &[EvidenceSource::Response],
    reads: &[],
    page: include_str!("../../pages/splits-cache.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(response) = answers::page(evidence) else { return Vec::new() };
    // Shared caches do not store it: nothing is split.
    if answers::says(response, "no-store") || answers::says(response, "private") {
        return Vec::new();
    }
    [by_cookie(evidence, response), by_vary(evidence, response)].into_iter().flatten().collect()
}

fn by_cookie(evidence: &Evidence, response: &Response) -> Option<Finding> {
    let is_same = |ask| response.variant(ask).is_some_and(|variant| variant.same == Some(true));
    // If the page sets cookies, only these count; if not, it may still know others, such as of signed-in users.
    let own = response.variant(Ask::Cookie).is_some();
    if response.personal || (own && !is_same(Ask::Cookie)) || !is_same(Ask::UnknownCookie) {
        return None;
    }
    let cookies: Vec<&str> = response.all("set-cookie").filter_map(|line| line.split('=').next()).collect();
    let varies = answers::vary(response).iter().any(|name| name == "cookie");
    let again = response.variant(Ask::Cookie).is_some_and(|variant| variant.header("set-cookie").is_some());
    let whom = if again { "each answer" } else { "answers to visitors without cookies" };
    let what = match (varies, cookies.is_empty()) {
        (true, true) => "`Vary: Cookie`".to_owned(),
        (true, false) => format!("`Vary: Cookie`, and Set-Cookie in {whom}"),
        (false, false) => format!("Set-Cookie in {whom}"),
        (false, true) => return None,
    };
    let mut items: Vec<String> = cookies.iter().map(|name| format!("Set-Cookie: {}", name.trim())).collect();
    items.extend(varies.then(|| "Vary: Cookie".to_owned()));
    let session = match web_server::has_php(evidence) {
        true => ": call session_start() only when something is put into the session, and set session.auto_start = 0",
        false => "",
    };
    let (same, untried) = match own {
        true => ("with the cookies that it sets", "Cookies of signed-in visitors were not tried."),
        false => ("with a cookie that it does not know", "The cookies of signed-in visitors were not tried."),
    };
    Some(finding(
        evidence,
        format!("{what}, though the page is the same {same}"),
        items,
        Fix::advice(format!(
            "set cookies only when there is something to remember{session}. {untried} Fetch the page as such a \
             visitor (curl -b) and without cookies: if the two differ, Vary: Cookie is right, and must stay; if they \
             are the same, remove Cookie from Vary"
        )),
    ))
}

fn by_vary(evidence: &Evidence, response: &Response) -> Option<Finding> {
    let vary = answers::vary(response);
    let (what, advice) = match () {
        () if vary.iter().any(|name| name == "*") => (
            "`Vary: *`: no cache may use the answer a second time",
            "name the headers that the page reads, instead of `*`",
        ),
        () if vary.iter().any(|name| name == "user-agent") => (
            "`Vary: User-Agent`: caches must keep a copy for each version of each browser",
            "remove User-Agent from Vary, and check it in the browser (CSS, JavaScript) or not at all",
        ),
        () => return None,
    };
    let items = vec![format!("Vary: {}", vary.join(", "))];
    Some(finding(evidence, what.to_owned(), items, Fix::advice(advice)))
}

fn finding(evidence: &Evidence, summary: String, items: Vec<String>, fix: Fix) -> Finding {
    let takes = Share::NotKnown("how often a cache would then answer depends on the visitors".into());
    Finding {
        summary,
        items: items.into_iter().map(|name| Item { name, per_request: 1.0 }).collect(),
        ..Finding::of(&RULE, evidence, None, takes, fix)
    }
}

#[cfg(test)]
mod tests;
