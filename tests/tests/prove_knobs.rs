//! What `unladen prove` switches, and that all of it is put back, however a run ends.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use unladen_tests::{Call, Lab, Reply, SHORT_LOAD, Server};

/// A file knob that goes on, then one whose command does what `on` says.
fn two_knobs(server: &Server, on: &str) -> Lab {
    let lab = Lab::new();
    lab.write("app.ini", "cache = 1\n# \u{fc}ber\n");
    lab.write(
        "experiment.toml",
        &format!(
            r#"url = "{}"
design = "factorial"
{SHORT_LOAD}
[[knob]]
name = "no cache"
on = {{ file = "app.ini", text = "cache = 0\n" }}
[[knob]]
name = "command"
on = {{ command = '''{on}''' }}
off = {{ command = "echo off >state" }}
"#,
            server.url("/")
        ),
    );
    lab.write("state", "off\n");
    lab
}

/// One file knob, in an experiment that lasts far longer than any test waits.
fn endless(server: &Server) -> Lab {
    let lab = Lab::new();
    lab.write("app.ini", "cache = 1\n");
    lab.write(
        "experiment.toml",
        &format!(
            "url = \"{}\"\n{}\n[[knob]]\nname = \"no cache\"\non = {{ file = \"app.ini\", text = \"cache = 0\\n\" }}\n",
            server.url("/"),
            SHORT_LOAD.replace("\"1s\"", "\"10min\"")
        ),
    );
    lab
}

const PATCH: &str = "--- a/code.txt\n+++ b/code.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n";

#[test]
fn each_kind_of_knob_is_on_in_the_candidate_and_off_in_the_baseline() {
    let lab = Lab::new();
    let folder = lab.folder().to_owned();
    // What the server saw of the system, by what it was asked for.
    let (seen, tell) = std::sync::mpsc::channel::<(bool, [bool; 5])>();
    let seen = std::sync::Mutex::new(seen);
    let server = Server::replying(move |asked| {
        let holds = |name: &str, text: &str| std::fs::read_to_string(folder.join(name)).is_ok_and(|own| own == text);
        let state = [
            holds("app.ini", "cache = 0\n"),
            holds("state", "on\n"),
            holds("environment", "APP_CACHE=no more\n"),
            holds("code.txt", "one\nzwei\nthree\n"),
            asked.request.header("x-cache") == Some("off"),
        ];
        let _ = seen.lock().unwrap().send((asked.request.line.contains(" /b "), state));
        std::thread::sleep(Duration::from_millis(2));
        Reply::good()
    });
    lab.write("app.ini", "cache = 1\n");
    lab.write("state", "off\n");
    lab.write("code.txt", "one\ntwo\nthree\n");
    lab.write("fix.patch", PATCH);
    lab.write(
        "experiment.toml",
        &format!(
            r#"url = "{}"
{SHORT_LOAD}
[[service]]
name = "app"
restart = 'echo "APP_CACHE=$APP_CACHE" >environment; echo started >>starts'
ready = {{ command = "test -s environment" }}
[[knob]]
name = "everything"
restart = "app"
on = [
  {{ file = "app.ini", text = "cache = 0\n" }},
  {{ command = "echo on >state" }},
  {{ env = {{ APP_CACHE = "no more" }} }},
  {{ patch = "fix.patch", dir = "." }},
  {{ url = "{}" }},
  {{ header = "X-Cache: off" }},
]
off = [{{ command = "echo off >state" }}]
"#,
            server.url("/a"),
            server.url("/b")
        ),
    );
    let done = lab.prove().args(["--no-weights", "--json"]).run();
    let done = done.succeeded();
    let document = done.document();
    assert_eq!(document["ended"], "complete");
    let mut counts = [0, 0];
    for (is_candidate, state) in tell.try_iter() {
        assert_eq!(state, [is_candidate; 5], "file, command, environment, patch, header");
        counts[usize::from(is_candidate)] += 1;
    }
    assert!(counts[0] > 50 && counts[1] > 30, "{counts:?}");
    // As it was.
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert_eq!(lab.read("state"), "off\n");
    assert_eq!(lab.read("code.txt"), "one\ntwo\nthree\n");
    assert_eq!(lab.read("environment"), "APP_CACHE=\n", "restarted without the variable");
    assert!(!lab.has_journal());
    let told = document["put_back"].to_string();
    assert!(told.contains("everything") && told.contains("app"), "{told}");
}

#[test]
fn a_knob_that_fails_to_go_on_ends_with_9_and_the_others_are_put_back() {
    let server = Server::good();
    let lab = two_knobs(&server, "echo on >state; echo it is broken; exit 3");
    let before = lab.read("app.ini");
    let done = lab.prove().args(["--no-weights"]).run().ended_with(9);
    done.says(["the knob `command` could not be switched on", "it is broken", "status 3", "put back"]).shows_nothing();
    assert_eq!(lab.read("app.ini"), before);
    assert_eq!(lab.read("state"), "off\n");
    assert!(!lab.has_journal());
}

#[test]
fn what_cannot_be_put_back_ends_with_10_and_tells_what_to_type() {
    let server = Server::good();
    let lab = Lab::of(&format!(
        "url = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"stuck\"\non = {{ command = \"exit 1\" }}\noff = {{ command = \"test -e key\" }}\n",
        server.url("/")
    ));
    let done = lab.prove().args(["--no-weights"]).run().ended_with(10);
    done.says(["NOT put back", "by hand", "test -e key", "--restore", "could not be switched on"]).shows_nothing();
    assert!(lab.has_journal());
    // With the reason gone, it can.
    lab.write("key", "");
    lab.restore().run().succeeded();
    assert!(!lab.has_journal());
}

#[test]
fn a_patch_that_does_not_apply_ends_with_9_before_anything_is_sent_to_an_arm() {
    let server = Server::good();
    let lab = Lab::of(&format!(
        "url = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"fix\"\non = {{ patch = \"fix.patch\", dir = \".\" }}\n",
        server.url("/")
    ));
    lab.write("code.txt", "something else\n");
    lab.write("fix.patch", PATCH);
    lab.prove().run().ended_with(9).says(["the knob `fix` cannot be switched", "fix.patch"]).shows_nothing();
    assert_eq!(lab.read("code.txt"), "something else\n");
    assert!(server.received().is_empty(), "nothing was measured");
    assert!(!lab.has_journal());
}

#[test]
fn a_service_that_does_not_come_back_ends_with_9() {
    let server = Server::good();
    let lab = Lab::new();
    lab.write("app.ini", "cache = 1\n");
    // It starts as long as the file is as it was.
    lab.write(
        "experiment.toml",
        &format!(
            r#"url = "{}"
{SHORT_LOAD}
[[service]]
name = "app"
restart = "true"
ready = {{ command = "grep -q 'cache = 1' app.ini", within = "300ms" }}
[[knob]]
name = "no cache"
restart = "app"
on = {{ file = "app.ini", text = "cache = 0\n" }}
"#,
            server.url("/")
        ),
    );
    let done = lab.prove().args(["--no-weights"]).run().ended_with(9);
    done.says(["app is not ready", "put back"]).shows_nothing();
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
}

/// A run ended by a 502 that came 0.6 s after the reload of PHP-FPM.
#[test]
fn a_service_that_answers_502_for_a_while_after_its_restart_is_waited_for() {
    let lab = Lab::new();
    let starts = lab.path("starts");
    let server = Server::replying(move |_| {
        let restarts = std::fs::read_to_string(&starts).map_or(0, |text| text.lines().count());
        let ago = starts.metadata().and_then(|file| file.modified()).ok().and_then(|at| at.elapsed().ok());
        // An old worker still answers; then nobody does. The first restarts are enough, for the test to be short.
        let between = Duration::from_millis(50)..Duration::from_millis(650);
        let is_down = restarts < 6 && ago.is_some_and(|ago| between.contains(&ago));
        Reply::text(if is_down { "502 Bad Gateway" } else { "200 OK" }, "ok\n")
    });
    lab.write("app.ini", "cache = 1\n");
    lab.write(
        "experiment.toml",
        &format!(
            "url = \"{}\"\n{SHORT_LOAD}\n[[service]]\nname = \"app\"\nrestart = \"echo started >>starts\"\n\
             [[knob]]\nname = \"no cache\"\nrestart = \"app\"\non = {{ file = \"app.ini\", text = \"cache = 0\\n\" }}\n",
            server.url("/")
        ),
    );
    let done = lab.prove().args(["--no-weights", "--json"]).run().succeeded();
    let document = done.document();
    assert_eq!(document["ended"], "complete");
    for arm in document["arms"].as_array().unwrap() {
        assert_eq!(arm["errors"], 0, "{arm}");
    }
    assert!(!done.stderr.contains("502"), "{done}");
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert!(!lab.has_journal());
}

#[test]
fn a_service_that_never_answers_again_ends_with_9_and_says_what_to_do() {
    let lab = Lab::new();
    let folder = lab.folder().to_owned();
    let server = Server::replying(move |_| {
        let is_on = std::fs::read_to_string(folder.join("app.ini")).is_ok_and(|text| text.contains('0'));
        Reply::text(if is_on { "502 Bad Gateway" } else { "200 OK" }, "ok\n")
    });
    lab.write("app.ini", "cache = 1\n");
    lab.write(
        "experiment.toml",
        &format!(
            "url = \"{}\"\n{SHORT_LOAD}\n[[service]]\nname = \"app\"\nrestart = \"true\"\n\
             ready = {{ command = \"true\", within = \"300ms\" }}\n\
             [[knob]]\nname = \"no cache\"\nrestart = \"app\"\non = {{ file = \"app.ini\", text = \"cache = 0\\n\" }}\n",
            server.url("/")
        ),
    );
    let done = lab.prove().args(["--no-weights"]).run().ended_with(9);
    done.says([
        "the service `app` does not answer as before: 300ms after `true`",
        &server.url("/"),
        "502 Bad Gateway",
        "`ready`",
        "put back",
    ])
    .shows_nothing();
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert!(!lab.has_journal());
}

#[test]
fn a_candidate_that_answers_500_ends_with_4_and_the_arms_name() {
    let lab = Lab::new();
    let folder = lab.folder().to_owned();
    let server = Server::replying(move |_| {
        let is_on = std::fs::read_to_string(folder.join("app.ini")).is_ok_and(|text| text.contains('0'));
        Reply::text(if is_on { "500 Internal Server Error" } else { "200 OK" }, "ok\n")
    });
    lab.write("app.ini", "cache = 1\n");
    lab.write(
        "experiment.toml",
        &format!(
            "url = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"no cache\"\non = {{ file = \"app.ini\", text = \"cache = 0\\n\" }}\n",
            server.url("/")
        ),
    );
    let done = lab.prove().args(["--no-weights"]).run().ended_with(4);
    done.says(["in the arm `no cache`", "500 Internal Server Error", "put back"]).shows_nothing();
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert!(!lab.has_journal());
}

#[test]
fn a_candidate_that_breaks_amid_the_run_ends_it_with_4_and_the_reason() {
    let lab = Lab::new();
    let folder = lab.folder().to_owned();
    let of_candidate = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::replying(move |_| {
        std::thread::sleep(Duration::from_millis(2));
        let is_on = std::fs::read_to_string(folder.join("app.ini")).is_ok_and(|text| text.contains('0'));
        let asked = if is_on { of_candidate.fetch_add(1, std::sync::atomic::Ordering::Relaxed) } else { 0 };
        Reply::text(if asked > 100 { "503 Service Unavailable" } else { "200 OK" }, "ok\n")
    });
    lab.write("app.ini", "cache = 1\n");
    lab.write(
        "experiment.toml",
        &format!(
            "url = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"no cache\"\non = {{ file = \"app.ini\", text = \"cache = 0\\n\" }}\n",
            server.url("/")
        ),
    );
    let done = lab.prove().args(["--no-weights"]).run().ended_with(4);
    done.says(["in the arm `no cache`", "503 Service Unavailable", "put back"]);
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert!(!lab.has_journal());
}

#[test]
fn ctrl_c_puts_back_and_ends_with_130() {
    let server = Server::good();
    let lab = endless(&server);
    // The last comes when a terminal is gone, as with the connection of ssh: it left everything switched.
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // Tests that are run by nohup have it ignored, and so had this.
        let running = lab.prove().args(["--no-weights"]).through(["env", "--default-signal=HUP"]).start();
        lab.wait_until("app.ini", "cache = 0");
        running.signal(signal);
        running.wait().ended_with(130).says(["put back", "interrupted"]).shows_nothing();
        assert_eq!(lab.read("app.ini"), "cache = 1\n");
        assert!(!lab.has_journal());
    }
}

#[test]
fn a_run_that_is_started_by_nohup_goes_on_without_its_terminal() {
    let server = Server::good();
    let lab = endless(&server);
    let running = lab.prove().args(["--no-weights"]).through(["nohup"]).start();
    lab.wait_until("app.ini", "cache = 0");
    running.signal(Signal::SIGHUP);
    lab.wait_until("app.ini", "cache = 1");
    lab.wait_until("app.ini", "cache = 0");
    running.interrupt();
    running.wait().ended_with(130);
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
}

#[test]
fn ctrl_c_amid_a_command_puts_back() {
    let server = Server::good();
    let lab = two_knobs(&server, "echo on >state; sleep 60");
    let running = lab.prove().args(["--no-weights"]).start();
    lab.wait_until("state", "on");
    running.interrupt();
    running.wait().ended_with(130);
    assert_eq!(lab.read("state"), "off\n");
    assert_eq!(lab.read("app.ini"), "cache = 1\n# \u{fc}ber\n");
    assert!(!lab.has_journal());
}

#[test]
fn a_second_ctrl_c_while_everything_is_put_back_does_not_stop_that() {
    let server = Server::good();
    let lab = two_knobs(&server, "echo on >state; sleep 60");
    let slow = lab.read("experiment.toml").replace("echo off >state", "echo goes off >state; sleep 1; echo off >state");
    lab.write("experiment.toml", &slow);
    let running = lab.prove().args(["--no-weights"]).start();
    lab.wait_until("state", "on");
    running.interrupt();
    lab.wait_until("state", "goes off");
    running.interrupt();
    running.wait().ended_with(130).says(["putting everything back", "put back: "]);
    assert_eq!(lab.read("state"), "off\n");
    assert_eq!(lab.read("app.ini"), "cache = 1\n# \u{fc}ber\n");
    assert!(!lab.has_journal());
}

/// The output of commands goes to a file there: none was run any more, those that put back neither.
#[test]
fn a_folder_for_temporary_files_that_goes_meanwhile_is_no_reason_not_to_put_back() {
    let server = Server::good();
    let lab = two_knobs(&server, "rm -rf tmp; echo on >state");
    std::fs::create_dir(lab.path("tmp")).unwrap();
    lab.prove().args(["--no-weights"]).env("TMPDIR", lab.path("tmp")).run().succeeded();
    assert!(!lab.path("tmp").exists());
    assert_eq!(lab.read("state"), "off\n");
    assert_eq!(lab.read("app.ini"), "cache = 1\n# \u{fc}ber\n");
    assert!(!lab.has_journal());
}

fn killed(lab: &Lab) {
    let running = lab.prove().args(["--no-weights"]).start();
    lab.wait_until("app.ini", "cache = 0");
    running.signal(Signal::SIGKILL);
    assert_eq!(running.wait().code, None);
    assert_eq!(lab.read("app.ini"), "cache = 0\n", "nobody was there to put it back");
    assert!(lab.has_journal());
}

#[test]
fn after_sigkill_restore_puts_back() {
    let server = Server::good();
    let lab = endless(&server);
    killed(&lab);
    lab.restore().run().succeeded().shows(["put back", "no cache"]);
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert!(!lab.has_journal());
    lab.restore().run().succeeded().shows(["there was nothing to put back"]);
}

#[test]
fn after_sigkill_the_next_run_puts_back_first_and_says_so() {
    let server = Server::good();
    let lab = endless(&server);
    killed(&lab);
    let sent = server.received().len();
    let running = lab.prove().args(["--no-weights"]).start();
    while server.received().len() < sent + 20 {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.interrupt();
    running.wait().ended_with(130).says(["an earlier run was killed", "put back", "no cache"]);
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
    assert!(!lab.has_journal());
}

#[test]
fn restore_of_a_file_that_never_was_is_an_error() {
    let lab = Lab::new();
    let file = lab.path("mistyped.toml");
    let done = Call::prove(["--restore"]).args([&file]).run().ended_with(2);
    done.says(["mistyped.toml", "No such file", "was left behind"]).shows_nothing();
    Call::prove(["--restore"]).args([lab.folder()]).run().ended_with(2).says(["it is not a file"]).shows_nothing();
}

#[test]
fn a_file_in_a_folder_that_is_not_there_is_told_before_the_first_request() {
    let server = Server::good();
    let knob = "[[knob]]\nname = \"typo\"\non = { file = \"no/such/folder/app.ini\", text = \"x\" }\n";
    let lab = Lab::of(&format!("url = \"{}\"\n{SHORT_LOAD}\n{knob}", server.url("/")));
    let done = lab.prove().run().ended_with(9);
    done.says(["the knob `typo` cannot be switched", "no/such/folder, which does not exist"]).shows_nothing();
    assert_eq!(server.received().len(), 0);
    assert!(!lab.path("no").exists());
}

#[test]
fn restore_of_a_file_that_is_gone_still_puts_back() {
    let server = Server::good();
    let lab = endless(&server);
    killed(&lab);
    std::fs::remove_file(lab.path("experiment.toml")).unwrap();
    lab.restore().run().succeeded();
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
}

#[test]
fn two_runs_of_one_experiment_refuse_each_other() {
    let server = Server::good();
    let lab = endless(&server);
    let first = lab.prove().args(["--no-weights"]).start();
    lab.wait_until("app.ini", "cache = 0");
    lab.prove().run().ended_with(9).says(["another run of this experiment is under way"]).shows_nothing();
    lab.restore().run().ended_with(9).says(["another run"]).shows_nothing();
    first.interrupt();
    first.wait().ended_with(130);
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
}

#[test]
fn what_is_wrong_in_a_file_is_shown_with_its_place_and_nothing_is_switched() {
    let lab = Lab::new();
    lab.write("app.ini", "cache = 1\n");
    let load = "url = \"http://127.0.0.1:1/\"\n[load]\nrate = 40\ntime = \"1min\"\n";
    let knob = "[[knob]]\nname = \"x\"\n";
    for (text, place, words) in [
        (format!("{load}rat = 4\n{knob}on = {{ header = \"X: y\" }}\n"), ":5:1", "rat"),
        (format!("{load}{knob}on = {{ file = \"app.ini\", txt = \"\" }}\n"), ":7:", "txt"),
        (format!("{load}{knob}on = {{ command = \"true\" }}\n"), ":7:", "off"),
        (format!("{load}phase = \"5 parsecs\"\n{knob}on = {{ header = \"X: y\" }}\n"), ":5:9", "parsecs"),
        (format!("{load}{knob}restart = \"php\"\non = {{ env = {{ A = \"1\" }} }}\n"), ":7:11", "php"),
        (format!("{load}{knob}on = {{ header = \"X: y\" \n"), ":7:", ""),
        (
            format!("url = \"ftp://x/\"\n[load]\nrate = 4\ntime = \"1min\"\n{knob}on = {{ header = \"X: y\" }}\n"),
            ":1:7",
            "ftp",
        ),
        (format!("design = \"abc\"\n{load}{knob}on = {{ header = \"X: y\" }}\n"), ":1:10", "did you mean `ab`"),
    ] {
        lab.write("experiment.toml", &text);
        let done = lab.prove().run().ended_with(2);
        assert!(done.stderr.contains(&format!("experiment.toml{place}")), "not at {place}\n{text}\n{done}");
        done.says([words]).shows_nothing();
        assert!(!lab.has_journal());
    }
    Call::prove(["/nonexistent/experiment.toml"]).run().ended_with(2).says(["/nonexistent/experiment.toml"]);
    let both = Call::prove(["--a", "http://127.0.0.1:1/"]).run();
    both.ended_with(2).says(["--b"]).shows_nothing();
    assert_eq!(lab.read("app.ini"), "cache = 1\n");
}

#[test]
fn check_lists_the_arms_and_touches_nothing() {
    let server = Server::good();
    let lab = two_knobs(&server, "echo on >state");
    let done = lab.prove().args(["--check"]).run().succeeded().says_nothing();
    done.shows(["factorial", "5 arms", "baseline again", "no cache", "command", "all", "in total, with warm-ups"]);
    assert!(server.received().is_empty());
    assert!(!lab.has_journal());
    assert_eq!(lab.read("app.ini"), "cache = 1\n# \u{fc}ber\n");
}

#[test]
fn an_unreachable_candidate_ends_with_3_and_its_name() {
    let server = Server::good();
    let lab = Lab::of(&format!(
        "url = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"elsewhere\"\non = {{ url = \"http://127.0.0.1:1/\" }}\n",
        server.url("/")
    ));
    lab.prove().run().ended_with(3).says(["in the arm `elsewhere`"]).shows_nothing();
}

#[test]
fn a_patch_in_a_git_repository_leaves_its_state_as_it_was() {
    let server = Server::good();
    let lab = Lab::of(&format!(
        "url = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"fix\"\non = {{ patch = \"fix.patch\", dir = \"app\" }}\n",
        server.url("/")
    ));
    lab.write("fix.patch", PATCH);
    std::fs::create_dir(lab.path("app")).unwrap();
    lab.write("app/code.txt", "one\ntwo\nthree\n");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Test", "-c", "user.email=test@example.org"]).args(words);
        let output = git.current_dir(lab.path("app")).output().unwrap();
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    git(&["add", "code.txt"]);
    git(&["commit", "--quiet", "-m", "x"]);
    let running = lab.prove().args(["--no-weights"]).start();
    lab.wait_until("app/code.txt", "zwei");
    running.interrupt();
    running.wait().ended_with(130);
    assert_eq!(git(&["status", "--porcelain"]), "");
    assert_eq!(lab.read("app/code.txt"), "one\ntwo\nthree\n");
}
