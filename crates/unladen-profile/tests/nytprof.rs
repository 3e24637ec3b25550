//! Files that Devel::NYTProf writes here and now, against its own tools on the same files. Needs Perl and
//! libdevel-nytprof-perl.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up fails; sizes and times are worth seeing"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tempfile::TempDir;
use unladen_profile::{FrameId, Profile, Unit, read};

/// A file of one of the programs beside this test.
struct Ran {
    file: PathBuf,
    _folder: TempDir,
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nytprof").join(name)
}

/// What a tool prints.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn run(program: &str, options: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nytprof.out");
    let mut command = Command::new("perl");
    command.arg("-d:NYTProf").arg(beside(program)).env("NYTPROF", format!("file={}:{options}", file.display()));
    printed(&mut command);
    Ran { file, _folder: folder }
}

fn name(profile: &Profile, frame: FrameId) -> &str {
    profile.frames.get(frame).name
}

fn path(profile: &Profile, index: usize) -> String {
    let stack = profile.stacks.iter().nth(index).unwrap();
    let names: Vec<&str> = profile.stacks.outwards_in(stack).into_iter().map(|frame| name(profile, frame)).collect();
    names.join(";")
}

/// What each stack weighs, in ns.
fn stacks(profile: &Profile) -> BTreeMap<String, u64> {
    let weights = profile.self_weights().into_iter().enumerate().filter(|(_, weight)| *weight > 0);
    weights.map(|(index, weight)| (path(profile, index), weight)).collect()
}

/// How often each caller called.
fn pairs(profile: &Profile, clusters: impl Iterator<Item = usize>) -> BTreeMap<(&str, &str), u64> {
    let mut pairs = BTreeMap::new();
    for count in clusters.flat_map(|cluster| &profile.clusters[cluster].calls) {
        let caller = count.caller.map_or("", |caller| name(profile, caller));
        *pairs.entry((caller, name(profile, count.callee))).or_default() += count.calls;
    }
    pairs
}

#[test]
fn stacks_are_those_of_nytprofcalls_to_the_tick() {
    for options in
        ["calls=2:slowops=2", "calls=1:stmts=0:slowops=1", "calls=2:compress=0:blocks=1", "calls=2:slowops=0:savesrc=1"]
    {
        let ran = run("program.pl", options);
        let profile = read(&ran.file, None).unwrap();
        let mut expected = BTreeMap::new();
        for line in printed(Command::new("nytprofcalls").arg(&ran.file)).lines() {
            let (stack, ticks) = line.rsplit_once(' ').unwrap();
            // Of ticks there are ten million in a second. Times below zero are none.
            let ns = (ticks.parse::<f64>().unwrap() * 100.0).round().max(0.0) as u64;
            if ns > 0 {
                expected.insert(stack.to_owned(), ns);
            }
        }
        assert!(expected.len() > 20, "{expected:?}");
        assert_eq!(expected, stacks(&profile), "{options}");
        assert_eq!((profile.about.unit, profile.about.profiler.as_str()), (Unit::Nanoseconds, "nytprof"));
        assert_eq!((profile.clusters.len(), profile.requests()), (1, None));
    }
}

#[test]
fn calls_and_own_times_of_each_subroutine_are_those_of_its_data() {
    for options in ["calls=2:slowops=2", "calls=0", "calls=2:slowops=2:stmts=0:compress=1"] {
        let ran = run("program.pl", options);
        let profile = read(&ran.file, None).unwrap();
        let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
        for ((_, callee), count) in pairs(&profile, 0..1) {
            *calls.entry(callee).or_default() += count;
        }
        let mut own: BTreeMap<String, u64> = BTreeMap::new();
        for (stack, ns) in stacks(&profile) {
            *own.entry(stack.rsplit(';').next().unwrap().to_owned()).or_default() += ns;
        }
        let mut seen = BTreeSet::new();
        let theirs = printed(Command::new("perl").arg(beside("subs.pl")).arg(&ran.file));
        for line in theirs.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [sub, count, ns, file, first_line] = fields[..] else { panic!("{line}") };
            seen.insert(sub);
            assert_eq!(calls.get(sub).map(u64::to_string).as_deref(), Some(count), "{options}: calls of {sub}");
            let (ours, theirs) = (own.get(sub).copied().unwrap_or(0), ns.parse::<f64>().unwrap());
            // A sum of seconds, and one of ticks; times below zero of single paths are left out of ours.
            assert!((ours as f64 - theirs.max(0.0)).abs() <= 300.0, "{options}: {sub} took {ours} ns, not {theirs}");
            let frame = profile.frames.iter().map(|(_, frame)| frame).find(|frame| frame.name == sub).unwrap();
            assert_eq!(frame.line.to_string(), first_line, "{options}: {sub}");
            if !file.is_empty() {
                assert_eq!(frame.file, file, "{options}: {sub}");
            }
        }
        assert_eq!(seen, calls.keys().copied().collect(), "{options}");
        assert!(seen.contains("Tree::deep") && seen.contains("main::even"));
    }
}

#[test]
fn callers_are_the_same_whether_each_call_is_in_the_file_or_their_sums() {
    let (each, sums) = (run("program.pl", "calls=2:slowops=2"), run("program.pl", "calls=0:slowops=2"));
    let (each, sums) = (read(&each.file, None).unwrap(), read(&sums.file, None).unwrap());
    let callers = pairs(&each, 0..1);
    assert_eq!(callers, pairs(&sums, 0..1));
    assert_eq!(callers[&("main::even", "main::odd")], 20);
    assert_eq!(callers[&("main::outer", "main::inner")], 12);
    assert_eq!(callers[&("", "main::outer")], 4);
    assert!(sums.stacks.iter().all(|stack| sums.stacks.outwards_in(stack).len() <= 2));
}

#[test]
fn requests_are_told_apart_where_the_program_waits_within_a_subroutine() {
    let ran = run("server.pl", "calls=2");
    let profile = read(&ran.file, None).unwrap();
    assert_eq!(profile.requests(), Some(4));
    for cluster in 0..4 {
        let calls = pairs(&profile, cluster..cluster + 1);
        let leaf = |caller: &'static str| calls.get(&(caller, "main::leaf")).copied();
        assert_eq!(leaf("main::page"), Some(3));
        assert_eq!(leaf("main::first_page"), (cluster == 0).then_some(50));
        // What came before the first request, and after the last.
        assert_eq!((leaf("main::start_up"), leaf("main::shut_down")), (None, None));
        // The caller has its name though it returned long after.
        assert_eq!(calls[&("main::serve", "main::page")], 1);
        assert_eq!(calls[&("main::next_request", "FCGI::Accept")], 1);
    }
    let stacks = stacks(&profile);
    assert!(stacks.contains_key("main::serve;main::page;main::leaf"), "{stacks:?}");
    let waited: u64 = stacks.iter().filter(|(stack, _)| stack.ends_with("FCGI::Accept")).map(|(_, ns)| ns).sum();
    assert_eq!(waited, 0);
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused_with_the_place() {
    for options in ["calls=2", "calls=2:compress=0:stmts=0"] {
        let ran = run("program.pl", options);
        let whole = fs::read(&ran.file).unwrap();
        let cut = ran.file.with_extension("cut");
        // The deflated part is followed by comments, which say nothing.
        let end = whole.windows(3).rposition(|end| end == b"\n# ").filter(|_| !options.contains("compress=0"));
        let end = end.map_or(whole.len(), |at| at - 4);
        for length in (9..end).step_by(whole.len() / 150) {
            fs::write(&cut, &whole[..length]).unwrap();
            let error = read(&cut, None).unwrap_err().to_string();
            let at = error.split("byte ").nth(1).unwrap().split([':', ' ']).next().unwrap().parse::<usize>().unwrap();
            assert!(at <= length && error.contains("nytprof"), "{length}: {error}");
            // What is deflated is told of where it was read to.
            assert!(length - at < 600, "{length}: {error}");
        }
    }
}

// === Large files ===

/// Numbers as the format has them.
fn number(bytes: &mut Vec<u8>, number: u32) {
    match number {
        0..=0x7f => bytes.push(number as u8),
        0x80..=0x3fff => bytes.extend([(number >> 8) as u8 | 0x80, number as u8]),
        _ => {
            bytes.push(0xff);
            bytes.extend(number.to_be_bytes());
        }
    }
}

fn string(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b'\'');
    number(bytes, text.len() as u32);
    bytes.extend(text.bytes());
}

fn called_and_returned(bytes: &mut Vec<u8>, depth: u32, sub: &str, body: impl FnOnce(&mut Vec<u8>)) {
    bytes.push(b'>');
    number(bytes, 1);
    number(bytes, depth * 10);
    // A statement within.
    bytes.push(b'+');
    number(bytes, 33);
    number(bytes, 1);
    number(bytes, depth * 10 + 1);
    body(bytes);
    bytes.push(b'<');
    number(bytes, depth);
    bytes.extend(f64::from(depth * 7).to_ne_bytes());
    bytes.extend(f64::from(depth).to_ne_bytes());
    string(bytes, sub);
}

/// A request of 1.3 MB: trees of calls, of which a part differs from request to request. Sympa's pages make ten times
/// as many calls a path.
fn request(bytes: &mut Vec<u8>, index: u32) {
    called_and_returned(bytes, 1, "FCGI::Accept", |_| {});
    for branch in 0..150 {
        called_and_returned(bytes, 1, &format!("Package::branch_{branch}"), |bytes| {
            for twig in 0..9 {
                let twig = if branch == 0 { index * 9 + twig } else { twig };
                called_and_returned(bytes, 2, &format!("Package::Of::Twigs::twig_{twig}"), |bytes| {
                    for leaf in 0..20 {
                        called_and_returned(bytes, 3, &format!("Package::leaf_{}", leaf % 2), |_| {});
                    }
                });
            }
        });
    }
}

/// Writes a file of about that many bytes, deflated or not, and returns how many requests are in it.
fn write_large(file: &Path, bytes: u64, is_deflated: bool) -> u64 {
    let mut out = BufWriter::new(File::create(file).unwrap());
    out.write_all(b"NYTProf 5 0\n:nv_size=8\n:ticks_per_sec=10000000\n!calls=2\n").unwrap();
    let (mut written, mut requests) = (0, 0);
    let mut records = Vec::new();
    let mut write = |out: &mut dyn Write| {
        let process = |tag: u8, numbers: &[u32]| {
            let mut record = vec![tag];
            numbers.iter().for_each(|one| number(&mut record, *one));
            record.extend(1.5f64.to_ne_bytes());
            record
        };
        out.write_all(&process(b'P', &[77, 1])).unwrap();
        while written < bytes {
            records.clear();
            request(&mut records, requests as u32);
            out.write_all(&records).unwrap();
            written += records.len() as u64;
            requests += 1;
        }
        records.clear();
        called_and_returned(&mut records, 1, "FCGI::Accept", |_| {});
        out.write_all(&records).unwrap();
        out.write_all(&process(b'p', &[77])).unwrap();
    };
    if is_deflated {
        out.write_all(b"z").unwrap();
        let mut deflate = ZlibEncoder::new(&mut out, Compression::fast());
        write(&mut deflate);
        deflate.finish().unwrap();
    } else {
        write(&mut out);
    }
    out.flush().unwrap();
    requests
}

/// Reads it in a process of its own; kB of memory that took, and what it printed.
fn read_apart(file: &Path) -> (u64, String) {
    // Beside the test's own folder.
    let example = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/read_profile");
    assert!(example.exists(), "cargo build -p unladen-profile --example read_profile");
    let begun = Instant::now();
    let text = printed(Command::new(example).arg(file));
    println!("{} bytes in {:?}: {text}", fs::metadata(file).unwrap().len(), begun.elapsed());
    let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    (peak.trim().trim_end_matches(" kB").parse().unwrap(), text)
}

fn of_size(bytes: u64, is_deflated: bool, most: u64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nytprof.out");
    let requests = write_large(&file, bytes, is_deflated);
    let (peak, text) = read_apart(&file);
    // The calls of a request: its wait, and 150 branches of 9 twigs of 20 leaves.
    let calls = requests * (1 + 150 * (1 + 9 * (1 + 20)));
    assert!(text.starts_with(&format!("{requests} clusters")), "{text}");
    assert!(text.contains(&format!(" {calls} calls")), "{text}, not {calls}");
    assert!(peak < most << 10, "{peak} kB; no more than {most} MiB are right");
}

#[test]
fn a_large_file_is_not_taken_into_memory() {
    of_size(20 << 20, false, 16);
    of_size(20 << 20, true, 16);
}

/// `cargo test -p unladen-profile --test nytprof -- --ignored --nocapture`
#[test]
#[ignore = "writes 500 MB"]
fn half_a_gigabyte_is_read_in_less_than_300_mb() {
    of_size(500 << 20, false, 300);
    of_size(500 << 20, true, 300);
}
