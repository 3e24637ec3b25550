//! Much to look at beside a request or inside it: other traffic, thousands of processes, and tens of thousands of
//! system calls.
//!
//! Measures: events, of which none is lost while nothing else wants the processor.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use unladen_tests::quick_page::{COMPILED, PAGE, weigh_for};
use unladen_tests::{Ability, Call, Document, Done, Running, ScriptServer, Subject, skip_without};

/// Something that goes on until this is dropped.
struct Meanwhile {
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<usize>>,
}

impl Meanwhile {
    /// Some twenty requests a second over one connection, at moments that follow nothing.
    fn asking(url: &str) -> Self {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let host = host.to_owned();
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = is_over.clone();
        let thread = std::thread::spawn(move || {
            let mut stream = TcpStream::connect(host).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
            let mut answered = 0;
            while !ends.load(Ordering::Relaxed) {
                stream.write_all(request.as_bytes()).unwrap();
                // What comes within a moment; the rest comes with the next.
                let read = stream.read(&mut [0; 65536]).unwrap_or(0);
                answered += usize::from(read > 0);
                std::thread::sleep(Duration::from_millis(23 + (answered as u64 * 7) % 20));
            }
            answered
        });
        Self { is_over, thread: Some(thread) }
    }

    fn end(mut self) -> usize {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Meanwhile {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Asserts that a count is this, as far as its interval can tell; doubled, as one of many intervals may miss.
#[track_caller]
fn about(document: &Document, group: &str, counter: &str, expected: f64) {
    let counts = document.counts(group);
    let counted = counts.get(counter).unwrap_or_else(|| panic!("no {counter} of {group}\n{document}"));
    let off = (counted.per_request - expected).abs();
    let margin = (counted.high - counted.per_request).max(counted.per_request - counted.low);
    assert!(off <= 2.0 * margin + 0.02, "{counter}: {counted:?} is not {expected}\n{document}");
    assert!(margin < expected, "{counter}: {counted:?} tells nothing\n{document}");
}

/// What the page of pledges does, whoever else is served meanwhile.
fn is_the_page(document: &Document) {
    about(document, "www-data php-fpm", "sql.statements", 2.0);
    about(document, "www-data php-fpm", "connections.opened", 1.0);
    about(document, "www-data php-fpm", "files.opened", 1.0);
    about(document, "www-data nginx", "connections.opened", 1.0);
    about(document, "www-data nginx", "log.lines", 1.0);
}

// One subject, as what it does is switched.
#[test]
fn other_traffic_on_the_same_server_drops_out_and_fpm_may_listen_at_a_port() {
    if skip_without(Ability::Tracing, "other_traffic_on_the_same_server_drops_out_and_fpm_may_listen_at_a_port") {
        return;
    }
    let pledges = Subject::up("pledges");
    let meanwhile = Meanwhile::asking(&pledges.url().replace("pledge.php?ref=blood", "index.php"));
    let busy = weigh_for("6s").args(["--group-by", "pid", pledges.url()]).document();
    let answered = meanwhile.end();
    assert!(answered > 50, "{answered}");
    is_the_page(&busy);

    // The same over TCP.
    let port = {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        free.local_addr().unwrap().port()
    };
    let state = Path::new(pledges.get("STATE"));
    let change = |file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(state.join(file)).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(state.join(file), text.replace(from, to)).unwrap();
    };
    let socket = state.join("fpm.sock").display().to_string();
    change("fpm.conf", &format!("listen = {socket}"), &format!("listen = 127.0.0.1:{port}"));
    change("nginx.conf", &format!("unix:{socket}"), &format!("127.0.0.1:{port}"));
    pledges.run(["restart"]);
    let reloaded = Command::new("kill").args(["-HUP", &pledges.pid("nginx").to_string()]).status().unwrap();
    assert!(reloaded.success());
    std::thread::sleep(Duration::from_secs(1));
    let over_tcp = weigh_for("4s").args(["--group-by", "pid", pledges.url()]).document();
    is_the_page(&over_tcp);
}

/// Starts 2,000 processes that wait, and then some five hundred a second that end at once, until its input ends.
const SPAWNER: &str = r#"
$SIG{CHLD} = 'IGNORE';
for (1 .. 2000) {
    my $pid = fork() // die "fork: $!";
    if (!$pid) { close STDOUT; sysread(STDIN, my $end, 1); exit 0 }
}
$| = 1; print "ready\n"; close STDOUT;
my $in = ''; vec($in, fileno(STDIN), 1) = 1;
until (select(my $ready = $in, undef, undef, 0.01)) {
    for (1 .. 5) { fork() // last or exit 0 }
}
"#;

struct Spawner(Child);

impl Spawner {
    fn start() -> Self {
        let mut perl = Command::new("perl");
        perl.args(["-e", SPAWNER]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut spawner = Self(perl.spawn().unwrap());
        let mut said = String::new();
        spawner.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "ready\n");
        spawner
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        let _ = killpg(Pid::from_raw(i32::try_from(self.0.id()).unwrap()), Signal::SIGKILL);
        let _ = self.0.wait();
    }
}

/// The counts of [`PAGE`], exactly.
#[track_caller]
fn is_exact(document: &Document, group: &str) {
    assert_eq!(document.count(group, "syscall.access.ENOENT"), 6.0, "{document}");
    assert_eq!(document.count(group, "files.missing"), 6.0, "{document}");
    assert_eq!(document.count(group, "compiles.php"), 1.0, "{document}");
}

#[test]
fn thousands_of_processes_and_hundreds_that_come_and_go_change_nothing() {
    if skip_without(Ability::Tracing, "thousands_of_processes_and_hundreds_that_come_and_go_change_nothing") {
        return;
    }
    let site = ScriptServer::php(PAGE, COMPILED);
    let _spawner = Spawner::start();
    let document = weigh_for("8s").args([site.url()]).document();
    is_exact(&document, &format!("root {}", site.name()));
    assert_eq!(document["lost_events"], 0, "{document}");
}

/// Bytes that a process has had in memory at most.
fn peak_memory(call: Running) -> (u64, Done) {
    let status = format!("/proc/{}/status", call.pid());
    let is_over = Arc::new(AtomicBool::new(false));
    let ends = is_over.clone();
    let watch = std::thread::spawn(move || {
        let mut most = 0;
        while !ends.load(Ordering::Relaxed) {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
            most = most.max(line.and_then(|line| line.parse::<u64>().ok()).unwrap_or(0) << 10);
            std::thread::sleep(Duration::from_millis(10));
        }
        most
    });
    let done = call.wait();
    is_over.store(true, Ordering::Relaxed);
    (watch.join().unwrap(), done)
}

#[test]
fn sixty_thousand_system_calls_a_request_take_less_than_500_megabytes() {
    if skip_without(Ability::Tracing, "sixty_thousand_system_calls_a_request_take_less_than_500_megabytes") {
        return;
    }
    let page = "<?php for ($n = 0; $n < 60000; $n++) { file_exists(__DIR__ . '/none/' . $n % 1000); } echo 'done';";
    let site = ScriptServer::php(page, &[]);
    let call = Call::weigh(["--requests", "30", "--settle", "10ms", "--json", &site.url()]).start();
    let (bytes, done) = peak_memory(call);
    let document = done.succeeded().document();
    assert_eq!(document["lost_events"], 0, "{document}");
    assert_eq!(document.count(&format!("root {}", site.name()), "syscall.access.ENOENT"), 60000.0, "{document}");
    assert_eq!(document.count(&format!("root {}", site.name()), "files.missing"), 60000.0, "{document}");
    assert!(bytes < 500 << 20, "{bytes} bytes");
}
