//! Hosts that are reached by ssh over a way that takes a while: what a request costs there is weighed right, a host that
//! is cut off is told, and nothing is left behind there, however a run ends.
//!
//! The hosts are namespaces of a [`Bed`], so that each sees its own processes and its own network alone. Beside what is
//! measured, bursts of other work run on all of them.
//!
//! Measures: CPU time on another host against what is known of it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use unladen_tests::{Ability, Bed, Call, Document, Lab, Started, agent, burn, skip_without, wait};

/// What a request burns, in ms: that process's own clock is set to it.
const BURNS: f64 = 12.0;
/// How far a weight may be off.
const OFF: f64 = 0.02;

/// Half a burst, half a pause, of random lengths.
const BURSTS: &str = "while :; do i=$((10000 + $(od -An -N2 -tu2 /dev/urandom) * 2)); while [ $i -gt 0 ]; do i=$((i - 1)); done; \
                      sleep 0.$(($(od -An -N1 -tu1 /dev/urandom) % 5 + 1)); done";

/// A server of known cost on host `db`, until this is dropped.
struct Burn {
    url: String,
    _lab: Lab,
    _server: Started,
}

impl Burn {
    fn start(bed: &Bed) -> Self {
        let lab = Lab::new();
        let server = format!(
            "exec {} --own {BURNS} --child 0 --listen {}:0 --url-file {}",
            burn().display(),
            bed.address("db"),
            lab.path("url").display()
        );
        let server = bed.start_in("db", &server);
        lab.wait_until("url", "/\n");
        let url = lab.read("url").trim().to_owned();
        Self { url, _lab: lab, _server: server }
    }

    /// The requests that it has burnt for, by the CPU time that it has used: to be asked would cost it some.
    fn requests(bed: &Bed) -> f64 {
        let [server] = bed.pids("db", "burn")[..] else { panic!("one burn on db: {:?}", bed.processes("db")) };
        let stat = fs::read_to_string(format!("/proc/{server}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        // utime and stime, in hundredths of a second (proc_pid_stat(5)).
        let ticks: f64 = fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
        ticks * 10.0 / BURNS
    }
}

/// `unladen weigh` on host `web`, with these hosts, for so many requests: however long they take on a busy machine.
fn weigh(bed: &Bed, url: &str, requests: &str, hosts: &[&str]) -> Call {
    let hosts = hosts.iter().flat_map(|name| ["--host".to_owned(), format!("{name}={}", bed.host(name).ssh_command())]);
    Call::weigh(["--no-findings", "--group-by", "exe", "--requests", requests])
        .args(["--agent".as_ref(), agent().as_os_str()])
        .args(hosts)
        .args([url])
        .through(bed.inside("web"))
}

/// What is told of a host.
fn host<'a>(document: &'a Document, name: &str) -> &'a Value {
    let found = document.list("hosts").iter().find(|host| host["name"] == name);
    found.unwrap_or_else(|| panic!("no host {name} in\n{document}"))
}

/// Within 2 %, or its interval says that it may be off, and is no excuse for any figure.
fn assert_it_is_what_it_burns(document: &Document) -> &Value {
    let cpu = document.list("weights").iter().find(|row| row["counter"] == "cpu" && row["group"] == "db/root burn");
    let cpu = cpu.unwrap_or_else(|| panic!("no CPU of db/root burn in\n{document}"));
    let [weight, low, high] = ["per_request", "low", "high"].map(|name| cpu[name].as_f64().unwrap() / 1e6 / BURNS);
    println!("the server on db: {weight:.4} of what it burns, {low:.4} to {high:.4}");
    assert!((weight - 1.0).abs() <= OFF || (low <= 1.0 && 1.0 <= high), "{cpu}\n{document}");
    assert!(high - low <= 5.0 * OFF, "{cpu}\n{document}");
    cpu
}

#[test]
fn a_known_cost_behind_a_way_of_20_ms_is_weighed_right_beside_bursts_on_both_sides() {
    if skip_without(Ability::Hosts, "a known cost behind ssh and a slow way") {
        return;
    }
    let mut bed = Bed::new(["web", "db"]);
    bed.delay("db", Duration::from_millis(10), Duration::from_millis(1));
    let burn = Burn::start(&bed);
    let _bursts = ["web", "db"].map(|name| bed.start_in(name, BURSTS));
    let document = weigh(&bed, &burn.url, "120", &["db"]).document();
    let cpu = assert_it_is_what_it_burns(&document);
    assert_eq!((&cpu["host"], &cpu["follows"]), (&"db".into(), &true.into()), "{cpu}");
    let db = host(&document, "db");
    // There and back it is 18 to 22 ms, besides what it takes to answer.
    assert!(db["round_trip_ns"].as_u64().unwrap() >= 18_000_000, "{db}");
    assert_eq!(db["blocks"], document["urls"][0]["blocks"], "{document}");
    // Each sees its own processes alone, so that neither counts what is the other's.
    let groups = document.list("weights").iter().filter_map(|row| row["group"].as_str());
    assert!(groups.filter(|group| group.ends_with("root burn")).all(|group| group == "db/root burn"), "{document}");
}

#[test]
fn a_host_that_is_cut_off_is_told_and_leaves_the_others_whole() {
    if skip_without(Ability::Hosts, "a host that is cut off") {
        return;
    }
    let mut bed = Bed::new(["web", "db", "cache"]);
    bed.delay("cache", Duration::from_millis(10), Duration::from_millis(1));
    let burn = Burn::start(&bed);
    let running = weigh(&bed, &burn.url, "160", &["db", "cache"]).args(["--json"]).start();
    wait::until("it is in the middle of its blocks", || Burn::requests(&bed) >= 80.0);
    // Nobody is told that the cable was pulled.
    bed.cut("cache");
    let document = running.wait().succeeded().document();
    let (db, cache) = (host(&document, "db"), host(&document, "cache"));
    assert!(cache["gone"].is_string() && db["gone"].is_null(), "{document}");
    let warnings = document.list("warnings").iter().filter_map(Value::as_str);
    assert_eq!(warnings.filter(|warning| warning.starts_with("cache was lost: ")).count(), 1, "{document}");
    let blocks = document["urls"][0]["blocks"].as_u64().unwrap();
    assert_eq!(db["blocks"].as_u64(), Some(blocks), "{document}");
    assert!(cache["blocks"].as_u64().unwrap() < blocks, "{document}");
    // While the one that was cut off was waited for, there were few blocks: perhaps too few to say what follows.
    assert_it_is_what_it_burns(&document);
}

fn pids(bed: &Bed, name: &str) -> BTreeSet<Pid> {
    bed.processes(name).into_iter().map(|(pid, _)| pid).collect()
}

/// Of whatever is killed, and how: neither side has a process or a file of it afterwards.
#[test]
fn nothing_is_left_behind_after_any_kill() {
    if skip_without(Ability::Hosts, "what is left behind after a kill") {
        return;
    }
    let bed = Bed::new(["web", "db"]);
    let burn = Burn::start(&bed);
    let before = ["web", "db"].map(|name| pids(&bed, name));
    for (place, victim) in [("web", "unladen"), ("web", "ssh"), ("db", "sshd"), ("db", "unladen-agent")] {
        let running = weigh(&bed, &burn.url, "10000", &["db"]).start();
        wait::until("an agent runs", || !bed.pids("db", "unladen-agent").is_empty());
        let of_it: Vec<Pid> =
            bed.pids(place, victim).into_iter().filter(|pid| !before.iter().any(|pids| pids.contains(pid))).collect();
        assert!(!of_it.is_empty(), "no {victim} on {place}: {:?}", bed.processes(place));
        // One may end with another.
        of_it.iter().for_each(|pid| _ = kill(*pid, Signal::SIGKILL));
        // The far side first, and while who measures is still there, if it was another who was killed.
        let is_clean = |at: usize, name: &str| pids(&bed, name).is_subset(&before[at]);
        wait::until_ok(&format!("{victim} of {place} was killed, and db is clean"), || {
            if is_clean(1, "db") { Ok(()) } else { Err(format!("{:?}", bed.processes("db"))) }
        });
        drop(running);
        wait::until(&format!("{victim} of {place} was killed, and web is clean"), || is_clean(0, "web"));
        assert_eq!(bed.run_in("db", "ls -A /run/tmp"), "", "{victim}");
    }
}
