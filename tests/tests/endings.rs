//! What ends a run before its time, and what is left of it.

use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::{Call, Done, Running, Server, Subject};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

/// Blocks of 400 ms, far more of them than any test waits for.
fn long_run(url: &str) -> Call {
    Call::lasting("80s", [url])
}

/// What becomes of a run that is ended with enough blocks. Six take 2.4 s, after a warm-up of at most one and a look at
/// all processes, on a machine that does nothing else. On others, a run that had too few shows nothing, and another one
/// has twice the time.
fn with_enough_blocks(ended: impl Fn(Duration) -> Done) -> Done {
    let mut done = ended(Duration::from_secs(5));
    for seconds in [10, 20, 40] {
        if !done.stdout.is_empty() {
            break;
        }
        done = ended(Duration::from_secs(seconds));
    }
    done
}

/// Interrupts after enough blocks.
fn interrupted(call: impl Fn() -> Call, signal: Signal) -> Done {
    with_enough_blocks(|time| {
        let running: Running = call().start();
        sleep(time);
        running.signal(signal);
        running.wait().ended_with(130)
    })
}

#[test]
fn ctrl_c_before_there_is_enough_says_so() {
    let server = Server::good();
    let running = long_run(&server.url("/")).start();
    server.wait_for_request();
    running.interrupt();
    running.wait().ended_with(130).says(["interrupted before there was enough to show", "six blocks"]).shows_nothing();
}

#[test]
fn ctrl_c_after_enough_blocks_keeps_them() {
    let done = interrupted(|| long_run(FAULTS.url()).args(["--json"]), Signal::SIGINT);
    let document = done.document();
    assert_eq!(document["ended"], "interrupted");
    assert!(document["urls"][0]["blocks"].as_u64() >= Some(6), "{done}");
    done.says(["interrupted"]);
}

#[test]
fn sigterm_is_as_good_and_text_is_marked_too() {
    let done = interrupted(|| long_run(FAULTS.url()), Signal::SIGTERM);
    done.shows(["interrupted: these are the blocks until then", "--details"]);
}

#[test]
fn ctrl_c_amid_a_request_that_hangs_ends_at_once() {
    let server = Server::hanging();
    let running = long_run(&server.url("/")).start();
    server.wait_for_request();
    running.interrupt();
    running.wait().ended_with(130).says(["interrupted"]).shows_nothing();
}

#[test]
fn a_server_that_dies_leaves_the_blocks_until_then() {
    let done = with_enough_blocks(|time| {
        let dying = Subject::up("faults");
        let running = long_run(dying.url()).args(["--json"]).start();
        sleep(time);
        dying.stop();
        running.wait()
    });
    assert!(matches!(done.code, Some(3 | 4)), "{done}");
    let document = done.document();
    assert_eq!(document["ended"], "failed");
    assert!(document["urls"][0]["blocks"].as_u64() >= Some(6), "{done}");
    done.says(["unladen: "]);
}

#[test]
fn a_server_that_breaks_early_leaves_its_answer() {
    let server = Server::answering(|number| {
        let status = if number < 40 { "200 OK" } else { "503 Service Unavailable" };
        format!("HTTP/1.1 {status}\r\nContent-Length: 3\r\n\r\nok\n")
    });
    let done = long_run(&server.url("/")).run();
    done.ended_with(4).says(["503 Service Unavailable", "HTTP/1.1 503"]).shows_nothing();
}

#[test]
fn a_body_that_changes_is_counted_and_no_warning_if_it_is_a_token() {
    let document = Call::quick([FAULTS.at("HTTP_URL", "/changing")]).document();
    assert_eq!(document["urls"][0]["changed_bodies"], document["urls"][0]["requests"]);
    assert!(!document.warns("differed from the first"), "{document}");

    let document = Call::quick([FAULTS.url()]).document();
    assert_eq!(document["urls"][0]["changed_bodies"], 0);
    assert!(!document.warns("differed from the first"), "{document}");
}

#[test]
fn processes_that_vanish_do_no_harm() {
    // Each lives for a millisecond or so: many are listed and gone when they are looked at.
    let script = "while :; do /bin/true & /bin/true; done";
    // It ends with the test, however that ends.
    let command = ["--pdeathsig", "KILL", "--", "bash", "-c", script];
    let mut passing = Command::new("setpriv").args(command).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let done = Call::quick(["--json", "--group-by", "pid", FAULTS.url()]).run();
    passing.kill().unwrap();
    passing.wait().unwrap();
    done.succeeded().says_nothing().document();
}
