//! `unladen profile` on a real MediaWiki, and what it does with files.
//!
//! Measures: shares of samples, of an application that other tests have up too.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;
use unladen_tests::{Ability, Call, Document, Done, ScriptServer, Subject, skip_without, wait};

/// Requests of a profile: at 20 ms each, some thousand samples.
const REQUESTS: &str = "60";

fn profile(url: &str, folder: &Path) -> Call {
    Call::new(["profile", "-n", REQUESTS, "--period", "500us", "--output-dir"]).args([folder]).args([url])
}

/// The row of a function in a document.
fn function<'a>(document: &'a Document, name: &str) -> &'a Value {
    let rows = document.list("functions");
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not in {document}"))
}

fn share(row: &Value, of: &str) -> (f64, f64, f64) {
    let number = |end: &str| row[of][end].as_f64().unwrap_or_else(|| panic!("{of}.{end} of {row}"));
    (number("low"), number("value"), number("high"))
}

/// The files of that end.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.to_string_lossy().ends_with(end)).collect()
}

#[test]
fn the_autoloader_of_mediawiki_is_found_and_a_class_map_takes_it_off() {
    if skip_without(Ability::Tracing, "the_autoloader_of_mediawiki_is_found_and_a_class_map_takes_it_off") {
        return;
    }
    let wiki = Subject::up_with("mediawiki", &[("UNLADEN_CLASSMAP", "before")]);
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    // By the processor's clock: what others on the machine do is not in it.
    let profile = |folder| profile(wiki.url(), folder).args(["--clock", "cpu"]);
    let found = profile(&before).document();

    assert_eq!(found["schema"], "unladen.profile/1");
    assert_eq!(found["profiler"], "excimer");
    assert!(found["setup"]["group"].as_str().unwrap().contains("php-fpm"), "{found}");
    assert_eq!(found["requests"], 60);
    let find = function(&found, "AutoLoader::find");
    let (low, value, high) = share(find, "self_share");
    assert!(low > 0.02 && low < value && value < high && high < 0.25, "{find}");
    assert!(find["file"].as_str().unwrap().ends_with("includes/AutoLoader.php"), "{find}");
    let rules: Vec<&str> = found.list("findings").iter().filter_map(|finding| finding["rule"].as_str()).collect();
    assert!(rules.contains(&"autoload-share"), "{rules:?}");
    for end in [".profile.json", ".svg", ".speedscope.json", ".collapsed", ".firefox.json", ".pb.gz"] {
        assert_eq!(files(&before, end).len(), 1, "{end}");
    }
    assert!(files(&before, ".svg")[0].file_name().unwrap().to_string_lossy().starts_with("Main_Page"));

    // The map, by the line that its documentation gives.
    let state = PathBuf::from(wiki.get("STATE"));
    let settings = state.join("LocalSettings.php");
    Call::new(["classmap", "--settings"]).args([&settings]).args([state.join("before")]).run().succeeded();
    let map = state.join("before/unladen-classmap.php");
    fs::write(state.join("php.d/map.ini"), format!("auto_prepend_file = {}\n", map.display())).unwrap();
    wiki.run(["restart"]);
    profile(&after).run().succeeded();

    let [before, after] = [before, after].map(|folder| files(&folder, ".profile.json").remove(0));
    let picture = folder.path().join("diff.svg");
    let call = Call::new(["profile", "diff", "-o"]).args([&picture, &before, &after]);
    let diff = call.document();
    assert_eq!(diff["schema"], "unladen.profile-diff/1");
    let find = function(&diff, "AutoLoader::find");
    assert_eq!(find["changed"], true, "{find}");
    assert!(find["total"]["candidate"].as_f64() < find["total"]["baseline"].as_f64(), "{find}");
    assert!(find["total"]["difference"]["high"].as_f64().unwrap() < 0.0, "{find}");
    assert!(fs::read_to_string(&picture).unwrap().contains("AutoLoader::find"));
}

/// A page with a function that takes nearly all of it.
const PAGE: &str = r"<?php
function burn($n) { $sum = 0; for ($i = 0; $i < $n; $i++) { $sum += sqrt($i); } return $sum; }
function page() { return burn(400000); }
echo page() > 0 ? 'done' : 'never';
";

#[test]
fn without_fastcgi_the_kernels_clock_serves_and_says_so() {
    if skip_without(Ability::Tracing, "without_fastcgi_the_kernels_clock_serves_and_says_so") {
        return;
    }
    let site = ScriptServer::php(PAGE, &[]);
    let folder = tempfile::tempdir().unwrap();
    let document = profile(&site.url(), folder.path()).document();
    assert_eq!(document["profiler"], "perf", "{document}");
    let notes = document["notes"].to_string();
    assert!(notes.contains("FastCGI") && notes.contains("kernel's clock"), "{notes}");
    // Nothing but PHP's own machine does the work of the page.
    let native = document.list("functions").iter().any(|row| row["kind"] == "native");
    assert!(native, "{document}");

    let refused = Call::new(["profile", "--profiler", "excimer", &site.url()]).run().ended_with(5);
    refused.says(["FastCGI"]);
}

/// A file that grows by a byte with each page that the wiki is asked for, whoever asks.
fn let_the_wiki_tell(wiki: &Subject) -> PathBuf {
    let state = PathBuf::from(wiki.get("STATE"));
    let asked = state.join("asked");
    fs::write(&asked, "").unwrap();
    fs::set_permissions(&asked, fs::Permissions::from_mode(0o666)).unwrap();
    let mut settings = fs::OpenOptions::new().append(true).open(state.join("LocalSettings.php")).unwrap();
    writeln!(settings, "file_put_contents('{}', '.', FILE_APPEND);", asked.display()).unwrap();
    asked
}

/// Ended by a signal, it shows what it has; the application is as it was, which the tests of the crate look at.
#[test]
fn a_profile_that_is_interrupted_shows_what_it_has() {
    if skip_without(Ability::Tracing, "a_profile_that_is_interrupted_shows_what_it_has") {
        return;
    }
    let wiki = Subject::up("mediawiki");
    let asked = let_the_wiki_tell(&wiki);
    let running = Call::new(["profile", "--time", "5min", "--no-files", "--json", wiki.url()]).start();
    // Some go before it begins, and some are not looked at.
    wait::until("pages have been asked for", || fs::metadata(&asked).unwrap().len() >= 60);
    running.signal(Signal::SIGINT);
    let done = running.wait().ended_with(130);
    let document = done.document();
    assert_eq!(document["setup"]["ended"], "interrupted");
    assert!(document["requests"].as_u64() >= Some(6), "{document}");
    let asked = Command::new("curl").args(["-sf", "-o", "/dev/null", wiki.url()]).status().unwrap();
    assert!(asked.success());
}

#[test]
fn an_experiment_keeps_a_profile_of_each_arm() {
    if skip_without(Ability::Tracing, "an_experiment_keeps_a_profile_of_each_arm") {
        return;
    }
    let wiki = Subject::up("mediawiki");
    let folder = tempfile::tempdir().unwrap();
    let experiment = folder.path().join("skins.toml");
    let text = format!(
        "title = \"Skins\"\nurl = \"{0}\"\nload = {{ concurrency = 1, requests = 24 }}\n[[knob]]\nname = \"Timeless\"\non = {{ url = \"{0}?useskin=timeless\" }}\n",
        wiki.url()
    );
    fs::write(&experiment, text).unwrap();
    let kept = folder.path().join("kept");
    let call = Call::prove([&experiment]).args(["--no-weights", "--profile", "--output-dir"]).args([&kept]);
    let document = call.document();
    let profiles = document.list("profiles");
    assert_eq!(profiles.len(), 2, "{document}");
    assert_eq!((&profiles[0]["arm"], &profiles[1]["arm"]), (&"baseline".into(), &"Timeless".into()));
    assert_eq!(profiles[1]["requests"], 100);
    assert!(profiles[1]["functions_changed"].as_u64() > Some(0), "another skin runs other functions: {document}");
    for profile in profiles {
        for file in ["file", "picture"] {
            assert!(Path::new(profile[file].as_str().unwrap()).exists(), "{profile}");
        }
    }
}

/// Collapsed stacks, as other tools write them.
const STACKS: &str = "main;a;b 30\nmain;a 10\nmain;c 60\n";

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn run<const N: usize>(&self, words: [&str; N]) -> Done {
        let words = words.map(|word| if word.contains('.') { self.path(word).into_os_string() } else { word.into() });
        Call::new(["profile"]).args(words).run()
    }
}

#[test]
fn files_are_imported_exported_merged_and_searched() {
    let files = Files::new();
    files.write("a.collapsed", STACKS);
    let document = files.run(["import", "a.collapsed", "--json"]).succeeded().document();
    assert_eq!(document["weight"], 100);
    let own = |name: &str| function(&document, name)["self_weight"].as_u64().unwrap();
    assert_eq!((own("main"), own("a"), own("b"), own("c")), (0, 10, 30, 60));
    assert!(function(&document, "c")["self_share"]["low"].is_null(), "one file is no sample of requests");

    // Through every format and back.
    for name in ["x.speedscope.json", "x.firefox.json", "x.pb.gz", "x.profile.json", "x.folded"] {
        files.run(["export", "a.collapsed", "-o", name]).succeeded().shows_nothing();
        let back = files.run(["top", name, "--json"]).succeeded().document();
        assert_eq!(function(&back, "a")["total_weight"], 40, "{name}");
        assert_eq!(back["weight"], 100, "{name}");
    }
    files.run(["export", "a.collapsed", "-o", "x.svg"]).succeeded();
    assert!(fs::read_to_string(files.path("x.svg")).unwrap().starts_with("<svg"));
    let shown = files.run(["export", "x.pb.gz", "--as", "collapsed"]).succeeded().stdout;
    let mut lines: Vec<&str> = shown.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["main;a 10", "main;a;b 30", "main;c 60"]);

    files.run(["merge", "a.collapsed", "x.folded", "-o", "both.profile.json"]).succeeded();
    let found = files.run(["grep", "^b$", "both.profile.json", "--json"]).succeeded().document();
    assert_eq!(found["weight"], 60);
    let others = files.run(["grep", "-v", "^b$", "both.profile.json", "--json"]).succeeded().document();
    assert_eq!(others["weight"], 140);

    files.write("b.collapsed", "main;a;b 5\nmain;a 10\nmain;c 85\n");
    files.run(["diff", "a.collapsed", "b.collapsed"]).succeeded().shows(["a.collapsed", "b.collapsed"]);
    files.run(["formats"]).succeeded().shows(["nytprof", "pprof", ".speedscope.json"]);
}

#[test]
fn bad_files_are_told_with_the_place() {
    let files = Files::new();
    files.write("cut.profile.json", "{\"schema\":\"unladen.stacks/1\",\"about\":{");
    files.write("odd.collapsed", "main;a 10\nmain;b\nmain;c\n");
    files.write("none.bin", [0, 159, 146, 150]);
    files.write("a.collapsed", STACKS);
    files.run(["import", "cut.profile.json"]).ended_with(2).says(["cut.profile.json", "byte"]).shows_nothing();
    files.run(["import", "odd.collapsed", "--format", "collapsed"]).ended_with(2).says(["odd.collapsed", "line 2"]);
    files.run(["import", "none.bin"]).ended_with(2).says(["none.bin", "collapsed"]);
    files.run(["import", "nowhere.json"]).ended_with(2).says(["nowhere.json"]);
    files.run(["export", "a.collapsed", "-o", "a.xyz"]).ended_with(2).says([".speedscope.json"]);
    files.run(["grep", "(", "a.collapsed"]).ended_with(2).says(["regular expression"]);
    Call::new(["profile"]).run().ended_with(2).says(["URL"]);
    Call::new(["profile", "--period", "1ns", "http://127.0.0.1:1/"]).run().ended_with(2).says(["50 µs"]);
    Call::new(["profile", "--fail-on", "stat-storm", "http://127.0.0.1:1/"])
        .run()
        .ended_with(2)
        .says(["unladen weigh"]);
    Call::weigh(["--fail-on", "hot-call", "http://127.0.0.1:1/"]).run().ended_with(2).says(["unladen profile"]);
}

#[test]
fn nobody_there_is_told_before_anything_else() {
    if skip_without(Ability::Tracing, "nobody_there_is_told_before_anything_else") {
        return;
    }
    let begun = Instant::now();
    Call::new(["profile", "--no-files", "http://127.0.0.1:1/"]).run().ended_with(3).says(["127.0.0.1:1"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
}
