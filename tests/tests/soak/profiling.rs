//! [`run`]: `unladen profile`, again and again, on a page whose application is killed meanwhile, beside processes that come
//! and go, onto a full disk, and ended at any moment.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use serde_json::Value;
use unladen_tests::site::free;
use unladen_tests::{Ability, Call, Done, PhpFpm, Serve, skip_without, wait};

use crate::gauge::Gauge;

/// What a call may take beside its time.
const LIMIT: Duration = Duration::from_secs(120);
/// Requests of a call that is not interrupted.
const REQUESTS: &str = "12";
const PAGE: &str = "<?php
function burn($n) { $sum = 0; for ($i = 0; $i < $n; $i++) { $sum += sqrt($i); } return $sum; }
echo burn(100000);
";
/// A disk of its own that is full, and what is there after the call.
const ON_A_FULL_DISK: &str = r#"mount -t tmpfs -o size=16k none "$DISK" || exit 99
    cat /dev/zero > "$DISK/other" 2>/dev/null; "$@"; code=$?; echo "there: $(ls -A "$DISK" | xargs)" >&2; exit $code"#;

/// A page of PHP-FPM behind `unladen serve`.
struct Site {
    fpm: PhpFpm,
    serve: Serve,
    address: SocketAddr,
}

/// Processes that come and go, as cron's do, and those of a build.
struct Crowd {
    is_over: Arc<AtomicBool>,
    starting: JoinHandle<()>,
}

/// Runs it so long: half of the time one call after the other, and half of it one that is watched.
pub fn run(time: Duration, is_long: bool) {
    let of_test = "profile_leaves_nothing_behind_whatever_ends_it";
    if skip_without(Ability::Tracing, of_test) || skip_without(Ability::PrivateMounts, of_test) {
        return;
    }
    let crowd = Crowd::gather();
    let mut rng = fastrand::Rng::with_seed(5);
    let end = Instant::now() + time / 2;
    let mut calls = 0;
    // Each kind of end at least once.
    while calls < 6 || Instant::now() < end {
        turn(calls, &mut rng);
        calls += 1;
    }
    eprintln!("profile: {calls} calls, ended in six ways");
    if is_long {
        one(time / 2);
    }
    crowd.disperse();
}

/// One call, by one of both profilers.
fn turn(number: usize, rng: &mut fastrand::Rng) {
    let site = Site::start();
    let folder = tempfile::tempdir().expect("a folder");
    let profiler = if rng.bool() { "excimer" } else { "perf" };
    let call = |enough: [&str; 2]| site.profile(profiler, &enough, folder.path());
    let moment = Duration::from_millis(rng.u64(..4_000));
    match number % 6 {
        // Nothing happens.
        0 => {
            call(["-n", REQUESTS]).run().succeeded();
            assert_eq!(whole(folder.path()), 6);
        }
        // Ctrl-C, once, or by somebody who cannot wait.
        ending @ (1 | 2) => {
            let running = call(["-t", "60s"]).start();
            sleep(moment);
            // As Ctrl-C does, which a program that a shell has in the background ignores until it has begun.
            running.signal(Signal::SIGTERM);
            if ending == 2 {
                sleep(Duration::from_millis(rng.u64(..50)));
                let _ = kill(running.pid(), Signal::SIGTERM);
            }
            let done = running.wait();
            // Before it takes signals, one ends it as any program.
            assert!(matches!(done.code, Some(130) | None), "{done}");
            whole(folder.path());
        }
        // The application goes, with its workers, or one worker at a time.
        3 => {
            let running = call(["-t", "20s"]).start();
            sleep(moment);
            site.kill_workers(rng.bool());
            let done = running.wait();
            assert!(matches!(done.code, Some(0 | 3..=5)), "{done}");
            whole(folder.path());
        }
        4 => {
            let disk = tempfile::tempdir().expect("a folder");
            let call = site.profile(profiler, &["-n", REQUESTS], disk.path()).env("DISK", disk.path());
            let done = call.through(["unshare", "--mount"]).through_shell(ON_A_FULL_DISK).run();
            assert_ne!(done.code, Some(0), "{done}");
            assert!(done.stderr.trim_end().ends_with("there: other"), "{done}");
            assert!(done.stdout.contains("requests in"), "what was measured is not lost: {done}");
        }
        // There is nothing that anybody has to put back.
        _ => {
            let running = call(["-t", "60s"]).start();
            sleep(moment);
            running.signal(Signal::SIGKILL);
            assert_eq!(running.wait().code, None);
            whole(folder.path());
        }
    }
    site.must_be_as_before();
}

/// One call all the time, whose memory is looked at: each request has its stacks in it.
fn one(time: Duration) {
    let site = Site::start();
    let folder = tempfile::tempdir().expect("a folder");
    let call = site.profile("excimer", &["-t", &format!("{}s", time.as_secs()), "--json"], folder.path());
    let running = call.within(time * 2 + LIMIT).start();
    let gauge = Gauge::start(running.pid());
    let document = running.wait().succeeded().document();
    let readings = gauge.stop();
    eprintln!("{}; {} requests", readings.told("profile"), document["requests"]);
    let requests = document["requests"].as_u64().unwrap_or(0);
    readings.grow_by_at_most("profile", requests * BYTES_A_REQUEST);
}

/// What a request of a page with few functions takes while it is kept.
const BYTES_A_REQUEST: u64 = 256;

/// How many files are in the folder, each whole, and none beside them.
fn whole(folder: &Path) -> usize {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files: Vec<_> = files.collect();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(!name.starts_with('.'), "{name} was left behind");
        let text = fs::read(file).expect("a file");
        // Of a page this quick, a profile that ended early may have no sample.
        assert!(!text.is_empty() || name.ends_with(".collapsed"), "{name} is empty");
        if name.ends_with(".json") {
            let read: Result<Value, _> = serde_json::from_slice(&text);
            assert!(read.is_ok(), "{name}: {:?}", read.err());
        }
    }
    files.len()
}

impl Site {
    fn start() -> Self {
        let fpm = PhpFpm::start(2, "");
        fpm.page("index.php", PAGE);
        let address = free();
        let serve = Serve::start(&format!(
            "[[site]]\nname = \"php\"\nlisten = [\"{address}\", \"unix:DIR/a.sock\"]\n{}",
            fpm.site("")
        ));
        Self { fpm, serve, address }
    }

    fn url(&self) -> String {
        format!("http://{}/index.php", self.address)
    }

    fn profile(&self, profiler: &str, enough: &[&str], folder: &Path) -> Call {
        let call = Call::new(["profile", "--profiler", profiler, "--output-dir"]).args([folder]).args(enough);
        call.args([self.url()]).within(LIMIT)
    }

    /// All of them, or one.
    fn kill_workers(&self, all: bool) {
        let workers = self.fpm.workers();
        let most = if all { workers.len() } else { 1 };
        for worker in workers.into_iter().take(most) {
            // It may have ended by itself.
            let _ = kill(worker, Signal::SIGKILL);
        }
    }

    /// Nothing of a profiler stays with the application: the page is the one that it was.
    fn must_be_as_before(self) {
        wait::until("the page is answered as before", || {
            let done: Done = Call::load(["-n", "1", "--json", &self.url()]).run();
            done.code == Some(0)
        });
        self.serve.stop();
    }
}

impl Crowd {
    fn gather() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_over);
        let starting = spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                let some: Vec<_> = (0..8)
                    .filter_map(|_| Command::new("true").stdin(Stdio::null()).stdout(Stdio::null()).spawn().ok())
                    .collect();
                some.into_iter().for_each(|mut child| drop(child.wait()));
                sleep(Duration::from_millis(20));
            }
        });
        Self { is_over, starting }
    }

    fn disperse(self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.starting.join().expect("starting does not panic");
    }
}
