//! Who a request goes through, whether or not that is told from other work: nothing on its path is left out without a
//! word.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use unladen_tests::{Ability, Call, Document, Nginx, ScriptServer, skip_without};

/// A page that asks a service at the port that stands for it, once a request, and looks for files that are not there.
const PAGE: &str = r#"<?php
foreach (range(1, 40) as $number) {
    file_exists(__DIR__ . "/none/$number");
}
$service = fsockopen('127.0.0.1', SERVICE);
fwrite($service, "hello\n");
echo fgets($service), str_repeat('text ', 20);
"#;

/// Answers a line with a line.
const SERVICE: &str = r"
import socketserver, sys
class Line(socketserver.StreamRequestHandler):
    def handle(self):
        if self.rfile.readline():
            self.wfile.write(b'well\n')
class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    request_queue_size = 100
Server(('127.0.0.1', int(sys.argv[1])), Line).serve_forever()
";

/// Works for some time, rests for some time, and never twice the same.
const BUSY: &str = "while (true) { $end = hrtime(true) + random_int(1, 120) * 1000000; while (hrtime(true) < $end); \
                    usleep(random_int(1, 120) * 1000); }";

/// Processes that end with the test.
struct Busy(Vec<Child>);

impl Busy {
    /// As many as make a group's own work hard to see: of the same user and executable as the site.
    fn outbound(site: &ScriptServer) -> Self {
        let exe = PathBuf::from(format!("/proc/{}/exe", site.pid()));
        let exe = fs::read_link(exe).expect("the site's executable");
        let start = || {
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "KILL", "--"]).arg(&exe).args(["-r", BUSY]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("setpriv")
        };
        Self((0..3).map(|_| start()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// nginx before PHP before a service.
fn stack() -> (Nginx, ScriptServer, ScriptServer) {
    let service = ScriptServer::python(SERVICE);
    let port = service.url().trim_end_matches('/').rsplit(':').next().expect("a port").to_owned();
    let php = ScriptServer::php(&PAGE.replace("SERVICE", &port), &[]);
    let nginx = Nginx::plain(&format!("location / {{ proxy_pass {}; }}", php.url()));
    (nginx, php, service)
}

fn weigh(url: &str) -> Call {
    // So few requests that they are little beside the other work.
    Call::weigh(["--time", "4s", "--phase", "60ms", "--settle", "10ms", "--rate", "40", url])
}

fn path(document: &Document) -> Vec<&str> {
    let groups = document["urls"][0]["path"]["groups"].as_array().expect("the groups of the path");
    groups.iter().filter_map(|group| group.as_str()).collect()
}

/// Bounds on what a request costs and does: each is held against what was measured, shown, and in JUnit's report.
#[test]
fn a_page_that_costs_or_does_more_than_it_may_fails() {
    if skip_without(Ability::Tracing, "a_page_that_costs_or_does_more_than_it_may_fails") {
        return;
    }
    let (nginx, _php, _service) = stack();
    let url = format!("http://{}/", nginx.address());
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("junit.xml");
    let bounds = ["cpu > 1ns", "cpu > 1h", "connections.opened > 0.5", "connections.opened > 1000"];
    let bounds = bounds.into_iter().flat_map(|bound| ["--fail-on", bound]);
    let done = weigh(&url).args(bounds).args(["--junit"]).args([&junit]).run().ended_with(8);
    assert!(
        done.stderr.contains("cpu > 1ns: ") && done.stderr.contains("connections.opened > 0.5: "),
        "{}",
        done.stderr
    );
    assert!(!done.stderr.contains("1h") && !done.stderr.contains("1000"), "{}", done.stderr);
    assert_eq!(
        (done.stdout.matches("FAIL  ").count(), done.stdout.matches("PASS  ").count()),
        (2, 2),
        "{}",
        done.stdout
    );
    let junit = fs::read_to_string(junit).unwrap();
    let case =
        |bound: &str| junit.split("<testcase").skip(1).find(|case| case.contains(bound)).expect("a case for each");
    assert!(case("cpu &gt; 1ns").contains("<failure") && !case("cpu &gt; 1h").contains("<failure"), "{junit}");
    Call::new(["weigh", "--no-findings", "--fail-on", "any", &url]).run().ended_with(2).says(["--no-findings"]);
    Call::new(["weigh", "--fail-on", "cpu > 40", &url]).run().ended_with(2).says(["cpu > 40ms"]);
}

#[test]
fn a_group_on_the_path_that_does_not_stand_out_is_told_and_not_passed_over() {
    if skip_without(Ability::Tracing, "a_group_on_the_path_that_does_not_stand_out_is_told_and_not_passed_over") {
        return;
    }
    let (nginx, php, _service) = stack();
    let _busy = Busy::outbound(&php);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let url = format!("http://{}/", nginx.address());
    let call = weigh(&url).args(["--fail-on", "any", "-o"]).args([file("result.json")]).args(["-o"]);
    let done = call.args([file("picture.svg")]).args(["--record"]).args([file("kept.json")]).run().ended_with(8);
    let document = Document(serde_json::from_slice(&fs::read(file("result.json")).unwrap()).unwrap());

    let group = document.groups().into_iter().find(|group| group.ends_with(php.name())).expect("its group").to_owned();
    assert!(path(&document).contains(&group.as_str()), "{document}");
    let cpu = document.list("weights").iter().find(|row| row["group"] == *group && row["counter"] == "cpu");
    let cpu = cpu.expect("its CPU");
    assert_eq!(cpu["on_path"], true, "{cpu}");
    assert_eq!(cpu["follows"], false, "the other work hides it, else this tests nothing: {cpu}");
    let not_judged: Vec<&str> = document.list("not_judged").iter().filter_map(|row| row["what"].as_str()).collect();
    assert!(not_judged.contains(&group.as_str()), "{document}");
    // It was traced all the same: what other processes of the group do drops out of the counts.
    let counts = document.list("counts");
    let counted = counts.iter().find(|row| row["group"] == *group && row["counter"] == "files.missing");
    assert!(counted.is_some_and(|row| row["per_request"].as_f64().unwrap() > 20.0), "{counted:?} in {document}");
    assert!(fs::read_to_string(file("picture.svg")).unwrap().contains("on the path;"));

    done.shows([&group, "could not be judged", "unclear"]).says(["not judged", &group]);
    // Nor is it claimed later.
    let again = Call::new(["weigh", "--details", "--replay"]).args([file("kept.json")]).run().succeeded();
    assert!(!again.shows([&format!("Not judged: {group}")]).stdout.contains("no finding"));
}

#[test]
fn who_is_asked_for_a_request_is_on_its_path() {
    if skip_without(Ability::Tracing, "who_is_asked_for_a_request_is_on_its_path") {
        return;
    }
    let (nginx, php, service) = stack();
    let url = format!("http://{}/", nginx.address());
    let document = weigh(&url).args(["--no-findings"]).document();
    let path = path(&document);
    let places: Vec<_> = ["nginx", php.name(), service.name()]
        .iter()
        .map(|name| path.iter().position(|group| group.ends_with(name)))
        .collect();
    assert_eq!(places, [Some(0), Some(1), Some(2)], "{path:?}");
    assert!(document["urls"][0]["path"]["unknown"].is_null(), "{document}");
}
