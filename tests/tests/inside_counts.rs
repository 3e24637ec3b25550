//! What `weigh` counts inside requests is exact: it is what strace, the databases themselves and the page's own program
//! count.
//!
//! Each server here has one process that answers, and is asked by this test alone. So a count is a whole number for
//! each request, and is compared as such, whatever else the machine does.
//!
//! Long: each page is counted once by each witness, and strace makes it slow.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_tests::{Ability, Call, Document, ScriptServer, Subject, skip_without, wait};
use unladen_trace::sql::{Dialect, fingerprint};
use unladen_trace::{Evidence, MAX_PAYLOAD, Recording};

/// Phases for a page that takes a few milliseconds.
const SHORT: &str = "60ms";
/// Phases for one that takes up to a tenth of a second on a busy machine.
const LONG: &str = "150ms";

/// Counts a page of one process; the document, and the evidence behind it.
fn inside(url: &str, phase: &str) -> (Document, Evidence) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record.json");
    // As many blocks as tell a group from chance among all processes of a machine that has some hundred.
    let time = if phase == LONG { "10s" } else { "4s" };
    let call = Call::weigh(["--time", time, "--phase", phase, "--settle", "20ms", "--group-by", "pid"]);
    let document = call.args(["--record"]).args([&record]).args([url]).document();
    assert_eq!(document["lost_events"], 0, "{document}");
    let mut record = Recording::read(&record).unwrap();
    (document, record.pages.remove(0).warm)
}

/// Sends so many requests over one connection.
fn ask(url: &str, requests: usize) {
    // The fragment is not sent: it only makes curl ask again.
    let out = Command::new("curl").args(["-sf", "-o", "/dev/null", &format!("{url}#[1-{requests}]")]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// The only child of PHP-FPM's master.
fn worker_of(pledges: &Subject) -> u32 {
    let master = pledges.pid("fpm");
    let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap();
    children.trim().parse().unwrap_or_else(|_| panic!("workers: {children:?}"))
}

/// What strace saw of a process and its children, by the names that `counts[]` has.
fn straced(pid: u32, during: impl FnOnce()) -> BTreeMap<String, f64> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    // Each call, and the table.
    let mut strace = Command::new("strace")
        .args(["-f", "-C", "-U", "name,calls,errors", "-s", "0", "-p", &pid.to_string(), "-o"])
        .arg(&log)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait::until("strace attaches", || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        status.contains(&format!("TracerPid:\t{}\n", strace.id()))
    });
    during();
    // What the worker does after its last answer.
    std::thread::sleep(Duration::from_millis(300));
    kill(Pid::from_raw(i32::try_from(strace.id()).unwrap()), Signal::SIGINT).unwrap();
    strace.wait().unwrap();
    let log = fs::read_to_string(&log).unwrap();

    let mut counted = BTreeMap::<String, f64>::new();
    for line in log.lines() {
        // `4711 name(arguments) = -1 ENOENT (…)`, `4711 <... name resumed>) = 0`; one that was begun when strace left
        // has no result.
        let Some((_, call)) = line.split_once(' ') else { continue };
        let Some((call, result)) = call.rsplit_once(" = ") else { continue };
        let call = call.trim_start();
        let name = match call.strip_prefix("<... ") {
            Some(resumed) => resumed.split(' ').next().unwrap(),
            None => call.split('(').next().unwrap(),
        };
        *counted.entry(format!("syscall.{name}")).or_default() += 1.0;
        if let Some(error) = result.strip_prefix("-1 ").and_then(|error| error.split(' ').next()) {
            *counted.entry(format!("syscall.{name}.{error}")).or_default() += 1.0;
        }
    }
    let table =
        log.lines().skip_while(|line| !line.starts_with("syscall ")).skip(2).take_while(|line| !line.starts_with("--"));
    for line in table {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let (name, calls) = (columns[0], columns[1].parse::<f64>().unwrap());
        // The lines and the table are one count: what is read of the lines is right.
        let from_lines = counted.get(&format!("syscall.{name}")).copied().unwrap_or_default();
        assert!((calls - from_lines).abs() <= 1.0, "{name}: {calls} in strace's table, {from_lines} of its lines");
    }
    counted
}

/// What differs for a reason. `exit_group` does not return, and what is counted is what returned. The others are of
/// sockets that do not wait, PHP's own streams to a service: how often such a one is asked depends on how soon the
/// service answers, and strace makes that later. Nothing else talks so to anybody. And how often the allocator asks for
/// more depends on what the requests before have left to it.
const OWN_WAYS: &[&str] = &["brk", "exit_group", "fcntl", "poll", "read", "recvfrom"];

/// Whoever a user id is, the C library asks nscd, which nobody runs, at every hundredth time: of so few requests that
/// is once more or less.
const OF_NSCD: &[&str] = &["socket", "connect", "close"];

/// Every system call of both sides that is not the same number for each request, but for some.
fn differences(
    strace: &BTreeMap<String, f64>,
    requests: usize,
    document: &Document,
    group: &str,
    but: &[&str],
) -> Vec<String> {
    let counts = document.counts(group);
    let names: BTreeSet<&String> =
        strace.keys().chain(counts.keys()).filter(|name| name.starts_with("syscall.")).collect();
    names
        .into_iter()
        .filter(|name| !but.contains(&name.split('.').nth(1).unwrap_or_default()))
        .filter_map(|name| {
            let strace = strace.get(name).copied().unwrap_or_default() / requests as f64;
            let counted = counts.get(name).map_or(0.0, |counted| counted.per_request);
            let call = name.split('.').nth(1).unwrap_or_default();
            let allowed = if OF_NSCD.contains(&call) { 2.5 / requests as f64 } else { 0.0 };
            ((strace - counted).abs() > allowed + 0.02)
                .then(|| format!("{name}: {strace} by strace, {counted} counted"))
        })
        .collect()
}

/// What the page with faults does besides, each so often as subjects/pledges/phplib/faults says: the counter, and how
/// often.
const FAULTS: &[(&str, &[(&str, f64)])] = &[
    ("n-plus-one", &[("sql.statements", 30.0)]),
    ("same-query-again", &[("sql.statements", 12.0), ("sql.identical", 11.0)]),
    ("database-reconnect", &[("sql.statements", 5.0), ("connections.opened", 5.0)]),
    ("unused-connection", &[("connections.opened", 1.0)]),
    ("unused-connection-tcp", &[("connections.opened", 1.0)]),
    ("write-per-request-sql", &[("sql.statements", 1.0)]),
    ("log-chatter-file", &[("log.lines", 40.0)]),
    ("lock-churn", &[("locks", 30.0)]),
    ("lock-churn-link", &[("locks", 30.0)]),
    ("unpooled-connection", &[("connections.opened", 3.0)]),
    ("unpooled-tls", &[("connections.opened", 3.0), ("connections.tls", 3.0)]),
    ("dns-again", &[("dns.questions", 5.0)]),
    // A shell, and the program that it becomes.
    ("process-per-request", &[("processes.started", 2.0)]),
    ("sleeps", &[("sleeps", 1.0)]),
];

/// One connection, two statements; opcache locks its memory once.
const PAGE: &[(&str, f64)] = &[("connections.opened", 1.0), ("sql.statements", 2.0), ("locks", 1.0)];

/// Statements that PostgreSQL logged, less their durations: by fingerprint, how often.
fn postgres_says(log: &str) -> BTreeMap<String, f64> {
    let mut said = BTreeMap::new();
    let mut statement = String::new();
    let mut finish = |statement: &mut String| {
        if !statement.is_empty() {
            *said.entry(fingerprint(statement.as_bytes(), Dialect::Postgres).text).or_default() += 1.0;
        }
        statement.clear();
    };
    for line in log.lines() {
        // `2026-… [4711] LOG:  duration: 0.1 ms  execute <unnamed>: select …`, and the lines of a long text, which begin with a tab.
        if let Some(more) = line.strip_prefix('\t') {
            if !statement.is_empty() {
                statement = format!("{statement}\n{more}");
            }
            continue;
        }
        finish(&mut statement);
        let Some((_, what)) = line.split_once("LOG:  duration: ") else { continue };
        let Some((_, what)) = what.split_once(" ms  ") else { continue };
        let text = what.strip_prefix("execute <unnamed>: ").or_else(|| what.strip_prefix("statement: "));
        statement.push_str(text.unwrap_or_default());
    }
    finish(&mut statement);
    said
}

/// Statements by fingerprint, per request.
fn statements(evidence: &Evidence) -> BTreeMap<String, f64> {
    let mut seen = BTreeMap::<String, f64>::new();
    for query in &evidence.queries {
        *seen.entry(query.fingerprint.clone()).or_default() += evidence.mean(&query.counted.count);
    }
    seen
}

/// Both sides' statements as lines that compare; `logged` of so many requests.
fn per_request(logged: BTreeMap<String, f64>, requests: usize) -> BTreeMap<String, f64> {
    logged.into_iter().map(|(text, times)| (text, times / requests as f64)).collect()
}

// One subject, as what it does is switched.
#[test]
fn a_page_and_its_faults_as_strace_and_postgresql_count_them() {
    if skip_without(Ability::Tracing, "a_page_and_its_faults_as_strace_and_postgresql_count_them") {
        return;
    }
    let pledges = Subject::up("pledges");
    let state = Path::new(pledges.get("STATE"));
    // Else it looks at its files anew every other second, in whatever request comes then.
    let settings = state.join("php.d/subject.ini");
    fs::write(&settings, fs::read_to_string(&settings).unwrap() + "opcache.validate_timestamps = 0\n").unwrap();
    pledges.run(["restart"]);
    ask(pledges.url(), 20);

    let strace = straced(worker_of(&pledges), || ask(pledges.url(), 100));
    let (document, _) = inside(pledges.url(), SHORT);
    let wrong = differences(&strace, 100, &document, "www-data php-fpm", &[]);
    assert!(wrong.is_empty(), "{wrong:#?}\n{document}");
    assert_eq!(
        document.count("www-data php-fpm", "log.lines"),
        0.0,
        "FPM's mark is no line, nor at /dev/null\n{document}"
    );

    // All at once: each switching takes a while.
    let names: Vec<&str> = FAULTS.iter().map(|(name, _)| *name).collect();
    fs::write(state.join("faults"), names.join("\n") + "\n").unwrap();
    pledges.run(["fault", names[0], "on"]);
    let superuser = if nix::unistd::Uid::effective().is_root() { "postgres" } else { "" };
    for sql in ["alter system set log_min_duration_statement = 0", "select pg_reload_conf()"] {
        let psql =
            ["-u", superuser, "--", "psql", "-qX", "-h", pledges.get("DATABASE_SOCKET"), "-d", "postgres", "-c", sql];
        let done = Command::new("runuser").args(psql).stdout(Stdio::null()).current_dir("/").status().unwrap();
        assert!(done.success());
    }
    ask(pledges.url(), 20);
    let log = state.join("log/postgres.log");
    let before = fs::read_to_string(&log).unwrap().len();
    let strace = straced(worker_of(&pledges), || ask(pledges.url(), 20));
    let logged = postgres_says(&fs::read_to_string(&log).unwrap()[before..]);
    let (document, evidence) = inside(pledges.url(), LONG);

    let mut expected: BTreeMap<&str, f64> = PAGE.iter().copied().collect();
    for (counter, times) in FAULTS.iter().flat_map(|(_, counters)| *counters) {
        *expected.entry(counter).or_default() += times;
    }
    let counts = document.counts("www-data php-fpm");
    let counted: BTreeMap<&str, f64> = expected
        .keys()
        .map(|counter| (*counter, counts.get(*counter).map_or(0.0, |counted| counted.per_request)))
        .collect();
    assert_eq!(counted, expected, "{document}");
    assert_eq!(statements(&evidence), per_request(logged, 20));
    let wrong = differences(&strace, 20, &document, "www-data php-fpm", OWN_WAYS);
    assert!(wrong.is_empty(), "{wrong:#?}\n{document}");
}

/// Executions, and rows, that SQLite itself tells of: Python's callback is sqlite3_trace_v2 with SQLITE_TRACE_STMT.
const SQLITE_PAGE: &str = r#"
import sqlite3, sys
from http.server import HTTPServer, BaseHTTPRequestHandler
db = sqlite3.connect("test.sqlite", isolation_level=None, cached_statements=0)  # prepared each time
db.executescript("create table t (n integer primary key, name text); create table hits (n integer)")
db.executemany("insert into t values (?, ?)", [(n, "name %d" % n) for n in range(100)])
traced = []
db.set_trace_callback(lambda sql: traced.append(sql))
class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # one packet
    def do_GET(self):
        del traced[:]
        rows = 0
        for n in range(20):  # prepared once, values bound
            rows += len(db.execute("select name from t where n between ? and ? + 2", (n, n)).fetchall())
        for n in range(5):  # the text itself differs
            rows += len(db.execute("select count(*) from t where n > %d" % n).fetchall())
        for n in range(7):  # the very same
            rows += len(db.execute("select name from t where name = 'name 5'").fetchall())
        db.execute("select n from t").fetchone()  # one row of a hundred; the module is one ahead
        rows += 2
        db.execute("begin")
        db.execute("insert into hits values (1)")
        db.execute("rollback")
        body = ("%d %d" % (len(traced), rows)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments):
        pass
HTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
"#;

#[test]
fn statements_and_rows_of_sqlite_are_those_that_it_tells_itself() {
    if skip_without(Ability::Tracing, "statements_and_rows_of_sqlite_are_those_that_it_tells_itself") {
        return;
    }
    let site = ScriptServer::python(SQLITE_PAGE);
    let told = Command::new("curl").args(["-sf", &site.url()]).output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    let told: Vec<f64> = told.split_whitespace().map(|number| number.parse().unwrap()).collect();
    assert_eq!(told[0], 36.0, "20 + 5 + 7 + 1 + 3");
    let (document, mut evidence) = inside(&site.url(), SHORT);
    let group = format!("root {}", site.name());
    // Other tests' groups may have followed by chance.
    let is_own: Vec<bool> = evidence.groups.iter().map(|seen| seen.name.starts_with(&group)).collect();
    evidence.queries.retain(|query| is_own[query.group]);
    assert_eq!(document.count(&group, "sql.statements"), told[0], "{document}");
    assert_eq!(document.count(&group, "sql.rows"), told[1], "{document}");
    // Six of the same seven; what is bound to the twenty is not seen, so that nobody calls them the same.
    assert_eq!(document.count(&group, "sql.identical"), 6.0, "{document}");
    let expected = [
        ("BEGIN", 1.0),
        ("INSERT INTO hits VALUES (?+)", 1.0),
        ("ROLLBACK", 1.0),
        ("SELECT COUNT(*) FROM t WHERE n > ?", 5.0),
        ("SELECT n FROM t", 1.0),
        ("SELECT name FROM t WHERE n BETWEEN ? AND ? + ?", 20.0),
        ("SELECT name FROM t WHERE name = ?", 7.0),
    ];
    let expected: BTreeMap<String, f64> = expected.into_iter().map(|(text, times)| (text.to_owned(), times)).collect();
    assert_eq!(statements(&evidence), expected);
}

/// A database of the test's own. It ends when this is dropped, or with the test's thread.
struct MariaDb {
    folder: tempfile::TempDir,
    server: std::process::Child,
}

impl MariaDb {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let done = |command: &mut Command| {
            let done = command.output().unwrap();
            assert!(done.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&done.stderr));
        };
        // For the server's user, which serves in it.
        done(Command::new("chown").arg("mysql").arg(folder.path()));
        done(Command::new("mariadb-install-db").args([
            "--no-defaults",
            "--user=mysql",
            "--auth-root-authentication-method=socket",
            "--skip-test-db",
            &format!("--datadir={}", path("data")),
        ]));
        let server = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "--", "mariadbd", "--no-defaults", "--user=mysql", "--skip-networking"])
            .args([format!("--datadir={}", path("data")), format!("--socket={}", path("socket"))])
            .args(["--general-log", &format!("--general-log-file={}", path("general.log"))])
            .args(["--innodb-buffer-pool-size=8M", "--innodb-log-file-size=4M"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let database = Self { folder, server };
        wait::until("MariaDB comes up", || database.path("socket").exists());
        database
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// What its own log has of queries and executions, by fingerprint, from so many bytes on.
    fn says(&self, from: usize) -> BTreeMap<String, f64> {
        let log = fs::read_to_string(self.path("general.log")).unwrap();
        let mut statements: Vec<String> = Vec::new();
        let mut is_statement = false;
        for line in log[from..].lines() {
            // `\t\t     3 Query\tselect 1`, and the further lines of a text as they are. The first line of a second has its
            // time in the first column, which begins with a number too: `261122  4:45:01\t     3 Query\tselect 1`.
            let columns: Vec<&str> = line.splitn(4, '\t').collect();
            let command = columns.iter().find_map(|column| {
                let (id, command) = column.trim_start().split_once(' ')?;
                let is_command = id.parse::<u32>().is_ok() && command.starts_with(|c: char| c.is_ascii_alphabetic());
                is_command.then_some(command)
            });
            match (command, statements.last_mut()) {
                (Some(command), _) => {
                    is_statement = matches!(command, "Query" | "Execute");
                    if is_statement {
                        statements.push(line.rsplit_once('\t').unwrap().1.to_owned());
                    }
                }
                (None, Some(last)) if is_statement => *last = format!("{last}\n{line}"),
                _ => {}
            }
        }
        let mut said = BTreeMap::new();
        for text in statements {
            // No more is kept of what is sent, which has a head and the command before the text.
            let text = &text.as_bytes()[..text.len().min(MAX_PAYLOAD - 5)];
            *said.entry(fingerprint(text, Dialect::Mysql).text).or_default() += 1.0;
        }
        said
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Simple queries, and such as are prepared: once and executed often, and once for each execution.
const MYSQL_PAGE: &str = r#"<?php
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$db = new mysqli('localhost', 'root', '', 'shop', 0, __DIR__ . '/socket');
for ($n = 0; $n < 9; $n++) {
    $db->query("select name from goods where n = $n -- one by one")->fetch_all();
}
for ($n = 0; $n < 4; $n++) {
    $db->query("select count(*)\n    from goods /* the same again */")->fetch_all();
}
$range = $db->prepare('select name from goods where n between ? and ?');
for ($n = 0; $n < 12; $n++) {
    $to = $n + 2;
    $range->bind_param('ii', $n, $to);
    $range->execute();
    $range->get_result()->fetch_all();
}
for ($n = 0; $n < 3; $n++) {
    $own = $db->prepare('select n from goods where name = ?');
    $name = "name $n's";
    $own->bind_param('s', $name);
    $own->execute();
    $own->store_result();
    $own->close();
}
$db->begin_transaction();
$db->query("insert into views values ('" . str_repeat('long ', 3000) . "', 'it''s \\'one\\'')");
$db->query('update views set who = "x"');
$db->rollback();
echo "done\n";
"#;

#[test]
fn statements_of_mysqli_are_those_of_mariadbs_own_log() {
    if skip_without(Ability::Tracing, "statements_of_mysqli_are_those_of_mariadbs_own_log") {
        return;
    }
    let database = MariaDb::start();
    let seed = "create database shop; use shop; create table goods (n int primary key, name text); \
                create table views (text text, who text) engine = innodb; \
                insert into goods select seq, concat('name ', seq) from seq_0_to_99";
    let seeded = Command::new("mariadb").arg("-S").arg(database.path("socket")).args(["-e", seed]).output().unwrap();
    assert!(seeded.status.success(), "{}", String::from_utf8_lossy(&seeded.stderr));
    let site = ScriptServer::php(MYSQL_PAGE, &["opcache.enable_cli=1"]);
    std::os::unix::fs::symlink(database.path("socket"), site.path("socket")).unwrap();
    let answer = Command::new("curl").args(["-s", &site.url()]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&answer.stdout), "done\n");

    let before = fs::metadata(database.path("general.log")).unwrap().len() as usize;
    ask(&site.url(), 20);
    let logged = per_request(database.says(before), 20);
    let (document, evidence) = inside(&site.url(), SHORT);
    let group = format!("root {}", site.name());
    assert_eq!(document.count(&group, "sql.statements"), logged.values().sum::<f64>(), "{document}");
    assert_eq!(statements(&evidence), logged);
    assert_eq!(document.count(&group, "connections.opened"), 1.0, "{document}");
}

/// Rows by every way that PHP fetches them: each statement has its own name, and the page says what it got. MariaDB's own
/// client agrees with the server on another end of a result (CLIENT_DEPRECATE_EOF).
const ROWS_PAGE: &str = r#"<?php
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$db = new mysqli('p:localhost', 'root', '', 'shop', 0, __DIR__ . '/socket');
$pdo = fn($options) => new PDO('mysql:dbname=shop;unix_socket=' . __DIR__ . '/socket', 'root', '', $options);
$buffered = $pdo([PDO::ATTR_EMULATE_PREPARES => true]);
$prepared = $pdo([PDO::ATTR_EMULATE_PREPARES => false, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
$results = [[0, 10], [1, 100000], [3, 30000], [264, 500], [3, 10], [264, 10], [5000, 10], [5000, 100]];
$got = [];
foreach ($results as [$rows, $bytes]) {
    $select = "select repeat('x', $bytes) as PATH_{$rows}_of_{$bytes} from seq_1_to_5000 limit $rows";
    $as = fn($way) => str_replace('PATH', $way, $select);
    $count = function ($way, $all) use (&$got, $rows, $bytes) { $got["{$way}_{$rows}_of_{$bytes}"] = $all; };
    $count('stored', count($db->query($as('stored'))->fetch_all()));
    $used = $db->query($as('used'), MYSQLI_USE_RESULT);
    for ($n = 0; $used->fetch_row(); $n++);
    $used->free();
    $count('used', $n);
    $statement = $db->prepare($as('executed'));
    $statement->execute();
    $count('executed', count($statement->get_result()->fetch_all()));
    $count('emulated', count($buffered->query($as('emulated'))->fetchAll()));
    $statement = $prepared->prepare($as('unbuffered'));
    $statement->execute();
    $count('unbuffered', count($statement->fetchAll()));
}
// Two results of one statement, of as many columns as take three bytes.
$columns = implode(', ', array_fill(0, 300, 'seq'));
$db->multi_query("select seq as several, $columns from seq_1_to_40; select seq from seq_1_to_7");
for ($n = 0; ; ) {
    $n += count($db->store_result()->fetch_all());
    if (!$db->next_result()) break;
}
$got['several'] = $n;
$got['client'] = 0;
foreach ([0, 264, 5000] as $rows) {
    $select = "select repeat('y', 100) as client from seq_1_to_5000 limit $rows";
    exec('mariadb -N -S ' . __DIR__ . "/socket shop -e \"$select\"", $lines);
    $got['client'] = count($lines);
}
echo json_encode($got), "\n";
"#;

#[test]
fn rows_of_mariadb_are_those_that_the_page_fetched() {
    if skip_without(Ability::Tracing, "rows_of_mariadb_are_those_that_the_page_fetched") {
        return;
    }
    let database = MariaDb::start();
    let seeded =
        Command::new("mariadb").arg("-S").arg(database.path("socket")).args(["-e", "create database shop"]).output();
    assert!(seeded.unwrap().status.success());
    let site = ScriptServer::php(ROWS_PAGE, &["opcache.enable_cli=1"]);
    std::os::unix::fs::symlink(database.path("socket"), site.path("socket")).unwrap();
    let answer = Command::new("curl").args(["-s", &site.url()]).output().unwrap();
    let fetched: BTreeMap<String, f64> = serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&answer.stdout)));
    assert_eq!(fetched.len(), 42);

    let (document, evidence) = inside(&site.url(), LONG);
    let seen: BTreeMap<&str, f64> = evidence
        .queries
        .iter()
        .filter_map(|seen| {
            let mut words = seen.fingerprint.split([' ', ',']);
            let (name, _) = words.find_map(|word| fetched.get_key_value(word))?;
            Some((name.as_str(), evidence.mean(seen.rows.as_ref()?)))
        })
        .collect();
    let fetched_named: BTreeMap<&str, f64> = fetched.iter().map(|(name, rows)| (name.as_str(), *rows)).collect();
    assert_eq!(seen, fetched_named);
    assert_eq!(
        document.count(&format!("root {}", site.name()), "sql.rows"),
        fetched.values().sum::<f64>(),
        "{document}"
    );
}
