//! Where results go: full disks, closed pipes, terminals, files.

use std::fs::{File, OpenOptions};
use std::sync::LazyLock;

use unladen_tests::{Ability, Call, Subject, skip_without};

static FAULTS: LazyLock<Subject> = LazyLock::new(|| Subject::up("faults"));

fn quick() -> Call {
    Call::quick([FAULTS.url()])
}

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

const TABLES: [&str; 2] = ["/ok", "95 % interval"];

#[test]
fn a_full_disk_behind_standard_output_loses_nothing() {
    for args in [&["--json"][..], &[], &["-o", "/dev/null"]] {
        let done = quick().args(args).stdout(full()).run().ended_with(6);
        if args == ["-o", "/dev/null"] {
            // A whole copy was written, wherever the caller wanted it.
            assert!(!done.stderr.contains(TABLES[1]), "{done}");
            continue;
        }
        done.says(["cannot write the result to standard output: No space left on device"]).says(TABLES);
    }
}

#[test]
fn a_locale_without_utf_8_gets_ascii() {
    let file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    let path = file.path().to_str().unwrap();
    let plain = quick().env("LC_ALL", "C").args(["-o", path]).run().ended_with(0);
    assert!(plain.stdout.is_ascii() && plain.stderr.is_ascii(), "{plain}");
    assert!(plain.stdout.contains("+/-"), "{plain}");
    assert!(std::fs::read(path).unwrap().is_ascii());
    // What decides comes first, even if something else is said after it.
    let full = quick().env("LC_ALL", "C.UTF-8").env("LANG", "C").run().ended_with(0);
    assert!(full.stdout.contains('±'), "{full}");
}

#[test]
fn a_full_disk_behind_a_file_loses_nothing() {
    let done = quick().args(["--json", "-o", "/dev/full"]).run().ended_with(6);
    let done = done.says(["cannot write the result to /dev/full: No space left on device"]);
    assert_eq!(done.document()["ended"], "complete");
    assert!(!done.stderr.contains(TABLES[1]), "standard output has it, and nobody wants it twice\n{done}");
    // Where nobody reads that, the tables are the only copy.
    let script = r#"exec "$@" | true"#;
    let done = quick().args(["-o", "/dev/full"]).through_shell(script).run();
    done.says(["No space left on device"]).says(TABLES);
}

#[test]
fn a_disk_that_fills_up_keeps_the_file_that_was_there() {
    if skip_without(Ability::PrivateMounts, "a_disk_that_fills_up_keeps_the_file_that_was_there") {
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    // The disk exists for the shell and what it starts: what is on it has to be shown from within.
    let script = r#"mount -t tmpfs -o size=8k none "$DISK" && echo old > "$DISK/result.json" && "$@" -o "$DISK/result.json" >/dev/null
        code=$?; cat "$DISK/result.json"; ls "$DISK"; exit $code"#;
    let call = quick().env("DISK", disk.path()).through(["unshare", "--mount"]).through_shell(script);
    let done = call.run().ended_with(6).says(["cannot write the result", "No space left"]);
    assert_eq!(done.stdout, "old\nresult.json\n", "{done}");
}

#[test]
fn a_folder_that_is_not_there() {
    let done = quick().args(["-o", "/nowhere/result.json"]).run();
    done.ended_with(6).says(["cannot write the result to /nowhere/result.json"]).shows_nothing();
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let script = r#""$@" | head -1; echo "${PIPESTATUS[0]}""#;
    for args in [&["--json"][..], &[]] {
        let done = quick().args(args).through_shell(script).run().succeeded().says_nothing();
        let lines: Vec<_> = done.stdout.lines().collect();
        assert_eq!((lines.len(), lines.last()), (2, Some(&"0")), "{done}");
    }
}

#[test]
fn files_go_by_their_ending_and_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("result.json"), "old").unwrap();
    let (json, svg, text) = (path("result.json"), path("result.svg"), path("result"));
    let done = quick().args(["-o", &json, "-o", &svg, "-o", &text]).run().succeeded().says_nothing().shows(TABLES);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert!(read(&json).contains("\"unladen.weigh/1\""), "{done}");
    assert!(read(&svg).contains("<svg"), "{done}");
    assert!(read(&text).contains("latency of these requests"), "{done}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 3, "nothing else is left");
}

#[test]
fn without_a_terminal_there_are_no_escapes_and_no_progress() {
    let done = quick().env("TERM", "xterm").run().succeeded().says_nothing();
    assert!(!done.stdout.contains('\u{1b}'), "{done}");
}

/// On a pseudo-terminal; progress would be on standard error.
fn on_a_terminal(call: Call) -> String {
    let script = r#"exec script --quiet --return --command "$(printf '%q ' "$@") 2>/dev/null" /dev/null"#;
    call.env("TERM", "xterm").through_shell(script).run().succeeded().shows(["--details"]).stdout
}

#[test]
fn a_terminal_has_colours_unless_they_are_refused() {
    let bold = "\u{1b}[";
    assert!(on_a_terminal(quick()).contains(bold));
    let plain = on_a_terminal(quick().env("NO_COLOR", "1"));
    assert!(!plain.contains(bold), "{plain}");
    let dumb = on_a_terminal(quick().through(["env", "TERM=dumb"]));
    assert!(!dumb.contains(bold), "{dumb}");
}

#[test]
fn progress_is_on_a_terminal_unless_it_is_refused() {
    let script = r#"exec script --quiet --return --command "$(printf '%q ' "$@") >/dev/null" /dev/null"#;
    let on_terminal = |call: Call| call.env("TERM", "xterm").through_shell(script).run().succeeded().stdout;
    assert!(on_terminal(quick()).contains("warming up"));
    assert_eq!(on_terminal(quick().args(["--quiet"])), "");
}
