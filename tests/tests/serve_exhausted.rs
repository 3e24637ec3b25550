//! `unladen serve` where the system has nothing left: no file descriptors, no room on the disk. Who asks is answered,
//! with the reason; it is told on standard error; and when there is some again, all goes on and nothing has leaked.

use std::fs;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use unladen_tests::site::{app, free, page};
use unladen_tests::wait::until;
use unladen_tests::{Ability, Answer, Nginx, Serve, Upstream, Wire, skip_without};

/// Far above what any wait takes.
const LIMIT: Duration = Duration::from_secs(40);
const FILES: usize = 100;

/// Waits until each connection to this address has been accepted, and what came on it read: on a busy machine, one that
/// lies in a queue would have no descriptor when there are none left.
#[track_caller]
fn until_read(address: SocketAddr) {
    let SocketAddr::V4(address) = address else { panic!("{address} is no address of IPv4") };
    // As the kernel writes it: the address in the machine's byte order.
    let local = format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port());
    until("what was sent is read", || {
        let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
        let mut seen = 0;
        let is_read = sockets
            .lines()
            .filter_map(|line| {
                let mut fields = line.split_whitespace().skip(1);
                (fields.next()? == local).then_some(())?;
                // Remote address and state; then both queues: tx:rx. A listener's rx is what waits to be accepted.
                fields.nth(2)?.split_once(':').map(|(_, received)| received.bytes().all(|digit| digit == b'0'))
            })
            .inspect(|_| seen += 1)
            .all(|is_empty| is_empty);
        is_read && seen > 0
    });
}

fn open_files(serve: &Serve) -> usize {
    fs::read_dir(format!("/proc/{}/fd", serve.running().pid())).unwrap().count()
}

/// Waits until what took the files is gone: also those that had still to be accepted, for which some are taken again.
#[track_caller]
fn until_files_are_free(serve: &Serve, address: SocketAddr) {
    until_read(address);
    until("files are free again", || open_files(serve) < FILES / 2);
}

/// Begins requests until each descriptor below the bound is taken; one that it was started with may be above. Some make
/// room for others at first: what they ask has not come yet.
fn fill(serve: &Serve, address: SocketAddr) -> Vec<TcpStream> {
    let pid = serve.running().pid();
    let is_free = |number: &usize| fs::symlink_metadata(format!("/proc/{pid}/fd/{number}")).is_err();
    let mut many: Vec<TcpStream> = (0..2 * FILES).map(|_| begun(address)).collect();
    let begun_at = Instant::now();
    loop {
        let free: Vec<usize> = (0..FILES).filter(is_free).collect();
        if free.is_empty() {
            return many;
        }
        assert!(begun_at.elapsed() < LIMIT, "with {} connections, {free:?} are free", many.len());
        many.push(begun(address));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn metric(serve: &Serve, start: &str) -> f64 {
    let text = Wire::unix(&serve.path("admin.sock")).get("/metrics").is(200).text();
    let value =
        text.lines().find(|line| line.starts_with(start)).and_then(|line| line.rsplit(' ').next()?.parse().ok());
    value.unwrap_or_else(|| panic!("there is no {start}\n{text}"))
}

/// A connection on which a request has begun, and does not end.
fn begun(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    // Nobody may read it ever.
    let _ = std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: a\r\nX-Begun: ");
    stream
}

#[test]
fn without_file_descriptors_clients_are_told_so_and_are_served_when_there_are_some_again() {
    // It closes what it has answered: each request takes a connection of its own.
    let nginx = Nginx::plain("keepalive_timeout 0; location / { return 200 'well'; }");
    let address = free();
    let serve = Serve::start_through(
        &format!("exec prlimit --nofile={FILES}:{FILES} \"$@\""),
        &format!(
            "threads = 2
             [[site]]
             name = \"test\"
             listen = [\"{address}\", \"unix:DIR/a.sock\"]
             upstream = \"http://{}\"
             cache = false
             client = {{ head_timeout = \"1h\" }}
             clients = {{ connections = 10000, network_connections = 10000 }}
             retry = {{ attempts = 0 }}",
            nginx.address()
        ),
    );
    // They are served already, and have not ended what they ask: they are not among those that make room for others.
    let mut known: Vec<Wire> = (0..8).map(|_| Wire::tcp(address)).collect();
    for wire in &mut known {
        assert_eq!(wire.get("/").is(200).text(), "well");
        wire.send("GET / HTTP/1.1\r\nHost: a\r\n");
    }
    until_read(address);
    let many = fill(&serve, address);
    let mut refused = 0;
    for wire in &mut known {
        wire.send("\r\n");
        let answer = wire.answer();
        match answer.reason() {
            Some(_) => refused += usize::from(answer.refuses(503, "out_of_files").status == 503),
            // One that has been refused waits for its next request, and made room.
            None => assert_eq!(answer.is(200).text(), "well"),
        }
    }
    assert!(refused > 0, "nobody was told");
    drop((known, many));
    until_files_are_free(&serve, address);
    // Neither the breaker nor anything else remembers it.
    for _ in 0..20 {
        assert_eq!(Wire::tcp(address).get("/").is(200).text(), "well");
    }
    let done = serve.stop();
    for cause in ["no client can be accepted: no file descriptor is left", "LimitNOFILE", "[out_of_files]"] {
        assert!(done.stderr.contains(cause), "{cause}\n{done}");
    }
    assert!(done.stderr.contains("add up to"), "{done}");
}

#[test]
fn without_file_descriptors_a_client_that_asks_comes_before_those_that_wait() {
    let application = app(|_| page("", "well"));
    let address = free();
    let serve = Serve::start_through(
        &format!("exec prlimit --nofile={FILES}:{FILES} \"$@\""),
        &format!(
            "threads = 2
             [[site]]
             name = \"test\"
             listen = [\"{address}\", \"unix:DIR/a.sock\"]
             upstream = \"{}\"
             client = {{ idle = \"1h\" }}
             clients = {{ connections = 10000, network_connections = 10000 }}",
            application.url()
        ),
    );
    // They never say a word, and are never timed out.
    let silent: Vec<TcpStream> = (0..3 * FILES).map(|_| TcpStream::connect(address).unwrap()).collect();
    for _ in 0..5 {
        until("a client that asks, and asks again when it is told to, is served", || {
            let mut wire = Wire::tcp(address);
            wire.try_send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").is_ok()
                && wire.try_head().is_some_and(|answer| answer.status == 200)
        });
    }
    drop(silent);
    let done = serve.stop();
    assert!(done.stderr.contains("[out_of_files]"), "{done}");
}

#[test]
fn without_file_descriptors_a_body_has_no_file_to_wait_in_and_that_is_said() {
    let application = app(|_| page("", "well"));
    let address = free();
    let serve = Serve::start_through(
        &format!("exec prlimit --nofile={FILES}:{FILES} \"$@\""),
        &format!(
            "threads = 2
             [[site]]
             name = \"test\"
             listen = [\"{address}\", \"unix:DIR/a.sock\"]
             upstream = \"{}\"
             client = {{ head_timeout = \"1h\" }}
             clients = {{ connections = 10000, network_connections = 10000 }}
             [site.buffer]
             memory = 4096
             folder = \"DIR\"",
            application.url()
        ),
    );
    let mut wire = Wire::tcp(address);
    wire.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    until_read(address);
    let many = fill(&serve, address);
    let mut twin = wire.twin();
    let sending = std::thread::spawn(move || drop(twin.try_send(vec![b'x'; 1_000_000])));
    wire.answer().refuses(503, "out_of_files");
    drop(wire);
    sending.join().unwrap();
    drop(many);
    until_files_are_free(&serve, address);
    assert_eq!(Wire::tcp(address).post("/", vec![b'x'; 1_000_000]).is(200).text(), "well");
    serve.stop();
}

/// The descriptor of the listener was there, and the one by which it is served was not: nobody answered until the next
/// reload.
#[test]
fn an_admin_address_that_comes_while_files_are_short_is_served_once_they_are_not() {
    let application = app(|_| page("", "well"));
    let config = format!(
        "[[outbound]]
         name = \"test\"
         listen = \"unix:DIR/a.sock\"
         upstream = \"{}\"",
        application.url()
    );
    let serve = Serve::start_through("exec \"$@\" 2>>DIR/said", &config);
    let said = || fs::read_to_string(serve.path("said")).unwrap();
    until("it serves", || said().contains("no live page"));
    let pid = serve.running().pid();
    let set = |soft: usize| {
        let mut prlimit = std::process::Command::new("prlimit");
        prlimit.arg(format!("--pid={pid}")).arg(format!("--nofile={soft}:"));
        assert!(prlimit.status().unwrap().success());
    };
    // A descriptor is left for the file, and then for the listener, and no other.
    let is_free = |number: &usize| fs::symlink_metadata(format!("/proc/{pid}/fd/{number}")).is_err();
    let least = || (0..).filter(is_free).nth(1).unwrap();
    // What it opened to begin with has been closed.
    let (mut free, mut since) = (least(), Instant::now());
    until("it opens nothing more", || {
        let now = least();
        if now != free {
            (free, since) = (now, Instant::now());
        }
        since.elapsed() > Duration::from_millis(500)
    });
    set(free);
    let file = serve.path("unladen.toml");
    let admin = format!("\n[admin]\nlisten = \"unix:{}\"\n", serve.path("admin.sock").display());
    fs::write(&file, fs::read_to_string(&file).unwrap() + &admin).unwrap();
    until("it is told", || said().contains("the admin address cannot be served yet: Too many open files"));
    set(1024);
    until("it is told", || said().contains("the admin address is served\n"));
    Wire::unix(&serve.path("admin.sock")).get("/metrics").is(200);
    assert_eq!(said().matches("cannot be served").count(), 1, "{}", said());
    serve.stop();
}

/// With a small disk at `DIR/disk`, which nobody else sees.
fn on_a_small_disk(size: &str, config: &str) -> Serve {
    let script = format!(
        "mkdir DIR/disk && exec unshare --mount sh -c 'mount -t tmpfs -o size={size} none DIR/disk && exec \"$@\"' sh \"$@\""
    );
    Serve::start_through(&script, config)
}

/// A file on that disk, as it is seen from outside.
fn on_disk(serve: &Serve, name: &str) -> PathBuf {
    let inside = serve.path("disk").join(name);
    PathBuf::from(format!("/proc/{}/root{}", serve.running().pid(), inside.display()))
}

#[test]
fn lines_of_the_log_that_a_full_disk_does_not_take_are_counted_and_told_and_nobody_waits() {
    if skip_without(Ability::PrivateMounts, "a full disk") {
        return;
    }
    let application = app(|_| page("", "well"));
    let serve = on_a_small_disk(
        "128k",
        &format!(
            "[admin]
             listen = \"unix:DIR/admin.sock\"
             [log]
             file = \"DIR/disk/access.json\"
             [[outbound]]
             name = \"test\"
             listen = \"unix:DIR/a.sock\"
             upstream = \"{}\"",
            application.url()
        ),
    );
    let filler = on_disk(&serve, "filler");
    fs::write(&filler, vec![0; 96 * 1024]).unwrap();
    let mut wire = Wire::unix(&serve.path("a.sock"));
    let mut asked = 0;
    let lost = || metric(&serve, "unladen_access_log_lines_total{result=\"lost_write\"}");
    let begun = Instant::now();
    while lost() == 0.0 {
        assert!(begun.elapsed() < LIMIT, "the disk takes it all");
        for _ in 0..50 {
            asked += 1;
            assert_eq!(wire.get(&format!("/{asked}")).is(200).text(), "well");
        }
    }
    // There is room again: what comes from now on is written.
    fs::remove_file(&filler).unwrap();
    let written = || metric(&serve, "unladen_access_log_lines_total{result=\"written\"}");
    let before = written();
    until("it is written again", || {
        Wire::unix(&serve.path("a.sock")).get("/again").is(200);
        written() > before
    });
    until("each line is written or lost", || {
        let requests = metric(&serve, "unladen_requests_total");
        requests > 0.0 && written() + lost() >= f64::from(asked)
    });
    // At most one was torn where the disk was full.
    until("what is written is counted", || {
        let log = fs::read_to_string(on_disk(&serve, "access.json")).unwrap();
        let whole = log.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()).count();
        let counted = written();
        whole as f64 == counted && log.lines().count() as f64 <= counted + 1.0
    });
    let done = serve.stop();
    assert!(done.stderr.contains("lines are lost") && done.stderr.contains("lost_write"), "{done}");
}

/// An application that says how much it was sent.
fn measuring() -> Upstream {
    app(|seen| page("", &format!("{} bytes", seen.body.len())))
}

fn upload(serve: &Serve, length: usize) -> Answer {
    let mut wire = Wire::unix(&serve.path("a.sock"));
    wire.send(format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n"));
    let mut twin = wire.twin();
    let sending = std::thread::spawn(move || drop(twin.try_send(vec![b'x'; length])));
    let answer = wire.answer();
    drop(wire);
    sending.join().unwrap();
    answer
}

fn buffering(application: &Upstream) -> Serve {
    on_a_small_disk(
        "1m",
        &format!(
            "[admin]
             listen = \"unix:DIR/admin.sock\"
             [[site]]
             name = \"test\"
             listen = \"unix:DIR/a.sock\"
             upstream = \"{}\"
             cache = false
             [site.buffer]
             memory = 4096
             folder = \"DIR/disk\"",
            application.url()
        ),
    )
}

#[test]
fn a_body_that_a_full_disk_does_not_take_is_refused_and_leaves_nothing_behind() {
    if skip_without(Ability::PrivateMounts, "a full disk") {
        return;
    }
    let application = measuring();
    let serve = buffering(&application);
    assert_eq!(upload(&serve, 600_000).is(200).text(), "600000 bytes");
    let before = open_files(&serve);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| drop(upload(&serve, 3_000_000).refuses(507, "disk_failed"))));
        }
    });
    // Neither bytes nor files stay: the disk is as empty as it was.
    until("what was taken is given back", || metric(&serve, "unladen_site_buffer_disk_bytes{") == 0.0);
    until("files are closed", || open_files(&serve) <= before);
    let free = nix::sys::statvfs::statvfs(&on_disk(&serve, "")).unwrap();
    assert_eq!(free.blocks_free(), free.blocks());
    assert_eq!(upload(&serve, 900_000).is(200).text(), "900000 bytes");
    let done = serve.stop();
    assert!(done.stderr.contains("No space left on device") && done.stderr.contains("buffer.folder"), "{done}");
    assert!(application.seen().iter().all(|seen| seen.body.len() < 1_000_000));
}

#[test]
fn an_answer_that_a_full_disk_does_not_take_is_whole_all_the_same() {
    const LENGTH: usize = 12 << 20;
    if skip_without(Ability::PrivateMounts, "a full disk") {
        return;
    }
    let body: String = (0..LENGTH).map(|at| char::from(b'a' + (at % 23) as u8)).collect();
    let answer = body.clone();
    let application = app(move |_| page("", &answer));
    let serve = buffering(&application);
    let mut slow = std::os::unix::net::UnixStream::connect(serve.path("a.sock")).unwrap();
    std::io::Write::write_all(&mut slow, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    // It reads nothing until the disk is full.
    until("the disk is full", || metric(&serve, "unladen_site_buffer_failures_total{") > 0.0);
    let mut read = Vec::new();
    slow.read_to_end(&mut read).unwrap();
    assert!(read.ends_with(body.as_bytes()), "{} bytes of {LENGTH}", read.len());
    until("what was taken is given back", || metric(&serve, "unladen_site_buffer_disk_bytes{") == 0.0);
    assert_eq!(upload(&serve, 600_000).is(200).status, 200);
    serve.stop();
}

#[test]
fn a_standard_error_on_a_full_disk_ends_nothing() {
    let application = measuring();
    let config = format!(
        "[[site]]
         name = \"test\"
         listen = \"unix:DIR/a.sock\"
         upstream = \"{}\"
         cache = false
         [site.buffer]
         memory = 4096
         folder = \"DIR/none\"",
        application.url()
    );
    let serve = Serve::start_through("exec \"$@\" 2>/dev/full", &config);
    for _ in 0..3 {
        upload(&serve, 1_000_000).refuses(507, "disk_failed");
        assert_eq!(upload(&serve, 100).is(200).text(), "100 bytes");
    }
    // A reload has things to say, too.
    serve.running().signal(nix::sys::signal::Signal::SIGHUP);
    for _ in 0..20 {
        assert_eq!(upload(&serve, 100).is(200).text(), "100 bytes");
        std::thread::sleep(Duration::from_millis(10));
    }
    serve.stop();
}
