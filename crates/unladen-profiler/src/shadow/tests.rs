use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::*;
use crate::application::Application;

/// A process that runs until it is killed, with a variable of its own.
struct Sleeper(Child);

impl Sleeper {
    fn start(variable: &str) -> Self {
        let mut command = Command::new("sleep");
        command.arg("1000").env_clear().env("OF_ITS_OWN", variable).current_dir("/usr");
        let sleeper = Self(command.spawn().unwrap());
        // A process is there before its command line is.
        while Application::of(sleeper.0.id()).unwrap().command.len() < 2 {
            std::thread::yield_now();
        }
        sleeper
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program(sleeper: &Sleeper) -> Program {
    Program::of(&Application::of(sleeper.0.id()).unwrap()).unwrap()
}

#[test]
fn a_twin_is_the_same_program_in_the_same_place_and_no_other_process_of_it_is_touched() {
    let mut sleeper = Sleeper::start("one");
    let besides = |own: &Path| Besides { environment: vec![("OWN".into(), own.into())], ..Besides::default() };
    let shadow = ShadowProcess::start(&program(&sleeper), besides, &Cancel::new()).unwrap();
    let pid = shadow.child.id();
    let environ = fs::read(format!("/proc/{pid}/environ")).unwrap();
    let own = shadow.own.clone();
    let of_runs = own.ancestors().nth(2).unwrap();
    // Anybody could make root's folder of temporary files first, and keep it from profiling.
    match nix::unistd::geteuid().is_root() {
        true => assert_eq!(of_runs, Path::new("/var/cache/unladen-profile")),
        false => assert_eq!(of_runs, std::env::temp_dir().join(format!("unladen-profile-{}", nix::unistd::geteuid()))),
    }
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(String::from_utf8(environ).unwrap(), format!("OF_ITS_OWN=one\0OWN={}\0", own.display()));
    assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), Path::new("/usr"));
    assert_eq!(fs::read(format!("/proc/{pid}/cmdline")).unwrap(), b"/usr/bin/sleep\x001000\0".to_vec());
    assert!(fs::read_link(format!("/proc/{pid}/fd/0")).unwrap().to_string_lossy().starts_with("socket:"));
    drop(shadow);
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
    assert!(!own.exists());
    assert!(sleeper.0.try_wait().unwrap().is_none(), "the process that it shadows still runs");
}

#[test]
fn what_a_twin_put_where_its_file_should_be_is_not_followed() {
    let sleeper = Sleeper::start("link");
    let shadow = ShadowProcess::start(&program(&sleeper), |_| Besides::default(), &Cancel::new()).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", shadow.own.join("file")).unwrap();
    shadow.open("file").unwrap_err();
    fs::write(shadow.own.join("other"), "x").unwrap();
    shadow.open("other").unwrap();
}

#[test]
fn a_twin_that_ends_says_why() {
    let mut failing = Command::new("sh");
    failing
        .arg0("sh")
        .args(["-c", "if [ -n \"$FAIL\" ]; then echo the cause >&2; exit 3; fi; while :; do sleep 0.1; done"]);
    let failing = Sleeper(failing.spawn().unwrap());
    // It has become sh once that reads its script.
    while !String::from_utf8_lossy(&fs::read(format!("/proc/{}/cmdline", failing.0.id())).unwrap()).contains("FAIL") {
        std::thread::yield_now();
    }
    let fail = |_: &Path| Besides { environment: vec![("FAIL".into(), "1".into())], ..Besides::default() };
    let error = ShadowProcess::start(&program(&failing), fail, &Cancel::new()).unwrap_err().to_string();
    assert!(error.contains("exit status: 3") && error.ends_with("it printed: the cause"), "{error}");
}

#[test]
fn a_twin_is_gone_when_the_thread_that_started_it_is() {
    let sleeper = Sleeper::start("two");
    let program = program(&sleeper);
    // The thread ends and the shadow process's destructor does not run, as with a process that is killed.
    let start = move || ShadowProcess::start(&program, |_| Besides::default(), &Cancel::new()).unwrap();
    let shadow = std::thread::spawn(start).join().unwrap();
    let pid = shadow.child.id();
    let is_dead = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") Z ");
    let begun = Instant::now();
    while !is_dead() {
        assert!(begun.elapsed() < Duration::from_secs(10), "process {pid} still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn cancelling_ends_the_wait_for_a_twin() {
    let busy = Sleeper(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap());
    while Application::of(busy.0.id()).unwrap().command.len() < 3 {
        std::thread::yield_now();
    }
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let throws = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        switch.cancel();
    });
    let ended = ShadowProcess::start(&program(&busy), |_| Besides::default(), &cancel);
    assert!(matches!(ended, Err(ProfilerError::Cancelled)));
    throws.join().unwrap();
}
