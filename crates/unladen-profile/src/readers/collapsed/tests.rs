use proptest::prelude::*;

use super::*;
use crate::frame::FrameKind;
use crate::tests::testing::{Named, by_name, profiles};
use crate::writers::{self, Writer};

fn read(text: &str) -> Result<Profile, String> {
    Collapsed.read(&mut Input::new(&mut text.as_bytes())).map_err(|error| error.to_string())
}

fn stacks(text: &str) -> Vec<(String, u64)> {
    let joined = |(stack, weight): (Vec<Named>, u64)| {
        (stack.into_iter().map(|(name, ..)| name).collect::<Vec<_>>().join(";"), weight)
    };
    by_name(&read(text).unwrap()).into_iter().map(joined).collect()
}

#[test]
fn what_stackcollapse_writes() {
    let text = "java;[unknown];void Foo::bar(int, char) const;do_syscall_64_[k];ksys read_[k] 12\n\
                java;LFoo;_[j] 3\r\njava 1\n\njava 2";
    assert_eq!(
        stacks(text),
        [
            ("java".to_owned(), 3),
            ("java;LFoo;_[j]".to_owned(), 3),
            ("java;[unknown];void Foo::bar(int, char) const;do_syscall_64;ksys read".to_owned(), 12),
        ]
    );
    let profile = read(text).unwrap();
    let kinds: Vec<FrameKind> =
        profile.frames.iter().filter(|(_, frame)| frame.name.contains("sy")).map(|(_, frame)| frame.kind).collect();
    assert_eq!(kinds, [FrameKind::Kernel; 2]);
    assert_eq!((profile.clusters.len(), profile.requests()), (1, None));
}

/// py-spy 0.4's `--format raw`.
#[test]
fn what_py_spy_writes() {
    let text = "<module> (app.py:12);handle (app.py:7);loads (json/__init__.py:346) 41\n\
                process 12:\"worker\";run (t.py:1) 2\n";
    assert_eq!(stacks(text).iter().map(|(_, weight)| weight).sum::<u64>(), 43);
    assert!(Collapsed.recognises(text.as_bytes()));
}

/// Of Excimer 1.0.4: some lines begin with `;`, which stands for no function.
#[test]
fn what_excimer_writes() {
    let text = "/srv/a.php;N\\A::b;{closure:/srv/a.php(2)} 383\n;/srv/a.php 352\n\
                ;/srv/a.php;/srv/a.php(8)_:_eval()'d_code;q 5\n/srv/a.php 8\n";
    assert_eq!(
        stacks(text),
        [
            ("/srv/a.php".to_owned(), 360),
            ("/srv/a.php;/srv/a.php(8)_:_eval()'d_code;q".to_owned(), 5),
            ("/srv/a.php;N\\A::b;{closure:/srv/a.php(2)}".to_owned(), 383),
        ]
    );
    assert!(Collapsed.recognises(text.as_bytes()));
}

/// Another of py-spy 0.4: what it sees outside all functions is a number alone.
#[test]
fn a_function_of_py_spy_has_its_place() {
    let text = "<module> (app.py:10);main (app.py:9) 19\n 2\n<module> (app.py:10);main (app.py:8) 3\n";
    assert!(Collapsed.recognises(text.as_bytes()));
    assert!(Collapsed.recognises(b" 2\nmain (app.py:9) 19\n"));
    let profile = Collapsed.read(&mut Input::new(&mut text.as_bytes())).unwrap();
    assert_eq!(profile.total(), 24);
    let frames: Vec<Frame<'_>> = profile.frames.iter().map(|(_, frame)| frame).collect();
    let frame = |name, line| Frame { name, file: "app.py", line, kind: FrameKind::Function };
    assert_eq!(frames, [frame("<module>", 10), frame("main", 9)]);
}

#[test]
fn what_lines_share_is_shared_and_no_more() {
    let text = "a;bc;d 1\na;b 2\na;bc 4\na;bc;d;e 8\na;bc;de 16\na 32\na;bc;d 64\nab;bc 128\n";
    let weights: Vec<(String, u64)> = stacks(text);
    assert_eq!(
        weights,
        [("a", 32), ("a;b", 2), ("a;bc", 4), ("a;bc;d", 65), ("a;bc;d;e", 8), ("a;bc;de", 16), ("ab;bc", 128)]
            .map(|(stack, weight)| (stack.to_owned(), weight))
    );
}

#[test]
fn faults_name_their_line() {
    for (text, fault) in [
        ("a;b 1\n\na;b\n", "collapsed, line 3: expected a stack, a space and a number"),
        ("a;b 1\na;b x\n", "collapsed, line 2: expected a number after the last space"),
        ("a 1.5e3\n", "collapsed, line 1: expected a number after the last space"),
        ("a -1\n", "collapsed, line 1: expected a number that is not negative after the last space"),
        ("a 18446744073709551616\n", "collapsed, line 1: the number is beyond 64 bits"),
        ("a 1\na 18446744073709551615\n", "collapsed, line 2: the weights add up to more than 64 bits can hold"),
    ] {
        assert_eq!(read(text).unwrap_err(), fault);
    }
    let deep = format!("a{} 1\n", ";a".repeat(MAX_DEPTH));
    assert_eq!(read(&deep).unwrap_err(), "collapsed, line 1: more frames than any stack has");
    let long = format!("a 1\n{} 1\n", "a".repeat(MAX_LINE));
    assert_eq!(read(&long).unwrap_err(), format!("collapsed, line 2: longer than {MAX_LINE} bytes"));
    assert_eq!(stacks("a 12.0\na 3.\n"), [("a".to_owned(), 15)]);
}

#[test]
fn only_collapsed_stacks_are_recognised() {
    for text in ["a;b 1\n", "main 3", "a b c;d 1\r\n\r\na 2\r\n"] {
        assert!(Collapsed.recognises(text.as_bytes()), "{text}");
    }
    for text in ["", "\n\n", "hello world\n", "a;b 1\nhello\n", "12\n", "  12\n", "{\"a\": 1}\n", "a\0b 1\n"] {
        assert!(!Collapsed.recognises(text.as_bytes()), "{text}");
    }
    // The last line may be cut off where the head ends.
    let mut head = "abc;def 12\n".repeat(HEAD / 11 + 1).into_bytes();
    head.truncate(HEAD);
    assert!(Collapsed.recognises(&head));
}

#[test]
fn a_difference_became_functions_named_with_a_number() {
    for text in ["main;foo 10 12\nmain;bar 5 5\nmain 1 0\n", "a;b\t1\t2\n", "a 1.5  2.25 \n\n"] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with("collapsed, line 1: all stacks have two numbers, as in a difference"), "{error}");
        assert!(error.contains("`unladen profile diff`"), "{error}");
    }
    // A thread may be called like that.
    assert_eq!(stacks("worker 1;f 3\nworker 1 2\n").len(), 2);
}

#[test]
fn fractions_were_refused() {
    assert!(Collapsed.recognises(b"a;b 0.25\na 1.5\n"));
    let profile = read("a;b 0.25\na 1.5\na;c 2\n").unwrap();
    assert_eq!((profile.about.decimals, profile.about.of_one()), (2, 100));
    let expected = [("a", 150), ("a;b", 25), ("a;c", 200)].map(|(stack, weight)| (stack.to_owned(), weight));
    assert_eq!(stacks("a;b 0.25\na 1.5\na;c 2\n"), expected);
    assert_eq!(read("a 12.0\na 3.\n").unwrap().about.decimals, 0);
    let cut = read("a 0.1234567\nb 0.5000000\n").unwrap();
    assert_eq!(cut.notes, ["weights have more than 6 decimals, of which the others are cut off"]);
    assert_eq!((cut.total(), read("b 0.5000000\n").unwrap().notes.len()), (623_456, 0));
    assert!(read("a 18446744073709551615\nb 0.5\n").unwrap_err().contains("64 bits"));
}

#[test]
fn the_head_of_austin_was_no_stack() {
    for (mode, unit, weight) in
        [("wall", Unit::Nanoseconds, 12_000), ("cpu", Unit::CpuNanoseconds, 12_000), ("memory", Unit::Bytes, 12)]
    {
        let text =
            format!("# austin: 3.3.0\n# interval: 100\n# mode: {mode}\n\nP7;T0:7;a.py:main:3 12\n# duration: 99\n");
        assert!(Collapsed.recognises(text.as_bytes()));
        let profile = read(&text).unwrap();
        assert_eq!((profile.about.unit, profile.total(), profile.about.profiler.as_str()), (unit, weight, "austin"));
        assert_eq!(profile.frames.len(), 3);
    }
    // Ruby's methods may begin with the sign.
    assert_eq!(stacks("#<Class:A>#run 3\n# run 2\n").len(), 2);
}

/// Each function as `name@file`, and its line.
fn functions(text: &str) -> Vec<(String, u32)> {
    let profile = read(text).unwrap();
    profile.frames.iter().map(|(_, frame)| (format!("{}@{}", frame.name, frame.file), frame.line)).collect()
}

#[test]
fn lines_of_austin_were_functions() {
    let stacks_of = "P42;T0:7;/srv/app.py:<module>:30;/srv/app.py:handle:12 3\n\
                     P42;T0:7;/srv/app.py:<module>:30;/srv/app.py:handle:14;C:\\lib\\db.py:Db.query:7 5\n\
                     P42;T0:7;/srv/app.py:<module>:31;<frozen importlib._bootstrap>:<lambda>:2;:GC: 1\n";
    let expected = [
        ("P42@", 0),
        ("T0:7@", 0),
        ("<module>@/srv/app.py", 30),
        ("handle@/srv/app.py", 12),
        ("Db.query@C:\\lib\\db.py", 7),
        ("<lambda>@<frozen importlib._bootstrap>", 2),
        (":GC:@", 0),
    ]
    .map(|(name, line)| (name.to_owned(), line));
    let with_head = format!("# austin: 3.7.0\n# mode: wall\n\n{stacks_of}");
    for text in [stacks_of, &with_head] {
        assert_eq!(functions(text), expected);
        let weights: Vec<u64> = read(text).unwrap().self_weights().into_iter().filter(|weight| *weight > 0).collect();
        let of_one = if text == with_head { 1000 } else { 1 };
        assert_eq!(weights, [3, 5, 1].map(|weight| weight * of_one));
    }
    assert_eq!(read(stacks_of).unwrap().notes, ["its frames are read as Austin's, `file:function:line`"]);
    assert_eq!(read(&with_head).unwrap().notes, [""; 0]);
    assert_eq!(stacks("/a.py:f:1;/a.py:g:2 1\n/a.py:f:3;/a.py:g:4 2\n"), [("f;g".to_owned(), 3)]);
}

#[test]
fn colons_of_others_are_part_of_the_name() {
    for text in [
        "main;std::vector<int>::push_back;a::b:12 3\n",
        "a::b:12;c::d:13 3\n",
        "main;/srv/app.py:handle:12 3\n",
        "JS:*hot /srv/t.js:1:13;JS:~cold /srv/t.js:2:14 3\n",
        "file:///srv/t.js:1:13;/srv/t.js:2:14 3\n",
        "C:\\app.exe;C:\\app.exe:12 3\n",
        "py::bar:/srv/a.py;py::<module>:/srv/a.py 3\n",
        "com/foo/Bar.run:12;com/foo/Bar.main:3 3\n",
        "block in foo - app.rb:12;bar - /x/y.rb:3 10\n",
        "P1;T2;:GC: 3\n",
        "worker:1:2 3\n",
    ] {
        let names: Vec<String> = functions(text).into_iter().map(|(name, _)| name).collect();
        let expected: Vec<String> =
            text.rsplit_once(' ').unwrap().0.split(';').map(|name| format!("{name}@")).collect();
        assert_eq!(names, expected, "{text}");
    }
}

#[test]
fn files_of_austin_that_measure_different_things_were_one_sum() {
    let file = |mode: &str| format!("# austin: 3.7.0\n# mode: {mode}\n\nP7;T0:7;/a.py:main:3 12\n# duration: 99\n");
    assert_eq!(read(&file("wall").repeat(2)).unwrap().total(), 24_000);
    let error = read(&(file("wall") + &file("memory"))).unwrap_err();
    assert_eq!(error, "collapsed, line 7: the mode is `memory`, and was `wall` before: their sum would mean nothing");
    let error = read(&("main 3\n".to_owned() + &file("wall"))).unwrap_err();
    assert!(error.starts_with("collapsed, line 2: a file of Austin begins behind other stacks"), "{error}");
}

proptest! {
    #[test]
    fn what_is_written_is_read_but_for_files_and_kinds(profile in profiles()) {
        let mut out = Vec::new();
        writers::collapsed::Collapsed.write(&profile, &mut out).unwrap();
        let read = Collapsed.read(&mut Input::new(&mut out.as_slice())).unwrap();
        let kept = |profile: &Profile, is_read: bool| {
            let mut sums = std::collections::BTreeMap::new();
            for (stack, weight) in by_name(profile) {
                let frames: Vec<(String, bool, bool)> = stack.into_iter().map(|(name, _, kind)| {
                    let is_inlined = kind == FrameKind::Native && (is_read || name.ends_with("_[i]"));
                    (name, kind == FrameKind::Kernel, is_inlined)
                }).collect();
                *sums.entry(frames).or_insert(0) += weight;
            }
            sums
        };
        prop_assert_eq!(kept(&profile, false), kept(&read, true));
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"a;; \n1\\x3b_[k]".to_vec())],
            0..60,
        ),
    ) {
        let _ = Collapsed.recognises(&bytes);
        let _ = Collapsed.read(&mut Input::new(&mut bytes.as_slice()));
    }
}
