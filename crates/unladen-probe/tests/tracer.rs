//! What the tracer sees of processes whose doings are known. Needs root, and perl.
#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by them, in what they share too")]

mod opened;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use nix::libc;
use opened::opened;
use unladen_probe::{Tracer, TracerConfig, Watched};
use unladen_trace::{Batch, Countable, Event, EvidenceSource, FileCall, Language, LockCall, Object, Peer, Way, What};

const GROUP: u32 = 7;

/// Smaller than by default: tests run beside each other.
const RING: u32 = 1 << 20;

/// A tracer; `None`, and a line that says why, where tests cannot have one.
fn tracer() -> Option<Tracer> {
    opened(Tracer::open(&TracerConfig { ring_bytes: RING, ..TracerConfig::default() }))
}

/// A program that waits for a line before it does what it is there for, and says a line when it has.
struct Told {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Told {
    fn perl(script: &str, arguments: &[&Path]) -> Self {
        let script = format!("$| = 1; print qq(ready\\n); <STDIN>; {script}; print qq(done\\n); <STDIN>;");
        Self::start(Command::new("perl").arg("-e").arg(script).args(arguments))
    }

    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let stdin = child.stdin.take().expect("a pipe");
        let mut told = Self { stdout: BufReader::new(child.stdout.take().expect("a pipe")), stdin, child };
        told.hear("ready");
        told
    }

    fn hear(&mut self, word: &str) {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it speaks");
        assert_eq!(line.trim(), word);
    }

    fn tell(&mut self) {
        self.stdin.write_all(b"go\n").expect("it listens");
    }

    fn go(&mut self) {
        self.tell();
        self.hear("done");
    }

    fn watched(&self) -> Watched {
        Watched { pid: self.child.id(), group: GROUP, children: GROUP, own: true }
    }

    /// Watches it, lets it do what it is there for, and ends it.
    fn traced(mut self, tracer: &mut Tracer) -> Batch {
        tracer.watch(&[self.watched()]).expect("it is followed");
        self.go();
        self.tell();
        self.child.wait().expect("it ends");
        tracer.take().expect("what was traced")
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// File calls below a folder by kind, and whether they succeeded.
fn files_below(events: &[Event], folder: &Path) -> BTreeMap<(FileCall, bool), usize> {
    let mut seen = BTreeMap::new();
    for event in events {
        if let What::File { call, path, result, .. } = &event.what
            && path.starts_with(folder.as_os_str().as_encoded_bytes())
        {
            *seen.entry((*call, *result >= 0)).or_default() += 1;
        }
    }
    seen
}

fn times(batch: &Batch, number: libc::c_long, errno: i32) -> u64 {
    let of = Countable::Syscall { number: number as u32, errno: errno as u16 };
    batch.counts.iter().filter(|count| count.of == of).map(|count| count.times).sum()
}

#[test]
fn files_and_locks() {
    let Some(mut tracer) = tracer() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"
        my $d = $ARGV[0];
        stat("$d/none") for 1..5;
        lstat("$d/none");
        mkdir "$d/sub";
        open(my $f, '>', "$d/file"); flock($f, 2); flock($f, 8); print $f "written"; close $f;
        open($f, '<', "$d/file") for 1..3; my $text = <$f>; close $f;
        link "$d/file", "$d/other"; rename "$d/other", "$d/third";
        readlink "$d/file"; chmod 0600, "$d/file";
        unlink "$d/$_" for qw(file third);
        rmdir "$d/none";
        chdir $d; stat "relative"; chdir "/";
        select(undef, undef, undef, 0.01)
    "#;
    let batch = Told::perl(script, &[folder.path()]).traced(&mut tracer);

    assert_eq!(batch.lost, 0);
    let expected = [
        ((FileCall::Stat, false), 6),
        ((FileCall::Open, true), 3),
        ((FileCall::OpenWrite, true), 1),
        ((FileCall::Readlink, false), 1),
        ((FileCall::Link, true), 1),
        ((FileCall::Unlink, true), 2),
        ((FileCall::Rename, true), 1),
        ((FileCall::Folder, true), 1),
        ((FileCall::Folder, false), 1),
        ((FileCall::Chdir, true), 1),
        ((FileCall::Change, true), 1),
    ];
    let mut seen = files_below(&batch.events, folder.path());
    // As root, perl looks before it unlinks: what it is told to remove may be a folder.
    assert!(seen.remove(&(FileCall::Stat, true)) >= Some(2));
    assert_eq!(seen, BTreeMap::from(expected));

    let count = |is: fn(&What) -> bool| batch.events.iter().filter(|event| is(&event.what)).count();
    assert_eq!(count(|what| matches!(what, What::File { path, folder: None, .. } if path == b"relative")), 1);
    assert_eq!(
        count(
            |what| matches!(what, What::Lock { call: LockCall::Flock, name, result: 0, unlock: false, .. } if name == b"file")
        ),
        1
    );
    assert_eq!(count(|what| matches!(what, What::Lock { unlock: true, .. })), 1);
    assert_eq!(count(|what| matches!(what, What::Sleep { took_ns } if *took_ns >= 10_000_000)), 1);
    let is_written = |what: &What| matches!(what, What::Transfer { way: Way::Out, object: Object::File(name), payload, result: 7, .. } if name == b"file" && payload == b"written");
    assert_eq!(count(is_written), 1);
    assert_eq!(count(|what| matches!(what, What::Exit { .. })), 1);
    assert_eq!(times(&batch, libc::SYS_flock, 0), 2);
    assert!(batch.counts.iter().any(|count| count.of == Countable::Cpu && count.time_ns > 0));
    assert!(batch.events.iter().all(|event| event.group == GROUP));
    assert!(batch.events.is_sorted_by_key(|event| event.at_ns));
}

#[test]
fn connections() {
    let Some(mut tracer) = tracer() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let log = UnixDatagram::bind(&path).expect("a socket");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let script = format!(
        r#"use Socket;
        socket(my $s, AF_INET, SOCK_STREAM, 0); connect($s, sockaddr_in({}, inet_aton("127.0.0.1"))) or die;
        send($s, "ping pong " x 10, 0); recv($s, my $answer, 100, 0); close $s;
        socket(my $u, AF_UNIX, SOCK_DGRAM, 0); send($u, "<14>a line", 0, sockaddr_un($ARGV[0])) or die;
        connect($u, sockaddr_un($ARGV[0])); send($u, "<14>another", 0); close $u"#,
        address.port()
    );
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.write_all(b"an answer").expect("it listens");
    });
    let batch = Told::perl(&script, &[&path]).traced(&mut tracer);
    server.join().expect("the server");
    drop(log);

    let events: Vec<&What> = batch.events.iter().map(|event| &event.what).collect();
    let connects: Vec<_> = events
        .iter()
        .filter_map(|what| match what {
            What::Connect { socket, result, .. } => Some((socket.clone(), *result)),
            _ => None,
        })
        .collect();
    let [(tcp, 0), (unix, 0)] = &connects[..] else { panic!("{connects:?}") };
    assert_eq!(tcp.peer, Peer::Ip(address));
    assert!(!tcp.accepted && !tcp.datagram);
    let bound = Peer::Unix(path.as_os_str().as_encoded_bytes().to_vec());
    assert_eq!((&unix.peer, unix.datagram), (&bound, true));
    assert!(
        events
            .iter()
            .any(|what| matches!(what, What::Established { socket, took_ns } if socket == tcp && *took_ns > 0)),
        "{events:?}"
    );
    assert!(events.iter().any(|what| matches!(what, What::Close { socket: Some(socket), .. } if socket == tcp)));
    let sent: Vec<(&Peer, &[u8])> = events
        .iter()
        .filter_map(|what| match what {
            What::Transfer { way: Way::Out, object: Object::Socket(socket), payload, .. } => {
                Some((&socket.peer, &payload[..]))
            }
            _ => None,
        })
        .collect();
    let expected: [(&Peer, &[u8]); 3] =
        [(&tcp.peer, &b"ping pong ".repeat(10)), (&bound, b"<14>a line"), (&bound, b"<14>another")];
    assert_eq!(sent, expected);
    let answered = |what: &&What| matches!(what, What::Transfer { way: Way::In, object: Object::Socket(socket), payload, result: 9, .. } if socket == tcp && payload == b"an answer");
    assert!(events.iter().any(answered), "{events:?}");
}

#[test]
fn an_address_that_was_not_given_is_none() {
    let Some(mut tracer) = tracer() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // What is in the memory for the sender's address looks like a Unix socket's. Perl's own recv leaves there what was there.
    let script = format!(
        r#"use Socket;
        socket(my $s, AF_INET, SOCK_STREAM, 0); connect($s, sockaddr_in({}, inet_aton("127.0.0.1"))) or die;
        my ($answer, $name) = ("-" x 100, pack("S a20", AF_UNIX, "/elsewhere")); my $length = pack("L", length($name));
        syscall({}, fileno($s), $answer, 100, 0, $name, $length) == 9 or die; unpack("L", $length) and die"#,
        address.port(),
        libc::SYS_recvfrom
    );
    let server = std::thread::spawn(move || listener.accept().expect("a client").0.write_all(b"an answer"));
    let batch = Told::perl(&script, &[]).traced(&mut tracer);
    server.join().expect("the server").expect("it listens");
    let peers = batch.events.iter().filter_map(|event| match &event.what {
        What::Transfer { way: Way::In, object: Object::Socket(socket), result: 9, .. } => Some(&socket.peer),
        _ => None,
    });
    assert_eq!(peers.collect::<Vec<_>>(), [&Peer::Ip(address)]);
}

#[test]
fn what_was_accepted_is_told_from_what_was_asked_for() {
    let Some(mut tracer) = tracer() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"use Socket;
        accept(my $c, $main::s); recv($c, my $x, 100, 0); syswrite($c, "hello"); close $c;
        accept($c, $main::u); recv($c, $x, 100, 0); syswrite($c, "hello"); close $c"#;
    let path = folder.path().join("socket");
    let begin = r#"use Socket; socket($main::s, AF_INET, SOCK_STREAM, 0); bind($main::s, sockaddr_in(0, INADDR_LOOPBACK));
        listen($main::s, 5); socket($main::u, AF_UNIX, SOCK_STREAM, 0); bind($main::u, sockaddr_un($ARGV[0])); listen($main::u, 5);
        my ($port) = sockaddr_in(getsockname($main::s)); $| = 1; print "ready\n", "$port\n"; <STDIN>;"#;
    let mut server = Told::start(
        Command::new("perl").arg("-e").arg(format!("{begin} {script}; print qq(done\\n); <STDIN>;")).arg(&path),
    );
    let mut port = String::new();
    server.stdout.read_line(&mut port).expect("it says its port");
    let port: u16 = port.trim().parse().expect("a port");
    tracer.watch(&[server.watched()]).expect("it is followed");
    server.tell();
    let mut client = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    client.write_all(b"hi").expect("it reads");
    let mut client = std::os::unix::net::UnixStream::connect(&path).expect("it listens");
    client.write_all(b"hi").expect("it reads");
    server.hear("done");

    let batch = tracer.take().expect("what was traced");
    let sent = batch.events.iter().filter_map(|event| match &event.what {
        What::Transfer { way: Way::Out, object: Object::Socket(socket), .. } => Some(socket.accepted),
        _ => None,
    });
    assert_eq!(sent.collect::<Vec<_>>(), [true, true]);
}

#[test]
fn children_and_programs() {
    let Some(mut tracer) = tracer() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let script =
        r#"for (1..3) { my $p = fork(); if (!$p) { stat("$ARGV[0]/child"); exec "/bin/true"; } waitpid($p, 0); }"#;
    let batch = Told::perl(script, &[folder.path()]).traced(&mut tracer);

    let count = |is: fn(&What) -> bool| batch.events.iter().filter(|event| is(&event.what)).count();
    assert_eq!(count(|what| matches!(what, What::Fork { .. })), 3);
    assert_eq!(count(|what| matches!(what, What::Exec { path } if path == b"/bin/true")), 3);
    assert_eq!(count(|what| matches!(what, What::Exit { cpu_ns } if *cpu_ns > 0)), 4);
    assert_eq!(files_below(&batch.events, folder.path()), BTreeMap::from([((FileCall::Stat, false), 3)]));
    let children: Vec<u32> = batch
        .events
        .iter()
        .filter_map(|event| match event.what {
            What::Fork { child } => Some(child),
            _ => None,
        })
        .collect();
    let of_children = batch.events.iter().filter(|event| children.contains(&event.pid));
    assert!(of_children.count() > 6, "what children do is seen");
}

#[test]
fn of_a_spawner_only_the_children_count() {
    let Some(mut tracer) = tracer() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"stat("$ARGV[0]/parent"); my $p = fork(); if (!$p) { stat("$ARGV[0]/child"); exec "/bin/true"; } waitpid($p, 0)"#;
    let mut spawner = Told::perl(script, &[folder.path()]);
    tracer.watch(&[Watched { own: false, ..spawner.watched() }]).expect("it is followed");
    spawner.go();
    let batch = tracer.take().expect("what was traced");
    assert_eq!(files_below(&batch.events, folder.path()), BTreeMap::from([((FileCall::Stat, false), 1)]));
    assert!(batch.events.iter().all(|event| event.pid != spawner.child.id()));
    assert!(batch.counts.iter().all(|count| count.pid != spawner.child.id()), "{:?}", batch.counts);
}

#[test]
fn whoever_is_not_followed_is_not_seen() {
    let Some(mut tracer) = tracer() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"stat("$ARGV[0]/x") for 1..1000; fork() or exit"#;
    Told::perl(script, &[folder.path()]).go();
    let batch = tracer.take().expect("what was traced");
    assert_eq!(batch, Batch::default());
    assert_eq!(tracer.sources(), [EvidenceSource::Syscalls, EvidenceSource::Processes]);
    assert_eq!(tracer.missing(), []);
}

#[test]
fn perl_compiles_and_dies() {
    let Some(mut tracer) = tracer() else { return };
    // die leaves the compiler by longjmp: what comes after must not look as if it happened inside.
    let script = r#"eval "1; 1"; eval "BEGIN { die }"; eval "BEGIN { eval '2' } 3"; eval "4""#;
    let batch = Told::perl(script, &[]).traced(&mut tracer);
    if !tracer.sources().contains(&EvidenceSource::Perl) {
        let missing = tracer.missing();
        let _ = writeln!(std::io::stderr(), "SKIPPED: {missing:?}");
        assert!(missing.iter().any(|missing| missing.source == EvidenceSource::Perl));
        return;
    }
    let compiled: Vec<bool> = batch
        .events
        .iter()
        .filter_map(|event| match event.what {
            What::Compile { language: Language::Perl, nested, .. } => Some(nested),
            _ => None,
        })
        .collect();
    // The second is left from within, and never returns; of the third, the inner one returns first.
    assert_eq!(compiled, [false, true, false, false]);
}

#[test]
fn php_compiles_and_asks_sqlite() {
    let Some(mut tracer) = tracer() else { return };
    let has_sqlite = Command::new("php").args(["-r", "exit(class_exists('SQLite3') ? 0 : 1);"]).status();
    if !has_sqlite.is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no php with SQLite: install php-cli and php-sqlite3");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (script, included) = (folder.path().join("script.php"), folder.path().join("included.php"));
    std::fs::write(&included, "<?php class Included {}").expect("it is written");
    let text = r#"<?php
        echo "ready\n"; fgets(STDIN);
        require __DIR__ . '/included.php'; class_exists('Absent');
        $db = new SQLite3(':memory:');
        $statement = $db->prepare('SELECT 1 UNION SELECT :x'); $statement->bindValue(':x', 2);
        $rows = $statement->execute(); while ($rows->fetchArray()); $statement->close();
        echo "done\n"; fgets(STDIN);"#;
    std::fs::write(&script, text).expect("it is written");
    let batch = Told::start(Command::new("php").arg(&script)).traced(&mut tracer);

    assert_eq!(tracer.missing(), []);
    assert_eq!(
        tracer.sources(),
        [EvidenceSource::Syscalls, EvidenceSource::Processes, EvidenceSource::Php, EvidenceSource::Sqlite]
    );
    let events: Vec<&What> = batch.events.iter().map(|event| &event.what).collect();
    let compiled: Vec<_> = events
        .iter()
        .filter_map(|what| match what {
            What::Compile { language: Language::Php, path, nested: false, .. } => path.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(compiled, [included.as_os_str().as_encoded_bytes()]);
    assert!(batch.counts.iter().any(|count| count.of == Countable::ClassLookup && count.times >= 1));
    let prepared: Vec<_> = events
        .iter()
        .filter_map(|what| match what {
            What::SqlitePrepare { statement, sql, .. } if sql.starts_with(b"SELECT") => Some((*statement, &sql[..])),
            _ => None,
        })
        .collect();
    let [(id, b"SELECT 1 UNION SELECT :x")] = prepared[..] else { panic!("{prepared:?}") };
    let rows = |wanted: bool| {
        let is = |what: &&&What| matches!(what, What::SqliteStep { statement, row, .. } if *statement == id && *row == wanted);
        events.iter().filter(is).count()
    };
    // PHP looks for a first row, goes back, and only then fetches: three rows and an end, or more, as it pleases.
    assert!(rows(true) >= 2 && rows(false) >= 1, "{events:?}");
    assert!(events.iter().any(|what| matches!(what, What::SqliteReset { statement } if *statement == id)));
}

#[test]
fn events_that_find_no_room_are_counted() {
    let config = TracerConfig { ring_bytes: RING, most_events: 100 };
    if tracer().is_none() {
        return;
    }
    let mut tracer = Tracer::open(&config).expect("as before");
    let batch = Told::perl(r#"stat("/none") for 1..1000"#, &[]).traced(&mut tracer);
    assert_eq!(batch.events.len(), 100);
    assert!(batch.lost >= 900, "{}", batch.lost);
    // C libraries before glibc 2.33 have the older call.
    #[cfg(target_arch = "x86_64")]
    let older = times(&batch, libc::SYS_stat, libc::ENOENT);
    #[cfg(not(target_arch = "x86_64"))]
    let older = 0;
    assert!(times(&batch, libc::SYS_newfstatat, libc::ENOENT) + older >= 1000, "what is counted is not lost");
}

/// What this process holds of eBPF.
fn held() -> usize {
    let all = std::fs::read_dir("/proc/self/fd").expect("descriptors");
    let names = all.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    names.filter(|name| name.to_string_lossy().contains("bpf") || name.to_string_lossy().contains("perf_event")).count()
}

#[test]
fn nothing_stays_attached() {
    // In a process of its own: other tests have tracers, too.
    const MARK: &str = "UNLADEN_TEST_HELD";
    if std::env::var_os(MARK).is_none() {
        let own = std::env::current_exe().expect("this test's program");
        let status = Command::new(own).args(["nothing_stays_attached", "--exact"]).env(MARK, "1").status();
        assert!(status.expect("it runs").success());
        return;
    }
    let Some(mut tracer) = tracer() else { return };
    let told = Told::perl("1", &[]);
    tracer.watch(&[told.watched()]).expect("it is followed");
    assert!(held() > 10, "programs, maps, links");
    drop(tracer);
    assert_eq!(held(), 0);
}
