use proptest::prelude::*;

use super::*;

/// Eight samples of a program whose name has a space, four of dd, two of Node.js with `--perf-basic-prof`; perf 6.1.
const CLOCK: &[u8] = include_bytes!("clock.txt");

fn read(mut text: &[u8]) -> Result<Profile, ReadError> {
    PerfScript.read(&mut Input::new(&mut text))
}

/// Each stack with what it weighs: `kind name@file`, the outermost first.
fn stacks(profile: &Profile) -> Vec<(String, u64)> {
    let [cluster] = &profile.clusters[..] else { panic!("{} clusters", profile.clusters.len()) };
    let place = |id| {
        let frame = profile.frames.get(id);
        format!("{} {}@{}", frame.kind.into_str(), frame.name, frame.file)
    };
    let stack = |stack| profile.stacks.outwards_in(stack).into_iter().map(place).collect::<Vec<_>>().join(";");
    cluster.weights.iter().map(|(id, weight)| (stack(*id), *weight)).collect()
}

#[track_caller]
fn only(text: &str) -> (String, u64) {
    let mut stacks = stacks(&read(text.as_bytes()).unwrap());
    assert_eq!(stacks.len(), 1, "{stacks:?}");
    stacks.remove(0)
}

#[track_caller]
fn refused(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn what_perf_writes_by_default_is_read_to_the_sample() {
    assert!(PerfScript.recognises(CLOCK));
    let profile = read(CLOCK).unwrap();
    assert_eq!(profile.about.unit, Unit::CpuNanoseconds);
    assert_eq!(profile.total(), 14 * 1_003_009);
    let stacks = stacks(&profile);
    let of = |name: &str| {
        stacks.iter().filter(|(stack, _)| stack.starts_with(&format!("group {name}@"))).collect::<Vec<_>>()
    };
    let [(burn, weight)] = &of("burn it")[..] else { panic!("{stacks:#?}") };
    assert_eq!(
        burn,
        "group burn it@;native __libc_start_call_main@/usr/lib/x86_64-linux-gnu/libc.so.6;native hash@/tmp/app/burn it"
    );
    assert_eq!(*weight, 8 * 1_003_009);
    let [_, (dd, weight)] = &of("dd")[..] else { panic!("{stacks:#?}") };
    assert!(
        dd.starts_with("group dd@;native read@/usr/lib/x86_64-linux-gnu/libc.so.6;kernel entry_SYSCALL_64"),
        "{dd}"
    );
    assert!(dd.ends_with(";kernel vfs_read@[kernel.kallsyms];kernel read_zero@[kernel.kallsyms]"), "{dd}");
    assert_eq!(*weight, 3 * 1_003_009);
    let node = of("node").into_iter().map(|(stack, _)| stack).next().unwrap();
    assert!(node.contains("function JS:~executeUserEntryPoint node:internal/modules/run_main:155:31@;"), "{node}");
    assert!(node.ends_with("function JS:*hot /tmp/app/t.js:1:13@"), "{node}");
}

/// `perf script --header` of a command with lines of its own.
#[test]
fn a_header_is_passed_over() {
    let header = "# ========\n# hostname : vm\n# cmdline : /usr/bin/perf record -- python3 -c \ndef f(n):\n\n  return n \n# ========\n#\n";
    let text = [header.as_bytes(), CLOCK].concat();
    assert!(PerfScript.recognises(&text));
    assert_eq!(stacks(&read(&text).unwrap()), stacks(&read(CLOCK).unwrap()));
    assert_eq!(refused(header.strip_suffix("# ========\n#\n").unwrap()), "perf, line 6: there is no sample");
}

#[test]
fn a_truncated_file_is_read_up_to_there() {
    let whole = read(CLOCK).unwrap().total();
    // Text has no end of its own: what is there counts, and what is there of a line is a frame or a fault of that line.
    for end in (0..CLOCK.len()).step_by(13) {
        match read(&CLOCK[..end]) {
            Ok(profile) => assert!((1..=whole).contains(&profile.total()) || profile.about.unit == Unit::Samples),
            Err(error) => assert!(error.to_string().starts_with("perf, line "), "{error}"),
        }
    }
}

#[test]
fn heads_have_whatever_fields_were_asked_for() {
    for head in [
        "a b 12 [001] 5.000001:    7 cpu-clock:u: ",
        "a b 12/13 [001] 5.000001:    7 cpu-clock:pppH: ",
        "a b 12 5.000001:    7 task-clock: ",
        "a b 12/13 5.000001000: 7 cpu-clock:",
        "a b 12 7 cpu-clock:",
        "a b 12 [000] 7 cpu-clock:",
    ] {
        let (stack, weight) = only(&format!("{head}\n\t   401136 f+0x6 (/bin/x)\n\n"));
        assert_eq!((stack.as_str(), weight), ("group a b@;native f@/bin/x", 7), "{head}");
    }
    for head in
        ["a b 12 5.000001: cycles:u:", "a b 12 5.000001: cpu-clock:", "a b 12 cycles:", "a b 12", "a b", "a b 12 5.1:"]
    {
        let (stack, weight) = only(&format!("{head}\n\t   401136 f+0x6 (/bin/x)\n\n"));
        assert_eq!((stack.as_str(), weight), ("group a b@;native f@/bin/x", 1), "{head}");
    }
    for process in ["-1", "-1/-1"] {
        assert_eq!(only(&format!(":-1 {process} 1.5: 3 cpu-clock: \n")).0, "group :-1@");
    }
    // a command that looks like an event, or like a time
    assert_eq!(only("php-fpm: pool 12 1.5: 3 cpu-clock: \n"), ("group php-fpm: pool@".to_owned(), 3));
    assert_eq!(only("kworker/0:1-ev 12 1.5: 3 cpu-clock: \n"), ("group kworker/0:1-ev@".to_owned(), 3));
}

#[test]
fn without_call_graphs_the_only_frame_is_in_the_head() {
    let text = "
         burn it  1337 59394.864373:    1003009 cpu-clock:      56542755a203 hash+0x83 (/tmp/app/burn it)
              dd  1338 59394.865375:    1003009 cpu-clock:  ffffffff81d31537 read_zero+0x77 ([kernel.kallsyms])
         burn it  1337 59394.866377:    1003009 cpu-clock:      56542755a1d6 hash+0x56 (/tmp/app/burn it)
";
    assert!(PerfScript.recognises(text.as_bytes()));
    let profile = read(text.as_bytes()).unwrap();
    let expected = [
        ("group burn it@;native hash@/tmp/app/burn it".to_owned(), 2 * 1_003_009),
        ("group dd@;kernel read_zero@[kernel.kallsyms]".to_owned(), 1_003_009),
    ];
    assert_eq!(stacks(&profile), expected);
    // what a tracepoint tells is no frame
    let text =
        "  dd 12 [000] 1.5: sched:sched_switch: prev_comm=dd\n  dd 12 [000] 2.5: sched:sched_switch: prev_comm=dd\n";
    assert_eq!(only(text), ("group dd@".to_owned(), 2));
}

#[test]
fn frames_have_any_name() {
    for (line, expected) in [
        ("401136 f+0x6 (/bin/x)", "native f@/bin/x"),
        ("401136 f (/bin/x)", "native f@/bin/x"),
        ("401136 f+0x6", "native f@"),
        ("401136 add+0x6 (/bin/x)", "native add@/bin/x"),
        ("add (/bin/x)", "native add@/bin/x"),
        ("f (/bin/x)", "native f@/bin/x"),
        (
            "401136 ns::f<int>(char, (anonymous namespace)::t)+0x6 (/bin/a b (deleted))",
            "native ns::f<int>(char, (anonymous namespace)::t)@/bin/a b (deleted)",
        ),
        (
            "401136 ns::f(char, (anonymous namespace)::t) (/bin/a (deleted))",
            "native ns::f(char, (anonymous namespace)::t)@/bin/a (deleted)",
        ),
        ("401136 [unknown] (/usr/lib/libx.so)", "native [libx.so]@/usr/lib/libx.so"),
        ("401136 [unknown] ([unknown])", "native [unknown]@"),
        ("7ffd [unknown] ([vdso])", "native [vdso]@[vdso]"),
        ("ffffffffff600000 [unknown] ([vsyscall])", "native [vsyscall]@[vsyscall]"),
        ("ffffffff81d31537 read_zero+0x77 ([kernel.kallsyms])", "kernel read_zero@[kernel.kallsyms]"),
        ("ffffffff81d31537 read_zero", "kernel read_zero@"),
        ("ffffffffc0123456 nf_hook+0x1 ([nf_tables])", "kernel nf_hook@[nf_tables]"),
        ("123456 nf_hook+0x1 (/lib/modules/6.1/nf_tables.ko.xz)", "kernel nf_hook@/lib/modules/6.1/nf_tables.ko.xz"),
        ("123456 f+0x1 (/usr/lib/debug/boot/vmlinux-6.1)", "kernel f@/usr/lib/debug/boot/vmlinux-6.1"),
        ("7fe9277e4736 JS:*hot /srv/t.js:1:13+0xf6 (/tmp/perf-1845.map)", "function JS:*hot /srv/t.js:1:13@"),
        ("7fe9 Lorg/app/Main;::run (Ljava/x;)V+0x1f (/tmp/perf-7.map)", "function Lorg/app/Main;::run (Ljava/x;)V@"),
        ("7fe9 py::run:/srv/a:b.py+0xb (/tmp/perf-7.map)", "function run@/srv/a:b.py"),
    ] {
        let (stack, _) = only(&format!("x 12 1.5: 3 cpu-clock: \n\t   {line}\n\n"));
        assert_eq!(stack, format!("group x@;{expected}"), "{line}");
    }
}

#[test]
fn inlined_frames_are_of_the_module_they_are_in() {
    let text = "x 12 1.5: 3 cpu-clock: \n\t 401136 in ner (inlined)\n\t 401136 middle (inlined)\n\t 401136 outer+0x6 (/bin/x)\n  x.c:12\n\t 402 main+0x1 (/bin/x)\n";
    assert_eq!(
        only(text).0,
        "group x@;native main@/bin/x;native outer@/bin/x;native middle@/bin/x;native in ner@/bin/x"
    );
}

#[test]
fn comments_and_other_records_are_passed_over() {
    let text = "# ========\n# cmdline : perf record\n# ========\n#\nx 12 1.5: PERF_RECORD_MMAP2 12/12: [0x1(0x2) @ 0 3:4 5 6]: r-xp /bin/x\nx 12 1.5: 3 cpu-clock: \n\t1 f (/b)\n\n";
    assert!(PerfScript.recognises(text.as_bytes()));
    assert_eq!(only(text), ("group x@;native f@/b".to_owned(), 3));
}

#[test]
fn samples_of_several_events_were_one_sum() {
    let text = "x 12 1.5: 3 cpu-clock: \n\t1 f (/b)\n\nx 12 1.6: 90000 cycles:u: \n\t1 g (/b)\n\t2 h (/b)\n\nx 12 1.7: 1 faults: \nx 12 1.8: 1 cycles: \n\n";
    assert_eq!(only(text), ("group x@;native f@/b".to_owned(), 3));
    let profile = read(text.as_bytes()).unwrap();
    assert_eq!((profile.about.unit, profile.frames.len()), (Unit::CpuNanoseconds, 2));
    let [note] = &profile.notes[..] else { panic!("{:?}", profile.notes) };
    assert!(note.contains("the 1 samples of `cpu-clock`, its first, are read"), "{note}");
    assert!(note.contains("are left out: 2 of `cycles`, 1 of `faults`;"), "{note}");
    // Tracepoints of one subsystem are several events; modifiers make none.
    let switches = "x 12 1.5: sched:sched_switch: \nx 12 1.5: sched:sched_wakeup: \n";
    assert!(read(switches.as_bytes()).unwrap().notes[0].contains("1 of `sched:sched_wakeup`"));
    assert_eq!(only("x 12 1.5: 1 cycles:u: \nx 12 1.5: 1 cycles:k: \n").1, 2);
}

/// As simpleperf's script writes it.
#[test]
fn a_tab_behind_an_address_made_each_address_a_function() {
    let text = "a 1 [000] 1.0: 1 task-clock:u:\n\t401b97\tmain (/bin/a)\n\t401b98  main+0x4\t(/bin/a)\n\t401b99\t[unknown]\t(/lib/x.so)\n\n";
    assert!(PerfScript.recognises(text.as_bytes()));
    assert_eq!(only(text), ("group a@;native [x.so]@/lib/x.so;native main@/bin/a;native main@/bin/a".to_owned(), 1));
}

#[test]
fn memory_of_a_process_was_the_kernel() {
    for (line, expected) in [
        ("7f0012345678 f ([anon:v8])", "native f@[anon:v8]"),
        ("7f0012345678 f ([anon_shmem:x])", "native f@[anon_shmem:x]"),
        ("7f0012345678 f ([JIT app cache])", "native f@[JIT app cache]"),
        ("7f0012345678 f ([stack:4321])", "native f@[stack:4321]"),
        ("7f0012345678 f ([shmem])", "native f@[shmem]"),
        ("401136 f ([anon:v8])", "native f@[anon:v8]"),
        ("bf001234 f ([nf_tables])", "kernel f@[nf_tables]"),
        ("ffffffffc0000000 f ([anon:v8])", "kernel f@[anon:v8]"),
        ("81d31537 f ([guest.kernel.kallsyms.12])", "kernel f@[guest.kernel.kallsyms.12]"),
        ("7f0012345678 f ([bpf_prog_1])", "kernel f@[bpf_prog_1]"),
        ("7f0012345678 f ([kernel.vmlinux])", "kernel f@[kernel.vmlinux]"),
    ] {
        let (stack, _) = only(&format!("x 12 1.5: 3 cpu-clock: \n\t   {line}\n\n"));
        assert_eq!(stack, format!("group x@;{expected}"), "{line}");
    }
}

#[test]
fn an_empty_line_behind_a_head_and_frames_without_indent_refused_the_file() {
    let expected = ("group x y@;native f@/b;native g@/b".to_owned(), 6);
    let gap = "x y 12 1.5: 3 cpu-clock: \n\n\t401136 g (/b)\n\t401140 f (/b)\n\n";
    let flush = "x y 12 1.5: 3 cpu-clock: \n401136 g (/b)\n401140 f (/b)\n\n";
    for text in [gap.repeat(2), flush.repeat(2), format!("{gap}{flush}")] {
        assert!(PerfScript.recognises(text.as_bytes()), "{text}");
        assert_eq!(only(&text), expected, "{text}");
    }
    // A command may look like an address.
    let stacks = stacks(&read(b"dead 12 1.5: 3 cpu-clock: \nbeef 12 1.6: 3 cpu-clock: \n\n401136 g (/b)\n\n").unwrap());
    assert_eq!(stacks, [("group dead@".to_owned(), 3), ("group beef@;native g@/b".to_owned(), 3)]);
}

/// Heads and frames as perf 6.1 prints them with `-F`, and what each of the three samples is read as.
#[test]
fn heads_without_a_command_made_commands_of_events_times_and_frames() {
    let frames = "\t          11a0e6 f\n\t          121e08 main\n";
    let line = "      559baad050e6 f\n";
    let (chain, leaf) = ("native main@;native f@", "native f@");
    for (head, weight) in [
        ("", 3),
        ("30323 ", 3),
        ("30323/30324 ", 3),
        ("   5000000 ", 3),
        ("50263.547509: ", 3),
        ("  263.547509: ", 3),
        ("50263.547509:    5000000 ", 3),
        ("minor-faults: ", 3),
        ("         faults: ", 3),
        ("cpu/cycles/u: ", 3),
        ("sched:sched_switch: ", 3),
        ("30323 cpu-clock: ", 3),
        ("50263.547509: cpu-clock: ", 3),
        ("[001] 50263.547509: cpu-clock: ", 3),
        ("   5000000 cpu-clock:ppp: ", 15_000_000),
        ("30323/30324    5000000 cpu-clock: ", 15_000_000),
        ("50263.547509:    5000000 cpu-clock: ", 15_000_000),
    ] {
        let text = format!("{head}\n{frames}\n").repeat(3);
        assert!(PerfScript.recognises(text.as_bytes()), "{head}");
        assert_eq!(only(&text), (chain.to_owned(), weight), "{head}");
        // A process or a period alone and a frame are too little.
        if head.is_empty() || head.contains(':') {
            let text = format!("{head}{line}").repeat(3);
            assert!(PerfScript.recognises(text.as_bytes()), "{head}");
            assert_eq!(only(&text), (leaf.to_owned(), weight), "{head}");
        }
    }
    for head in ["            perl    5000000 cpu-clock: ", "              dd 12    5000000 cpu-clock: "] {
        let text = format!("{head}{line}").repeat(3);
        assert_eq!(only(&text).1, 15_000_000, "{head}");
    }
}

#[test]
fn events_without_a_command_were_one_sum() {
    let text = "minor-faults: \n\t          11a0e6 f\n\n      cycles: \n\t          11a0e6 g\n\nminor-faults: \n\t          11a0e6 f\n\n";
    assert_eq!(only(text), ("native f@".to_owned(), 2));
    let note = &read(text.as_bytes()).unwrap().notes[0];
    assert!(note.contains("the 2 samples of `minor-faults`") && note.contains("1 of `cycles`"), "{note}");
}

#[test]
fn samples_without_heads_and_frames_are_counted() {
    let block = |frames: &str| format!("\n{frames}\n");
    let framed = block("\t          11a0e6 f\n");
    let text = [block(""), framed.clone(), block(""), block(""), framed.clone(), block("")].concat();
    let profile = read(text.as_bytes()).unwrap();
    assert_eq!(stacks(&profile), [(String::new(), 4), ("native f@".to_owned(), 2)]);
    assert!(profile.notes[0].contains("4 without frames"), "{:?}", profile.notes);
    // Others write one empty line.
    assert_eq!(only("\t          11a0e6 f\n\n\t          11a0e6 f\n").1, 2);
    assert_eq!(only(&format!("{framed}{framed}\n")).1, 2);
}

#[test]
fn addresses_without_symbols_were_passed_over() {
    let text = "perl 12 1.5: 3 cpu-clock: \n\t          11a0e6\n\t          121e08\n\n";
    assert_eq!(only(text).0, "group perl@;native 121e08@;native 11a0e6@");
    let text = "perl 12 1.5: 3 cpu-clock: \n  BPF output: 0000: 12\n\n";
    let notes = read(text.as_bytes()).unwrap().notes;
    assert_eq!(notes, ["1 samples have no frames, only lines such as `BPF output: 0000: 12`, which are left out"]);
}

#[test]
fn where_samples_begin_has_to_be_told() {
    let frame = "\t          11a0e6 f\n";
    let line = "      559baad050e6 f\n";
    let headed = format!("x 12 1.5: 3 cpu-clock: \n{frame}\n");
    for (text, fault) in [
        (frame.repeat(3), "line 3: expected an empty line between samples"),
        (format!("{line}\n{line}"), "line 3: an empty line between samples of one line each"),
        (format!("{headed}{frame}"), "line 4: expected a sample's head before the frame"),
        (format!("\n{frame}\n{headed}"), "line 4: expected a frame, as the samples before it have no heads"),
        ("50263.547509: \n50263.562571: \n".to_owned(), "line 2: expected frames or a command"),
        ("\t12 f\n".to_owned(), "line 1: expected a sample's head before the frame"),
    ] {
        let error = refused(&text);
        assert!(error.starts_with(&format!("perf, {fault}")), "{error}, not {fault}");
    }
}

#[test]
fn tables_of_numbers_were_one_sample() {
    for text in [
        "     10 main;a;b\n      5 main;c\n      3 main;d e\n",
        "     10 foo\n      5 bar baz\n",
        "  36   49 1912 /etc/passwd\n  55   55  718 /etc/group\n  91  104 2630 total\n",
        "1.1: Introduction\n1.2: Profiles: what they are\n",
        "note:\n  12 apples\n",
    ] {
        assert!(!PerfScript.recognises(text.as_bytes()), "{text}");
        assert!(refused(text).starts_with("perf, line "), "{text}");
    }
}

#[test]
fn what_is_no_sample_is_refused_with_its_line() {
    assert_eq!(refused(""), "perf, line 1: there is no sample");
    assert_eq!(refused("# nothing\n"), "perf, line 1: there is no sample");
    assert!(
        refused("x 12 1.5: 3 cpu-clock: \n\t1 f (/b)\n\nhello world\n\n").starts_with("perf, line 5: the lines before")
    );
    assert!(refused(&"x".repeat(2 << 20)).starts_with("perf, line 1: a line of more than"));
    let deep = format!("x 12 1.5: 3 cpu-clock: \n{}", "\t1 f (/b)\n".repeat(MAX_DEPTH + 1));
    assert_eq!(refused(&deep), format!("perf, line {}: a stack of more than {MAX_DEPTH} frames", MAX_DEPTH + 2));
    let max = u64::MAX;
    let heavy = format!("x 12 1.5: {max} cpu-clock: \n\nx 12 1.5: 1 cpu-clock: \n\n");
    assert!(refused(&heavy).contains("64 bits"), "{}", refused(&heavy));
    for other in ["a;b;c 12\n", "{\"a\": 1}", "NYTProf 5 0\n# Perl profile\n", "a b 12\n", "\u{1f}\u{8b}"] {
        assert!(!PerfScript.recognises(other.as_bytes()), "{other:?}");
    }
}

proptest! {
    #[test]
    fn any_fields_are_read_or_refused(pieces in prop::collection::vec(prop::sample::select(vec![
        "\n", "\n", "\n\n", "\t", " ", "          11a0e6", "401136", "12", "12/13", "[001]", "1.5:", "263.547509:", "cycles:", "cpu-clock:u:",
        "sched:sched_switch:", "perl", "dead", "f+0x6", "f", "(/bin/x)", "(inlined)", "x.c:12", "λ\u{a0}:", "   5000000", "# ========",
    ]), 0..40), spaced: bool) {
        let text = pieces.join(if spaced { " " } else { "" });
        crate::fuzzing::check("perf", text.as_bytes());
    }
}
