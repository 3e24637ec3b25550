//! The measuring commands against servers that hang up, flood and are slow, with a store on a full disk.

use std::time::Duration;

use unladen_tests::site::page;
use unladen_tests::{Ability, Call, Done, Lab, Upstream, skip_without};

use crate::gauge::Gauge;

/// What a run may take besides.
const MORE: Duration = Duration::from_secs(120);
/// A disk of its own that fills up while the program measures: it is full when the result is to be kept.
const ON_A_DISK_THAT_FILLS: &str = r#"mount -t tmpfs -o size=1m none "$DISK" || exit 99
    (sleep 3; cat /dev/zero > "$DISK/other") 2>/dev/null & exec "$@""#;

/// Answers as they come by turns: well, late, at length, with a body that is not whole, with nothing, and with an error.
/// Without failures, all are good answers: late, at length, or the last of their connection.
fn server(fails: bool) -> Upstream {
    Upstream::forgetful(move |peer| {
        let mut number = peer.number;
        while peer.request().is_some() {
            number += 1;
            let goes_on = match number % 12 {
                1 => {
                    std::thread::sleep(Duration::from_millis(30));
                    peer.send(page("", "late"))
                }
                2 if fails => peer.send(page("", &"flood ".repeat(200_000))),
                4 => {
                    peer.send(page("Connection: close\r\n", "late"));
                    false
                }
                6 if fails => {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                    false
                }
                8 if fails => false,
                10 if fails => peer.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy"),
                _ => peer.send(page("", "late")),
            };
            if !goes_on {
                return;
            }
        }
    })
}

/// What a load's distributions grow by as long latencies fill more of their bins: less and less, and never by more than
/// this (`crates/unladen/src/load/slices.rs` has the test).
const OF_BINS: u64 = 4 << 20;
/// What `weigh` and `prove` keep of each second: the latencies and counters of its phases, from which intervals are
/// resampled in the end.
const OF_A_SECOND: u64 = 16 << 10;

/// Runs it with memory and descriptors read; `kept` bytes it keeps by design. What it ended with is for the caller.
fn watched(what: &str, call: Call, time: Duration, kept: u64) -> Done {
    let running = call.within(time * 2 + MORE).start();
    let gauge = Gauge::start(running.pid());
    let done = running.wait();
    let readings = gauge.stop();
    eprintln!("{}", readings.told(what));
    readings.grow_by_at_most(what, kept);
    assert!(!done.stderr.contains("panicked at"), "{done}");
    done
}

/// As an option says it.
fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs())
}

/// Failures are counted by their kinds, and the result is written though it cannot be kept.
pub fn load(time: Duration) {
    if skip_without(Ability::PrivateMounts, "load_is_flat_against_a_hostile_server") {
        return;
    }
    let (server, disk) = (server(true), tempfile::tempdir().expect("a folder"));
    let call =
        Call::load(["-t", &seconds(time), "-r", "100", "--timeout", "2", "--json", &format!("{}/", server.url())])
            .env("DISK", disk.path())
            .env("UNLADEN_STORE", disk.path().join("runs.db"))
            .through(["unshare", "--mount"])
            .through_shell(ON_A_DISK_THAT_FILLS);
    let done = watched("load", call, time, OF_BINS).says(["no space left for"]);
    let document = done.document();
    let errors: u64 =
        document["errors"].as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum();
    assert!(errors > 0 && document["statuses"]["503"].as_u64() > Some(0), "{document}");
}

/// Each phase is as the others, whatever connections do.
pub fn weigh(time: Duration) {
    let server = server(false);
    let call = Call::weigh(["-t", &seconds(time), "--json", &format!("{}/", server.url())]);
    watched("weigh", call, time, OF_A_SECOND * time.as_secs()).succeeded().document();
}

/// Arms by turns.
pub fn prove(time: Duration) {
    let server = server(false);
    let lab = Lab::of(&format!(
        "url = \"{}/\"\n[load]\nconcurrency = 2\ntime = \"{}\"\nphase = \"200ms\"\nwarmup = \"20ms\"\n[[knob]]\nname = \"a\"\n\
         on = {{ command = \"true\" }}\noff = {{ command = \"true\" }}\n",
        server.url(),
        seconds(time)
    ));
    watched("prove", lab.prove().args(["--json"]), time, OF_A_SECOND * time.as_secs()).succeeded().document();
}
