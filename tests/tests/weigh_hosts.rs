//! `unladen weigh --host`: what is counted, and whose it is. No process counts twice, what carries the way to a host is
//! Unladen's own, and what a host cannot tell any more is in no figure.
//!
//! The hosts are namespaces of a [`Bed`].

use std::path::Path;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use serde_json::Value;
use unladen_tests::{Ability, Bed, Call, Document, Lab, Started, Subject, agent, skip_without, wait};

/// What a request burns, in the server and in a child of it, ms.
const BURNS: (f64, f64) = (3.0, 2.0);

/// Hands connections on.
const RELAY: &str = r#"
import socket, sys, threading
own, file, host, port = sys.argv[1:]
listener = socket.create_server((own, 0))
open(file, "w").write("http://%s:%d/\n" % listener.getsockname())
def carry(source, sink):
    while data := source.recv(65536): sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)
while True:
    client, _ = listener.accept()
    server = socket.create_connection((host, int(port)))
    for pair in ((client, server), (server, client)): threading.Thread(target=carry, args=pair, daemon=True).start()
"#;

/// A server of known cost on host `db`, until this is dropped.
struct Burn {
    url: String,
    lab: Lab,
    _subject: Subject,
    _server: Started,
}

impl Burn {
    fn start(bed: &Bed) -> Self {
        let (lab, subject) = (Lab::new(), Subject::up("burn"));
        let program = Path::new(subject.get("UNLADEN_STATE")).join("burn/burn");
        let server = format!(
            "exec {} --own {} --child {} --listen {}:0 --url-file {}",
            program.display(),
            BURNS.0,
            BURNS.1,
            bed.address("db"),
            lab.path("url").display()
        );
        let server = bed.start_in("db", &server);
        lab.wait_until("url", "/\n");
        let url = lab.read("url").trim().to_owned();
        Self { url, lab, _subject: subject, _server: server }
    }

    /// On host `front`, one that hands requests on to it, and its URL.
    fn behind_a_relay(&self, bed: &Bed) -> (Started, String) {
        self.lab.write("relay.py", RELAY);
        let to = self.url.trim_start_matches("http://").trim_end_matches('/').replace(':', " ");
        let [program, file] = ["relay.py", "relay"].map(|name| self.lab.path(name).display().to_string());
        let relay =
            bed.start_in("front", &format!("exec /usr/bin/python3 {program} {} {file} {to}", bed.address("front")));
        self.lab.wait_until("relay", "/\n");
        (relay, self.lab.read("relay").trim().to_owned())
    }
}

/// `unladen weigh` with blocks of 0.4 s.
fn weigh(time: &str, hosts: &[String]) -> Call {
    let hosts = hosts.iter().flat_map(|host| ["--host", host.as_str()]);
    Call::lasting(time, ["--group-by", "exe"]).args(["--agent".as_ref(), agent().as_os_str()]).args(hosts)
}

fn ssh(bed: &Bed, name: &str) -> String {
    format!("{name}={}", bed.host(name).ssh_command())
}

fn warnings(document: &Document) -> Vec<&str> {
    document.list("warnings").iter().filter_map(Value::as_str).collect()
}

/// What leads into a container of whatever it is put behind.
const CONTAINER: &str = "unshare --pid --fork --mount-proc --kill-child";

/// Nothing is sent before that is known: nobody listens at this URL.
fn refused(way: &[&str], hosts: &[String], says: [&str; 2]) {
    let call = weigh("4s", hosts).args(["http://127.0.0.1:9/"]);
    let done = if way.is_empty() { call.run() } else { call.through(way).run() };
    done.ended_with(2).says(says).shows_nothing();
}

/// Each of its processes counted twice, and 1.70 ms stood where 0.70 ms were true.
#[test]
fn this_machine_by_another_name_is_refused() {
    refused(&[], &["db=env".to_owned()], ["--host db: `env` leads to this machine", "leave --host db out"]);
}

#[test]
fn a_container_of_this_machine_is_refused() {
    if skip_without(Ability::PrivateMounts, "a container of this machine") {
        return;
    }
    let host = format!("db={CONTAINER}");
    refused(&[], &[host], ["leads into a container of this machine", "leave --host db out"]);
}

#[test]
fn hosts_that_see_the_same_processes_are_refused() {
    if skip_without(Ability::Hosts, "hosts that see the same processes") {
        return;
    }
    let bed = Bed::new(["web", "db"]);
    let web: Vec<String> = bed.inside("web");
    let web: Vec<&str> = web.iter().map(String::as_str).collect();
    let command = bed.host("db").ssh_command();
    let two = [format!("one={command}"), format!("two={command}")];
    refused(&web, &two, ["--host one and --host two lead to one machine", "leave one of them out"]);
    let nested = [format!("db={command}"), format!("inner={command} {CONTAINER}")];
    refused(&web, &nested, ["--host inner:", "leads into a container of db"]);
    // The other way round: this is the container, and the host is who holds it.
    let inside: Vec<&str> = web.iter().copied().chain(CONTAINER.split(' ')).collect();
    refused(
        &inside,
        &[ssh(&bed, "web")],
        ["--host web: unladen runs in a container of web", "run unladen on web itself"],
    );
}

#[test]
fn what_carries_the_way_to_a_host_is_not_the_hosts_nor_this_machines() {
    if skip_without(Ability::Hosts, "what carries the way to a host") {
        return;
    }
    let bed = Bed::new(["web", "front", "db"]);
    let burn = Burn::start(&bed);
    let (_relay, url) = burn.behind_a_relay(&bed);
    // ssh leaves a master behind for later sessions, which is no descendant any more.
    let master =
        format!("ssh -o ControlMaster=auto -o ControlPersist=20 -o ControlPath={}", burn.lab.path("master").display());
    let host = ssh(&bed, "db").replace("=ssh", &format!("={master}"));
    let document = weigh("10s", &[host, ssh(&bed, "front")]).args([&url]).through(bed.inside("web")).document();
    let cpu = document.list("weights").iter().find(|row| row["counter"] == "cpu" && row["group"] == "db/root burn");
    let cpu = cpu.unwrap_or_else(|| panic!("no CPU of the server in\n{document}"));
    // A namespace has no records of ended processes, so that the child counts with its parent.
    let of_truth = cpu["per_request"].as_f64().unwrap() / 1e6 / (BURNS.0 + BURNS.1);
    println!("the server: {of_truth:.3} of what it burns");
    assert!(cpu["follows"] == true && (0.95..1.4).contains(&of_truth), "{cpu}");
    let groups = document.list("weights").iter().filter_map(|row| row["group"].as_str());
    let carriers: Vec<&str> = groups.filter(|group| group.contains("ssh") || group.contains("unladen")).collect();
    assert!(carriers.is_empty(), "{carriers:?}\n{document}");
    // Who listens at the address of the URL; and whom that one has a connection to.
    let told = document["urls"][0]["path"]["elsewhere"].as_array().unwrap_or_else(|| panic!("no path in\n{document}"));
    // That front has this address is known from it alone, and that db is asked, from both.
    let on_word_of: Vec<String> = told.iter().map(|station| station["on_word_of"].to_string()).collect();
    assert_eq!(on_word_of, [r#"["front"]"#, r#"["db","front"]"#], "{told:?}");
    let told: Vec<_> =
        told.iter().map(|station| (station["groups"][0].as_str().unwrap(), &station["certain"])).collect();
    assert!(told.len() == 2 && told[0].0.starts_with("front/root python3") && *told[0].1 == true, "{told:?}");
    assert_eq!(told[1], ("db/root burn", &false.into()), "{told:?}");
    // The server is one of the hosts, by its address; and the hosts are parts of one machine, whose cores serve both.
    let warnings = warnings(&document);
    assert!(!warnings.iter().any(|warning| warning.contains("cannot see from here")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("parts of one machine")), "{warnings:?}");
    let by_host = document["urls"][0]["by_host"].as_array().unwrap();
    assert!(
        !by_host.is_empty() && by_host.iter().all(|host| host["requests_per_machine_second"].is_null()),
        "{document}"
    );
}

#[test]
fn a_host_that_goes_away_leaves_the_blocks_that_a_total_rests_on() {
    if skip_without(Ability::Hosts, "a host that goes away") {
        return;
    }
    let bed = Bed::new(["web", "db"]);
    let burn = Burn::start(&bed);
    let running = weigh("12s", &[ssh(&bed, "db")]).args([&burn.url, "--json"]).through(bed.inside("web")).start();
    wait::until("an agent runs", || !bed.pids("db", "unladen-agent").is_empty());
    // By then it is in the middle of its blocks.
    std::thread::sleep(Duration::from_secs(9));
    bed.pids("db", "unladen-agent").into_iter().for_each(|pid| kill(pid, Signal::SIGKILL).unwrap());
    let document = running.wait().succeeded().document();
    let (db, url) = (&document.list("hosts")[0], &document["urls"][0]);
    let count = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("no number in\n{document}"));
    assert!(db["gone"].is_string(), "{document}");
    assert!(count(&db["blocks"]) >= 6 && count(&db["blocks"]) < count(&url["blocks"]), "{document}");
    assert_eq!(url["total_blocks"], db["blocks"], "{document}");
    let warnings = warnings(&document);
    assert_eq!(warnings.iter().filter(|warning| warning.starts_with("db was lost: ")).count(), 1, "{document}");
}
