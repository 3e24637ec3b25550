//! `make advice`: every printed fix is applied as it is printed, on the real server, and judged by what comes of it. It
//! takes long, so that it is not among what `make test` runs, but for the one that did harm.
//!
//! Long: an application is weighed until what is certain is found.

mod by_fix;
mod header_callback;
mod people;
mod promises;
mod put_back;
mod table;
mod trouble;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use unladen_tests::advice::{Fix, Ground};
use unladen_tests::{Ability, Call, Subject, skip_without};

use people::People;
use promises::{Promise, Promises, Saving};
use table::{Outcome, Row, Table};
use trouble::Trouble;

/// Requests of a weighing: however busy the machine is, they make an interval. Rules are as certain as ever: they
/// count, and what is too few for them they do not tell.
const REQUESTS: &str = "48";

/// A slower page, ns, would take an hour for each of its findings.
const MOST_NS: f64 = 600e6;

/// Sympa, restarted for each first request, takes minutes on a busy machine.
const LIMIT: Duration = Duration::from_secs(900);

/// `unladen weigh --json` of a page.
fn weigh(ground: &Ground, url: &str, more: &[&str]) -> Result<Value, String> {
    let call = Call::weigh(["--json", "--requests", REQUESTS]).env("PATH", ground.programs()).within(LIMIT);
    let done = call.args(more).args([url]).run();
    match done.code {
        Some(0) => serde_json::from_str(&done.stdout).map_err(|error| error.to_string()),
        code => Err(format!("weigh ended with {code:?}: {}", done.stderr)),
    }
}

fn fixes(document: &Value) -> Vec<Fix> {
    document["findings"].as_array().into_iter().flatten().map(Fix::of).collect()
}

/// A subject with all that is done to it.
fn subject(name: &'static str, table: &mut Table) {
    let (script, variables) = people::variables(name);
    let ground = Ground::of(|| Subject::up_with(script, variables));
    let people = People::of(name, &ground);
    // As it is, before anything is changed: else what comes of a fix says nothing.
    people.pages_answer(ground.site()).unwrap();
    people.do_not_see_each_other(ground.site()).unwrap();
    let mut told = BTreeSet::new();
    round(&ground, &people, None, &mut told, table);
    for trouble in Trouble::all(name, &ground) {
        trouble.on(&ground).unwrap();
        round(&ground, &people, Some(&trouble), &mut told, table);
        trouble.off(&ground).unwrap();
    }
}

/// All fixes that are printed for a page, one after the other: each with a site that is as it was.
fn round(ground: &Ground, people: &People, trouble: Option<&Trouble>, told: &mut BTreeSet<String>, table: &mut Table) {
    let more: Vec<&str> = people.request.iter().map(String::as_str).chain(people.weighed.iter().copied()).collect();
    let name =
        trouble.map_or_else(|| people.subject.to_owned(), |trouble| format!("{} {}", people.subject, trouble.name));
    let certain = match trouble {
        Some(trouble) => trouble.rule.as_slice(),
        None => people.certain,
    };
    let found = match found(ground, certain, &more) {
        Ok(found) => found,
        Err(error) => return table.push(Row::failed(&name, "", &error)),
    };
    for Found { fix, run } in found {
        // What the page has without the fault was tried before.
        if !is_wanted(&fix.rule) || !told.insert(format!("{} {}", fix.rule, fix.advice)) {
            continue;
        }
        table.push(tried(ground, people, &name, &fix, &run, &more));
    }
    for rule in certain.iter().filter(|rule| is_wanted(rule) && !told.iter().any(|told| told.starts_with(**rule))) {
        table.push(Row::failed(&name, rule, "it is certain here, and was not found"));
    }
}

/// On a machine that is too busy to be asked often enough, it is not certain that a page is the same each time: what is
/// certain is looked for again.
fn found(ground: &Ground, certain: &[&str], more: &[&str]) -> Result<Vec<Found>, String> {
    let mut found = Found::all(&weigh(ground, ground.subject().url(), more)?);
    for _ in 0..4 {
        let lacks = |rule: &&&str| is_wanted(rule) && !found.iter().any(|found| found.fix.rule == **rule);
        let Some(rule) = certain.iter().find(lacks) else { break };
        let again = Found::all(&weigh(ground, ground.subject().url(), more)?);
        found.extend(again.into_iter().find(|found| found.fix.rule == **rule));
    }
    Ok(found)
}

/// A fix, and the run that found it, as if it had found nothing else.
struct Found {
    fix: Fix,
    run: Value,
}

impl Found {
    fn all(document: &Value) -> Vec<Self> {
        let of = |finding: &Value| {
            let mut run = document.clone();
            run["findings"] = Value::Array(vec![finding.clone()]);
            Self { fix: Fix::of(finding), run }
        };
        document["findings"].as_array().into_iter().flatten().map(of).collect()
    }
}

fn tried(ground: &Ground, people: &People, name: &str, fix: &Fix, run: &Value, more: &[&str]) -> Row {
    let mut row = Row::of(name, fix);
    if let Some(reason) = fix.by_hand(ground) {
        row.by_hand = Some(reason);
        return row;
    }
    // An experiment with a knob switches by itself: it begins with nothing applied.
    let is_knob = fix.check_again.contains("[[knob]]");
    if is_knob {
        let experiment = || {
            let _made = fix.prepare(ground)?;
            ground.experiment(&people.with_request(&fix.check_again)).map(drop)
        };
        row.prove = experiment().into();
    }
    if by_fix::can(fix) {
        row.by_fix = by_fix::fixed(ground, people, run).into();
    }
    let applied = match fix.apply(ground) {
        Ok(applied) => applied,
        Err(error) => {
            row.applied = Outcome::No(error);
            return row;
        }
    };
    row.applied = Outcome::Yes;
    let mut sites = vec![ground.site().to_owned(), applied.site.clone()];
    sites.dedup();
    row.site = sites.iter().try_for_each(|site| people.pages_answer(site)).into();
    row.leak = match people.has_users() {
        true => sites.iter().try_for_each(|site| people.do_not_see_each_other(site)).into(),
        false => Outcome::Untested("this subject has no users".into()),
    };
    let rest = ground.subject().url().strip_prefix(ground.site()).unwrap_or("/").to_owned();
    row.after =
        weigh(ground, &format!("{}{rest}", applied.site), more).and_then(|document| less(fix, &document)).into();
    if fix.check_again.starts_with("unladen prove --a ") {
        row.prove = ground.experiment(&people.with_request(&fix.check_again)).map(drop).into();
    }
    row
}

/// Whether a finding is gone, or smaller.
fn less(fix: &Fix, document: &Value) -> Result<(), String> {
    let of = |fix: &Fix| (fix.rule.clone(), fix.group.clone(), fix.state.clone(), fix.subject().to_owned());
    let same = |other: &Fix| of(other) == of(fix);
    let Some(other) = fixes(document).into_iter().find(same) else { return Ok(()) };
    match (fix.size, other.size) {
        (Some(before), Some(after)) if after < before * 0.9 => Ok(()),
        (before, after) => Err(format!("still there: {} ({before:?} before, {after:?} after)", other.summary)),
    }
}

/// What the findings of a subject say that their fixes save, and what they save: on each of its pages, as it is and with
/// each trouble.
fn promises(name: &'static str, promises: &mut Promises) {
    let (script, variables) = people::variables(name);
    let ground = Ground::of(|| Subject::up_with(script, variables));
    let people = People::of(name, &ground);
    let request: Vec<&str> = people.request.iter().map(String::as_str).collect();
    for path in people.paths(&ground) {
        promised(&ground, &request, &format!("{name} {path}"), &path, None, promises);
    }
    let path = ground.subject().url().strip_prefix(ground.site()).unwrap_or("/").to_owned();
    for trouble in Trouble::proved(name, &ground) {
        if !trouble.rule.is_none_or(is_wanted) {
            continue;
        }
        trouble.on(&ground).unwrap();
        promised(&ground, &request, &format!("{name}, {}", trouble.name), &path, Some(&trouble), promises);
        trouble.off(&ground).unwrap();
    }
}

/// The fixes that a program can apply, each in turns; with a trouble, what its end saves, as a fix in the code would.
fn promised(
    ground: &Ground,
    request: &[&str],
    name: &str,
    path: &str,
    trouble: Option<&Trouble>,
    promises: &mut Promises,
) {
    let url = format!("{}{path}", ground.site());
    let document = match weigh(ground, &url, request) {
        Ok(document) => document,
        Err(error) => return promises.push(Promise::failed(name, error)),
    };
    if document["latency_ns"]["p50"].as_f64().is_none_or(|latency| latency > MOST_NS) {
        return promises
            .push(Promise::failed(name, "the page is too slow to be requested a thousand times".to_owned()));
    }
    for finding in document["findings"].as_array().into_iter().flatten() {
        let fix = Fix::of(finding);
        if !is_wanted(&fix.rule) {
            continue;
        }
        let mut promise = Promise::of(name, &document, finding);
        let ends_trouble = trouble.filter(|trouble| trouble.rule == Some(fix.rule.as_str()));
        // What the page has without the trouble was proved before.
        if fix.state == "fresh" || (trouble.is_some() && ends_trouble.is_none()) {
            continue;
        }
        let proved = match ends_trouble {
            Some(trouble) => Saving::in_turns(request, &promise, |is_fixed| {
                if is_fixed { trouble.off(ground) } else { trouble.on(ground) }.map(|()| url.clone())
            }),
            None if fix.by_hand(ground).is_some() => continue,
            None => {
                let mut applied = None;
                Saving::in_turns(request, &promise, |is_fixed| {
                    // What was applied is put back before the next turn.
                    drop(applied.take());
                    if is_fixed {
                        applied = Some(fix.apply(ground)?);
                    }
                    let site = applied.as_ref().map_or(ground.site(), |applied| applied.site.as_str());
                    Ok(format!("{site}{path}"))
                })
            }
        };
        promise.proved = proved;
        promises.push(promise);
    }
}

/// The subjects that `ADVICE` names, or all.
fn wanted() -> Vec<&'static str> {
    let wanted = std::env::var("ADVICE").unwrap_or_else(|_| people::SUBJECTS.join(" "));
    people::SUBJECTS.into_iter().filter(|name| wanted.split_whitespace().any(|word| word == *name)).collect()
}

/// Whether a rule's promise is proved: those that `ADVICE_RULES` names, or all.
fn is_wanted(rule: &str) -> bool {
    std::env::var("ADVICE_RULES").map_or(true, |wanted| wanted.split_whitespace().any(|word| word == rule))
}

/// A saving of 26.8 ms was promised that was 4.9, and one of 2.6 that was 6.1.
#[test]
#[ignore = "takes an hour and root: make advice"]
fn what_findings_promise_holds() {
    let mut all = Promises::default();
    for name in wanted() {
        // One that does not come up is a line of the table: the others are tried all the same.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| promises(name, &mut all)));
        if done.is_err() {
            all.push(Promise::failed(name, "it panicked".into()));
        }
    }
    println!("{}", all.table());
    let is_whole = wanted().len() == people::SUBJECTS.len() && std::env::var_os("ADVICE_RULES").is_none();
    if all.are_enough() {
        all.write(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/accuracy.md")));
    }
    all.assert_hold(is_whole);
}

#[test]
#[ignore = "takes half an hour and root: make advice"]
fn every_printed_fix_works_and_harms_nobody() {
    let mut table = Table::default();
    for name in wanted() {
        // One that does not come up is a line of the table: the others are tried all the same.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| subject(name, &mut table)));
        if let Err(panic) = done {
            let said = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
            table.push(Row::failed(name, "", &said.unwrap_or_else(|| "it panicked".into())));
        }
    }
    println!("{table}");
    assert!(!table.is_empty(), "nothing was tried");
    assert_eq!(table.failures(), Vec::<String>::new());
}

/// What is not the same in ten answers: lines of the first one that another one does not have, and of that one.
fn differences(url: &str) -> String {
    let answers: Vec<String> = (0..10).map(|_| unladen_tests::advice::curl([url]).1).collect();
    let Some(other) = answers.iter().find(|answer| **answer != answers[0]) else { return "now it is".to_owned() };
    let only = |one: &str, other: &str| {
        let lines: Vec<&str> = one.lines().filter(|line| !other.lines().any(|known| known == *line)).collect();
        lines.join("\n")
    };
    format!("{}\n---\n{}", only(&answers[0], other), only(other, &answers[0]))
}

/// `Cache-Control: public, max-age=60` and a site were printed for index.php: a commenter's page was stored, and a
/// stranger got the e-mail address and the comment that was held.
#[test]
fn a_commenters_page_was_handed_to_strangers_by_the_printed_fix_for_wordpress() {
    // The folder of the plugin is known by the files that requests look at.
    if skip_without(Ability::Tracing, "the printed fix for WordPress") {
        return;
    }
    let ground = Ground::of(|| Subject::up("wordpress"));
    let people = People::of("wordpress", &ground);
    // On a machine that is too busy to be asked often enough, it is not certain that the page is the same each time.
    let found = (0..5).find_map(|_| {
        fixes(&weigh(&ground, ground.subject().url(), &[]).ok()?).into_iter().find(|fix| fix.rule == "cacheable")
    });
    let fix = found
        .unwrap_or_else(|| panic!("a page that is not the same each time: {}", differences(ground.subject().url())));
    assert_eq!(fix.by_hand(&ground), None, "{fix:?}");
    let applied = fix.apply(&ground).unwrap();
    people.pages_answer(&applied.site).unwrap();
    people.do_not_see_each_other(&applied.site).unwrap();
    people.do_not_see_each_other(ground.site()).unwrap();
    // And it keeps something: else nobody could see anything of anybody.
    let rest = ground.subject().url().strip_prefix(ground.site()).unwrap();
    let answers = [(); 2].map(|()| unladen_tests::advice::curl([format!("{}{rest}", applied.site).as_str()]).0);
    assert!(answers.iter().any(|head| head.to_ascii_lowercase().contains("; hit")), "{answers:?}");
}
