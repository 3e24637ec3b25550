//! `unladen fix`: a finding of a kept run is applied, proved, kept, and taken off again.
//!
//! Long: each fix is proved.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;
use tempfile::TempDir;
use unladen_tests::advice::{Ground, curl};
use unladen_tests::{Ability, Call, Server, Subject, skip_without, wait};

/// Pledges without an opcode cache, weighed.
struct Slow {
    ground: Ground,
    home: TempDir,
    /// Of the finding.
    number: String,
}

impl Slow {
    fn weighed() -> Self {
        let ground = Ground::of(|| Subject::up("pledges"));
        ground.subject().run(["fault", "recompile", "on"]);
        let mut slow = Self { ground, home: tempfile::tempdir().unwrap(), number: String::new() };
        let weighed =
            slow.call(&["weigh", "--json", "--requests", "24", slow.ground.subject().url()]).run().succeeded();
        let document = weighed.document();
        let at = document.list("findings").iter().position(|finding| finding["rule"] == "recompile");
        slow.number = (at.unwrap_or_else(|| panic!("no recompile: {document}")) + 1).to_string();
        slow
    }

    fn call(&self, args: &[&str]) -> Call {
        let call = Call::new(args).env("PATH", self.ground.programs()).within(Duration::from_secs(300));
        call.env("UNLADEN_STORE", self.home.path().join("runs.sqlite")).env("XDG_STATE_HOME", self.home.path())
    }

    fn fix(&self, more: &[&str]) -> Call {
        self.call(&["fix", "--quiet", &self.number]).args(more)
    }

    /// The page, once PHP has restarted.
    fn answers(&self, moment: Duration) {
        let url = self.ground.subject().url();
        wait::until(&format!("the page is answered after a kill at {moment:?}"), || {
            curl([url]).0.starts_with("HTTP/1.1 200")
        });
    }

    /// PHP's settings, by file.
    fn settings(&self) -> BTreeMap<String, String> {
        let folder = Path::new(self.ground.subject().get("STATE")).join("php.d");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        files
            .map(|file| (file.file_name().into_string().unwrap(), std::fs::read_to_string(file.path()).unwrap()))
            .collect()
    }
}

/// When it is killed: `UNLADEN_KILLS` times (3 by default), at any moment of a proof of some 15 s.
fn moments() -> impl Iterator<Item = Duration> {
    let kills = std::env::var("UNLADEN_KILLS").map_or(3, |kills| kills.parse().expect("a number"));
    let seed = fastrand::u64(..);
    eprintln!("seed of the moments: {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..kills).map(move |_| Duration::from_millis(rng.u64(..15_000)))
}

#[test]
fn a_finding_is_fixed_proved_kept_and_undone() {
    if skip_without(Ability::Tracing, "finding what unladen fix applies") {
        return;
    }
    let slow = Slow::weighed();
    let before = slow.settings();
    slow.call(&["fix"]).run().succeeded().shows(["recompile", &format!("unladen fix {}", slow.number)]);

    let shown =
        slow.fix(&["--dry-run"]).run().succeeded().shows(["--- /dev/null", "zz-unladen.ini", "+opcache.enable=1"]);
    assert!(shown.stdout.contains("\n  $ "), "no command is shown: {shown}");
    // For an image, or another host.
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    let written = slow.fix(&["--files", image.to_str().unwrap()]).run().succeeded();
    written.shows(["zz-unladen.ini belongs into ", "unladen weigh --against "]);
    assert_eq!(std::fs::read_to_string(image.join("zz-unladen.ini")).unwrap(), "opcache.enable=1\n");
    slow.fix(&["--files", image.to_str().unwrap(), "--yes"]).run().ended_with(2);
    // It would have taken the place of a file that is there.
    std::fs::write(image.join("zz-unladen.ini"), "mine").unwrap();
    slow.fix(&["--files", image.to_str().unwrap()]).run().ended_with(2).says(["is there already"]);
    assert_eq!(std::fs::read_to_string(image.join("zz-unladen.ini")).unwrap(), "mine");
    // Nobody can be asked.
    slow.fix(&[]).run().ended_with(2).says(["--yes"]);
    assert_eq!(slow.settings(), before, "nothing was agreed to");

    for moment in moments() {
        let proving = slow.fix(&["--yes", "--prove", "8s"]).start();
        std::thread::sleep(moment);
        proving.signal(Signal::SIGKILL);
        let _ = proving.wait();
        // Nothing to undo, left by a run that was killed, or kept.
        let undone = slow.call(&["fix", "undo", &slow.number]).run();
        assert!(matches!(undone.code, Some(0 | 2)), "killed after {moment:?}: {undone}");
        assert_eq!(slow.settings(), before, "killed after {moment:?}: {undone}");
        slow.answers(moment);
    }

    // Killed while it is switched on.
    let proving = slow.fix(&["--yes", "--prove", "60s"]).start();
    // Its new file is renamed into place: reading the folder meanwhile could find one that is gone.
    let switched = Path::new(slow.ground.subject().get("STATE")).join("php.d/zz-unladen.ini");
    wait::until("the fix is switched on", || switched.exists());
    proving.signal(Signal::SIGKILL);
    let _ = proving.wait();
    slow.call(&["fix"]).run().succeeded().shows(["left by a run that was killed"]);
    slow.call(&["fix", "undo", &slow.number]).run().succeeded();
    assert_eq!(slow.settings(), before);

    let fixed = slow.fix(&["--yes", "--prove", "10s"]).run().succeeded();
    fixed.shows(["It helps: ", "unladen fix undo", "unladen runs show"]);
    let after = slow.settings();
    assert_eq!(after.get("zz-unladen.ini").map(String::as_str), Some("opcache.enable=1\n"), "{after:?}");
    slow.fix(&["--yes"]).run().ended_with(2).says(["applied already"]);
    let list = slow.call(&["fix", "--list", "--json"]).run().succeeded().document();
    assert_eq!(
        (&list["fixes"][0]["rule"], &list["fixes"][0]["state"]),
        (&"recompile".into(), &"applied".into()),
        "{list}"
    );
    assert!(list["fixes"][0]["proof_run"].is_string(), "{list}");

    slow.call(&["fix", "undo", &slow.number]).run().succeeded();
    assert_eq!(slow.settings(), before);
    slow.call(&["fix", "undo", &slow.number]).run().ended_with(2).says(["no fix"]);
}

/// What is in a store is run: another user who may write to it would have root run what they like.
#[test]
fn a_store_that_another_user_may_write_is_not_run_by_root() {
    if !nix::unistd::geteuid().is_root() {
        println!("SKIPPED: a_store_that_another_user_may_write_is_not_run_by_root: it takes root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let server = Server::good();
    let call = |args: &[&str]| Call::new(args).env("UNLADEN_STORE", &store);
    call(&["load", "-n", "10", "-c", "1", &server.url("/")]).run().succeeded();
    call(&["fix", "1"]).run().says(["no run of `unladen weigh`"]);
    std::os::unix::fs::chown(folder.path(), Some(4711), None).unwrap();
    let refused = call(&["fix", "1"]).run();
    assert_ne!(refused.code, Some(0), "{refused}");
    refused.says(["another user", "runs.db"]).shows_nothing();
}
