use std::net::SocketAddr;

use super::syscalls::error_name;
use super::*;
use crate::event::{Count, Countable, FileCall, Language, LockCall, MAX_TAIL, Peer, Socket, Way};
use crate::evidence::{Evidence, FileOutcome, LockKind, LogSink, Protocol, QueryProtocol};
use crate::series::Series;

struct Nothing;

impl Resolver for Nothing {
    fn path_of(&self, _: u32, _: i32) -> Option<String> {
        None
    }
    fn folder_of(&self, _: u32) -> Option<String> {
        Some("/srv".into())
    }
}

/// Requests in each phase with requests.
const REQUESTS: u64 = 3;
const REQUEST_NS: u64 = 1_000_000;

/// What happens within a request, from its beginning in ns.
type Script = Vec<(u64, What)>;

/// Runs a script in every request of six blocks, and another in every stretch of as long without requests.
fn run(on: &Script, off: &Script) -> Evidence {
    let mut assembly = Assembly::new(Box::new(Nothing));
    let mut now = 1_000_000_000;
    for block in 0..6 {
        let order = if block % 2 == 0 { [true, false, false, true] } else { [false, true, true, false] };
        for is_on in order {
            let begin_ns = now;
            let sent_ns: Vec<u64> = (0..REQUESTS).map(|request| begin_ns + request * REQUEST_NS).collect();
            let events = sent_ns
                .iter()
                .flat_map(|sent| {
                    let script = if is_on { on } else { off };
                    script.iter().map(move |(at, what)| Event {
                        at_ns: sent + at,
                        pid: 7,
                        tid: 7,
                        group: 0,
                        what: what.clone(),
                    })
                })
                .collect();
            now += REQUESTS * REQUEST_NS;
            let batch = Batch { events, ..Batch::default() };
            assembly.phase(&Window { on: is_on, begin_ns, end_ns: now, sent_ns }, batch);
        }
    }
    let mut evidence = Evidence::default();
    assembly.finish(&mut evidence);
    evidence
}

fn per_request(evidence: &Evidence, series: &Series) -> f64 {
    evidence.per_request(series).unwrap().value
}

fn file(call: FileCall, path: &str, result: i32) -> What {
    What::File { call, path: path.into(), target: None, folder: None, result, took_ns: 900 }
}

fn tcp(id: u64, port: u16) -> Socket {
    Socket { id, datagram: false, accepted: false, peer: Peer::Ip(SocketAddr::from(([10, 0, 0, 5], port))) }
}

fn sent(socket: &Socket, payload: &[u8]) -> What {
    transfer(Way::Out, socket, payload)
}

fn received(socket: &Socket, payload: &[u8]) -> What {
    transfer(Way::In, socket, payload)
}

fn transfer(way: Way, socket: &Socket, payload: &[u8]) -> What {
    let object = Object::Socket(socket.clone());
    What::Transfer { way, fd: 9, object, result: payload.len() as i64, payload: payload.to_vec(), took_ns: 1_000 }
}

fn hello() -> Vec<u8> {
    let mut hello = vec![22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3];
    hello.extend_from_slice(&[7; 32]);
    hello.extend_from_slice(&[0, 0, 2, 0x13, 0x01, 1, 0, 0, 0]);
    hello
}

fn query(text: &str) -> Vec<u8> {
    let mut message = vec![b'Q'];
    message.extend_from_slice(&(text.len() as u32 + 5).to_be_bytes());
    message.extend_from_slice(text.as_bytes());
    message.push(0);
    message
}

#[test]
fn files_are_counted_by_path_and_outcome_and_what_comes_again_is_known() {
    let evidence = run(
        &vec![
            (10, file(FileCall::Stat, "/a", 0)),
            (20, file(FileCall::Stat, "/a", 0)),
            (30, file(FileCall::Stat, "b/../b", -2)),
        ],
        &vec![],
    );
    assert_eq!(evidence.page.requests, 12 * REQUESTS);
    let [a, b] = &evidence.files[..] else { panic!("{:?}", evidence.files) };
    assert_eq!((a.path.as_str(), a.outcome), ("/a", FileOutcome::Found));
    assert_eq!((per_request(&evidence, &a.counted.count), per_request(&evidence, &a.counted.again())), (2.0, 1.0));
    assert_eq!(per_request(&evidence, &a.counted.time_ns), 1_800.0);
    assert_eq!((b.path.as_str(), b.outcome), ("/srv/b", FileOutcome::Missing));
}

#[test]
fn what_goes_on_without_requests_drops_out() {
    let stat = || (10, file(FileCall::Stat, "/background", 0));
    let evidence = run(&vec![stat(), stat(), (20, file(FileCall::Stat, "/page", 0))], &vec![stat(), stat()]);
    let [background, page] = &evidence.files[..] else { panic!("{:?}", evidence.files) };
    assert_eq!(per_request(&evidence, &background.counted.count), 0.0);
    assert_eq!(per_request(&evidence, &background.counted.again()), 0.0);
    assert_eq!(per_request(&evidence, &page.counted.count), 1.0);
}

#[test]
fn statements_are_told_apart_and_the_same_again_is_known() {
    let socket = tcp(1, 5432);
    let mut script = vec![(10, What::Connect { fd: 9, socket: socket.clone(), result: 0, took_ns: 5_000 })];
    let startup = [0, 0, 0, 8 + 12, 0, 3, 0, 0, b'u', b's', b'e', b'r', 0, b'w', b'w', b'w', 0, 0, 0, 0];
    script.push((20, sent(&socket, &startup)));
    script.push((30, received(&socket, b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")));
    let ask = "select * from pledge where id = ";
    for (at, id) in [(100, 1), (200, 2), (300, 2)] {
        script.push((at, sent(&socket, &query(&format!("{ask}{id}")))));
        script.push((at + 50, received(&socket, b"C\0\0\0\x0dSELECT 4\0Z\0\0\0\x05I")));
    }
    script.push((900, What::Close { fd: 9, socket: Some(socket) }));
    let evidence = run(&script, &vec![]);

    let [seen] = &evidence.queries[..] else { panic!("{:?}", evidence.queries) };
    assert_eq!((seen.protocol, seen.database.as_str()), (QueryProtocol::Postgres, "10.0.0.5:5432"));
    assert_eq!(per_request(&evidence, &seen.counted.count), 3.0);
    assert_eq!(per_request(&evidence, &seen.identical), 1.0);
    assert_eq!(per_request(&evidence, &seen.distinct), 2.0);
    assert_eq!(per_request(&evidence, seen.rows.as_ref().unwrap()), 12.0);
    // From the call that sent it to the first bytes of the answer.
    assert_eq!(per_request(&evidence, &seen.counted.time_ns), 3.0 * (50.0 + 1_000.0));
    let [connection] = &evidence.connections[..] else { panic!("{:?}", evidence.connections) };
    assert_eq!((connection.protocol, connection.local), (Protocol::Postgres, false));
    assert_eq!(per_request(&evidence, &connection.opened.count), 1.0);
    assert_eq!(per_request(&evidence, &connection.unused), 0.0);
    assert_eq!(per_request(&evidence, &connection.logins.count), 1.0);
    assert_eq!(per_request(&evidence, &connection.logins.time_ns), 10.0 + 1_000.0);
    assert_eq!(per_request(&evidence, &connection.exchanges.count), 3.0);
}

#[test]
fn the_time_of_a_login_was_nowhere() {
    let connect = |socket: &Socket| What::Connect { fd: 9, socket: socket.clone(), result: -115, took_ns: 5_000 };
    let established = |socket: &Socket| What::Established { socket: socket.clone(), took_ns: 90 };
    // PostgreSQL's client speaks first, and asks nothing.
    let postgres = tcp(1, 5432);
    let startup = [0, 0, 0, 8 + 12, 0, 3, 0, 0, b'u', b's', b'e', b'r', 0, b'w', b'w', b'w', 0, 0, 0, 0];
    let mut script = vec![
        (10, connect(&postgres)),
        (100, established(&postgres)),
        (2_000, sent(&postgres, &startup)),
        (5_000, received(&postgres, b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")),
        (6_000, What::Close { fd: 9, socket: Some(postgres) }),
    ];
    // MySQL's server does; the time until its greeting belongs to the login.
    let mysql = tcp(2, 3306);
    let greeting = b"\x4a\0\0\0\x0a8.0.36\0\x01\0\0\0aaaaaaaa\0\xff\xf7\x21\x02\0\xff\x81\x15\0\0\0\0\0\0\0\0\0\0bbbbbbbbbbbb\0mysql_native_password\0";
    let login = b"\x20\0\0\x01\x85\xa6\xff\x01\0\0\0\x01\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    script.extend([
        (10_000, connect(&mysql)),
        (10_090, established(&mysql)),
        (14_090, received(&mysql, greeting)),
        (16_000, sent(&mysql, login)),
        (20_000, received(&mysql, b"\x07\0\0\x02\0\0\0\x02\0\0\0")),
        (21_000, sent(&mysql, b"\x09\0\0\0\x03select 1")),
        (22_000, received(&mysql, b"\x01\0\0\x01\x01")),
        (23_000, What::Close { fd: 9, socket: Some(mysql) }),
    ]);
    let evidence = run(&script, &vec![]);
    let of = |protocol| evidence.connections.iter().find(|seen| seen.protocol == protocol).unwrap();
    let login = |protocol| {
        let logins = &of(protocol).logins;
        (per_request(&evidence, &logins.count), per_request(&evidence, &logins.time_ns))
    };
    assert_eq!(login(Protocol::Postgres), (1.0, 3_000.0 + 1_000.0));
    assert_eq!(login(Protocol::Mysql), (1.0, 4_000.0 + 4_000.0 + 1_000.0));
    assert_eq!(per_request(&evidence, &of(Protocol::Mysql).exchanges.count), 1.0);
}

#[test]
fn a_connection_over_which_nothing_is_asked_is_unused() {
    let socket = tcp(1, 80);
    let connect = What::Connect { fd: 9, socket: socket.clone(), result: 0, took_ns: 5_000 };
    let evidence = run(&vec![(10, connect), (20, What::Close { fd: 9, socket: Some(socket) })], &vec![]);
    let [connection] = &evidence.connections[..] else { panic!("{:?}", evidence.connections) };
    assert_eq!(connection.protocol, Protocol::Silent);
    assert_eq!(per_request(&evidence, &connection.unused), 1.0);
    assert_eq!(per_request(&evidence, &connection.opened.time_ns), 5_000.0);
}

#[test]
fn a_connection_that_was_accepted_is_nobodys_question() {
    let client = tcp(1, 51_234);
    let asked = received(&client, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    let evidence = run(&vec![(10, asked), (20, sent(&client, b"HTTP/1.1 200 OK\r\n\r\n"))], &vec![]);
    assert_eq!(evidence.connections, []);
}

#[test]
fn a_link_made_and_removed_in_a_request_is_a_lock() {
    let link = What::File {
        call: FileCall::Link,
        path: b"/l/tmp.1".into(),
        target: Some(b"/l/config.lock".into()),
        folder: None,
        result: 0,
        took_ns: 2_000,
    };
    let flock =
        |unlock| What::Lock { call: LockCall::Flock, fd: 5, name: b"x".into(), unlock, result: 0, took_ns: 700 };
    let evidence = run(
        &vec![
            (10, link),
            (20, file(FileCall::Unlink, "/l/tmp.1", 0)),
            (30, file(FileCall::Unlink, "/l/config.lock", 0)),
            (40, file(FileCall::Create, "/tmp/upload.3", 3)),
            (50, file(FileCall::Unlink, "/tmp/upload.3", 0)),
            (60, flock(false)),
            (70, flock(true)),
        ],
        &vec![],
    );
    let [flock, link] = &evidence.locks[..] else { panic!("{:?}", evidence.locks) };
    assert_eq!((flock.kind, flock.path.as_str()), (LockKind::Call(LockCall::Flock), "x"));
    assert_eq!((link.kind, link.path.as_str()), (LockKind::File, "/l/config.lock"));
    assert_eq!(per_request(&evidence, &link.counted.count), 1.0);
    assert_eq!(per_request(&evidence, &flock.counted.count), 1.0);
}

#[test]
fn log_lines_are_known_by_where_they_go() {
    let syslog = Socket { id: 3, datagram: true, accepted: false, peer: Peer::Unix(b"/dev/log".into()) };
    let object = Object::File(b"app.log".into());
    let write = What::Transfer { way: Way::Out, fd: 4, object, result: 8, payload: b"one\ntwo\n".into(), took_ns: 500 };
    let evidence = run(
        &vec![
            (10, file(FileCall::OpenWrite, "/var/lib/app/app.log", 4)),
            (20, write),
            (30, sent(&syslog, b"<14>Nov 21 12:00:00 wwsympa[1]: info list opened")),
        ],
        &vec![],
    );
    let [syslog, file] = &evidence.logs[..] else { panic!("{:?}", evidence.logs) };
    assert_eq!((syslog.sink, per_request(&evidence, &syslog.counted.count)), (LogSink::Syslog, 1.0));
    assert!(syslog.examples[0].contains("list opened"), "{:?}", syslog.examples);
    assert_eq!((file.sink, file.path.as_str()), (LogSink::File, "/var/lib/app/app.log"));
    assert_eq!(per_request(&evidence, &file.counted.count), 2.0);
}

#[test]
fn the_mark_of_fpm_at_the_end_of_a_request_was_taken_for_a_log_line() {
    let stderr = |payload: &[u8]| What::Transfer {
        way: Way::Out,
        fd: 2,
        object: Object::Pipe,
        result: payload.len() as i64,
        payload: payload.to_vec(),
        took_ns: 500,
    };
    // Its text cannot always be seen.
    let unseen =
        What::Transfer { way: Way::Out, fd: 2, object: Object::Other, result: 6, payload: Vec::new(), took_ns: 500 };
    let evidence = run(&vec![(10, stderr(b"\0fscf\0")), (15, unseen), (20, stderr(b"a line\n"))], &vec![]);
    let [stderr] = &evidence.logs[..] else { panic!("{:?}", evidence.logs) };
    assert_eq!((stderr.sink, per_request(&evidence, &stderr.counted.count)), (LogSink::Stderr, 1.0));
}

#[test]
fn programs_and_compilations_are_counted_once() {
    let compile = |nested, took_ns| What::Compile { language: Language::Perl, path: None, took_ns, nested };
    let evidence = run(
        &vec![
            (1_000, file(FileCall::Open, "/lib/Outer.pm", 3)),
            (3_000, file(FileCall::Open, "/lib/Inner.pm", 4)),
            (5_000, compile(true, 1_500)),
            (9_000, compile(false, 7_000)),
            (9_100, What::Fork { child: 8 }),
        ],
        &vec![],
    );
    let paths: Vec<_> = evidence.compiles.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/lib/Inner.pm", "/lib/Outer.pm"]);
    let time = Series::sum(evidence.compiles.iter().map(|seen| &seen.counted.time_ns));
    assert_eq!(per_request(&evidence, &time), 7_000.0);
}

#[test]
fn what_python_imports_is_known_by_the_compiled_files_that_it_opens() {
    let evidence = run(&vec![(10, file(FileCall::Open, "/app/__pycache__/views.cpython-311.pyc", 3))], &vec![]);
    let [module] = &evidence.compiles[..] else { panic!("{:?}", evidence.compiles) };
    assert_eq!((module.language, per_request(&evidence, &module.counted.count)), (Language::Python, 1.0));
}

/// Rows of MySQL that come in several receives are its statement's, and are not those of the next.
#[test]
fn rows_of_mysql_were_not_counted() {
    let mysql = tcp(2, 3306);
    let rows = |rows| What::Rows { socket: mysql.clone(), rows };
    let script = vec![
        (10, sent(&mysql, b"\x09\0\0\0\x03select 1")),
        (20, received(&mysql, &[b'x'; MAX_TAIL])),
        (21, rows(200)),
        (30, received(&mysql, &[b'x'; MAX_TAIL])),
        (31, rows(64)),
        (40, sent(&mysql, b"\x0f\0\0\0\x03update a set b")),
        (50, received(&mysql, b"\x07\0\0\x01\0\x03\0\x02\0\0\0")),
        (60, sent(&mysql, b"\x01\0\0\0\x0e")),
        (70, received(&mysql, b"\x07\0\0\x01\0\0\0\x02\0\0\0")),
    ];
    let evidence = run(&script, &vec![]);
    let rows: Vec<f64> =
        evidence.queries.iter().map(|seen| per_request(&evidence, seen.rows.as_ref().unwrap())).collect();
    assert_eq!(rows, [264.0, 3.0]);
}

#[test]
fn sqlite_counts_executions_and_not_rows() {
    let prepare = What::SqlitePrepare { statement: 1, sql: b"SELECT * FROM page WHERE id = 3".into(), took_ns: 400 };
    let step = |row| What::SqliteStep { statement: 1, row, took_ns: 100 };
    let evidence = run(
        &vec![
            (10, prepare),
            (20, step(true)),
            (30, step(true)),
            (40, step(false)),
            (45, What::SqliteReset { statement: 1 }),
            (50, step(true)),
            (60, What::SqliteReset { statement: 1 }),
        ],
        &vec![],
    );
    let [seen] = &evidence.queries[..] else { panic!("{:?}", evidence.queries) };
    assert_eq!(per_request(&evidence, &seen.counted.count), 2.0);
    assert_eq!(per_request(&evidence, &seen.identical), 1.0);
    assert_eq!(per_request(&evidence, seen.rows.as_ref().unwrap()), 3.0);
    assert_eq!(per_request(&evidence, &seen.counted.time_ns), 800.0);
}

#[test]
fn the_hello_after_postgres_agreed_to_tls_was_lost() {
    let socket = tcp(1, 5432);
    let script = vec![
        (10, What::Connect { fd: 9, socket: socket.clone(), result: 0, took_ns: 5_000 }),
        (20, sent(&socket, &[0, 0, 0, 8, 4, 210, 22, 47])),
        (30, received(&socket, b"S")),
        (40, sent(&socket, &hello())),
        (90, What::Close { fd: 9, socket: Some(socket) }),
    ];
    let evidence = run(&script, &vec![]);
    let [seen] = &evidence.connections[..] else { panic!("{:?}", evidence.connections) };
    assert_eq!((seen.protocol, per_request(&evidence, &seen.handshakes.count)), (Protocol::Tls, 1.0));
}

#[test]
fn tls_is_known_by_its_hello_and_its_handshake_by_its_first_data() {
    let socket = tcp(1, 9243);
    let connect = What::Connect { fd: 9, socket: socket.clone(), result: -115, took_ns: 5_000 };
    let script = vec![
        (10, connect),
        (500, What::Established { socket: socket.clone(), took_ns: 490 }),
        (2_000, sent(&socket, &hello())),
        (3_000, received(&socket, &[22, 3, 3, 0, 4, 2, 0, 0, 0])),
        (4_000, sent(&socket, &[20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 2, 9, 9])),
        (5_000, sent(&socket, &[23, 3, 3, 0, 2, 9, 9])),
        (9_000, received(&socket, &[23, 3, 3, 0, 2, 9, 9])),
        (9_500, What::Close { fd: 9, socket: Some(socket) }),
    ];
    let evidence = run(&script, &vec![]);
    let [seen] = &evidence.connections[..] else { panic!("{:?}", evidence.connections) };
    assert_eq!(seen.protocol, Protocol::Tls);
    assert_eq!(per_request(&evidence, &seen.handshakes.count), 1.0);
    assert_eq!(per_request(&evidence, &seen.handshakes.time_ns), 3_000.0);
    assert_eq!(per_request(&evidence, &seen.opened.time_ns), 490.0);
    assert_eq!(per_request(&evidence, &seen.unused), 0.0);
}

/// curl does not wait for connect(2): to a server on the same machine the connection stands before the call returns.
#[test]
fn a_connection_that_stood_at_once_took_no_time() {
    let socket = tcp(1, 8080);
    let script = vec![
        (10, What::Established { socket: socket.clone(), took_ns: 25_000 }),
        (20, What::Connect { fd: 9, socket: socket.clone(), result: -115, took_ns: 28_000 }),
        (2_000, sent(&socket, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")),
        (3_000, received(&socket, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
        (9_500, What::Close { fd: 9, socket: Some(socket) }),
    ];
    let evidence = run(&script, &vec![]);
    let [seen] = &evidence.connections[..] else { panic!("{:?}", evidence.connections) };
    assert_eq!(per_request(&evidence, &seen.opened.time_ns), 28_000.0);
}

#[test]
fn of_two_servers_under_one_name_the_one_that_was_asked_is_busiest() {
    let mut assembly = Assembly::new(Box::new(Nothing));
    let count = |pid, times| Count { group: 0, pid, of: Countable::Syscall { number: 0, errno: 0 }, times, time_ns: 0 };
    for on in [true, false, false, true] {
        let counts = vec![count(7, 1_000), count(8, if on { 300 } else { 0 })];
        let window = Window { on, begin_ns: 0, end_ns: 10, sent_ns: vec![0] };
        assembly.phase(&window, Batch { counts, ..Batch::default() });
    }
    assert_eq!(assembly.busiest(0), Some(8));
    assert_eq!(assembly.busiest(1), None);
}

/// Beside a large application under the same name, the fix of a small page named that one's files.
#[test]
fn a_busy_neighbour_under_the_same_name_was_taken_for_the_one_that_was_asked() {
    let mut assembly = Assembly::new(Box::new(Nothing));
    let count =
        |pid, number, times| Count { group: 0, pid, of: Countable::Syscall { number, errno: 0 }, times, time_ns: 0 };
    // The neighbour has 5,000 calls more while requests ran, by chance; the one that was asked has 1,200 of two kinds.
    let phases = [(true, 9_000), (false, 2_000), (true, 3_000), (false, 8_000), (false, 6_000), (true, 9_000)];
    for (on, neighbours) in phases {
        let own = if on { 200 } else { 0 };
        // One that is woken by each phase follows as certainly, and does next to nothing.
        let counts = vec![count(7, 0, neighbours), count(8, 0, own), count(8, 1, own), count(9, 0, u64::from(on))];
        let window = Window { on, begin_ns: 0, end_ns: 10, sent_ns: vec![0] };
        assembly.phase(&window, Batch { counts, ..Batch::default() });
    }
    assert_eq!(assembly.busiest(0), Some(8));
}

#[test]
fn a_call_that_a_signal_interrupted_has_a_named_error() {
    assert_eq!([2, 514, 4000].map(error_name), ["ENOENT", "ERESTARTNOHAND", "error 4000"]);
}

/// Events of one phase with one request, in order: process, and what it did.
fn in_one_phase(events: Vec<(u32, What)>) -> Evidence {
    let mut assembly = Assembly::new(Box::new(Nothing));
    let events = (0..).zip(events).map(|(at_ns, (pid, what))| Event { at_ns, pid, tid: pid, group: 0, what }).collect();
    let window = Window { on: true, begin_ns: 0, end_ns: REQUEST_NS, sent_ns: vec![0] };
    assembly.phase(&window, Batch { events, ..Batch::default() });
    let mut evidence = Evidence::default();
    assembly.finish(&mut evidence);
    evidence
}

fn connect(socket: &Socket) -> What {
    What::Connect { fd: 9, socket: socket.clone(), result: 0, took_ns: 5_000 }
}

/// A process that ends closes its sockets without a call, and the kernel gives their memory to others: what came over
/// those was taken for more of the ended one's.
#[test]
fn a_socket_whose_owner_ended_is_not_the_next_one_in_its_place() {
    let (database, client) = (tcp(1, 5432), Socket { accepted: true, ..tcp(1, 40_000) });
    let redis = tcp(1, 6379);
    let evidence = in_one_phase(vec![
        (7, connect(&database)),
        (7, sent(&database, &query("select 1"))),
        (7, received(&database, b"C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I")),
        (7, What::Exit { cpu_ns: 5 }),
        // Taken by another process.
        (8, received(&client, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")),
        (8, sent(&client, b"HTTP/1.1 200 OK\r\n\r\n")),
        (8, received(&client, b"GET /b HTTP/1.1\r\nHost: a\r\n\r\n")),
        (8, What::Exit { cpu_ns: 5 }),
        // One that was there before, in the same place.
        (9, sent(&redis, b"*1\r\n$4\r\nPING\r\n")),
        (9, received(&redis, b"+PONG\r\n")),
    ]);
    let told: Vec<_> = evidence
        .connections
        .iter()
        .map(|seen| (seen.peer.as_str(), seen.protocol, seen.opened.count.total(), seen.exchanges.count.total()))
        .collect();
    let expected = [("10.0.0.5:5432", Protocol::Postgres, 1, 1), ("10.0.0.5:6379", Protocol::Redis, 0, 1)];
    assert_eq!(told, expected);
}

/// The ports at which processes listen are known of all networks together.
#[test]
fn a_connection_from_a_port_at_which_another_listens_is_a_question_all_the_same() {
    let socket = Socket { accepted: true, ..tcp(1, 6379) };
    let evidence = in_one_phase(vec![
        (7, connect(&socket)),
        (7, sent(&socket, b"*1\r\n$4\r\nPING\r\n")),
        (7, received(&socket, b"+PONG\r\n")),
    ]);
    let [redis] = &evidence.connections[..] else { panic!("{:?}", evidence.connections) };
    assert_eq!((redis.protocol, redis.exchanges.count.total()), (Protocol::Redis, 1));
}

/// Python closes all that a child inherited before the child becomes a program.
#[test]
fn a_child_that_closes_what_it_inherited_does_not_end_the_parents_connection() {
    let socket = tcp(1, 5432);
    let parse = [&b"P\0\0\0\x12s\0select $1\0\0\0"[..], b"S\0\0\0\x04"].concat();
    let execute = [&b"B\0\0\0\x0d\0s\0\0\0\0\0\0\0"[..], b"E\0\0\0\x09\0\0\0\0\0", b"S\0\0\0\x04"].concat();
    let evidence = in_one_phase(vec![
        (7, connect(&socket)),
        (7, sent(&socket, &parse)),
        (7, received(&socket, b"1\0\0\0\x04Z\0\0\0\x05I")),
        (7, What::Fork { child: 8 }),
        (8, What::Close { fd: 9, socket: Some(socket.clone()) }),
        (8, What::Exec { path: b"/bin/true".to_vec() }),
        (7, sent(&socket, &execute)),
        (7, received(&socket, b"2\0\0\0\x04C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I")),
        (7, What::Close { fd: 9, socket: Some(socket.clone()) }),
    ]);
    let queries: Vec<_> =
        evidence.queries.iter().map(|seen| (seen.fingerprint.as_str(), seen.counted.count.total())).collect();
    assert_eq!(queries, [("SELECT ?", 1)]);
    assert_eq!(evidence.connections[0].opened.count.total(), 1);
}

/// A thread's wait by the scheduler's clock was longer than its call, and the difference had no end.
#[test]
fn a_time_without_end_ended_the_run() {
    let step = || What::SqliteStep { statement: 5, row: false, took_ns: u64::MAX };
    let prepare = What::SqlitePrepare { statement: 5, sql: b"select 1 from a".to_vec(), took_ns: u64::MAX };
    let evidence = in_one_phase(vec![(7, prepare), (7, step()), (7, step())]);
    assert_eq!(evidence.queries[0].counted.count.total(), 2);
}

/// The next process with the same id has the same addresses, of other statements.
#[test]
fn prepared_statements_of_a_process_that_ended_were_those_of_the_next_with_its_id() {
    let step = || What::SqliteStep { statement: 5, row: false, took_ns: 1 };
    let evidence = in_one_phase(vec![
        (7, What::SqlitePrepare { statement: 5, sql: b"select 1 from a".to_vec(), took_ns: 1 }),
        (7, step()),
        (7, What::Exit { cpu_ns: 5 }),
        (7, step()),
        (7, What::SqlitePrepare { statement: 5, sql: b"select 1 from b".to_vec(), took_ns: 1 }),
        (7, What::Exec { path: b"/usr/bin/next".to_vec() }),
        (7, step()),
    ]);
    let mut counted: Vec<_> =
        evidence.queries.iter().map(|seen| (seen.fingerprint.as_str(), seen.counted.count.total())).collect();
    counted.sort_unstable();
    assert_eq!(counted, [("(prepared before tracing began)", 2), ("SELECT ? FROM a", 1)]);
}
