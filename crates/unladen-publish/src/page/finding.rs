//! The principal type is [`FindingView`]: a finding with its evidence, share and fix.

use askama::Template;
use unladen_document::{EvidenceFigure, Finding, Share};
use unladen_quantity::{Kind, percent, plain};

use super::table::Bar;
use super::words::Words;
use crate::figures;

/// Maximum number of listed parts of a finding.
const MOST_ITEMS: usize = 12;
/// Maximum number of lines of a fix.
const MOST_LINES: usize = 400;

#[derive(Debug, Clone, PartialEq, Template)]
#[template(path = "finding.html")]
pub(crate) struct FindingView {
    pub(crate) number: usize,
    pub(crate) rule: String,
    pub(crate) summary: Words,
    /// Its group and page, warm or fresh.
    pub(crate) of: Words,
    pub(crate) takes: Words,
    pub(crate) saves: Words,
    pub(crate) bar: Option<Bar>,
    pub(crate) figures: Vec<String>,
    pub(crate) items: Vec<(String, String)>,
    pub(crate) more_items: usize,
    pub(crate) advice: Words,
    pub(crate) developers: String,
    /// Label and text to copy.
    pub(crate) parts: Vec<(Words, String)>,
    /// Number of an earlier finding with the same lines.
    pub(crate) same_as: Option<usize>,
    pub(crate) check_again: String,
}

impl FindingView {
    /// All findings of a document; set `names_page` if it has several pages.
    pub(crate) fn all(findings: &[Finding], names_page: bool) -> Vec<Self> {
        let view = |(index, finding): (usize, &Finding)| {
            let fix = &finding.fix;
            let same = |other: &Finding| {
                let [one, other] = [fix, &other.fix].map(|fix| (&fix.file, &fix.lines, &fix.also, &fix.commands));
                one == other && !fix.lines.is_empty()
            };
            let same_as = findings[..index].iter().position(same).map(|before| before + 1);
            Self::new(index + 1, finding, names_page, same_as)
        };
        findings.iter().enumerate().map(view).collect()
    }

    fn new(number: usize, finding: &Finding, names_page: bool, same_as: Option<usize>) -> Self {
        let mut of = Words::new();
        if !finding.group.is_empty() {
            of = of.plain("by ").name(finding.group.clone());
        }
        if finding.state == "fresh" {
            let text = if of.is_empty() {
                "in the first request of a fresh process"
            } else {
                ", in the first request of a fresh process"
            };
            of = of.plain(text);
        }
        if names_page && !finding.url.is_empty() {
            let text = if of.is_empty() { "of " } else { ", of " };
            of = of.plain(text).name(finding.url.clone());
        }
        let items = finding.evidence.items.iter().take(MOST_ITEMS);
        Self {
            number,
            rule: finding.rule.clone(),
            summary: finding.summary.as_str().into(),
            of,
            takes: takes(&finding.share),
            saves: saves(finding),
            bar: bar(&finding.share),
            figures: finding.evidence.figures.iter().map(figure).collect(),
            items: items.map(|item| (item.name.clone(), plain(Kind::Count, item.per_request))).collect(),
            more_items: finding.evidence.items.len().saturating_sub(MOST_ITEMS),
            advice: finding.fix.advice.as_str().into(),
            developers: finding.fix.developers.clone().unwrap_or_default(),
            parts: if same_as.is_some() { Vec::new() } else { parts(finding) },
            same_as,
            check_again: finding.check_again.clone(),
        }
    }
}

/// `checks missing: 412 ± 3 per request`
fn figure(figure: &EvidenceFigure) -> String {
    let value = figures::with_margin(figures::kind(&figure.unit), figure.per_request, figure.low, figure.high);
    format!("{}: {value} per request", figure.name.replace('_', " "))
}

fn parts(finding: &Finding) -> Vec<(Words, String)> {
    let fix = &finding.fix;
    let text = |lines: &[String]| {
        let mut text = lines.iter().take(MOST_LINES).map(|line| format!("{line}\n")).collect::<String>();
        if lines.len() > MOST_LINES {
            text.push_str(&format!("… {} more lines\n", lines.len() - MOST_LINES));
        }
        text
    };
    let into = |file: &String| Words::new().plain("Into ").name(file.clone()).plain(":");
    let mut parts = Vec::new();
    if !fix.lines.is_empty() {
        parts.push((fix.file.as_ref().map_or(Words::new(), into), text(&fix.lines)));
    }
    parts.extend(fix.also.iter().map(|part| (into(&part.file), text(&part.lines))));
    if !fix.commands.is_empty() {
        let run = Words::from(if parts.is_empty() { "Run" } else { "Then run" });
        let run = match &finding.host {
            Some(host) => run.plain(" on ").name(host.clone()),
            None => run,
        };
        parts.push((run.plain(":"), text(&fix.commands)));
    }
    parts
}

/// `takes 2.10 ms a request (900 µs to 4.20 ms), 8.8 % of the latency (4.0 to 18)`
pub(crate) fn takes(share: &Share) -> Words {
    if share.known
        && let (Some(value), Some(low), Some(high)) = (share.value, share.low, share.high)
    {
        let mut words = Words::new().plain("costs ");
        if let Some(time) = share.time_ns {
            words = words
                .strong(plain(Kind::Time, time.value))
                .plain(format!(" a request ({}), ", figures::interval(Kind::Time, time.low, time.high)));
        }
        return words.strong(format!("{} %", percent(value))).plain(format!(
            " of the {} ({} to {})",
            whole(share.of.as_deref()),
            percent(low),
            percent(high)
        ));
    }
    let because = because(share.why.as_deref());
    match &share.of {
        Some(of) if of.starts_with("nearly all") => {
            Words::new().plain("costs ").strong("nearly all of the latency").plain(because)
        }
        _ => Words::new().plain(format!("its cost is not known{because}")),
    }
}

/// `the fix saves at most 1.10 ms a request, 4.5 % of the latency`; empty if the document has no saving.
pub(crate) fn saves(finding: &Finding) -> Words {
    let saves = &finding.saves;
    let removes = saves.removes.as_ref().map(|removes| {
        let count = |value: f64| plain(Kind::Count, value.round());
        format!("the fix removes about {} of {} {}", count(removes.calls), count(removes.of), removes.what)
    });
    match (finding.saves_at_most_ns, saves.at_most) {
        (Some(time), Some(part)) => Words::new()
            .plain(
                removes
                    .map_or_else(|| "the fix saves at most ".to_owned(), |text| format!("{text}, and saves at most ")),
            )
            .strong(plain(Kind::Time, time))
            .plain(" a request, ")
            .strong(format!("{} %", percent(part)))
            .plain(format!(" of the {}", whole(saves.of.as_deref()))),
        // A common reason is given once.
        _ if saves.why.is_none() || saves.why == finding.share.why => Words::new(),
        _ => Words::new().plain(format!(
            "{}what the fix saves is not known{}",
            removes.map_or_else(String::new, |text| format!("{text}; ")),
            because(saves.why.as_deref())
        )),
    }
}

fn whole(of: Option<&str>) -> &'static str {
    if of == Some("cpu") { "CPU" } else { "latency" }
}

fn because(why: Option<&str>) -> String {
    why.filter(|why| !why.is_empty()).map(|why| format!(": {why}")).unwrap_or_default()
}

fn bar(share: &Share) -> Option<Bar> {
    let (value, low, high) = (share.value?, share.low?, share.high?);
    share.known.then(|| Bar::of(value, low, high, 1.0))
}
