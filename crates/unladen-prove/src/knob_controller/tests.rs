use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use proptest::prelude::*;

use super::*;
use unladen_lockin::Role;

/// A folder with an experiment on two knobs: a file, and a command with an environment, that restart one service.
struct Place(tempfile::TempDir);

const TOML: &str = r#"
url = "http://127.0.0.1:1/"
load = { rate = 40, requests = 4800 }
cold = "echo cold >> log"

[[service]]
name = "app"
restart = "echo restart ${MODE-plain} $(cat app.ini) >> log"
ready = { command = "test ! -e broken" }

[[knob]]
name = "cache"
on = { file = "app.ini", text = "cache\n" }
restart = "app"

[[knob]]
name = "fast"
on = ["echo on >> log", { env = { MODE = "fast" } }, { file = "new.ini", text = "x" }]
off = "echo off >> log"
restart = "app"
"#;

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.path("app.ini"), "original\n").unwrap();
        fs::write(place.file(), TOML).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.path("lab.toml")
    }

    fn open(&self) -> Result<KnobController, SwitchError> {
        KnobController::open(&Experiment::read(&self.file()).unwrap())
    }

    /// What commands have written since the last look.
    fn log(&self) -> String {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        let _ = fs::remove_file(self.path("log"));
        log.lines().collect::<Vec<_>>().join("; ")
    }

    fn assert_as_it_was(&self) {
        assert_eq!(fs::read_to_string(self.path("app.ini")).unwrap(), "original\n");
        assert!(!self.path("new.ini").exists() && !self.path(".lab.toml.undo").exists());
    }

    fn break_knob(&self, on: &str) {
        fs::write(self.file(), TOML.replace("echo on >> log", on)).unwrap();
    }
}

fn arm(on: [bool; 2]) -> Arm {
    Arm { name: "x".into(), on: on.to_vec(), roles: vec![Role::Candidate] }
}

const NEVER: fn() -> Cancel = Cancel::new;

#[test]
fn switches_what_differs_and_restarts_once() {
    let place = Place::new();
    let mut board = place.open().unwrap();
    let switched = board.set(&arm([false, false]), &NEVER()).unwrap();
    assert_eq!((switched.knobs.len(), place.log().as_str()), (0, ""), "it is so already");
    let switched = board.set(&arm([true, true]), &NEVER()).unwrap();
    assert_eq!((switched.knobs, switched.restarted), (vec![0, 1], vec![0]));
    assert_eq!(place.log(), "on; restart fast cache");
    board.set(&arm([false, true]), &NEVER()).unwrap();
    assert_eq!(place.log(), "restart fast original");
    board.set(&arm([false, true]), &NEVER()).unwrap();
    assert_eq!(place.log(), "");
    board.restart_all(&NEVER()).unwrap();
    board.cold(&NEVER()).unwrap();
    assert_eq!(place.log(), "restart fast original; cold");
    let report = board.put_back();
    assert_eq!(report.to_string(), "put back: `fast`, `cache`, app (restarted)");
    assert_eq!(place.log(), "off; restart plain original");
    place.assert_as_it_was();
    assert_eq!(board.put_back().to_string(), "there was nothing to put back");
}

/// A server that answers 502 as long as the file `down` is there; its URL.
fn serve(place: &Place) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let down = place.path("down");
    // It ends with the test's process.
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.read(&mut [0; 4096]);
            let status = if down.exists() { "502 Bad Gateway" } else { "200 OK" };
            let _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    url
}

/// A service that did not answer after its last restart was said to be put back.
#[test]
fn a_service_that_no_longer_answers_is_told_by_a_switch_and_by_putting_back() {
    let place = Place::new();
    let text = TOML.replace("http://127.0.0.1:1/", &serve(&place));
    fs::write(place.file(), text.replace("-e broken\"", "-e broken\", within = \"300ms\"")).unwrap();
    let mut board = place.open().unwrap();
    board.ask(DriverConfig::new(Vec::new()));
    board.note_answered();
    board.set(&arm([true, true]), &NEVER()).unwrap();
    fs::write(place.path("down"), "").unwrap();
    let error = board.set(&arm([false, true]), &NEVER()).unwrap_err().to_string();
    assert!(error.starts_with("the service `app` does not answer as before: 300ms after `echo restart"), "{error}");
    let report = board.put_back();
    assert_eq!(report.failed.len(), 1, "{report}");
    assert!(
        report.to_string().contains("NOT put back: the service `app`: the service `app` does not answer"),
        "{report}"
    );
    fs::remove_file(place.path("down")).unwrap();
    assert!(board.put_back().is_complete());
    place.assert_as_it_was();
}

#[test]
fn what_never_answered_is_put_back_without_a_word() {
    let place = Place::new();
    let mut board = place.open().unwrap();
    board.set(&arm([true, true]), &NEVER()).unwrap();
    board.ask(DriverConfig::new(Vec::new()));
    assert!(board.put_back().is_complete());
    place.assert_as_it_was();
}

#[test]
fn what_is_as_it_was_is_not_restarted_once_more() {
    let place = Place::new();
    let mut board = place.open().unwrap();
    board.set(&arm([true, true]), &NEVER()).unwrap();
    board.set(&arm([false, false]), &NEVER()).unwrap();
    assert_eq!(place.log(), "on; restart fast cache; off; restart plain original");
    assert!(board.put_back().is_complete());
    assert_eq!(place.log(), "");
    place.assert_as_it_was();
}

#[test]
fn a_knob_that_fails_says_how_and_all_is_put_back() {
    let place = Place::new();
    place.break_knob("echo no such cache; exit 7");
    let mut board = place.open().unwrap();
    let error = board.set(&arm([true, true]), &NEVER()).unwrap_err();
    insta::assert_snapshot!(error, @r"
    the knob `fast` could not be switched on: `echo no such cache; exit 7` ended with status 7; it printed:
    no such cache
    ");
    assert!(board.put_back().is_complete());
    place.assert_as_it_was();
}

/// It was said to be not put back, and how to do so by hand.
#[test]
fn a_knob_that_was_not_reached_is_not_put_back() {
    let place = Place::new();
    let knobs = "[[knob]]\nname = \"first\"\non = \"false\"\noff = \"true\"\n\
                 [[knob]]\nname = \"second\"\non = \"true\"\noff = \"echo second >> log; false\"\n";
    let text = format!("url = \"http://127.0.0.1:1/\"\nload = {{ rate = 40, requests = 4800 }}\n{knobs}");
    fs::write(place.file(), text).unwrap();
    let mut board = place.open().unwrap();
    let error = board.set(&arm([true, true]), &NEVER()).unwrap_err().to_string();
    assert!(error.contains("the knob `first` could not be switched on"), "{error}");
    let report = board.put_back();
    assert!(report.is_complete() && !report.to_string().contains("second"), "{report}");
    assert_eq!(place.log(), "", "nothing of it was run");
}

#[test]
fn what_cannot_be_put_back_is_told_with_the_way_by_hand() {
    let place = Place::new();
    fs::write(place.file(), TOML.replace("echo off >> log", "test -e allowed")).unwrap();
    let mut board = place.open().unwrap();
    board.set(&arm([true, true]), &NEVER()).unwrap();
    let report = board.put_back();
    let text = report.to_string().replace(&place.0.path().canonicalize().unwrap().display().to_string(), "/lab");
    insta::assert_snapshot!(text, @r"
    put back: `cache`, app (restarted)
    NOT put back: the command `test -e allowed` (knob `fast`): `test -e allowed` ended with status 1; it printed nothing
      by hand: cd '/lab' && test -e allowed
    The originals are in /lab/.lab.toml.undo: `unladen prove --restore /lab/lab.toml` tries again; remove that folder when everything is restored
    ");
    drop(board);
    assert!(matches!(place.open(), Err(SwitchError::LeftOver(_))), "no new run on a system that is not as it was");
    fs::write(place.path("allowed"), "").unwrap();
    assert!(restore(&place.file()).unwrap().is_complete());
    place.assert_as_it_was();
}

#[test]
fn a_service_that_does_not_come_up_is_told() {
    let place = Place::new();
    fs::write(place.file(), TOML.replace("test ! -e broken\" }", "test ! -e broken\", within = \"100ms\" }")).unwrap();
    let mut board = place.open().unwrap();
    fs::write(place.path("broken"), "").unwrap();
    let error = board.set(&arm([true, false]), &NEVER()).unwrap_err().to_string();
    assert!(error.starts_with("app is not ready: `test ! -e broken` was not met within 100ms"), "{error}");
    let report = board.put_back();
    assert!(!report.is_complete() && report.to_string().contains("NOT put back: the service app"), "{report}");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "original\n", "the file is, all the same");
    fs::remove_file(place.path("broken")).unwrap();
    assert!(board.put_back().is_complete(), "called again, it tries again");
    place.assert_as_it_was();
}

#[test]
fn cancelling_kills_the_command_and_putting_back_is_not_cancelled() {
    let place = Place::new();
    place.break_knob("touch started; sleep 1000");
    let mut board = place.open().unwrap();
    let cancel = NEVER();
    let (switch, started) = (cancel.clone(), place.path("started"));
    let thread = std::thread::spawn(move || {
        while !started.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        switch.cancel();
    });
    assert!(matches!(board.set(&arm([true, true]), &cancel), Err(SwitchError::Cancelled)));
    thread.join().unwrap();
    assert!(board.put_back().is_complete());
    place.assert_as_it_was();
}

#[test]
fn dropped_it_puts_back_too() {
    let place = Place::new();
    place.open().unwrap().set(&arm([true, true]), &NEVER()).unwrap();
    place.assert_as_it_was();
}

#[test]
fn two_runs_of_one_experiment_refuse_each_other() {
    let place = Place::new();
    let _board = place.open().unwrap();
    let error = place.open().unwrap_err().to_string();
    assert!(error.starts_with("another run of this experiment is under way"), "{error}");
    assert!(matches!(restore(&place.file()), Err(SwitchError::Busy { .. })));
}

/// The second took what the first had switched for the original, and put that back in the end.
#[test]
fn two_experiments_on_one_file_refuse_each_other() {
    let place = Place::new();
    fs::write(place.path("other.toml"), TOML).unwrap();
    std::os::unix::fs::symlink("app.ini", place.path("link.ini")).unwrap();
    let open = |toml: &str| {
        fs::write(place.path("other.toml"), toml).unwrap();
        KnobController::open(&Experiment::read(&place.path("other.toml")).unwrap())
    };
    let mut board = place.open().unwrap();
    board.set(&arm([true, true]), &NEVER()).unwrap();
    for toml in [TOML.to_owned(), TOML.replace("app.ini\", text", "link.ini\", text")] {
        let error = open(&toml).unwrap_err().to_string();
        assert!(error.starts_with("the knob `cache` cannot be switched: "), "{error}");
        assert!(error.ends_with("/app.ini is being switched by another experiment: wait for its end"), "{error}");
        assert!(!place.path(".other.toml.undo").exists());
    }
    assert!(board.put_back().is_complete());
    place.assert_as_it_was();
    let mut other = open(TOML).unwrap();
    assert!(other.put_back().is_complete());
    place.assert_as_it_was();
}

#[test]
fn a_knob_that_cannot_be_switched_is_refused_before_anything_is() {
    let place = Place::new();
    fs::hard_link(place.path("app.ini"), place.path("other.ini")).unwrap();
    let error = place.open().unwrap_err().to_string();
    assert!(error.starts_with("the knob `cache` cannot be switched: ") && error.contains("hard links"), "{error}");
    assert!(!place.path(".lab.toml.undo").exists());
}

#[test]
fn urls_alone_need_no_journal() {
    let load = crate::Load::new(crate::Pace::Closed { concurrency: 1 }, crate::Budget::Requests(1));
    let experiment = Experiment::of_urls("http://a/".parse().unwrap(), "http://b/".parse().unwrap(), load);
    let mut board = KnobController::open(&experiment).unwrap();
    let switched = board.set(&experiment.arms()[2], &NEVER()).unwrap();
    assert!(switched.knobs.is_empty() && board.journal.is_none());
}

/// Not a test, but the process that is killed in the next one.
#[test]
#[ignore = "started by another test"]
fn child() {
    let file = std::env::var_os("UNLADEN_TEST_EXPERIMENT").unwrap();
    let mut board = KnobController::open(&Experiment::read(Path::new(&file)).unwrap()).unwrap();
    board.set(&arm([true, true]), &Cancel::new()).unwrap();
    std::thread::sleep(Duration::from_secs(600));
}

/// Starts a run and kills it once `sign` is there.
fn killed_run(place: &Place, sign: &str) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "knob_controller::tests::child", "--ignored"])
        .env("UNLADEN_TEST_EXPERIMENT", place.file())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !fs::read_to_string(place.path("log")).is_ok_and(|log| log.contains(sign)) {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn a_run_that_was_killed_is_put_back_by_the_next() {
    let place = Place::new();
    killed_run(&place, "restart");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "cache\n");
    let left = left_over(&place.file()).unwrap().unwrap();
    assert_eq!(left.knobs, ["cache", "fast"]);
    place.log();

    let mut board = place.open().unwrap();
    assert_eq!(board.found().unwrap().to_string(), "put back: `fast`, `cache`, app (restarted)");
    assert_eq!(place.log(), "off; restart plain original");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "original\n");
    assert!(left_over(&place.file()).is_err(), "the new run is under way");
    assert!(board.put_back().is_complete());
    place.assert_as_it_was();
}

/// Weeks later, someone may have mended the file by hand.
#[test]
fn what_others_have_changed_since_the_crash_is_theirs() {
    let place = Place::new();
    killed_run(&place, "restart");
    fs::write(place.path("app.ini"), "mended\n").unwrap();
    let report = match place.open() {
        Err(SwitchError::LeftOver(report)) => report,
        other => panic!("{other:?}"),
    };
    let text = report.to_string();
    assert!(text.contains("app.ini was changed by something else since: it is left unchanged"), "{text}");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "mended\n");
    assert!(!place.path("new.ini").exists(), "the rest is put back");
}

/// An operator who mended the file amid a run had his work overwritten at the next switch.
#[test]
fn what_others_change_amid_a_run_ends_it_and_is_theirs() {
    for patched in [false, true] {
        let place = Place::new();
        if patched {
            with_patch(&place);
        }
        let mut board = place.open().unwrap();
        board.set(&arm([true, true]), &NEVER()).unwrap();
        fs::write(place.path("app.ini"), "mended\n").unwrap();
        let error = board.set(&arm([false, true]), &NEVER()).unwrap_err().to_string();
        assert!(error.contains("the knob `cache` could not be switched off"), "{error}");
        assert!(error.contains("app.ini was changed by something else since: it is left unchanged"), "{error}");
        let report = board.put_back().to_string();
        assert!(report.contains("app.ini was changed by something else since: it is left unchanged"), "{report}");
        assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "mended\n");
        assert!(!place.path("new.ini").exists(), "the rest is put back");
        assert!(left_over(&place.file()).is_err(), "the originals are kept, and this run has them");
    }
}

/// A link that is taken away leads to a file that is none of ours: its content is no work of others.
#[test]
fn a_link_is_switched_and_what_others_make_of_it_is_theirs() {
    let place = Place::new();
    let link = place.path("site.conf");
    std::os::unix::fs::symlink("app.ini", &link).unwrap();
    let knob = "{ file = \"new.ini\", text = \"x\" }";
    assert!(TOML.contains(knob));
    fs::write(place.file(), TOML.replace(knob, "{ file = \"site.conf\", absent = true }")).unwrap();
    let mut board = place.open().unwrap();
    for on in [true, false, true] {
        board.set(&arm([false, on]), &NEVER()).unwrap();
        assert_eq!(link.is_symlink(), !on);
    }
    assert!(board.put_back().is_complete());
    assert_eq!(fs::read_link(&link).unwrap(), std::path::Path::new("app.ini"));

    let mut board = place.open().unwrap();
    board.set(&arm([false, true]), &NEVER()).unwrap();
    std::os::unix::fs::symlink("elsewhere", &link).unwrap();
    let error = board.set(&arm([false, false]), &NEVER()).unwrap_err().to_string();
    assert!(error.contains("site.conf was changed by something else since: it is left unchanged"), "{error}");
    assert!(!board.put_back().is_complete());
    assert_eq!(fs::read_link(&link).unwrap(), std::path::Path::new("elsewhere"));
}

const PATCH: &str = "--- a/app.ini\n+++ b/app.ini\n@@ -1 +1 @@\n-original\n+patched\n";

/// A patch in place of the file knob.
fn with_patch(place: &Place) {
    let knob = "on = { file = \"app.ini\", text = \"cache\\n\" }";
    assert!(TOML.contains(knob));
    fs::write(place.file(), TOML.replace(knob, "on = { patch = \"fix.patch\" }")).unwrap();
    fs::write(place.path("fix.patch"), PATCH).unwrap();
}

#[test]
fn a_patch_of_a_run_that_was_killed_is_put_back() {
    let place = Place::new();
    with_patch(&place);
    killed_run(&place, "restart");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "patched\n");
    let report = restore(&place.file()).unwrap();
    assert!(report.is_complete(), "{report}");
    place.assert_as_it_was();
}

/// An application that was patched, and updated after the crash, had its old files put back.
#[test]
fn what_others_have_changed_of_a_patched_file_since_the_crash_is_theirs() {
    let place = Place::new();
    with_patch(&place);
    killed_run(&place, "restart");
    fs::write(place.path("app.ini"), "updated\n").unwrap();
    let report = restore(&place.file()).unwrap().to_string();
    assert!(report.contains("app.ini was changed by something else since: it is left unchanged"), "{report}");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "updated\n");
    assert!(!place.path("new.ini").exists(), "the rest is put back");
}

#[test]
fn patches_that_share_a_file_are_put_back_whichever_were_in() {
    let place = Place::new();
    with_patch(&place);
    let text = fs::read_to_string(place.file()).unwrap();
    fs::write(place.path("app.ini"), "original\n\n\n\n\n\n\n\nend\n").unwrap();
    let one = "--- a/app.ini\n+++ b/app.ini\n@@ -1,3 +1,3 @@\n-original\n+patched\n \n \n";
    let two = "--- a/app.ini\n+++ b/app.ini\n@@ -7,3 +7,3 @@\n \n \n-end\n+END\n";
    fs::write(place.path("fix.patch"), one).unwrap();
    fs::write(place.path("two.patch"), two).unwrap();
    let knob = "{ file = \"new.ini\", text = \"x\" }";
    assert!(text.contains(knob));
    fs::write(place.file(), text.replace(knob, "{ patch = \"two.patch\" }")).unwrap();
    killed_run(&place, "restart");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "patched\n\n\n\n\n\n\n\nEND\n");
    let report = restore(&place.file()).unwrap();
    assert!(report.is_complete(), "{report}");
    assert_eq!(fs::read_to_string(place.path("app.ini")).unwrap(), "original\n\n\n\n\n\n\n\nend\n");
}

#[test]
fn one_file_by_two_names_is_refused() {
    let place = Place::new();
    std::os::unix::fs::symlink("app.ini", place.path("link.ini")).unwrap();
    fs::write(place.file(), TOML.replace("new.ini", "link.ini")).unwrap();
    let error = place.open().unwrap_err().to_string();
    assert!(
        error.contains("the knob `fast` cannot be switched") && error.contains("is already changed by the file"),
        "{error}"
    );
}

/// Between the first knob's switch and the second's; and the experiment's file has changed since.
#[test]
fn a_run_that_was_killed_amid_a_switch_is_put_back_by_itself() {
    let place = Place::new();
    place.break_knob("echo $$ > pid; echo amid >> log; exec sleep 600");
    killed_run(&place, "amid");
    fs::remove_file(place.file()).unwrap();
    let report = restore(&place.file()).unwrap();
    assert!(report.is_complete(), "{report}");
    place.assert_as_it_was();
    assert!(left_over(&place.file()).unwrap().is_none());
    // Without a journal a file that is not there is a mistyped one.
    let none = restore(&place.file()).unwrap_err().to_string();
    assert!(none.contains("lab.toml: No such file") && none.contains("nothing of an experiment"), "{none}");
    // The sleep is in a group of its own, and outlives what started it.
    let pid = fs::read_to_string(place.path("pid")).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::SIGKILL).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_sequence_of_arms_ends_as_it_began(arms in prop::collection::vec(any::<[bool; 2]>(), 0..6), by_drop in any::<bool>()) {
        let place = Place::new();
        let mut board = place.open().unwrap();
        for on in arms {
            board.set(&arm(on), &NEVER()).unwrap();
            let text = fs::read_to_string(place.path("app.ini")).unwrap();
            prop_assert_eq!(text, if on[0] { "cache\n" } else { "original\n" });
            prop_assert_eq!(place.path("new.ini").exists(), on[1]);
        }
        if !by_drop {
            prop_assert!(board.put_back().is_complete());
        }
        drop(board);
        place.assert_as_it_was();
    }
}
