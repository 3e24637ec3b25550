//! What `unladen-profile` writes, opened by what it is written for: Speedscope's own page (npm `speedscope`) in
//! Chromium, which also reads pprof's files, and the site end of Firefox's profiler as its command line has it (npm
//! `@firefox-devtools/profiler-cli`). `go tool pprof` is asked where Go is installed.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use tempfile::TempDir;
use unladen_profile::{About, Frame, FrameKind, Profile, Unit, read, writer_named};
use unladen_tests::{Chromium, wait};

const SPEEDSCOPE: &str = "speedscope@1.25.0";
const FIREFOX: &str = "@firefox-devtools/profiler-cli@0.10.0";

/// The packages, installed once.
static PACKAGES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let npm = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", SPEEDSCOPE, FIREFOX])
        .current_dir(folder.path())
        .output()
        .expect("npm starts (scripts/need npm)");
    assert!(npm.status.success(), "{}", String::from_utf8_lossy(&npm.stderr));
    folder
});

/// Three requests: 27 samples of 1 ms, of which `AutoLoader::find` has 12, 9 of them by itself.
fn profile(unit: Unit, period_ns: Option<u64>) -> Profile {
    let title = "http://127.0.0.1/wiki?a=\"b\"".to_owned();
    let mut profile = Profile::new(About { title, unit, period_ns, are_requests: true, ..About::default() });
    let frame = |name, file, line, kind| Frame { name, file, line, kind };
    let frames = [
        frame("www-data php-fpm8.2", "", 0, FrameKind::Group),
        frame("/srv/index.php", "/srv/index.php", 0, FrameKind::Include),
        frame("AutoLoader::find", "/srv/AutoLoader.php", 12, FrameKind::Function),
        frame("memcpy", "/usr/lib/libc.so.6", 0, FrameKind::Native),
        frame("do_syscall_64", "", 0, FrameKind::Kernel),
    ];
    let frames = frames.map(|frame| profile.frames.intern(frame));
    let stacks = [2, 3, 5].map(|depth| profile.stacks.intern(frames[..depth].iter().copied()));
    for request in 0..3 {
        let cluster = profile.begin_request();
        for (stack, weight) in stacks.into_iter().zip([5, 2 + request, 1]) {
            profile.add(cluster, stack, weight);
        }
    }
    profile
}

/// What functions weigh with all that they call, and by themselves, in thousandths of all: what people read off a page.
const SHARES: [(&str, u64, u64); 5] = [
    ("/srv/index.php", 1000, 556),
    ("AutoLoader::find", 444, 333),
    ("do_syscall_64", 111, 111),
    ("memcpy", 111, 0),
    ("www-data php-fpm8.2", 1000, 0),
];

fn written(format: &str, profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    writer_named(format).expect("a writer").write(profile, &mut bytes).expect("memory");
    bytes
}

/// Speedscope's page with a file, as its command line opens it.
fn opened(chromium: &Chromium, folder: &Path, name: &str, bytes: &[u8]) {
    let script = folder.join(format!("{name}.js"));
    // Each byte as a character of its own is what btoa takes.
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let text = serde_json::to_string(&text).expect("JSON");
    let loads = format!("speedscope.loadFileFromBase64({name:?}, btoa({text}))");
    std::fs::File::create(&script).and_then(|mut file| file.write_all(loads.as_bytes())).expect("a script");
    let page = PACKAGES.path().join("node_modules/speedscope/dist/release/index.html");
    // A page that only differs behind the # is not loaded again.
    chromium.load("about:blank");
    chromium.load(&format!("file://{}#view=sandwich&localProfilePath={}", page.display(), script.display()));
    chromium.wait_for("[...document.querySelectorAll('tr')].some(row => row.innerText.includes('memcpy'))");
}

/// The rows of Speedscope's table, by name: with all that they call, and by themselves.
fn rows(chromium: &Chromium) -> Vec<(String, String, String)> {
    let rows = "[...document.querySelectorAll('tr')].map(row => [...row.children].map(cell => cell.textContent))";
    let rows = chromium.evaluate(rows);
    let cell = |row: &Value, at: usize| row[at].as_str().unwrap_or_default().trim().to_owned();
    let rows = rows.as_array().expect("rows").iter().filter(|row| cell(row, 0).contains('%'));
    let mut rows: Vec<_> = rows.map(|row| (cell(row, 2), cell(row, 0), cell(row, 1))).collect();
    rows.sort();
    rows
}

/// What the page has to say but for its drawing without a graphics card.
fn problems(chromium: &Chromium) -> Vec<String> {
    let mut problems = chromium.take_problems();
    problems.retain(|problem| !problem.contains("\"source\":\"rendering\""));
    problems
}

#[track_caller]
fn assert_shown(chromium: &Chromium, value: impl Fn(u64) -> String) {
    let percent = |thousandths: u64| match thousandths {
        0 => "(<0.01%)".to_owned(),
        1000 => "(100%)".to_owned(),
        _ => format!("({:.0}%)", thousandths as f64 / 10.0),
    };
    let weight = |thousandths: u64| value((thousandths as f64 * 0.027).round() as u64);
    let shown = |share| format!("{} {}", weight(share), percent(share));
    let expected = SHARES.map(|(name, total, own)| (name.to_owned(), shown(total), shown(own)));
    assert_eq!(rows(chromium), expected);
}

#[test]
fn speedscope_opens_what_is_written_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let chromium = Chromium::start_with("--allow-file-access-from-files");
    let milliseconds = |samples: u64| if samples == 0 { "0.00ns".to_owned() } else { format!("{samples}.00ms") };
    let profile = profile(Unit::Samples, Some(1_000_000));
    opened(&chromium, folder.path(), "a.speedscope.json", &written("speedscope", &profile));
    assert_shown(&chromium, milliseconds);
    assert_eq!(chromium.text("document.title"), format!("{} - speedscope", profile.about.title));
    let page = chromium.text("document.body.textContent");
    assert!(page.contains("3 requests (1/4)"), "{page}");

    // What it has made of the file, it exports: all four profiles, as calls.
    chromium.evaluate("URL.createObjectURL = blob => { window.saved = blob; return 'about:blank'; }, 0");
    chromium.evaluate("HTMLAnchorElement.prototype.click = () => {}, 0");
    let export = "[...document.querySelectorAll('div')].filter(div => div.textContent.endsWith('Export')).pop()";
    chromium.evaluate(&format!("{export}.click(), 0"));
    chromium.wait_for("window.saved");
    let exported = folder.path().join("exported.speedscope.json");
    std::fs::write(&exported, chromium.text("window.saved.text()")).unwrap();
    let exported = read(&exported, None).unwrap();
    assert_eq!(exported.about.title, profile.about.title);
    assert_eq!(exported.about.unit, Unit::Nanoseconds);
    let totals: Vec<u64> = exported.clusters.iter().map(|cluster| cluster.total()).collect();
    assert_eq!(totals, [27_000_000, 8_000_000, 9_000_000, 10_000_000]);
    for (name, frame) in exported.frames.iter().map(|(_, frame)| (frame.name, frame)) {
        let ours = profile.frames.iter().find(|(_, ours)| ours.name == name).unwrap().1;
        assert_eq!((frame.file, frame.line), (ours.file, ours.line));
    }
    assert_eq!(problems(&chromium), [""; 0]);
}

/// Its example is what FlameGraph's authors try theirs with, too: 285 samples of 199 stacks.
#[test]
fn speedscopes_example_is_read() {
    let release = PACKAGES.path().join("node_modules/speedscope/dist/release");
    let mut files = std::fs::read_dir(release).unwrap().map(|file| file.unwrap().path());
    let file = files.find(|file| file.to_string_lossy().contains("-stacks-01-collapsed-all")).unwrap();
    let profile = read(&file, None).unwrap();
    let stacks = profile.self_weights().into_iter().filter(|weight| *weight > 0).count();
    assert_eq!((profile.total(), stacks, profile.notes.len()), (285, 199, 0));
    assert!(profile.frames.iter().any(|(_, frame)| frame.name == "vfs_write" && frame.kind == FrameKind::Kernel));
}

#[test]
fn speedscope_opens_any_unit() {
    let folder = tempfile::tempdir().unwrap();
    let chromium = Chromium::start_with("--allow-file-access-from-files");
    type Shown = fn(u64) -> String;
    let units: [(Unit, Shown); 5] = [
        (Unit::Samples, |weight| weight.to_string()),
        (Unit::Count, |weight| weight.to_string()),
        (Unit::Bytes, |weight| format!("{weight} B")),
        (Unit::Nanoseconds, |weight| format!("{weight}.00ns")),
        (Unit::CpuNanoseconds, |weight| format!("{weight}.00ns")),
    ];
    for (unit, shown) in units {
        opened(&chromium, folder.path(), "b.speedscope.json", &written("speedscope", &profile(unit, None)));
        assert_shown(&chromium, shown);
    }
    assert_eq!(problems(&chromium), [""; 0]);
}

/// Speedscope decodes pprof's files by the messages of pprof's own `profile.proto`.
#[test]
fn pprof_files_are_read_by_another_decoder() {
    let folder = tempfile::tempdir().unwrap();
    let chromium = Chromium::start_with("--allow-file-access-from-files");
    opened(&chromium, folder.path(), "c.pb.gz", &written("pprof", &profile(Unit::Samples, Some(1_000_000))));
    assert_shown(&chromium, |samples| if samples == 0 { "0.00ns".to_owned() } else { format!("{samples}.00ms") });
    opened(&chromium, folder.path(), "d.pb.gz", &written("pprof", &profile(Unit::Bytes, None)));
    assert_shown(&chromium, |weight| format!("{weight} B"));
    assert_eq!(problems(&chromium), [""; 0]);
}

#[test]
fn go_opens_what_is_written_for_pprof() {
    let Ok(version) = Command::new("go").arg("version").output() else {
        assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "there is no go");
        // Not eprintln!, which is shown of failing tests only.
        let _ = writeln!(std::io::stderr(), "SKIPPED: go_opens_what_is_written_for_pprof: it takes Go");
        return;
    };
    assert!(version.status.success());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.pb.gz");
    std::fs::write(&file, written("pprof", &profile(Unit::Samples, Some(1_000_000)))).unwrap();
    let pprof = |options: &[&str]| {
        let asked = Command::new("go")
            .args(["tool", "pprof"])
            .args(options)
            .arg(&file)
            .env("PPROF_TMPDIR", folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(asked.stdout).unwrap();
        assert!(asked.status.success(), "{text}{}", String::from_utf8_lossy(&asked.stderr));
        text
    };
    let raw = pprof(&["-raw"]);
    assert!(raw.contains("samples/count wall/nanoseconds[dflt]\n"), "{raw}");
    assert!(raw.contains("Period: 1000000\n") && raw.contains("PeriodType: wall nanoseconds\n"), "{raw}");
    for (options, total, own, sum) in [
        (&["-top", "-unit=ms"][..], "27ms", "9ms", "12ms"),
        (&["-top", "-sample_index=samples"], "27", "9", "12"),
        (&["-top", "-sample_index=samples", "-tagfocus=unladen.request=2"], "27", "3", "4"),
    ] {
        let top = pprof(options);
        assert!(top.contains(&format!("of {total} total")), "{top}");
        let find = top.lines().find(|line| line.ends_with(" AutoLoader::find")).unwrap();
        let cells: Vec<&str> = find.split_whitespace().collect();
        assert_eq!((cells[0], cells[3]), (own, sum), "{top}");
    }
}

/// The command line of Firefox's profiler: a process of its own holds the file, and ends with this. The command `load`
/// would start it too, but gives it half a second.
struct Firefox {
    folder: TempDir,
    holder: Child,
}

impl Firefox {
    #[track_caller]
    fn load(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.firefox.json");
        std::fs::write(&file, bytes).unwrap();
        // What is JSON in there is taken for a session.
        std::fs::create_dir(folder.path().join("sessions")).unwrap();
        let mut holder = Self::command(&folder, &["--daemon", file.to_str().unwrap()]);
        let holder = holder.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let firefox = Self { folder, holder: holder.expect("node starts (scripts/need nodejs)") };
        // Who asks too early is told that there is no session, and makes that true.
        let log = firefox.folder.path().join("sessions/test.log");
        wait::until_ok("the profile is loaded", || {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            if said.contains("Profile loaded successfully") { Ok(()) } else { Err(said) }
        });
        firefox
    }

    fn command(folder: &TempDir, what: &[&str]) -> Command {
        let script = PACKAGES.path().join("node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");
        let mut command = Command::new("node");
        command
            .arg(script)
            .args(what)
            .args(["--session", "test"])
            .env("PROFILER_CLI_SESSION_DIR", folder.path().join("sessions"));
        command
    }

    #[track_caller]
    fn json(&self, what: &[&str]) -> Value {
        let asked = Self::command(&self.folder, &[what, &["--json"]].concat()).output().unwrap();
        let text = String::from_utf8(asked.stdout).unwrap();
        assert!(asked.status.success(), "{what:?}: {text}{}", String::from_utf8_lossy(&asked.stderr));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

#[test]
fn the_profiler_of_firefox_opens_what_is_written_for_it() {
    for (unit, period, weight_type, of_one) in [
        (Unit::Samples, Some(500_000), "samples", 1.0),
        (Unit::Samples, None, "samples", 1.0),
        (Unit::Count, None, "samples", 1.0),
        (Unit::Bytes, None, "bytes", 1.0),
        (Unit::Nanoseconds, None, "tracing-ms", 1e-6),
        (Unit::CpuNanoseconds, None, "tracing-ms", 1e-6),
    ] {
        let firefox = Firefox::load(&written("firefox", &profile(unit, period)));
        let samples = firefox.json(&["thread", "samples"]);
        assert_eq!(samples["weightType"], weight_type, "{samples}");
        assert_eq!(samples["friendlyThreadName"], "http://127.0.0.1/wiki?a=\"b\"");
        let functions = samples["topFunctionsByTotal"].as_array().unwrap();
        let number = |value: &Value| (value.as_f64().unwrap() / of_one).round() as u64;
        let mut found: Vec<(&str, u64, u64)> = (functions.iter())
            .map(|function| {
                let [total, own] = [&function["totalSamples"], &function["selfSamples"]].map(number);
                (function["name"].as_str().unwrap().rsplit('!').next().unwrap(), total, own)
            })
            .collect();
        found.sort();
        let of_27 = |share: u64| (share as f64 * 0.027).round() as u64;
        assert_eq!(found, SHARES.map(|(name, total, own)| (name, of_27(total), of_27(own))), "{unit:?}");
        let categories = samples["categoryBreakdown"]["categories"].as_array().unwrap();
        let names: Vec<_> = categories.iter().map(|category| category["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["include", "function", "kernel"]);

        let markers = firefox.json(&["thread", "markers", "--list"]);
        let markers = markers["byType"].as_array().unwrap();
        let names: Vec<_> = markers.iter().map(|marker| marker["markerName"].as_str().unwrap()).collect();
        assert_eq!(names, ["request 1", "request 2", "request 3"]);
        if period.is_some() {
            let lasts = |marker: &Value| marker["topMarkers"][0]["duration"].as_f64().unwrap();
            assert_eq!(markers.iter().map(lasts).collect::<Vec<_>>(), [4.0, 4.5, 5.0], "ms");
        }
    }
}
