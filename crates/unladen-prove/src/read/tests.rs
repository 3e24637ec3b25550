use std::io;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use unladen_load::{Arrivals, HttpVersion};

use super::*;
use crate::experiment::{Cold, Experiment};
use crate::load::{Budget, Pace};
use crate::ready::{Check, Restart};
use unladen_lockin::Design;

/// Files that experiments may name.
fn files(path: &Path) -> io::Result<Vec<u8>> {
    match path.strip_prefix("/lab").ok().and_then(Path::to_str) {
        Some("other.ini") => Ok(b"a=1\n".to_vec()),
        Some("fix.patch") => Ok(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n".to_vec()),
        Some("pages.txt") => Ok(b"http://127.0.0.1/a  first\nHEAD http://127.0.0.1/b\n".to_vec()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

fn parse(text: &str) -> Result<Experiment, ExperimentError> {
    Experiment::parse(text, Path::new("lab.toml"), Path::new("/lab"), &files)
}

const WHOLE: &str = r#"
title = "Everything"
design = "ablate"
urls = "pages.txt"
restarts = 6
cold = "systemctl restart php"
cold_requests = 2
quantiles = ["p50", "p99.9"]
within = ["50ms", "1s"]

[load]
rate = 40
arrivals = "poisson"
requests = 4800
phase = "5s"
warmup = "1s"
timeout = "10s"
headers = ["Accept-Language: cy"]
cookies = "a=1"
method = "POST"
body = "x=1"
expect_status = "200-299,304"
insecure = true
http = "2"
keep_alive = false
from = ["ssh gen1", "b=ssh gen2"]

[[service]]
name = "php"
restart = "kill -USR2 1"
ready = { url = "http://127.0.0.1/", status = "200", within = "5s" }

[[service]]
name = "search"
unit = "opensearch"
ready = { connect = "unix:search.sock" }

[[knob]]
name = "opcode cache"
on = { file = "x.ini", text = "on\n" }
off = { file = "x.ini", from = "other.ini" }
restart = "php"
ready = { connect = "127.0.0.1:9000" }
settle = "200ms"

[[knob]]
name = "several"
on = ["start", { env = { MODE = "fast" } }, { patch = "fix.patch", dir = "app" }, { header = "X-Mode: fast" }]
off = { command = "stop", within = "1min" }
initial = "off"
restart = ["search", "php"]
"#;

#[test]
fn reads_everything() {
    let experiment = parse(WHOLE).unwrap();
    assert_eq!((experiment.title.as_str(), experiment.design), ("Everything", Design::Ablate));
    assert_eq!(experiment.urls[0].label.as_deref(), Some("first"));
    assert_eq!(experiment.cold, Some(Cold { command: "systemctl restart php".into(), requests: 2 }));
    assert_eq!(experiment.quantiles[1].to_string(), "p999");
    assert_eq!(experiment.within, [Duration::from_millis(50), Duration::from_secs(1)]);
    let load = &experiment.load;
    assert_eq!(load.pace, Pace::Open { rate: 40.0, arrivals: Arrivals::Poisson });
    assert_eq!((load.budget, load.phase), (Budget::Requests(4800), Some(Duration::from_secs(5))));
    assert!(load.tls.insecure && load.http == HttpVersion::Http2 && !load.keep_alive);
    assert_eq!(load.from, ["ssh gen1", "b=ssh gen2"]);
    assert_eq!(experiment.services[1].restart, Restart::Unit("opensearch.service".into()));
    let ready = experiment.services[1].ready.as_ref().unwrap();
    assert!(matches!(&ready.check, Check::Unix(path) if path == Path::new("/lab/search.sock")));
    let [cache, several] = experiment.knobs.as_slice() else { panic!() };
    assert_eq!(cache.changes.len(), 1, "one file, two sides");
    assert!(cache.changes[0].has(true) && cache.changes[0].has(false));
    assert_eq!((several.changes.len(), several.restart.as_slice()), (5, &[1, 0][..]));
    let arms = experiment.arms();
    let requests = experiment.requests(arms.iter().find(|arm| arm.on == [false, true]).unwrap()).unwrap();
    assert_eq!((requests[0].method().as_str(), requests[0].name()), ("POST", "first"));
}

#[test]
fn a_knob_that_gives_both_urls_needs_no_other() {
    let text = "load = { concurrency = 1, time = '5min' }\n[[knob]]\nname = 'x'\non = { url = 'http://b/' }\n";
    assert!(parse(text).unwrap_err().to_string().contains("has no `url`"));
    let experiment = parse(&format!("{text}off = {{ url = 'http://a/' }}\n")).unwrap();
    let urls: Vec<String> =
        experiment.arms().iter().map(|arm| experiment.requests(arm).unwrap()[0].url().to_string()).collect();
    assert_eq!(urls, ["http://a/", "http://a/", "http://b/"]);
    assert_eq!(experiment.title, "lab");
    assert!(!experiment.knobs[0].acts());
}

#[test]
fn knobs_that_are_never_on_together_may_ask_for_the_same_otherwise() {
    let file = |design: &str, more: &str| {
        let knob = |name: &str, more: &str| {
            format!(
                "[[knob]]\nname = '{name}'\non = [{{ url = 'http://{name}/' }}, {{ header = 'X: {name}' }}]\n{more}\n"
            )
        };
        let load = "[load]\nconcurrency = 1\ntime = '5min'\n";
        format!("url = 'http://a/'\ndesign = '{design}'\n{load}{}{}", knob("b", ""), knob("c", more))
    };
    let experiment = parse(&file("each", "")).unwrap();
    let asked: Vec<String> =
        experiment.arms().iter().map(|arm| experiment.requests(arm).unwrap()[0].url().to_string()).collect();
    assert_eq!(asked, ["http://a/", "http://a/", "http://b/", "http://c/"]);
    let refused = |text: String| parse(&text).unwrap_err().to_string();
    for text in [file("ablate", ""), file("each", "off = { url = 'http://d/' }")] {
        assert!(refused(text.clone()).contains("the URL is already changed by the knob `b`"), "{text}");
    }
    let twice = file("each", "").replace("{ header = 'X: c' }", "{ url = 'http://e/' }");
    assert!(refused(twice).contains("already changed by the same side"));
    let files = file("each", "").replace("{ header = 'X: b' }", "{ file = 'x', text = '1' }");
    let files = files.replace("{ header = 'X: c' }", "{ file = 'x', text = '2' }");
    assert!(refused(files).contains("the file"));
}

/// A file with something wrong, and what is said of it.
fn bad(top: &str, load: &str, rest: &str) -> String {
    let url = if top.contains("url") { "" } else { "url = 'http://127.0.0.1/'\n" };
    format!("{url}{top}\n[load]\n{load}\n{rest}\n")
}

#[test]
fn errors_point_at_the_place_and_say_what_was_meant() {
    const LOAD: &str = "rate = 40\nrequests = 4800";
    const KNOB: &str = "[[knob]]\nname = 'x'\non = { file = 'x.ini', text = 'a' }";
    let knob = |lines: &str| bad("", LOAD, &format!("[[knob]]\nname = 'x'\n{lines}"));
    let two = format!("{KNOB}\n[[knob]]\nname = 'y'\non = {{ file = 'y.ini', text = 'a' }}");
    let many: String = (0..7).map(|n| format!("[[knob]]\nname = 'k{n}'\non = {{ header = 'X{n}: 1' }}\n")).collect();
    let files = [
        ("no TOML", bad("", "rate = ", KNOB)),
        ("a key twice", bad("", "rate = 1\nrate = 2", KNOB)),
        ("a key misspelt", bad("", "rate = 40\nreqests = 4800", KNOB)),
        ("a key in the wrong table", bad("rate = 40", LOAD, KNOB)),
        ("an unknown key", bad("colour = 'red'", LOAD, KNOB)),
        ("a text for a number", bad("", "rate = '40'\nrequests = 1", KNOB)),
        ("a duration as a number", bad("", "rate = 40\ntime = 300", KNOB)),
        ("a duration without a unit", bad("", "rate = 40\ntime = '300'", KNOB)),
        ("a rate of nothing", bad("", "rate = 0\nrequests = 1", KNOB)),
        ("no rate", bad("", "requests = 1", KNOB)),
        ("both loops", bad("", "rate = 1\nconcurrency = 1\nrequests = 1", KNOB)),
        ("both ends", bad("", "rate = 1\nrequests = 1\ntime = '5min'", KNOB)),
        ("arrivals of no rate", bad("", "concurrency = 1\narrivals = 'poisson'\nrequests = 1", KNOB)),
        ("no knobs", bad("", LOAD, "")),
        ("an empty list of knobs", bad("knob = []", LOAD, "")),
        ("an unknown design", bad("design = 'abb'", LOAD, KNOB)),
        ("two knobs to compare", bad("design = 'ab'", LOAD, &two)),
        ("too many factors", bad("design = 'factorial'", LOAD, &many)),
        ("a command that goes one way", knob("on = 'start it'")),
        ("an initial side without commands", knob("on = { file = 'x.ini', text = 'a' }\ninitial = 'on'")),
        ("an unknown service", knob("on = { file = 'x.ini', text = 'a' }\nrestart = 'php'")),
        (
            "a service misspelt",
            knob("on = { file = 'x.ini', text = 'a' }\nrestart = 'pph'\n[[service]]\nname = 'php'\nrestart = 'true'"),
        ),
        ("two knobs of one name", bad("", LOAD, &format!("{KNOB}\n{KNOB}"))),
        ("two knobs of one file", bad("", LOAD, &two.replace("y.ini", "x.ini"))),
        ("an environment without a restart", knob("on = { env = { MODE = 'fast' } }")),
        (
            "both a command and a unit",
            bad("", LOAD, &format!("{KNOB}\n[[service]]\nname = 's'\nrestart = 'a'\nunit = 'b'")),
        ),
        ("a unit that is a path", bad("", LOAD, &format!("{KNOB}\n[[service]]\nname = 's'\nunit = '../../etc/x'"))),
        ("a file that is not there", knob("on = { file = 'x.ini', from = 'none.ini' }")),
        ("a patch that is not there", knob("on = { patch = 'none.patch' }")),
        ("a file that holds nothing", knob("on = { file = 'x.ini' }")),
        ("a file that holds two things", knob("on = { file = 'x.ini', text = 'a', absent = true }")),
        ("two changes in one table", knob("on = { file = 'x.ini', text = 'a', command = 'b' }")),
        ("no change that there is", knob("on = { files = 'x.ini', text = 'a' }")),
        ("a URL that is none", bad("url = 'example.org'", LOAD, KNOB)),
        (
            "a knob with a URL beside several",
            bad("urls = ['http://a/', 'http://b/']", LOAD, "[[knob]]\nname = 'x'\non = { url = 'http://c/' }"),
        ),
        ("a header that is none", bad("", "rate = 1\nrequests = 1\nheaders = ['Accept-Language: cy', 'x']", KNOB)),
        ("a quantile that is none", bad("quantiles = ['p50', 'p100']", LOAD, KNOB)),
        ("restarts of nothing", bad("restarts = 3", LOAD, KNOB)),
        ("a name that an arm has", bad("", LOAD, &KNOB.replace("'x'\n", "'all'\n"))),
        ("cold requests without a command", bad("cold_requests = 2", LOAD, KNOB)),
        (
            "a ready check of two conditions",
            knob("on = { file = 'x', text = 'a' }\nready = { command = 'x', connect = '127.0.0.1:1' }"),
        ),
        (
            "a place to connect to without a port",
            knob("on = { file = 'x', text = 'a' }\nready = { connect = 'localhost' }"),
        ),
    ];
    let texts = files.map(|(what, text)| {
        let error = parse(&text).map(|_| what).expect_err(what);
        format!("# {what}\n{error}\n")
    });
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    assert!(Experiment::read(&path).unwrap_err().to_string().contains("cannot read the experiment"));
    std::fs::write(&path, [0xff]).unwrap();
    assert!(Experiment::read(&path).unwrap_err().to_string().contains("not UTF-8"));
    assert!(Experiment::read(Path::new("/dev/zero")).unwrap_err().to_string().contains("not a regular file"));
}

#[test]
fn the_caret_stays_below_its_word_on_long_lines() {
    let text = format!("title = '{}\tä', nonsense", "x".repeat(500));
    let error = parse(&text).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines.iter().skip(1).all(|line| line.chars().count() < 200), "{error}");
}

#[test]
fn every_kind_of_knob_and_every_key_is_documented() {
    let page = include_str!("../../../../docs/reference/experiments.md");
    for kind in crate::kinds::KINDS {
        assert!(page.contains(kind.summary), "docs/reference/experiments.md lacks “{}”", kind.summary);
    }
    let kinds = crate::kinds::KINDS.iter().flat_map(|kind| std::iter::once(&kind.key).chain(kind.with));
    let keys = TOP_KEYS.iter().chain(&LOAD_KEYS).chain(&KNOB_KEYS).chain(&SERVICE_KEYS).chain(kinds);
    for key in keys.filter(|key| !["load", "service", "knob"].contains(*key)) {
        assert!(page.contains(&format!("`{key}`")), "docs/reference/experiments.md lacks `{key}`");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*") {
        let _ = parse(&text).map_err(|error| error.to_string());
    }

    /// Cut, doubled and with lines exchanged, a good file brings most errors about.
    #[test]
    fn no_change_of_a_good_file_makes_it_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5_u8), 1..4)
    ) {
        let mut lines: Vec<String> = WHOLE.lines().map(str::to_owned).collect();
        for (one, other, how) in changes {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            match how {
                0 => drop(lines.remove(one)),
                1 => lines.swap(one, other),
                2 => lines.insert(other, lines[one].clone()),
                3 => {
                    let half: String = lines[one].chars().take(other).collect();
                    lines[one] = half;
                }
                _ => {
                    let value = lines[other].split_once('=').map_or("0", |(_, value)| value).to_owned();
                    lines[one] = format!("{}={value}", lines[one].split('=').next().unwrap_or_default());
                }
            }
            prop_assume!(!lines.is_empty());
        }
        if let Err(error) = parse(&lines.join("\n")) {
            prop_assert!(error.to_string().starts_with("lab.toml:"), "{}", error);
        }
    }
}
