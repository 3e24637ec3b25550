//! `unladen runs`: what is kept of a result, how it is shown again and compared, and that a result is never lost to its
//! store.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use unladen_tests::{Answer, Call, Done, Reply, Server, Wire, free_address, wait};

/// A user's home, in which nothing is set.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn store(&self) -> PathBuf {
        self.path(".local/state/unladen/runs.sqlite")
    }

    /// A call as this user; nothing of the test's own environment says where runs are kept.
    fn call(&self, args: &[&str]) -> Call {
        let call = Call::new(args).env("HOME", self.home.path()).env("UNLADEN_STORE", "");
        call.env("XDG_STATE_HOME", "").env("XDG_CONFIG_HOME", "")
    }

    fn load(&self, url: &str, more: &[&str]) -> Done {
        self.call(&["load", "-n", "400", "-q", url]).args(more).run()
    }

    fn json(&self, args: &[&str]) -> Value {
        let done = self.call(args).run().succeeded();
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"))
    }

    fn runs(&self) -> Vec<Value> {
        self.json(&["runs", "--json"])["runs"].as_array().unwrap().clone()
    }
}

/// A server whose answers take so long.
fn slow(time: Duration) -> Server {
    Server::replying(move |_| {
        sleep(time);
        Reply::good()
    })
}

/// A server that takes so many milliseconds, which a test changes.
fn varying(milliseconds: u64) -> (Server, Arc<AtomicU64>) {
    let delay = Arc::new(AtomicU64::new(milliseconds));
    let of_server = Arc::clone(&delay);
    let server = Server::replying(move |_| {
        sleep(Duration::from_millis(of_server.load(Ordering::Relaxed)));
        Reply::good()
    });
    (server, delay)
}

#[test]
fn a_result_is_kept_without_any_set_up_and_shown_again() {
    let (user, server) = (User::new(), Server::good());
    let url = server.url("/");
    let done = user
        .call(&["load", "-n", "300", "--json", "--label", "release=1.43", "-H", "Cookie: s=tell-nobody", &url])
        .run();
    let done = done.succeeded();
    assert!(done.stderr.contains("kept as run 1"), "{done}");
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    for field in ["version", "time", "host", "seed", "command", "environment"] {
        assert!(!document[field].is_null(), "{field}: {done}");
    }
    assert!(!done.stdout.contains("tell-nobody"), "{done}");
    assert_eq!(document["command"][0], "unladen");

    let runs = user.runs();
    assert_eq!((runs.len(), &runs[0]["verb"], &runs[0]["target"]), (1, &"load".into(), &url.as_str().into()));
    assert_eq!(runs[0]["labels"]["release"], "1.43");
    let kept = user.json(&["runs", "show", "1", "--json"]);
    assert_eq!(kept, document, "what is kept is what was shown");
    for name in ["latest", "release=1.43"] {
        assert_eq!(user.json(&["runs", "show", name, "--json"]), document, "{name}");
    }
    // The tables are those of the command, in a file too; Markdown has whoever asks for it.
    let tables = user.call(&["runs", "show", "1", "--details"]).run().succeeded().stdout;
    let first = user.call(&["runs", "show", "1"]).run().succeeded().shows(["--details"]).stdout;
    assert!(first.lines().count() < tables.lines().count(), "{first}");
    let at_once = user.call(&["load", "--details", "-n", "20", "--no-store", &url]).run().succeeded().stdout;
    let headings = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains("95 % interval") || line.contains("of all planned"));
        lines.map(|line| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(headings(&tables), headings(&at_once), "{tables}");
    assert!(headings(&tables).len() == 2 && tables.contains("All 300 requests were answered"), "{tables}");
    let file = user.path("tables.txt");
    user.call(&["runs", "show", "1", "-o", file.to_str().unwrap()]).run().succeeded().shows_nothing();
    assert_eq!(std::fs::read_to_string(file).unwrap(), tables);
    let markdown = user.call(&["runs", "show", "1", "--markdown", "-"]).run().succeeded();
    assert!(markdown.stdout.contains("| p99 |") && !tables.contains("| p99 |"), "{markdown}");
    let report = user.path("report.html");
    user.call(&["runs", "show", "1", "--html", report.to_str().unwrap()]).run().succeeded();
    assert!(std::fs::read_to_string(report).unwrap().starts_with("<!DOCTYPE html>"));

    // The store is its user's alone.
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&user.store()), mode(user.store().parent().unwrap())), (0o600, 0o700));
    let all = std::fs::read(user.store()).unwrap();
    assert!(!all.windows(11).any(|window| window == b"tell-nobody"));
}

#[test]
fn what_is_to_be_kept_where_is_said_once() {
    let (user, server) = (User::new(), Server::good());
    let url = server.url("/");
    user.load(&url, &["--no-store"]).succeeded();
    user.call(&["load", "-n", "300", &url]).env("UNLADEN_STORE", "off").run().succeeded();
    assert!(!user.store().exists());
    let config = user.path(".config/unladen/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "store = \"off\"\n").unwrap();
    user.load(&url, &[]).succeeded();
    assert!(!user.store().exists());
    user.call(&["runs"]).run().ended_with(2).says(["off", "--store"]);
    let elsewhere = user.path("elsewhere.sqlite");
    std::fs::write(&config, format!("store = \"{}\"\n", elsewhere.display())).unwrap();
    user.load(&url, &[]).succeeded();
    assert!(elsewhere.exists() && user.runs().len() == 1);
    // What is kept in a store of the command line is found by saying it again.
    let third = user.path("third.sqlite");
    let done = user.call(&["load", "-n", "300", "--store", third.to_str().unwrap(), &url]).run().succeeded();
    let again = format!("runs show 1 --store {} --details`", third.display());
    assert!(done.stderr.contains(&again), "{done}");
    std::fs::write(&config, "stor = \"off\"\n").unwrap();
    user.load(&url, &[]).ended_with(2).says(["config.toml:1:1", "`store`"]);
}

#[test]
fn a_result_that_cannot_be_kept_is_shown_all_the_same() {
    let (user, server) = (User::new(), Server::good());
    let url = server.url("/");
    // A folder where the file should be: so it is for root, too.
    std::fs::create_dir_all(user.store()).unwrap();
    let done = user.load(&url, &[]).succeeded();
    assert!(done.stdout.contains("p99") && done.stderr.contains("was not kept"), "{done}");
    // Who named a store is told before anything is sent, by the exit code too.
    let sent = server.received().len();
    let done = user.load(&url, &["--store", user.store().to_str().unwrap()]);
    let done = done.ended_with(6);
    assert!(done.stdout.is_empty() && server.received().len() == sent, "{done}");
    // No store of ours is harmed: it stays as it is.
    let text = user.path("notes.txt");
    std::fs::write(&text, "not a store").unwrap();
    user.load(&url, &["--store", text.to_str().unwrap()]).ended_with(6);
    assert_eq!(std::fs::read_to_string(&text).unwrap(), "not a store");
}

/// A gate passed where figures had no history, and no exit code could be made of it.
#[test]
fn a_gate_without_a_history_says_so_and_fails_where_one_is_required() {
    let user = User::new();
    // Nothing is worse, whatever else the machine does: what counts is what nobody could judge.
    let (server, delay) = varying(40);
    let url = server.url("/");
    user.load(&url, &[]).succeeded();
    delay.store(4, Ordering::Relaxed);
    let loose = ["--against", "1", "--tolerate", "99%"];
    let file = user.path("compared.json");
    let with_file = [&loose[..], &["--compared", file.to_str().unwrap()]].concat();
    let done = user.load(&url, &with_file).succeeded();
    assert!(done.stderr.contains("nothing is certainly worse"), "{done}");
    assert!(done.stderr.contains("too few earlier runs: "), "{done}");
    let compared: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let no_history = |unjudged: &&Value| unjudged["why"] == "too few earlier runs";
    let not_judged = compared["not_judged"].as_array().unwrap();
    assert!(not_judged.iter().filter(no_history).any(|unjudged| unjudged["metric"] == "latency.p90"), "{compared}");
    let required = [&loose[..], &["--require-history"]].concat();
    let done = user.load(&url, &required).ended_with(5);
    assert!(done.stderr.contains("--require-history needs all"), "{done}");
    assert_eq!(user.runs().len(), 3, "what fails a gate is kept, too");
    let compare = ["runs", "compare", "1", "2", "--tolerate", "99%"];
    user.call(&compare).run().succeeded();
    user.call(&[&compare[..], &["--require-history"]].concat()).run().ended_with(5);
    // Before anything is measured.
    let unknown = [&loose[..], &["--compared", "x.svg"]].concat();
    user.load(&url, &unknown).ended_with(2);
    user.load(&url, &["--require-history"]).ended_with(2);
}

#[test]
fn a_slower_page_is_told_and_the_same_page_is_not() {
    let user = User::new();
    // The same URL before and after: the server behind it becomes slower.
    let (server, delay) = varying(2);
    let url = server.url("/");
    for _ in 0..8 {
        user.load(&url, &["--label", "release=1"]).succeeded();
    }
    user.load(&url, &["--against", "latest", "--tolerate", "50%"]).succeeded();
    user.call(&["runs", "compare", "release=1", "latest", "--tolerate", "50%"]).run().succeeded();
    let files = ["json", "xml", "md"].map(|ending| user.path(&format!("compared.{ending}")));
    let mut options = vec!["--against", "latest", "--tolerate", "50%"];
    options.extend(files.iter().flat_map(|file| ["--compared", file.to_str().unwrap()]));
    user.load(&url, &options).succeeded();
    let [json, junit, markdown] = files.map(|file| std::fs::read_to_string(file).unwrap());
    let compared: Value = serde_json::from_str(&json).unwrap();
    let rows = compared["rows"].as_array().unwrap().len();
    let not_judged = compared["not_judged"].as_array().unwrap();
    assert_eq!(compared["judged"], rows - not_judged.len(), "{compared}");
    assert_eq!(junit.matches("<skipped").count(), not_judged.len(), "{junit}");
    assert!(markdown.contains("latency.p50"), "{markdown}");
    delay.store(8, Ordering::Relaxed);
    let done = user.load(&url, &["--against", "release=1", "--tolerate", "50%"]).ended_with(8);
    assert!(done.stderr.contains("latency.p50: slower"), "{done}");
    assert_eq!(user.runs().len(), 11, "what fails a gate is kept, too");
    let compared = user.json(&["runs", "compare", "8", "11", "--json"]);
    assert_eq!(compared["schema"], "unladen.compare/1");
    assert_eq!((&compared["before"]["id"], &compared["after"]["id"]), (&"8".into(), &"11".into()));
    let files = ["html", "markdown", "junit"].map(|kind| (format!("--{kind}"), user.path(kind)));
    let mut call = user.call(&["runs", "compare", "8", "11"]);
    for (option, file) in &files {
        call = call.args([option.as_str(), file.to_str().unwrap()]);
    }
    call.run().succeeded();
    for (option, file) in &files {
        assert!(std::fs::read_to_string(file).unwrap().contains("slower"), "{option}");
    }
    // A terminal has tables, and Markdown whoever asks for it.
    let tables = user.call(&["runs", "compare", "8", "11"]).run().succeeded().stdout;
    assert!(tables.contains("run 11 against run 8") && tables.contains("latency.p50"), "{tables}");
    assert!(!tables.contains("<details>") && !tables.contains("| ---"), "{tables}");
    let trend = user.json(&["runs", "trend", &url, "--json"]);
    assert_eq!((&trend["schema"], trend["runs"].as_array().unwrap().len()), (&"unladen.trend/1".into(), 11));
    let text = user.call(&["runs", "trend", &url]).run().succeeded();
    assert!(text.stdout.contains("latency.p50"), "{text}");
    // Another page is another thing.
    let other = slow(Duration::ZERO);
    user.load(&other.url("/"), &[]).succeeded();
    user.call(&["runs", "compare", "8", "12", "--tolerate", "0%"]).run().ended_with(8).says(["cannot be compared"]);
}

#[test]
fn runs_leave_and_come_back_whole() {
    let (user, server) = (User::new(), Server::good());
    let url = server.url("/");
    for _ in 0..3 {
        user.load(&url, &[]).succeeded();
    }
    let file = user.path("runs.jsonl");
    user.call(&["runs", "export", "-o", file.to_str().unwrap()]).run().succeeded();
    let piped = user.call(&["runs", "export"]).run().succeeded();
    assert_eq!(piped.stdout, std::fs::read_to_string(&file).unwrap());
    let other = User::new();
    other.call(&["runs", "import", file.to_str().unwrap()]).run().succeeded();
    let again = other.call(&["runs", "import", file.to_str().unwrap()]).run().succeeded();
    assert!(again.stdout.contains("nothing was kept; 3 runs were in the store already"), "{again}");
    let (ours, theirs) = (user.runs(), other.runs());
    assert_eq!(theirs.len(), 3);
    let times = |runs: &[Value]| runs.iter().map(|run| run["time"].clone()).collect::<Vec<_>>();
    assert_eq!(times(&ours), times(&theirs));
    // A document of -o, as of an earlier version.
    let json = user.path("load.json");
    user.load(&url, &["--no-store", "-o", json.to_str().unwrap()]).succeeded();
    other.call(&["runs", "import", json.to_str().unwrap()]).run().succeeded();
    assert_eq!(other.runs().len(), 4);
    std::fs::write(&json, "{\"schema\": \"other/1\"}").unwrap();
    other.call(&["runs", "import", json.to_str().unwrap()]).run().ended_with(2).says(["load.json:1", "other/1"]);

    user.call(&["runs", "rm", "2", "99"]).run().ended_with(2).says(["99", "nothing was removed"]);
    user.call(&["runs", "rm", "2"]).run().succeeded();
    user.call(&["runs", "show", "2"]).run().ended_with(2).says(["1", "3"]);
    let dry = user.call(&["runs", "prune", "--keep", "1", "--dry-run"]).run().succeeded();
    assert!(dry.stdout.contains("1 run would be removed: 1"), "{dry}");
    assert_eq!(user.runs().len(), 2);
    user.call(&["runs", "prune", "--keep", "1"]).run().succeeded();
    assert_eq!(user.runs().iter().map(|run| run["id"].clone()).collect::<Vec<_>>(), [Value::from(3)]);
}

#[test]
fn pages_are_for_whoever_knows_the_address() {
    let (user, server) = (User::new(), Server::good());
    user.load(&server.url("/"), &[]).succeeded();
    let address = free_address();
    let printed = user.path("printed");
    let running = user
        .call(&["runs", "serve", "--listen", &address.to_string()])
        .stdout(std::fs::File::create(&printed).unwrap())
        .start();
    let read = || std::fs::read_to_string(&printed).ok().filter(|text| text.ends_with('\n'));
    wait::until("the address is printed", || read().is_some());
    let url = read().unwrap();
    let host = url.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).unwrap().to_owned();
    let ask = |method: &str, path: &str, host: &str| -> Answer {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        Wire::tcp(address).ask(request)
    };
    let list = ask("GET", "/", &host).is(200);
    assert!(list.text().contains("/run/1"), "{}", list.text());
    ask("GET", "/run/1", &host).is(200);
    ask("GET", "/run/7", &host).is(404);
    ask("POST", "/", &host).is(405);
    let local = address.to_string();
    for stranger in [local.as_str(), "localhost", "aaaaaaaaaaaaaaaaaaaaaaaa.localhost"] {
        let refused = ask("GET", "/", stranger).is(403);
        assert!(!refused.text().contains("/run/1"));
    }
    ask("GET", "/", "evil.example").is(421);
    running.interrupt();
    running.wait().succeeded();
}
