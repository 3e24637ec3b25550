//! `unladen weigh --exporter`: what real exporters tell is read at the edges of phases, as a host's counters are.
//!
//! Measures: what follows requests among hundreds of counters.

use std::fs;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use unladen_tests::{Authority, Call, Document, Nginx, PhpFpm, Postgres, ScriptServer, free_port, wait};

/// A program of Debian's that tells metrics at a port of its own. It ends with the test.
struct Exporter {
    child: Child,
    port: u16,
}

impl Exporter {
    /// `listen` is the option that stands before the address.
    fn start(program: &str, listen: &str, args: &[&str], env: &[(&str, &str)]) -> Self {
        let port = free_port();
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", program]).arg(format!("{listen}=127.0.0.1:{port}"));
        command.args(args).envs(env.iter().copied());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let exporter = Self { child: child.expect("Debian's exporters are installed (scripts/test)"), port };
        wait::until_ok("the exporter listens", || TcpStream::connect(("127.0.0.1", exporter.port)));
        exporter
    }

    /// As `--exporter` has it.
    fn named(&self, name: &str) -> String {
        format!("{name}=http://127.0.0.1:{}/metrics", self.port)
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        // It has ended already, or ends now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// nginx with a page, and with its own counts.
fn nginx() -> Nginx {
    Nginx::plain("location = /page { return 200 'some text'; } location = /counts { stub_status; }")
}

/// For as long as it takes: on a busy machine exporters answer late, and phases become longer.
fn weigh(url: &str, exporters: &[&str], budget: &[&str]) -> Document {
    let exporters = exporters.iter().flat_map(|exporter| ["--exporter", exporter]);
    Call::weigh(["--no-findings", url]).args(budget).args(exporters).within(Duration::from_secs(600)).document()
}

/// Of series whose every count is a request's, the fewest blocks tell enough.
const FEWEST: &[&str] = &["--requests", "12"];

/// As it is without options.
const USUAL: &[&str] = &[];

/// The only row of a series; its name begins so.
fn series<'a>(document: &'a Document, begin: &str) -> &'a Value {
    let mut rows = document
        .list("weights")
        .iter()
        .filter(|row| row["group"].as_str().is_some_and(|group| group.starts_with(begin)));
    let row = rows.next().unwrap_or_else(|| panic!("nothing of {begin} in {document}"));
    assert!(rows.next().is_none(), "several of {begin} in {document}");
    row
}

/// It follows, and its interval holds what each request adds.
fn adds(document: &Document, begin: &str, expected: f64) {
    let row = series(document, begin);
    let number = |name: &str| row[name].as_f64().unwrap();
    assert_eq!(row["follows"], true, "{row}");
    let (low, high) = (number("low"), number("high"));
    // Whole counts are exact: an interval that is a point is not to fail by rounding.
    assert!(low <= expected * 1.02 && high >= expected * 0.98, "{expected}: {row}");
    assert!((number("per_request") - expected).abs() < expected * 0.2, "{expected}: {row}");
}

fn page(nginx: &Nginx) -> String {
    format!("http://{}/page", nginx.address())
}

#[test]
fn nginx_and_its_machine_tell_what_a_request_adds() {
    let nginx = nginx();
    let counts = format!("-nginx.scrape-uri=http://{}/counts", nginx.address());
    let of_nginx = Exporter::start("prometheus-nginx-exporter", "-web.listen-address", &[&counts], &[]);
    let of_node = Exporter::start("prometheus-node-exporter", "--web.listen-address", &[], &[]);
    let document = weigh(&page(&nginx), &[&of_nginx.named("web"), &of_node.named("node")], FEWEST);
    adds(&document, "web/nginx_http_requests_total", 1.0);
    let row = series(&document, "web/nginx_http_requests_total");
    assert_eq!((row["counter"].as_str(), row["unit"].as_str()), (Some("count"), Some("1")), "{row}");

    // Of the machine's hundreds of counters only those that follow are told, and how many were looked at.
    let told: Vec<&Value> =
        document.list("weights").iter().filter(|row| row["group"].as_str().unwrap().starts_with("node/")).collect();
    let hosts = document.list("hosts");
    let node = hosts.iter().find(|host| host["name"] == "node").unwrap_or_else(|| panic!("{document}"));
    let looked_at = node["series"].as_u64().unwrap();
    assert!(looked_at > 100 && (told.len() as u64) < looked_at / 2, "{looked_at}, {}", told.len());
    assert!(told.iter().all(|row| row["follows"] == true), "{told:?}");
    // The CPU of processes is counted here; what an exporter tells of it is not added to that.
    assert!(document["urls"][0]["total_cpu_ns"]["value"].as_f64().unwrap() > 0.0, "{document}");
}

#[test]
fn php_fpms_own_status_is_an_exporter() {
    let fpm = PhpFpm::start(2, "");
    fpm.page("index.php", "<?php echo 'some text';");
    let pass = |script: &str| {
        format!(
            "fastcgi_param REQUEST_METHOD $request_method; fastcgi_param QUERY_STRING $query_string; \
             fastcgi_param SCRIPT_NAME {script}; fastcgi_param SCRIPT_FILENAME {}{script}; fastcgi_pass unix:{};",
            fpm.root().display(),
            fpm.socket().display()
        )
    };
    let nginx = Nginx::plain(&format!(
        "location = /page {{ {} }} location = /fpm-status {{ {} }}",
        pass("/index.php"),
        pass("/fpm-status")
    ));
    let status = format!("fpm=http://{}/fpm-status?openmetrics", nginx.address());
    adds(&weigh(&page(&nginx), &[&status], FEWEST), "fpm/phpfpm_accepted_connections", 1.0);
}

/// Three statements and what a connection begins with are four transactions; the exporter's own are there whether or not
/// requests are sent.
#[test]
fn postgresql_tells_its_transactions() {
    let postgres = Postgres::start();
    let url = postgres.url("right");
    let script = format!(
        "<?php $db = pg_connect('{url}'); foreach (range(1, 3) as $i) {{ pg_query($db, 'select ref from page'); }} echo 'some text';"
    );
    let server = ScriptServer::php(&script, &[]);
    let source = format!("{url}?sslmode=disable").replace("postgres://", "postgresql://");
    let of_postgres =
        Exporter::start("prometheus-postgres-exporter", "--web.listen-address", &[], &[("DATA_SOURCE_NAME", &source)]);
    let document = weigh(&server.url(), &[&of_postgres.named("db")], USUAL);
    adds(&document, "db/pg_stat_database_xact_commit{datid=", 4.0);
}

struct MariaDb {
    child: Child,
    folder: TempDir,
}

impl MariaDb {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let owned = Command::new("chown").arg("mysql").arg(folder.path()).status().unwrap();
        assert!(owned.success());
        let data = folder.path().join("data");
        let made = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--user=mysql", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg(format!("--datadir={}", data.display()))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let socket = folder.path().join("socket");
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "--", "mariadbd", "--no-defaults", "--user=mysql", "--skip-networking"])
            .args([format!("--datadir={}", data.display()), format!("--socket={}", socket.display())])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait::until_ok("MariaDB listens", || std::os::unix::net::UnixStream::connect(&socket));
        Self { child, folder }
    }

    fn socket(&self) -> std::path::PathBuf {
        self.folder.path().join("socket")
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Most of what mysqld_exporter tells has no type.
#[test]
fn mariadb_tells_its_statements() {
    let database = MariaDb::start();
    let socket = database.socket();
    let script = format!(
        "<?php $db = new mysqli('localhost', 'root', '', '', 0, '{}'); foreach (range(1, 4) as $i) {{ $db->query('select 1'); }} echo 'some text';",
        socket.display()
    );
    let server = ScriptServer::php(&script, &[]);
    let source = format!("root@unix({})/", socket.display());
    let of_mariadb = Exporter::start(
        "prometheus-mysqld-exporter",
        "--web.listen-address",
        &["--no-collect.slave_status"],
        &[("DATA_SOURCE_NAME", &source)],
    );
    let document = weigh(&server.url(), &[&of_mariadb.named("db")], USUAL);
    adds(&document, "db/mysql_global_status_commands_total{command=\"select\"}", 4.0);
    adds(&document, "db/mysql_global_status_connections", 1.0);
}

/// A program that tells a counter of its own page, as it was `AGE` seconds ago at most: it looks once in so long.
const CACHED: &str = r#"
import http.server, sys, threading, time
hits, told = 0, 0
def look():
    global told
    while True:
        told = hits
        time.sleep(AGE)
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def log_message(self, *args): pass
    def do_GET(self):
        global hits
        if self.path == '/metrics':
            body = f'# TYPE page_hits_total counter\npage_hits_total {told}\n'
        else:
            hits += 1
            body = 'some text'
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())
threading.Thread(target=look, daemon=True).start()
http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Page).serve_forever()
"#;

/// Short phases would put the hits of one phase into the next, and half of them would seem to follow.
#[test]
fn phases_wait_for_an_exporter_that_looks_once_a_second() {
    let server = ScriptServer::python(&CACHED.replace("AGE", "1.0"));
    let exporter = format!("own={}metrics", server.url());
    let document = Call::weigh(["--no-findings", "--rate", "20", &server.url(), "--exporter", &exporter])
        .within(Duration::from_secs(600))
        .document();
    adds(&document, "own/page_hits_total", 1.0);
    assert!(document.warns("s old"), "{document}");
}

#[test]
fn what_is_too_old_for_the_time_given_is_refused_with_the_time_that_it_takes() {
    let server = ScriptServer::python(&CACHED.replace("AGE", "1.0"));
    let exporter = format!("own={}metrics", server.url());
    let done = Call::weigh(["--no-findings", "--time", "8s", &server.url(), "--exporter", &exporter]).run();
    done.ended_with(5).says(["too short", "exporters tell late"]);
}

#[test]
fn what_cannot_be_used_is_refused_with_the_reason_and_no_password() {
    let nginx = Nginx::start(
        "LISTEN; location = /page { return 200 'some text'; } location = /gone { return 302 /metrics; }
         location = /still { return 200 '# TYPE a_total counter\na_total 1\n'; }
         location = /closed { return 401; }",
        &[],
    );
    let refused = |url: String, code: i32, said: &str| {
        let done = Call::weigh(["--no-findings", "--time", "4s", &page(&nginx), "--exporter", &url]).run();
        let shown = done.ended_with(code).says([said]).to_string();
        // Behind the command that was typed.
        let shown = shown.split_once("exit code").map(|(_, shown)| shown);
        assert!(shown.is_some_and(|shown| !shown.contains("hunter2")), "{shown:?}");
    };
    let at = |path: &str| format!("db=http://joe:hunter2@{}{path}", nginx.address());
    refused(at("/page"), 4, "is this the exporter's /metrics?");
    refused(at("/gone"), 4, "redirects are not followed");
    refused(at("/closed"), 4, "give the login");
    refused(at("/still"), 5, "none of its 1 counters moved");
    refused("http://joe:hunter2@127.0.0.1/metrics".to_owned(), 2, "expected NAME=URL");
    refused(format!("db=http://joe:hunter2@127.0.0.1:{}/metrics", free_port()), 3, "exporter db");
}

/// Whoever accepts any certificate of the page has said nothing of the exporter.
#[test]
fn an_exporters_certificate_is_verified() {
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let certificate = authority.certificate("127.0.0.1");
    let (chain, key) = (folder.path().join("chain.pem"), folder.path().join("key.pem"));
    fs::write(&chain, certificate.chain).unwrap();
    fs::write(&key, certificate.key).unwrap();
    let port = free_port();
    let nginx = Nginx::start(
        &format!(
            "LISTEN; listen 127.0.0.1:{port} ssl; ssl_certificate {}; ssl_certificate_key {}; \
             location = /page {{ return 200 'some text'; }} location = /still {{ return 200 '# TYPE a_total counter\na_total 1\n'; }}",
            chain.display(),
            key.display()
        ),
        &[],
    );
    let exporter = format!("db=https://127.0.0.1:{port}/still");
    let done =
        Call::weigh(["--no-findings", "--time", "4s", "--insecure", &page(&nginx), "--exporter", &exporter]).run();
    done.ended_with(3).says(["exporter db", "certificate"]);
}
