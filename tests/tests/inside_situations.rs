//! Situations in which looking inside requests is hard, or has to end.
//!
//! Measures: sixty thousand calls a request, of which no event is lost.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use unladen_tests::bpf::{Held, held_by, remaining};
use unladen_tests::{Ability, Call, Document, Done, Running, ScriptServer, Subject, binary, skip_without, wait};

/// Asks for five files that are not there, one of them twice, and says so many bytes.
const PAGE: &str = r#"<?php
foreach (['a', 'b', 'c', 'd', 'e', 'e'] as $name) {
    file_exists(__DIR__ . "/none/$name");
}
echo str_repeat('text ', 200);
"#;

/// Compiled for each request.
const COMPILED: &[&str] = &["opcache.enable=0"];

/// A run for a page of a millisecond, long enough to tell its process from some hundred others.
fn weigh() -> Call {
    weigh_for("4s")
}

/// The same for another time.
fn weigh_for(time: &str) -> Call {
    Call::weigh(["--time", time, "--phase", "60ms", "--settle", "10ms"])
}

/// As a user that owns nothing.
const AS_NOBODY: [&str; 5] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];

#[test]
fn an_ordinary_user_is_told_what_was_not_looked_for_and_what_it_takes() {
    if skip_without(Ability::Root, "an_ordinary_user_is_told_what_was_not_looked_for_and_what_it_takes") {
        return;
    }
    // The sources may be in somebody's home.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("unladen");
    fs::copy(binary(), &program).unwrap();
    // Work that a cache would spare.
    let site = ScriptServer::php(&format!("{PAGE} usleep(4000);"), &[]);
    let done = weigh().program(&program).through(AS_NOBODY).args(["--json", &site.url()]).run().succeeded();
    let document = done.document();
    assert!(document.found().contains("cacheable"), "{document}");
    assert!(document.list("counts").is_empty(), "{document}");
    let lacking = document.list("not_looked_for");
    let of_tracing: Vec<_> = lacking.iter().filter(|row| row["why"].as_str().unwrap().contains("CAP_BPF")).collect();
    let [row] = &of_tracing[..] else { panic!("{lacking:?}") };
    assert!(row["why"].as_str().unwrap().contains("run as root"), "{row}");
    let rules: BTreeSet<&str> = row["rules"].as_array().unwrap().iter().filter_map(|rule| rule.as_str()).collect();
    assert!(rules.is_superset(&["n-plus-one", "stat-storm", "recompile", "unpooled-tls"].into()), "{rules:?}");
    assert!(rules.is_disjoint(&document.found()), "{rules:?}");
}

/// Waits until a call counts, and returns what it holds of eBPF.
fn counting(call: &Running) -> BTreeSet<Held> {
    wait::until_ok("it attaches", || {
        let held = held_by(call.pid());
        if held.iter().any(|(what, _)| *what == "link") { Ok(()) } else { Err(format!("{held:?}")) }
    });
    // Links come last; those to functions a moment later.
    std::thread::sleep(Duration::from_millis(400));
    held_by(call.pid())
}

/// Asserts that nothing of it is in the kernel any more. It takes its time after the end of a process.
fn gone(held: &BTreeSet<Held>) {
    assert!(["prog", "link", "map"].iter().all(|what| held.iter().any(|(kind, _)| kind == what)), "{held:?}");
    wait::until_ok("nothing is left behind", || {
        let left = remaining(held);
        if left.is_empty() { Ok(()) } else { Err(format!("{left:?}")) }
    });
}

#[test]
fn nothing_stays_attached_after_the_end_after_ctrl_c_and_after_kill_9() {
    if skip_without(Ability::Tracing, "nothing_stays_attached_after_the_end_after_ctrl_c_and_after_kill_9") {
        return;
    }
    let site = ScriptServer::php(PAGE, COMPILED);

    let call = weigh().args([site.url()]).start();
    let held = counting(&call);
    call.interrupt();
    let done = call.wait().ended_with(130);
    let done = done.says(["interrupted"]).shows(["CPU per request", site.name(), "latency of these requests"]);
    // Too few blocks were counted: nothing is said to be missing in the page.
    done.shows(["Not looked for: sleep,", "interrupted"]);
    gone(&held);

    let call = weigh().args([site.url()]).start();
    let held = counting(&call);
    call.signal(Signal::SIGKILL);
    assert_eq!(call.wait().code, None);
    gone(&held);

    let call = weigh().args([site.url()]).start();
    let held = counting(&call);
    call.wait().succeeded();
    gone(&held);
}

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
    let over_tcp = weigh().args(["--group-by", "pid", pledges.url()]).document();
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
    let document = weigh_for("8s").args([&site.url()]).document();
    is_exact(&document, &format!("root {}", site.name()));
    assert_eq!(document["lost_events"], 0, "{document}");
}

#[test]
fn an_overflow_of_events_is_told_and_marks_what_it_touches() {
    if skip_without(Ability::Tracing, "an_overflow_of_events_is_told_and_marks_what_it_touches") {
        return;
    }
    let page = "<?php for ($n = 0; $n < 3000; $n++) { file_exists(__DIR__ . '/none/' . $n % 10); } echo 'done';";
    let site = ScriptServer::php(page, &[]);
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record.json");
    let call = Call::weigh(["--time", "5s", "--phase", "80ms", "--settle", "10ms"]).env("UNLADEN_TRACE_RING", "65536");
    let document = call.args(["--record"]).args([&record]).args([site.url()]).document();
    assert!(document["lost_events"].as_u64() > Some(0), "{document}");
    let group = format!("root {}", site.name());
    // Counted in the kernel.
    assert_eq!(document.count(&group, "syscall.access.ENOENT"), 3000.0, "{document}");
    let row = |counter: &str| document.list("counts").iter().find(|row| row["counter"] == counter).unwrap();
    assert_eq!(row("syscall.access.ENOENT")["invalid"], false);
    assert_eq!(row("files.missing")["invalid"], true, "{document}");
    let done = Call::weigh(["--from"]).args([&record]).run().succeeded();
    done.shows(["events were lost: what is marked ! is too low", " !"]);
}

#[test]
fn a_php_without_its_functions_names_is_told() {
    if skip_without(Ability::Tracing, "a_php_without_its_functions_names_is_told") {
        return;
    }
    let nameless = |program: &Path| {
        let mut bytes = fs::read(program).unwrap();
        // It is the end of longer names. (The opcode cache, which asks for one of those, then stays out.)
        let name = b"_compile_file\0";
        let places: Vec<usize> =
            bytes.windows(name.len()).enumerate().filter(|(_, at)| at == name).map(|(at, _)| at).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at + 2] = b'0';
        }
        fs::write(program, bytes).unwrap();
    };
    let site = ScriptServer::php_of(PAGE, COMPILED, nameless);
    let document = weigh().args([site.url()]).document();
    let lacking = document.list("not_looked_for");
    let row = lacking.iter().find(|row| row["rules"].as_array().unwrap().iter().any(|rule| rule == "recompile"));
    let row = row.unwrap_or_else(|| panic!("{lacking:?}\n{document}"));
    let why = row["why"].as_str().unwrap();
    assert!(why.contains("compile_file") && why.contains(site.name()), "{row}");
    assert!(row["takes"].as_str().unwrap().contains("exports"), "{row}");
    // All else is looked at.
    assert_eq!(document.count(&format!("root {}", site.name()), "files.missing"), 6.0, "{document}");
}

/// A control group; it goes when this is dropped, if its processes have.
struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Below the version 2 hierarchy; `None` where none may be made.
    fn make(name: &str) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?.split(' ').nth(4)?;
        let path = Path::new(mount).join("unladen-test.slice").join(name);
        fs::create_dir_all(&path).ok()?;
        Some(Self(path))
    }

    fn takes(&self, pid: Pid) {
        fs::write(self.0.join("cgroup.procs"), pid.to_string()).unwrap();
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let begun = Instant::now();
        while fs::remove_dir(&self.0).is_err() && begun.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = fs::remove_dir(self.0.parent().unwrap());
    }
}

#[test]
fn units_and_containers_go_by_their_names() {
    if skip_without(Ability::Tracing, "units_and_containers_go_by_their_names") {
        return;
    }
    let pid = std::process::id();
    let service = format!("unladen-test-{pid}.service");
    let id = format!("{pid:012x}{:052x}", 7);
    let (Some(of_service), Some(of_container)) =
        (ControlGroup::make(&service), ControlGroup::make(&format!("docker-{id}.scope")))
    else {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: units_and_containers_go_by_their_names: it takes a cgroup v2 that may be written"
        );
        return;
    };
    let sites = [ScriptServer::php(PAGE, COMPILED), ScriptServer::php(PAGE, COMPILED)];
    of_service.takes(sites[0].pid());
    of_container.takes(sites[1].pid());
    let document = weigh_for("8s").args(sites.each_ref().map(ScriptServer::url)).document();
    for (site, group) in sites.iter().zip([service, format!("container {pid:012x}")]) {
        let url = site.url();
        let count = |counter: &str| {
            let row = document
                .list("counts")
                .iter()
                .find(|row| row["url"] == url.as_str() && row["group"] == group.as_str() && row["counter"] == counter);
            row.unwrap_or_else(|| panic!("no {counter} of {group}\n{document}"))["per_request"].as_f64().unwrap()
        };
        assert_eq!(count("files.missing"), 6.0);
        assert_eq!(count("compiles.php"), 1.0);
        let found = document.list("findings").iter().any(|finding| {
            finding["url"] == url.as_str() && finding["group"] == group.as_str() && finding["rule"] == "recompile"
        });
        assert!(found, "no recompile of {group}\n{document}");
    }
    // While they run, they hold their groups.
    drop(sites);
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
