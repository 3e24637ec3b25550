//! A real MediaWiki: who follows its requests, what the result says, and that other load does not change it.
//!
//! Long: half a minute and more for each run, one at a time, as another is load on the same processes.

use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::Value;
use unladen_tests::{Call, Document, Subject};

static WIKI: LazyLock<Subject> = LazyLock::new(|| Subject::up("mediawiki"));

/// One run at a time: another is load that belongs to the same processes.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block a second. Each process is a group, so that another server on the machine is none of ours.
fn weigh_wiki(time: &str) -> Call {
    Call::weigh(["--no-findings", "--time", time, "--phase", "250ms", "--settle", "30ms", "--group-by", "pid"])
}

/// All that one run without load writes: JSON, text and the picture.
struct Written {
    document: Document,
    text: String,
    picture: String,
}

static QUIET: LazyLock<Written> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (text, picture) = (folder.path().join("table.txt"), folder.path().join("picture.svg"));
    let _turn = turn();
    let call = weigh_wiki("16s").args([WIKI.url()]).args(["-o", text.to_str().unwrap()]);
    let document = call.args(["-o", picture.to_str().unwrap()]).document();
    Written {
        document,
        text: std::fs::read_to_string(text).unwrap(),
        picture: std::fs::read_to_string(picture).unwrap(),
    }
});

#[test]
fn nginx_and_php_fpm_follow_and_php_fpm_the_most() {
    let document = &QUIET.document;
    let following = document.following();
    assert!(following.first().is_some_and(|group| group.contains("php-fpm")), "{following:?}\n{document}");
    let (php, nginx) = (document.weight("php-fpm", "cpu"), document.weight("nginx", "cpu"));
    assert!(php.follows && nginx.follows, "{document}");
    assert!(php.per_request > 5.0 * nginx.per_request, "{document}");
    assert!(php.low > 0.0 && php.low < php.per_request && php.per_request < php.high, "{document}");
    assert!(php.share.is_some_and(|share| share > 0.5 && share <= 1.0), "{document}");
}

#[test]
fn what_a_request_reads_and_writes_is_counted() {
    let document = &QUIET.document;
    // The page goes from PHP to nginx, and from nginx to the client, whole and once. (The machine's own counters are
    // not asserted: whatever else it does at the time is in them.)
    let page = document["urls"][0]["response_bytes"].as_f64().unwrap();
    for group in ["php-fpm", "nginx"] {
        let weight = document.weight(group, "write_bytes");
        assert!(weight.follows, "{group}\n{document}");
        assert!(weight.per_request > page && weight.per_request < page * 1.5 + 5_000.0, "{weight:?}\n{document}");
    }
    assert!(document.weight("php-fpm", "read_calls").per_request > 10.0, "{document}");
}

#[test]
fn the_document_keeps_its_contract() {
    let document = &QUIET.document;
    assert_eq!(document["schema"], "unladen.weigh/1");
    assert_eq!(document["target"], WIKI.url());
    assert!(document["requests"].as_u64().is_some_and(|requests| requests > 16), "{document}");
    assert!(document["elapsed_ns"].as_u64().is_some_and(|elapsed| elapsed > 1_000_000_000), "{document}");
    assert!(document["latency_ns"].is_object() && document["findings"].is_array(), "{document}");
    for quantile in ["p50", "p90", "p99", "max"] {
        assert!(document["latency_ns"][quantile].is_u64(), "{quantile} is no integer\n{document}");
    }
    assert!(!document.list("weights").is_empty());
    for weight in document.list("weights") {
        for (field, is_so) in [
            ("url", Value::is_string as fn(&Value) -> bool),
            ("group", Value::is_string),
            ("counter", Value::is_string),
            ("unit", Value::is_string),
            ("per_request", Value::is_number),
            ("low", Value::is_number),
            ("high", Value::is_number),
            ("noise_floor", Value::is_number),
            ("follows", Value::is_boolean),
        ] {
            assert!(is_so(&weight[field]), "{field} of {weight}");
        }
        assert!(weight["counter"] != "cpu" || weight["unit"] == "ns", "{weight}");
        assert!(weight["low"].as_f64() <= weight["high"].as_f64(), "{weight}");
    }
}

#[test]
fn the_text_answers_the_question() {
    let text = &QUIET.text;
    for words in
        [WIKI.url(), "CPU per request", "nginx", "php-fpm", "± 95 %", "noise floor", "One core serves at most", "p50"]
    {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "escapes in a file:\n{text}");
}

#[test]
fn the_picture_is_svg_with_the_groups() {
    let picture = &QUIET.picture;
    assert!(picture.starts_with("<svg") || picture.starts_with("<?xml"), "{picture}");
    assert!(picture.trim_end().ends_with("</svg>") && picture.contains("php-fpm"), "{picture}");
}

/// Two CPU-bound processes in bursts, for as long as it is held.
struct Stress(Child, Instant);

impl Stress {
    fn start() -> Self {
        let mut command = Command::new("stress-ng");
        command.args(["--cpu", "2", "--cpu-load", "50", "--cpu-load-slice", "20", "--timeout", "60s", "--quiet"]);
        // Its temporary files go where they are removed with the machine's own.
        command.current_dir(std::env::temp_dir()).stdin(Stdio::null());
        Self(command.spawn().expect("stress-ng (Debian package) starts"), Instant::now())
    }

    /// The processors that it took, on average.
    fn end(self) -> f64 {
        let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        let of_children = || {
            let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("what children took");
            seconds(usage.user_time()) + seconds(usage.system_time())
        };
        let (before, lived) = (of_children(), self.1.elapsed());
        drop(self);
        (of_children() - before) / lived.as_secs_f64()
    }
}

impl Drop for Stress {
    fn drop(&mut self) {
        // SIGTERM, so that it ends its workers.
        let pid = nix::unistd::Pid::from_raw(i32::try_from(self.0.id()).unwrap());
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM);
        let _ = self.0.wait();
    }
}

#[test]
fn beside_other_load_the_weights_agree_and_the_load_does_not_follow() {
    let quiet = &QUIET.document;
    let _turn = turn();
    let stress = Stress::start();
    let busy = weigh_wiki("16s").args([WIKI.url()]).document();
    let cores = stress.end();

    let load: Vec<_> = busy.groups().into_iter().filter(|group| group.contains("stress-ng")).collect();
    assert!(!load.is_empty(), "stress-ng was not there\n{busy}");
    assert!(!busy.following().iter().any(|group| group.contains("stress-ng")), "{:?}\n{busy}", busy.following());
    let background = busy.number("background_cores");
    assert!(cores > 0.05 && background > cores / 2.0, "{cores} cores of {background}\n{busy}");

    // What it does is counted exactly; what that costs is more where caches and cores are shared.
    for counter in ["write_bytes", "read_calls"] {
        let (before, outbound) = (quiet.weight("php-fpm", counter), busy.weight("php-fpm", counter));
        let ratio = outbound.per_request / before.per_request;
        assert!((0.98..1.02).contains(&ratio), "{counter}: {before:?} {outbound:?}");
    }
    let (before, outbound) = (quiet.weight("php-fpm", "cpu"), busy.weight("php-fpm", "cpu"));
    assert!(outbound.follows, "{busy}");
    let ratio = outbound.per_request / before.per_request;
    assert!((0.7..1.6).contains(&ratio), "{before:?} {outbound:?}");
}

#[test]
fn pages_of_a_list_are_weighed_separately_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("pages.txt");
    let page = WIKI.url();
    let raw = format!("{page}?action=raw");
    std::fs::write(&list, format!("# the wiki\n\n{page} main page\nGET {raw}  its source\n")).unwrap();
    let _turn = turn();
    // Each page gets half of the blocks.
    let document = weigh_wiki("32s").args(["--urls"]).args([&list]).document();

    let names: Vec<_> = document.list("urls").iter().map(|url| url["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["main page", "its source"]);
    // The source needs no skin.
    let (whole, source) = (document.weight_of(page, "php-fpm", "cpu"), document.weight_of(&raw, "php-fpm", "cpu"));
    assert!(whole.follows && source.follows, "{document}");
    assert!(whole.per_request > source.per_request, "{document}");
}
