//! `unladen weigh --exporter`: what real exporters tell is read at the edges of phases, as a host's counters are. What
//! the machine's own tells is in `weigh_machine.rs`.
//!
//! What they count is so whatever else the machine does; on a busy one they answer late, and phases are longer.
//!
//! Long: phases are as long as what is told is old.
//! Waits: for phases to end.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use unladen_tests::exporter::{Exporter, adds, weigh};
use unladen_tests::{Authority, Call, Nginx, PhpFpm, Postgres, ScriptServer, free_port, wait};

/// Of series whose every count is a request's, the fewest blocks tell enough.
const FEWEST: &[&str] = &["--requests", "12"];

/// As it is without options.
const USUAL: &[&str] = &[];

fn page(nginx: &Nginx) -> String {
    format!("http://{}/page", nginx.address())
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
    let done = Call::weigh(["--no-findings", "--rate", "20", &server.url(), "--exporter", &exporter])
        .within(Duration::from_secs(800))
        .args(["--json"])
        .run()
        .succeeded()
        // Before it begins.
        .says(["measuring takes about ", "--time limits it"]);
    // On a busy machine the readings may need longer phases yet.
    let whys = ["until the exporter own reports what requests did", "as a reading of all counters takes"];
    assert!(whys.iter().any(|why| done.stderr.contains(why)), "{}", done.stderr);
    let document = done.document();
    adds(&document, "own/page_hits_total", 1.0);
    assert!(document.warns("s old") && document.warns("the run was made longer to fit"), "{document}");
}

/// It took as long as it took.
#[test]
fn what_would_take_longer_than_ten_minutes_is_refused_unless_a_time_allows_it() {
    let nginx = Nginx::start("LISTEN; location = /page { return 200 'some text'; }", &[]);
    let done = Call::weigh(["--no-findings", "--phase", "30s", &page(&nginx)]).run();
    done.ended_with(5).says(["longer than 10 min", "--phase sets that", "at least --time 13min"]);
}

#[test]
fn what_is_too_old_for_the_time_given_is_refused_with_the_time_that_it_takes() {
    let server = ScriptServer::python(&CACHED.replace("AGE", "1.0"));
    let exporter = format!("own={}metrics", server.url());
    let done = Call::weigh(["--no-findings", "--time", "8s", &server.url(), "--exporter", &exporter]).run();
    done.ended_with(5).says(["too short", "late values of hosts and exporters"]);
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
    refused(at("/closed"), 4, "add the login");
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
