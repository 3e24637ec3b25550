//! What goes wrong with `unladen load`: what ends it, what is counted, and what each error says.

use std::path::Path;
use std::time::Duration;

use unladen_tests::{Call, Document, Done, Reply, Server, Subject, wait};

fn errors(document: &Document, kind: &str) -> u64 {
    document["errors"][kind].as_u64().unwrap_or(0)
}

/// Answers the first request, which is tried, well, and of ten others one in each of these ways.
fn faulty() -> Server {
    Server::replying(|asked| match asked.number % 10 {
        3 => Reply::text("503 Service Unavailable", "busy\n"),
        5 | 6 => Reply::Close,
        8 => Reply::Last("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".to_owned()),
        9 => Reply::Last("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthis is not all".to_owned()),
        _ => Reply::good(),
    })
}

#[test]
fn what_fails_at_once_ends_it_before_it_begins() {
    let faults = Subject::up("faults");
    let load = |url: &str| Call::load(["--rate", "100", "-t", "1min", "--timeout", "1s", url]).run().shows_nothing();
    load(faults.get("REFUSED_URL")).ended_with(3).says(["connection refused by 127.0.0.1:", "start the application"]);
    load(&faults.at("HTTP_URL", "/hang")).ended_with(3).says(["not done within 1s", "raise the timeout"]);
    load(&faults.at("HTTP_URL", "/500")).ended_with(4).says(["500 Internal Server Error", "an error", "server: nginx"]);
    load(&faults.at("HTTP_URL", "/redirect")).ended_with(4).says(["it redirects to /ok"]);
    load(faults.get("UNTRUSTED_URL")).ended_with(3).says(["TLS with"]);
    let unlike = Call::load(["--expect-body", "Welcome", faults.url()]).run().shows_nothing();
    unlike.ended_with(4).says(["was answered with a body that is not one that contains \"Welcome\""]);
    // The second of the requests is as important as the first.
    let second = Call::load([faults.url(), &faults.at("HTTP_URL", "/404")]).run().shows_nothing();
    second.ended_with(4).says(["/404 was answered 404"]);
}

#[test]
fn what_fails_later_is_counted_by_kind_and_ends_nothing() {
    let server = faulty();
    // With a connection each nothing is sent twice.
    let document = Call::load(["--no-keepalive", "-n", "200", &server.url("/")]).document_with_failures();
    assert_eq!(document["statuses"], serde_json::json!({ "200": 100, "503": 20 }), "{document}");
    assert_eq!(server.received().len(), 201, "{document}");
    assert_eq!(["status", "closed", "protocol"].map(|kind| errors(&document, kind)), [20, 60, 20], "{document}");
    assert_eq!((document.number("planned"), document.number("requests")), (200.0, 100.0), "{document}");
    assert_eq!(document["within"]["10s"], 0.5, "what failed was within no time: {document}");
    let example = |kind: &str| document["error_examples"][kind].as_str().unwrap();
    assert!(example("status").contains("503 Service Unavailable"), "{document}");
    assert!(example("closed").contains("the server closed the connection"), "{document}");
    assert!(example("protocol").contains("not HTTP/1.1"), "{document}");
    // A fast error has no latency.
    let told = document["distribution"].as_array().unwrap().last().unwrap()[1].as_f64();
    assert_eq!(told, Some(1.0));
    assert_eq!(document["new_connections"]["requests"], 100);
}

/// The kernel's signal ended the program, and nothing was said.
#[test]
fn a_file_that_may_not_grow_is_told_as_a_full_disk_is() {
    let server = faulty();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record");
    let command = format!("ulimit -f 0; exec \"$0\" load -n 5 --record {} {}", file.display(), server.url("/"));
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .arg(unladen_tests::binary())
        .env("UNLADEN_STORE", "off")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("File too large") && said.contains("record"), "{said}");
}

#[test]
fn failures_are_shown_with_the_statuses_and_are_an_exit_code() {
    let server = faulty();
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("load.svg");
    let call = Call::load(["--no-keepalive", "-n", "100", &server.url("/"), "-o"]).args([&picture]);
    let done = call.run().ended_with(4).says(["50 of 100 requests were not answered as expected", "10 × 503"]);
    done.shows(["closed", "503 Service Unavailable", "Statuses: 50 × 200, 10 × 503."]);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.contains("50 of 100 requests failed; statuses: 50 × 200, 10 × 503"), "{picture}");
}

/// 34 of 150 answers were 503, and the exit code 0.
#[test]
fn errors_that_were_said_to_be_fine_are_no_failure() {
    let server = faulty();
    let load = |more: &[&str]| Call::load(["--no-keepalive", "-n", "100"]).args(more).args([server.url("/")]).run();
    load(&["--fail-on", "errors > 60%"]).succeeded();
    load(&["--fail-on", "errors > 40%"]).ended_with(8).says(["errors > 40%: it is 50.00 %"]);
    load(&["--fail-on", "errors > 0"]).ended_with(8).says(["errors > 0: it is 50"]);
}

/// That nothing was answered came first, and hid that the limit was broken.
#[test]
fn a_broken_limit_was_hidden_by_no_answer() {
    let server = Server::replying(|asked| if asked.number == 0 { Reply::good() } else { Reply::Close });
    let load = |more: &[&str]| Call::load(["--no-keepalive", "-n", "100"]).args(more).args([server.url("/")]).run();
    load(&["--fail-on", "within.10s < 50%"]).ended_with(8).says(["within.10s < 50%: it is 0.00 %"]);
}

#[test]
fn a_condition_without_a_sign_is_held_against_the_figure_itself() {
    let server = Server::good();
    // Long enough for slices of time, over which intervals are.
    let args = ["--rate", "100", "-n", "100", "--fail-on"];
    let load = |condition: &str| Call::load(args).args([condition, &server.url("/")]).run();
    load("p95 > 10s").succeeded().says_nothing();
    load("p50 > 1us").ended_with(8).says(["p50 > 1us: it is "]);
    load("within.10s < 99%").succeeded();
    load("within.1us < 99%").ended_with(8).says(["within.1us < 99%: it is 0.00 %"]);
    load("throughput < 0.1/s").succeeded();
    load("p99 > 10s").ended_with(8).says(["could not be judged: an interval needs more"]);
    for (condition, why) in [
        ("p95 > +5%", "leave out the sign, or compare two loads with `unladen prove`"),
        ("p95 > 5%", "'+5%' or '-5%'"),
        ("p42 > 5ms", "is not one of a load's quantiles: p50, p75"),
        ("weight.cpu x > 5ms", "a load has no weight"),
        ("p95 > 5", "has no unit"),
        ("p95", "expected a metric"),
    ] {
        load(condition).ended_with(2).says([why]).shows_nothing();
    }
}

#[test]
fn requests_that_are_not_answered_in_time_are_counted_with_the_time_they_waited() {
    let server = Server::replying(|asked| {
        if asked.number % 10 == 5 {
            std::thread::sleep(Duration::from_secs(3600));
        }
        Reply::good()
    });
    let document =
        Call::load(["--rate", "100", "-n", "100", "--timeout", "700ms", &server.url("/")]).document_with_failures();
    assert_eq!((errors(&document, "timeout"), document.number("cut_short")), (10, 10.0), "{document}");
    assert_eq!(document.number("requests"), 90.0);
    assert_eq!(document["within"]["10s"], 0.9, "{document}");
    // Without them the 95 % quantile would look fine.
    assert!(document["latency_ns"]["p95"].as_f64().unwrap() >= 6.9e8, "{document}");
    assert!(document.warns("10 requests were not answered in time"), "{document}");
}

#[test]
fn a_server_that_dies_is_counted_until_the_end() {
    let dying = Subject::up("faults");
    let log = Path::new(dying.get("STATE")).join("log/nginx.access.log");
    let lines = || std::fs::read_to_string(&log).unwrap_or_default().lines().count();
    let before = lines();
    let running = Call::load(["--rate", "100", "-t", "3s", "--json", dying.url()]).start();
    wait::until("requests are answered", || lines() >= before + 50);
    dying.stop();
    let done = running.wait().ended_with(4);
    let document = done.document();
    assert_eq!(document.number("planned"), 300.0, "{document}");
    let failed = errors(&document, "connect") + errors(&document, "closed");
    assert!(errors(&document, "connect") > 0 && document.number("requests") > 0.0, "{document}");
    assert_eq!(document.number("requests") + failed as f64, 300.0, "{document}");
}

#[test]
fn a_load_of_which_nothing_is_answered_is_shown_and_fails() {
    let server = Server::answering(|number| {
        let status = if number == 0 { "200 OK" } else { "503 Service Unavailable" };
        format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")
    });
    let done = Call::load(["-n", "20", &server.url("/")]).run();
    done.ended_with(4).says(["none of 20 requests was answered as expected"]).shows(["503 Service Unavailable"]);
}

#[test]
fn a_body_without_the_expected_text_is_an_error() {
    let server =
        Server::replying(|asked| Reply::text("200 OK", if asked.number % 4 == 3 { "an error" } else { "a page" }));
    let document = Call::load(["-n", "100", "--expect-body", "page", &server.url("/")]).document_with_failures();
    assert_eq!((errors(&document, "body"), document.number("requests")), (25, 75.0), "{document}");
}

#[test]
fn a_body_that_changes_is_a_warning_or_an_error_as_one_likes() {
    let server = |times: u64| {
        Server::replying(move |asked| {
            let number = asked.number as u64 / 51;
            Reply::text("200 OK", &format!("page {number}{}", " and more".repeat((number * times) as usize)))
        })
    };
    // As a time or a token in it does.
    let document = Call::load(["-n", "100", &server(0).url("/")]).document();
    assert!(document.number("changed") == 50.0 && !document.warns("differed from the first"), "{document}");
    let server = || server(50);
    let document = Call::load(["-n", "100", &server().url("/")]).document();
    assert_eq!((document.number("changed"), document.number("requests")), (50.0, 100.0), "{document}");
    assert!(document.warns("50 of 100 responses differed from the first"), "{document}");

    let document = Call::load(["-n", "100", "--expect-same", &server().url("/")]).document_with_failures();
    assert_eq!((errors(&document, "body"), document.number("requests")), (50, 50.0), "{document}");
    assert!(document["error_examples"]["body"].as_str().unwrap().contains("the same as the first"), "{document}");
}

#[test]
fn a_broken_limit_is_an_exit_code() {
    let server = Server::good();
    let load = |condition: &str| Call::load(["-n", "100", "--fail-on", condition, &server.url("/")]).run();
    load("within.10s < 95%").succeeded().says_nothing();
    // Nothing is answered within a microsecond.
    load("within.1us < 50%").ended_with(8).says(["within.1us < 50%: it is 0.00 %"]);
    // Failures are within no time, however fast they are.
    let server = faulty();
    let done = Call::load(["--no-keepalive", "-n", "100", "--fail-on", "within.10s < 95%", &server.url("/")]).run();
    done.ended_with(8).says(["within.10s < 95%: it is 50.00 %"]).shows(["503"]);
}

fn refused(args: &[&str]) -> Done {
    Call::load(args).run().ended_with(2).shows_nothing()
}

#[test]
fn wrong_options_say_which_and_what_would_do() {
    for (args, words) in [
        (&[][..], ["URL", "--help"]),
        (&["--rate", "0", "http://localhost/"], ["rate", "0.001 to 10,000,000"]),
        (&["--rate", "nan", "http://localhost/"], ["rate", "0.001 to 10,000,000"]),
        (&["--rate", "10", "-c", "0", "http://localhost/"], ["concurrency", "1 to 10,000"]),
        (&["-n", "0", "http://localhost/"], ["--requests", "at least 1"]),
        (&["-n", "few", "http://localhost/"], ["--requests", "expected a whole number, such as 500, 10k or 1M"]),
        (&["--rate", "10/fortnight", "http://localhost/"], ["--rate", "40, 40/s, 600/min or 1k"]),
        (&["-L", "http://localhost/"], ["-L: redirects are not followed", "url_effective"]),
        (&["-0", "http://localhost/"], ["-0: HTTP/1.0 is not supported", "--no-keepalive"]),
        (&["-u", "me", "http://localhost/"], ["-u: expected USER:PASSWORD", "-u joe:secret"]),
        (&["--cert", "/nowhere.pem", "https://localhost/"], ["/nowhere.pem", "No such file"]),
        (&["--rate", "10", "-n", "0", "http://localhost/"], ["--requests", "1"]),
        (&["--rate", "10", "-t", "0s", "http://localhost/"], ["--time", "above 0"]),
        (&["-t", "0s", "http://localhost/"], ["--time", "above 0"]),
        (&["-t", "soon", "http://localhost/"], ["--time", "soon"]),
        (&["--step", "40", "http://localhost/"], ["`40` is not a step", "40:30s"]),
        (&["--step", "40:soon", "http://localhost/"], ["`40:soon` is not a step", "10..100:2min"]),
        (&["--step", "40:0s", "http://localhost/"], ["length of a step", "above 0"]),
        (&["--step", "0:5s", "http://localhost/"], ["schedule", "at least one step with a rate above 0"]),
        (&["--step", "40:1s", "--rate", "10", "http://localhost/"], ["--step", "--rate"]),
        (&["--arrivals", "bursty", "http://localhost/"], ["--arrivals", "poisson"]),
        (&["--find-capacity", "100ms", "http://localhost/"], ["`100ms` is not a limit", "p95<100ms"]),
        (&["--find-capacity", "p100<1s", "http://localhost/"], ["`p100<1s` is not a limit", "p99.9<1s"]),
        (&["--find-capacity", "http://localhost/"], ["--find-capacity", "is not a limit"]),
        (&["--find-capacity", "p95<1s", "--step", "1:1s", "http://localhost/"], ["--find-capacity", "--step"]),
        (&["--buckets", "1ms,soon", "http://localhost/"], ["--buckets", "soon"]),
        (&["--replay", "x", "--rate", "5"], ["--replay", "cannot be used with"]),
        (&["--expect-status", "teapot", "http://localhost/"], ["teapot", "200-299,304"]),
        (&["--timeout", "0s", "http://localhost/"], ["timeout", "1 ms to 24 h"]),
        (&["--http", "3", "http://localhost/"], ["--http", "1.1"]),
    ] {
        refused(args).says(words);
    }
}

/// It was left out without a word.
#[test]
fn a_search_has_no_table_of_percentiles() {
    let args = ["--find-capacity", "p95<1s", "--hdr-percentiles", "x.hgrm", "http://localhost/"];
    refused(&args).says(["--find-capacity", "--hdr-percentiles", "cannot be used with"]);
}

#[test]
fn one_bad_line_of_a_list_is_passed_over_and_said() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("list");
    std::fs::write(&file, format!("{url}\n0 {url}\n", url = server.url("/"))).unwrap();
    let done = Call::load(["-n", "10", "--urls", file.to_str().unwrap()]).run();
    done.succeeded().says(["1 of 2 lines passed over", "list:2: the weight 0 is invalid"]);
    assert_eq!(server.received().len(), 11, "one to warm up and ten");
}

#[test]
fn lists_logs_and_records_name_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("given");
    let path = file.to_str().unwrap();
    let at = |line: u64| format!("{path}:{line}: ");

    let list = |text: &str| {
        std::fs::write(&file, text).unwrap();
        refused(&["--urls", path])
    };
    list("\n0 http://localhost/\n").says([&at(2), "the weight 0 is invalid", "a number above 0"]);
    list("2x http://localhost/\n").says([&at(1), "the weight 2x is invalid"]);
    list("2 GET\n").says([&at(1), "has no URL", "[WEIGHT] [METHOD] URL [label]"]);
    list("").says([path, "is empty"]);

    let log = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        refused(&["--access-log", path, "http://localhost/"])
    };
    log(b"{\"request\": \"GET /\"}\n{\"request\": \"GET /\"}\n").says([&at(1), "combined log format", "203.0.113.7"]);
    log(b"h - - [t] \"POST / HTTP/1.1\" 200 5\n").says([path, "no GET request that can be repeated"]);
    log(b"\x16\x03\x01 garbage\n").says([&at(1), "not an entry in the combined log format", "found `··· garbage`"]);
    log(b"\x1f\x8b\x08\x00\n").says(["cannot read the access log", path]);
    log(b"\x28\xb5\x2f\xfd\n").says([path, "is compressed with zstd", "zstd -dc"]);
    refused(&["--access-log", path, "http://localhost/", "http://localhost/b"]).says(["--access-log takes one URL"]);

    let records = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        refused(&["--replay", path])
    };
    records(b"GET / HTTP/1.1\n").says([path, "contains no records", "`unladen load --record`"]);
    records(b"unladen.record/1\nH\x02{}R\x01\xffX\x00").says([path, "is damaged at byte"]);
    records(b"unladen.record/1\nH\x02{}X\x01\x00").says([path, "is damaged at byte", "unknown kind"]);
    refused(&["--replay", "/nowhere/file"]).says(["/nowhere/file", "No such file"]);
    refused(&["--access-log", "/nowhere/file", "http://localhost/"]).says(["/nowhere/file", "No such file"]);
}

#[test]
fn files_that_cannot_be_written_are_told_before_anything_is_sent() {
    let server = Server::good();
    for option in ["--record", "--hdr-log", "--hdr-percentiles", "-o"] {
        let done = Call::load([option, "/nowhere/file", &server.url("/")]).run();
        done.ended_with(6).says(["/nowhere/file", "No such file"]).shows_nothing();
    }
    assert_eq!(server.received().len(), 0);
}

#[test]
fn outputs_that_are_none_are_told_before_anything_is_sent() {
    let server = Server::good();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("folder.json")).unwrap();
    let url = server.url("/");
    for command in [&["load"][..], &["weigh"], &["profile", "--no-files"], &["prove", "--b", &url, "--a"]] {
        let call = |output: &str| Call::new(command).args([url.as_str(), "-o", output]).run();
        call(&path("x.png"))
            .ended_with(2)
            .says(["x.png: no format has this ending; there are .json, .svg"])
            .shows_nothing();
        call(&path("folder.json")).ended_with(6).says(["folder.json: is a directory"]).shows_nothing();
        call("/proc/x.json").ended_with(6).says(["cannot write the result to /proc/x.json"]).shows_nothing();
    }
    assert_eq!(server.received().len(), 0);
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing is left of trying");
}
