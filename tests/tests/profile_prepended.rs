//! `unladen profile --prepended`: a PHP without FastCGI, which runs a file of ours before its scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use tempfile::TempDir;
use unladen_tests::{Ability, Call, Document, Running, ScriptServer, free_port, php_settings, skip_without, wait};

/// Most of it is one function. It tells whether it is profiled, keeps the mark that it came with, and what it can see.
const PAGE: &str = r"<?php
$seen = [preg_grep('/^_[A-Z]+$/', array_keys(get_defined_vars()), PREG_GREP_INVERT), error_get_last(), ob_get_level(), getcwd(), isset($_SERVER['HTTP_X_UNLADEN_PROFILE']),
    set_error_handler(null), ini_get('memory_limit'), count(debug_backtrace()), __FILE__, $_SERVER['SCRIPT_FILENAME']];
function burn($n) { $sum = 0; for ($i = 0; $i < $n; $i++) { $sum += sqrt($i); } return $sum; }
function page() { return burn(1500000); }
$is_profiled = class_exists('Unladen\Profile\Log', false);
$headers = function_exists('getallheaders') ? array_change_key_case(getallheaders()) : [];
if ($is_profiled) { @file_put_contents(__DIR__ . '/mark', $headers['x-unladen-profile'] ?? ''); }
@file_put_contents(__DIR__ . ($is_profiled ? '/seen.profiled' : '/seen.plain'), json_encode($seen));
page();
echo $is_profiled ? 'profiled' : 'plain';
";

/// A folder with the file that PHP is to run before its scripts, which all may read.
fn printed() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let file = folder.path().join("unladen-profile.php");
    let text = Call::new(["profile", "--print-prepend"]).run().succeeded().says_nothing().stdout;
    fs::write(&file, text).unwrap();
    (folder, file)
}

/// PHP's own web server, with Excimer and that file.
fn site(prepended: &Path) -> ScriptServer {
    let prepended = format!("auto_prepend_file={}", prepended.display());
    ScriptServer::php(PAGE, &["extension=excimer.so", &prepended])
}

fn profile<const N: usize>(more: [&str; N]) -> Call {
    Call::new(["profile", "--prepended", "--no-files", "--period", "500us"]).args(more)
}

/// What the page answers to a request with this header.
fn asked(url: &str, header: &str) -> String {
    let output = Command::new("curl").args(["-sS", "--max-time", "60", "-H", header, url]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn marked(url: &str, mark: &str) -> String {
    asked(url, &format!("X-Unladen-Profile: {mark}"))
}

/// Waits until the page has come by a mark, and takes it.
fn mark(site: &ScriptServer) -> String {
    wait::until_ok("something is profiled", || match fs::read_to_string(site.path("mark")) {
        Ok(mark) if !mark.is_empty() => Ok(mark),
        other => Err(format!("{other:?}")),
    })
}

fn share(document: &Document, function: &str, of: &str) -> f64 {
    let rows = document.list("functions");
    let row =
        rows.iter().find(|row| row["name"] == function).unwrap_or_else(|| panic!("{function} is not in {document}"));
    row[of]["value"].as_f64().unwrap()
}

fn run_folders() -> Vec<PathBuf> {
    let entries = fs::read_dir("/run/unladen-profile").into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("run-"))).collect()
}

#[test]
fn php_without_fastcgi_is_profiled_and_sees_little_of_it() {
    if skip_without(Ability::Root, "php_without_fastcgi_is_profiled_and_sees_little_of_it") {
        return;
    }
    let (_folder, file) = printed();
    let site = site(&file);
    let document = profile(["-n", "40", &site.url()]).document();
    assert_eq!((&document["profiler"], &document["requests"]), (&"excimer".into(), &40.into()));
    assert!(document["setup"]["group"].as_str().unwrap().contains(&site.name()[..8]), "{document}");
    assert!(share(&document, "burn", "self_share") > 0.5, "{document}");
    assert!(share(&document, "page", "total_share") > 0.5, "{document}");
    let names: Vec<_> = document.list("functions").iter().filter_map(|row| row["name"].as_str()).collect();
    assert!(!names.iter().any(|name| name.contains("Unladen")), "{names:?}");
    // What the page can see is the same, but for what the documentation tells.
    let seen = |name: &str| fs::read_to_string(site.path(name)).unwrap();
    assert_eq!(seen("seen.profiled"), seen("seen.plain"));
    assert!(seen("seen.plain").starts_with("[[],null,"), "{}", seen("seen.plain"));
    assert_eq!(marked(&site.url(), &fs::read_to_string(site.path("mark")).unwrap()), "plain", "it is over");
    assert!(profile(["--clock", "cpu", "-n", "8", &site.url()]).document()["requests"] == 8);
}

#[test]
fn nobody_elses_requests_are_profiled() {
    if skip_without(Ability::Root, "nobody_elses_requests_are_profiled") {
        return;
    }
    let (_folder, file) = printed();
    let site = site(&file);
    let running = profile(["--time", "5min", &site.url()]).start();
    let mark = mark(&site);
    let (run, token) = mark.split_once('-').unwrap();
    assert_eq!((run.len(), token.len()), (16, 32), "{mark}");
    let zeros = "0".repeat(32);
    let hostile = [
        String::new(),
        "1".to_owned(),
        format!("{run}-{zeros}"),
        format!("{zeros}-{token}"),
        format!("{run}-../{run}/{token}"),
        format!("../run-{run}-{token}"),
        format!("{run}-{token}/../lock"),
        format!("{run}-{token}.out"),
        format!("{run}-{}", token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A")),
        format!("{mark}, {mark}"),
        "php://filter/resource=/etc/passwd".to_owned(),
        "x".repeat(6000),
    ];
    for mark in &hostile {
        assert_eq!(marked(&site.url(), mark), "plain", "{mark}");
    }
    assert_eq!(asked(&site.url(), "X-Other: 1"), "plain");
    running.signal(Signal::SIGINT);
    let document = running.wait();
    assert_eq!(document.code, Some(130), "{document}");
    assert_eq!(marked(&site.url(), &mark), "plain", "after Ctrl-C");
}

#[test]
fn after_kill_nine_nothing_is_profiled_and_the_next_run_cleans_up() {
    if skip_without(Ability::Root, "after_kill_nine_nothing_is_profiled_and_the_next_run_cleans_up") {
        return;
    }
    let (_folder, file) = printed();
    let site = site(&file);
    let running: Running = profile(["--time", "5min", &site.url()]).start();
    let mark = mark(&site);
    let left = PathBuf::from(format!("/run/unladen-profile/run-{}", &mark[..16]));
    assert!(run_folders().contains(&left), "{left:?}");
    running.signal(Signal::SIGKILL);
    assert_eq!(running.wait().code, None);
    assert_eq!(marked(&site.url(), &mark), "plain");
    profile(["-n", "6", &site.url()]).document();
    assert!(!left.exists());
}

#[test]
fn a_file_that_is_prepended_already_can_require_ours() {
    if skip_without(Ability::Root, "a_file_that_is_prepended_already_can_require_ours") {
        return;
    }
    let (folder, file) = printed();
    let own = folder.path().join("own.php");
    fs::write(&own, format!("<?php require '{}'; function sqrt_of_all() {{ return 1; }}", file.display())).unwrap();
    let document = profile(["-n", "8", &site(&own).url()]).document();
    assert!(share(&document, "burn", "self_share") > 0.5, "{document}");
}

/// One of another user, as Apache's are.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn whoever_answers_can_write_what_it_saw() {
    if skip_without(Ability::Root, "whoever_answers_can_write_what_it_saw") {
        return;
    }
    let (folder, file) = printed();
    fs::write(folder.path().join("index.php"), PAGE).unwrap();
    let port = free_port();
    let mut command = Command::new("setpriv");
    command.env("PHP_INI_SCAN_DIR", php_settings(folder.path()));
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL", "--", "php"]);
    command.args(["-d", "extension=excimer.so", "-d", &format!("auto_prepend_file={}", file.display()), "-S"]);
    command.arg(format!("127.0.0.1:{port}")).arg("-t").arg(folder.path()).stdin(Stdio::null());
    let _worker = Worker(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait::until_ok("php comes up", || std::net::TcpStream::connect(("127.0.0.1", port)));
    let document = profile(["-n", "8", &format!("http://127.0.0.1:{port}/")]).document();
    assert!(share(&document, "burn", "self_share") > 0.5, "{document}");
}

#[test]
fn what_is_missing_is_told() {
    if skip_without(Ability::Root, "what_is_missing_is_told") {
        return;
    }
    let (_folder, file) = printed();
    let without_file = ScriptServer::php(PAGE, &["extension=excimer.so"]);
    let done = profile([&without_file.url()]).run().ended_with(5);
    done.says(["--print-prepend", "auto_prepend_file = "]);
    let without_excimer = ScriptServer::php(PAGE, &[&format!("auto_prepend_file={}", file.display())]);
    let done = profile([&without_excimer.url()]).run().ended_with(5);
    done.says(["has not loaded Excimer", without_excimer.name()]);
    profile(["--profiler", "perf", "http://127.0.0.1:1/"]).run().ended_with(2).says(["--prepended"]);
    Call::new(["profile", "--print-prepend", "http://127.0.0.1:1/"]).run().ended_with(2);
}
