//! What goes wrong before anything is measured: each with its exit code, what happened, and what to do.

use std::sync::LazyLock;

use unladen_tests::{Call, Server, Subject};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

#[test]
fn nobody_listens() {
    let call = Call::weigh([FAULTS.get("REFUSED_URL")]);
    call.run().ended_with(3).says(["connection refused by 127.0.0.1:", "start the application"]).shows_nothing();
}

#[test]
fn a_name_that_does_not_resolve() {
    // .invalid never resolves (RFC 2606).
    let done = Call::weigh(["http://nowhere.invalid/"]).run();
    done.ended_with(3).says(["cannot resolve the name `nowhere.invalid`", "check its spelling"]).shows_nothing();
}

#[test]
fn a_socket_that_is_not_there() {
    let done = Call::weigh(["--unix-socket", "/nowhere/http.sock", "http://localhost/"]).run();
    done.ended_with(3).says(["/nowhere/http.sock", "check the path of its socket"]).shows_nothing();
}

#[test]
fn a_server_error_is_shown_with_its_response() {
    let done = Call::weigh([FAULTS.at("HTTP_URL", "/500")]).run();
    done.ended_with(4)
        .says(["500 Internal Server Error", "see the server's error log", "server: nginx", "an error"])
        .shows_nothing();
}

#[test]
fn a_page_that_is_not_there() {
    let done = Call::weigh([FAULTS.at("HTTP_URL", "/404")]).run();
    done.ended_with(4).says(["404 Not Found", "check the path", "not found"]).shows_nothing();
}

#[test]
fn a_redirect_names_the_location() {
    let done = Call::weigh([FAULTS.at("HTTP_URL", "/redirect")]).run();
    done.ended_with(4).says(["301", "it redirects to /ok", "use that URL"]).shows_nothing();
}

#[test]
fn statuses_that_are_expected_are_fine() {
    let call = Call::quick(["--expect-status", "300-399", &FAULTS.at("HTTP_URL", "/redirect")]);
    assert!(call.document().number("requests") > 0.0);
}

#[test]
fn a_server_that_hangs() {
    let done = Call::weigh(["--timeout", "1s", &FAULTS.at("HTTP_URL", "/hang")]).run();
    done.ended_with(3).says(["not done within 1s", "before the response began", "raise the timeout"]).shows_nothing();
}

#[test]
fn a_server_that_closes_without_an_answer() {
    let done = Call::weigh([FAULTS.at("HTTP_URL", "/close")]).run();
    done.ended_with(4).says(["closed the connection before the response began", "error log"]).shows_nothing();
}

#[test]
fn an_answer_cut_short() {
    let server = Server::saying(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthis is not all");
    let done = Call::weigh([server.url("/")]).run();
    done.ended_with(4).says(["closed the connection in the middle of the response"]).shows_nothing();
}

#[test]
fn a_server_of_another_protocol() {
    let server = Server::saying(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n");
    let done = Call::weigh([server.url("/")]).run();
    done.ended_with(4).says(["the answer is not HTTP/1.1", "is it an HTTP server"]).shows_nothing();
}

#[test]
fn http_2_where_only_http_1_is_spoken() {
    let done = Call::weigh(["--http", "2", &FAULTS.at("HTTP_URL", "/ok")]).run();
    assert!(matches!(done.code, Some(3 | 4)), "{done}");
    done.says(["HTTP/2"]).shows_nothing();
}

#[test]
fn one_of_several_urls_is_wrong() {
    let done = Call::weigh([FAULTS.url(), &FAULTS.at("HTTP_URL", "/404")]).run();
    done.ended_with(4).says(["/404 was answered 404"]).shows_nothing();
}

#[test]
fn too_little_time_names_what_is_needed() {
    let done = Call::weigh(["--time", "100ms", FAULTS.url()]).run();
    done.ended_with(5).says(["100ms is too short", "needs", "6 blocks"]).shows_nothing();
}

#[test]
fn too_few_requests_names_how_many_are_needed() {
    let done = Call::weigh(["--requests", "5", FAULTS.url()]).run();
    done.ended_with(5).says(["5 requests are too few", "need 12"]).shows_nothing();
}

#[test]
fn a_phase_that_holds_no_request_names_what_is_needed() {
    let done = Call::weigh(["--phase", "50ms", "--settle", "100ms", FAULTS.url()]).run();
    done.ended_with(5).says(["phases of 50ms are too short", "--settle"]).shows_nothing();
}

#[test]
fn a_list_of_urls_names_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("pages.txt");
    let at = |line: &str| format!("{}:{line}", list.display());
    let weigh = |text: &str| {
        std::fs::write(&list, text).unwrap();
        Call::weigh(["--urls"]).args([&list]).run().ended_with(2).shows_nothing()
    };
    weigh("# fine\nhttp://localhost/\n\nnot a url\nnor this\n").says([&at("4"), "[WEIGHT] [METHOD] URL [label]"]);
    weigh("ftp://localhost/\n").says([&at("1"), "http"]);
    weigh("GET\n").says([&at("1"), "has no URL"]);
    weigh("# nothing\n").says(["is empty"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    for option in ["--urls", "--cacert"] {
        let done = Call::weigh([option, "/nowhere/file", "https://localhost:1/"]).run();
        done.ended_with(2).says(["/nowhere/file", "No such file"]).shows_nothing();
    }
    let done = Call::weigh(["--data", "@/nowhere/file", "http://localhost:1/"]).run();
    done.ended_with(2).says(["/nowhere/file", "No such file"]).shows_nothing();
}

#[test]
fn wrong_options_are_refused_with_what_would_do() {
    for (args, words) in [
        (&["localhost:80800"][..], "localhost:80800"),
        (&["ftp://localhost/"], "http"),
        (&["--fail-on", "cold-start", "http://localhost/"], "--restart"),
        (&[], "URL"),
        (&["--time", "soon", "http://localhost/"], "soon"),
        (&["--time", "10s", "--requests", "10", "http://localhost/"], "cannot be used with"),
        (&["--until", "200%", "http://localhost/"], "percentage"),
        (&["--concurrency", "0", "http://localhost/"], "1 to 10,000"),
        (&["--rate", "0", "http://localhost/"], "0.001 to"),
        (&["--http", "3", "http://localhost/"], "1.1"),
        (&["--group-by", "colour", "http://localhost/"], "cgroup"),
        (&["--expect-status", "teapot", "http://localhost/"], "teapot"),
        (&["-H", "no colon", "http://localhost/"], "no colon"),
        (&["-X", "GE T", "http://localhost/"], "GE T"),
    ] {
        Call::weigh(args).run().ended_with(2).says([words]).shows_nothing();
    }
}
