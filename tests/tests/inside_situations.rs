//! Situations in which looking inside requests is hard, or has to end. Those with much else to see are in
//! `inside_pressure.rs`.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use unladen_tests::bpf::{Held, held_by, remaining};
use unladen_tests::quick_page::{COMPILED, PAGE, weigh_for};
use unladen_tests::{Ability, Call, Running, ScriptServer, copy_binary, skip_without, wait};

/// A run for a page of a millisecond, long enough to tell its process from some hundred others.
fn weigh() -> Call {
    weigh_for("4s")
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
    copy_binary(&program);
    // Work that a cache would spare.
    let site = ScriptServer::php(&format!("{PAGE} usleep(4000);"), &[]);
    let document = weigh().program(&program).through(AS_NOBODY).args([site.url()]).document();
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

    let call = weigh().args(["--details", &site.url()]).start();
    let held = counting(&call);
    call.interrupt();
    let done = call.wait().ended_with(130);
    let done = done.says(["interrupted"]).shows(["CPU per request", site.name(), "latency of these requests"]);
    // Too few blocks were counted: nothing is said to be missing in the page.
    done.shows(["Not checked: sleep,", "interrupted"]);
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
    let done = Call::weigh(["--details", "--replay"]).args([&record]).run().succeeded();
    done.shows(["events were lost: counts marked !", " !"]);
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
