//! Files as other profilers write them, and what their own tools make of them: of each odd case that FlameGraph's,
//! inferno's, Speedscope's, Firefox Profiler's, py-spy's and Austin's fixtures have, a small file of the same shape.
#![allow(clippy::unwrap_used, clippy::panic)]

use unladen_profile::{FrameKind, Profile, read};

/// Each stack with its weight, sorted: `main;find@app.py:3 12`. Kernel frames end in `_[k]`.
fn stacks(profile: &Profile) -> Vec<String> {
    let frame = |id| {
        let frame = profile.frames.get(id);
        let mark = if frame.kind == FrameKind::Kernel { "_[k]" } else { "" };
        let file = if frame.file.is_empty() { String::new() } else { format!("@{}", frame.file) };
        let line = if frame.line > 0 { format!(":{}", frame.line) } else { String::new() };
        format!("{}{mark}{file}{line}", frame.name)
    };
    let stack = |stack| profile.stacks.outwards_in(stack).into_iter().map(frame).collect::<Vec<_>>().join(";");
    let weights = profile.stacks.iter().zip(profile.self_weights()).filter(|(_, weight)| *weight > 0);
    let mut stacks: Vec<String> = weights.map(|(id, weight)| format!("{} {weight}", stack(id))).collect();
    stacks.sort();
    stacks
}

fn read_text(name: &str, text: &str) -> Result<Profile, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    read(&file, None).map_err(|error| error.to_string())
}

/// What is read, the unit, and the beginning of what is noted.
type Read<'a> = (&'a [&'a str], &'a str, &'a str);

#[track_caller]
fn are_read(files: &[(&str, &str, Read<'_>)]) {
    for (name, text, (expected, unit, note)) in files {
        let profile = read_text(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(stacks(&profile), *expected, "{name}");
        assert_eq!(profile.about.unit.into_str(), *unit, "{name}");
        let notes = profile.notes.join("\n");
        assert_eq!(notes.is_empty(), note.is_empty(), "{name}: {notes}");
        assert!(notes.contains(note), "{name}: {notes}");
    }
}

#[test]
fn collapsed_stacks() {
    are_read(&[
        ("crlf", "a;b 5\r\na;b;c 5\r\na 4\r\n", (&["a 4", "a;b 5", "a;b;c 5"], "samples", "")),
        ("recursion", "a;b;a;b 2\na;a 1\na;b;a;b 1\n", (&["a;a 1", "a;b;a;b 3"], "samples", "")),
        (
            "spaces in names",
            "cc;<Vec<T> as Extend<T, I>>::from_iter;copy@GLIBC_2 3\n",
            (&["cc;<Vec<T> as Extend<T, I>>::from_iter;copy@GLIBC_2 3"], "samples", ""),
        ),
        ("fractions", "a;b 1.25\na;c_[k] 2.5\n", (&["a;b 125", "a;c_[k] 250"], "samples", "have fractions")),
        ("no names", "a;-;-- 3\n", (&["a;-;-- 3"], "samples", "")),
    ]);
}

/// FlameGraph, inferno and Speedscope pass over them.
#[test]
fn a_line_that_is_no_stack_refused_a_whole_file_of_stacks() {
    are_read(&[
        (
            "words",
            "a;b 3\nTHESE ARE WORDS\na;c 4\na;b 12V.4\n\na 1\n",
            (
                &["a 1", "a;b 3", "a;c 4"],
                "samples",
                "no stack, and left out: 2 of 5 lines, the first of them line 2: expected a number after the last space",
            ),
        ),
        (
            "comments",
            "# of a test\n// of a test\na;b 1\na;b 2\na;c 4\n",
            (&["a;b 3", "a;c 4"], "samples", "left out: 2 of 5 lines, the first of them line 1: "),
        ),
        (
            "no weight",
            "a;b 3\na;read_[k];call_[k]\na;c 4\n",
            (&["a;b 3", "a;c 4"], "samples", "the first of them line 2: "),
        ),
    ]);
    // A text with a number here and there is none.
    for text in ["a;b 3\nand\nso on\n", "Chapter 1\nIn the beginning\nChapter 2\nChapter 3\n", "a;b 1\nb\n"] {
        assert!(read_text("text", text).unwrap_err().contains("not a known profile"), "{text}");
    }
}

#[test]
fn py_spys_stacks() {
    are_read(&[
        (
            "process",
            "process 7:\"app.py x\";<module> (app.py:3);K.run.<locals>.<lambda> (app.py:9) 2\n",
            (&["process 7:\"app.py x\";<module>@app.py:3;K.run.<locals>.<lambda>@app.py:9 2"], "samples", ""),
        ),
        (
            "thread",
            "thread (71): MainThread;run (<string>:2) 2\n",
            (&["thread (71): MainThread;run@<string>:2 2"], "samples", ""),
        ),
    ]);
}

/// `--nolineno`, and native frames.
#[test]
fn a_file_without_a_line_became_part_of_py_spys_functions() {
    are_read(&[
        (
            "no lines",
            "<module> (app.py);dyn (<string>);näm (lib/x.py) 2\n",
            (&["<module>@app.py;dyn@<string>;näm@lib/x.py 2"], "samples", ""),
        ),
        (
            "native",
            "0x7f52b9a4 (libc.so.6);run (app.py:3);wait (libpython3.11.so.1.0);f (x.cpython-311.so) 2\n",
            (&["0x7f52b9a4@libc.so.6;run@app.py:3;wait@libpython3.11.so.1.0;f@x.cpython-311.so 2"], "samples", ""),
        ),
        (
            "arguments of others",
            "f (int);g (deleted);thread (71) 2\n",
            (&["f (int);g (deleted);thread (71) 2"], "samples", ""),
        ),
    ]);
}

#[test]
fn austins_stacks() {
    are_read(&[
        (
            "states",
            "# austin: 3.7.0\n# mode: cpu\n# map: 55-56 /bin/x y\n\nP7;T0:7;:INVALID:;/a.py:f:3;:GC: 2\nP7;T0:7 1\n",
            (&["P7;T0:7 1000", "P7;T0:7;:INVALID:;f@/a.py:3;:GC: 2000"], "ns of CPU", ""),
        ),
        (
            "no head",
            "P7;T0x7f;<frozen x>:f:3;m.py:<lambda>:4 2\n",
            (&["P7;T0x7f;f@<frozen x>:3;<lambda>@m.py:4 2"], "samples", "read as Austin's"),
        ),
    ]);
}

/// `austin --full`: time, whether it was idle, and memory.
#[test]
fn three_figures_of_austin_were_no_number() {
    let text =
        "# austin: 3.7.0\n# mode: full\n# memory: 99\n\nP7;T0:7;/a.py:f:3 1066,0,-8192\nP7;T0:7;/a.py:f:3 34,1,0\n";
    are_read(&[("full", text, (&["P7;T0:7;f@/a.py:3 1100000"], "ns", ""))]);
}

#[test]
fn memory_given_back_refused_austins_file() {
    let stacks = "P7;T0:7;/a.py:f:3 8192\nP7;T0:7;/a.py:f:3 -4096\nP7;T0:7 -1\nP7;T0:7 -1\n";
    let text = format!("# austin: 3.7.0\n# mode: memory\n\n{stacks}");
    let note = "3 samples of memory that was given back are left out";
    are_read(&[("memory", &text, (&["P7;T0:7;f@/a.py:3 8192"], "bytes", note))]);
    assert!(read_text("x.folded", stacks).unwrap_err().contains("line 2: expected a number that is not negative"));
}

#[test]
fn a_function_that_austin_cannot_name_was_its_file() {
    let text = "# austin: 3.7.0\n# mode: wall\n\nP7;T0:7;/srv/a.py:f:3;/srv/a.py::9;a::b:12 2\n";
    are_read(&[("nameless", text, (&["P7;T0:7;f@/srv/a.py:3;[unknown]@/srv/a.py:9;a::b:12 2000"], "ns", ""))]);
}

#[test]
fn binary_recordings_are_refused_with_what_converts_them() {
    for (begin, command) in [("MOJ\u{3}", "mojo2austin"), ("PERFILE2", "perf script")] {
        let error = read_text("recording", begin).unwrap_err();
        assert!(error.contains(command), "{error}");
    }
}

/// A sample of `perf script` with these frames.
fn perf(frames: &str) -> String {
    format!("java 12 1.500000:     100 cycles: \n{frames}\n")
}

#[test]
fn an_address_without_a_symbol_was_a_function() {
    let text = perf("\t    7f1e2215d058  (/lib/libc-2.15.so)\n\t    7f1e2215d058 add (/bin/x)\n");
    are_read(&[("perf", &text, (&["java;add@/bin/x;[libc-2.15.so]@/lib/libc-2.15.so 1"], "samples", ""))]);
    // A function may be called like that.
    let text = perf("\tadd (/bin/x)\n\t    7f1e2215d058 main (/bin/x)\n");
    are_read(&[("perf", &text, (&["java;main@/bin/x;add@/bin/x 1"], "samples", ""))]);
}

#[test]
fn an_address_was_part_of_a_symbol_that_begins_with_a_bracket() {
    let text = perf("\t    7f1e2215d058 (anonymous namespace)::f(int) (/bin/x)\n\t    7f1e2215d060 main\n");
    are_read(&[("perf", &text, (&["java;main;(anonymous namespace)::f(int)@/bin/x 1"], "samples", ""))]);
}

/// perf-map-agent's `unfoldall`. Of other modules it is C++.
#[test]
fn functions_inlined_by_java_were_one_function() {
    let text = perf(
        "\t    7f1e LOut;::println->LOut;::print->LWriter;::write (/tmp/perf-12.map)\n\t    7f1f Ptr::operator->() (/bin/x)\n",
    );
    let expected = "java;Ptr::operator->()@/bin/x;LOut;::println;LOut;::print;LWriter;::write 1";
    are_read(&[("perf", &text, (&[expected], "samples", ""))]);
}

#[test]
fn a_browsers_recording_with_markers_was_refused_for_their_types() {
    for fields in [
        r#""libs":"[]","threads":[]"#,
        r#""libs":[],"threads":[{"markers":{"schema":{"name":0,"time":1},"data":[[4,0,{"type":"x"}]]}}]"#,
    ] {
        let text = format!(r#"{{"meta":{{"version":31,"interval":1,"stackwalk":1}},{fields}}}"#);
        let error = read_text("recording", &text).unwrap_err();
        assert!(error.contains("https://profiler.firefox.com"), "{error}");
    }
}
