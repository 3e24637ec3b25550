//! What is found on another host: traced there, told with the host's name, and taken off by the printed fix, applied there.
//!
//! The hosts are namespaces of a [`Bed`].
//!
//! Long: it weighs four times, and counts in each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use serde_json::Value;
use unladen_tests::{Ability, Bed, Call, Document, Lab, Started, binary, bpf, skip_without, wait};

/// Reads its parts, which are compiled for each request where there is no opcode cache.
const PAGE: &str = r#"<?php
foreach (range(1, 30) as $number) {
    include __DIR__ . "/part$number.php";
}
echo str_repeat('text ', 20);
"#;

/// nginx and PHP-FPM on host `php`, without an opcode cache.
struct App {
    lab: Lab,
    url: String,
    _nginx: Started,
    fpm: Option<Started>,
}

impl App {
    fn start(bed: &Bed) -> Self {
        let lab = Lab::new();
        // Workers are nobody's.
        let root = lab.path("");
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).expect("a folder of our own");
        for folder in ["www", "ini"] {
            fs::create_dir(lab.path(folder)).expect("a folder of our own");
        }
        fs::write(lab.path("www/index.php"), PAGE).expect("a file of our own");
        for part in 1..=30 {
            let functions: String =
                (0..100).map(|n| format!("function f{part}_{n}($a) {{ return [$a, {n}]; }}\n")).collect();
            fs::write(lab.path(&format!("www/part{part}.php")), format!("<?php\n{functions}")).expect("a file");
        }
        fs::write(lab.path("ini/10-off.ini"), "opcache.enable = 0\n").expect("a file of our own");
        let at = root.display().to_string();
        let fpm = format!(
            "[global]\nerror_log = {at}/fpm.log\npid = {at}/fpm.pid\ndaemonize = no\n[www]\nuser = www-data\ngroup = www-data\n\
             listen = {at}/fpm.sock\nlisten.mode = 0666\npm = static\npm.max_children = 1\n"
        );
        fs::write(lab.path("fpm.conf"), fpm).expect("a file of our own");
        let address = format!("{}:8080", bed.address("php"));
        let nginx = format!(
            "daemon off; master_process off; pid nginx.pid; error_log errors.log;
             events {{ worker_connections 100; }}
             http {{
                 access_log off;
                 client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                 uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                 server {{ listen {address}; location / {{
                     fastcgi_pass unix:{at}/fpm.sock; fastcgi_param SCRIPT_FILENAME {at}/www/index.php;
                     fastcgi_param REQUEST_METHOD $request_method; fastcgi_param QUERY_STRING '';
                 }} }}
             }}"
        );
        fs::write(lab.path("nginx.conf"), nginx).expect("a file of our own");
        let nginx = bed.start_in("php", &format!("exec nginx -p {at} -c {at}/nginx.conf"));
        let mut app = Self { lab, url: format!("http://{address}/"), _nginx: nginx, fpm: None };
        app.restart(bed);
        app
    }

    /// With the settings that lie there by now.
    fn restart(&mut self, bed: &Bed) {
        // A master that is killed leaves its workers behind; one that is asked ends them first.
        // One that is just reloading has no title yet.
        wait::until("PHP-FPM has ended", || {
            let all = bed.processes("php");
            let masters = all.iter().filter(|(_, line)| line.starts_with("php-fpm: master"));
            masters.for_each(|(pid, _)| {
                let _ = kill(*pid, Signal::SIGTERM);
            });
            all.iter().all(|(_, line)| !line.contains("php-fpm"))
        });
        self.fpm = None;
        let _ = fs::remove_file(self.lab.path("fpm.sock"));
        let (config, ini) = (self.lab.path("fpm.conf"), self.lab.path("ini"));
        let line =
            format!("PHP_INI_SCAN_DIR=:{} exec {} -F -y {}", ini.display(), php_fpm().display(), config.display());
        self.fpm = Some(bed.start_in("php", &line));
        let url = format!("{}ready", self.url);
        wait::until_ok("the page answers", || {
            let script = format!("curl -sf -o /dev/null {url} || echo no");
            if bed.run_in("web", &script).is_empty() { Ok(()) } else { Err("no answer") }
        });
    }
}

fn php_fpm() -> PathBuf {
    let all = fs::read_dir("/usr/sbin").expect("/usr/sbin").flatten().map(|entry| entry.path());
    let is_one = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("php-fpm"));
    all.filter(is_one).max().expect("php-fpm is installed: see scripts/test")
}

/// The command that leads to host `php` with these words before the shell, where `unladen` is installed.
fn host(bed: &Bed, words: &str) -> String {
    let folder = binary().parent().expect("it lies in a folder").display().to_string();
    format!("php={} {words} env PATH={folder}:/usr/sbin:/usr/bin:/bin", bed.host("php").ssh_command())
}

fn weigh(bed: &Bed, app: &App, words: &str) -> Call {
    let call = Call::weigh(["--time", "8s", "--phase", "150ms", "--settle", "20ms", "--group-by", "exe"]);
    call.args(["--host", &host(bed, words), &app.url]).through(bed.inside("web"))
}

fn recompile(document: &Document) -> Option<&Value> {
    document.list("findings").iter().find(|found| found["rule"] == "recompile")
}

/// What is said of the host as a whole.
fn not_judged(document: &Document) -> Option<&Value> {
    document.list("not_judged").iter().find(|part| part["what"] == "php")
}

fn is_skipped(test: &str) -> bool {
    skip_without(Ability::Hosts, test) || skip_without(Ability::Tracing, test)
}

#[test]
fn waste_on_another_host_is_found_named_and_taken_off_there() {
    if is_skipped("waste_on_another_host_is_found_named_and_taken_off_there") {
        return;
    }
    let bed = Bed::new(["web", "php"]);
    let mut app = App::start(&bed);
    let seen = app.lab.path("seen.json");
    let run = app.lab.path("run.json");
    let kept = ["--record".as_ref(), seen.as_os_str(), "-o".as_ref(), run.as_os_str()];
    let document = weigh(&bed, &app, "").args(kept).document();
    let found = recompile(&document).unwrap_or_else(|| panic!("no finding in\n{document}"));
    assert!(is_php(found["group"].as_str().unwrap()), "{found}");
    assert_eq!(found["host"], "php", "{found}");
    let figure = &found["evidence"]["figures"][0];
    assert!(figure["low"].as_f64() <= Some(31.0) && figure["high"].as_f64() >= Some(31.0), "all of its files: {found}");
    let fix = &found["fix"];
    assert!(fix["advice"].as_str().unwrap().starts_with("on php: "), "{found}");
    assert!(found["check_again"].as_str().unwrap().contains("| ${HOST_PHP:?} sh"), "{found}");
    assert!(not_judged(&document).is_none(), "{document}");
    // What is on this machine alone is asked of nobody else, and what is there is missed by no rule.
    let counts = document.list("counts").iter().filter_map(|count| count["group"].as_str());
    assert!(counts.into_iter().any(|group| group.starts_with("php/")), "{document}");

    // The same of what was recorded, on any machine.
    let again = Call::new(["weigh", "--details", "--replay"]).args([&seen]).run().succeeded();
    again.shows(["by php/www-data php-fpm", "on php: switch PHP's opcode cache on", ", on php:", "run on php:"]);
    assert!(!fs::read_to_string(&seen).unwrap().contains("ssh -F"), "the command that leads there is not kept");

    // `unladen fix` from here: applied and proved there, and taken off.
    let written = app.lab.path("ini/zz-unladen.ini");
    let unladen = |args: &[&str]| {
        let call =
            Call::new(args).env("UNLADEN_STORE", app.lab.path("runs.sqlite")).env("XDG_STATE_HOME", app.lab.path(""));
        call.through(bed.inside("web")).within(Duration::from_secs(300))
    };
    unladen(&["runs", "import"]).args([&run]).run().succeeded();
    let number = document.list("findings").iter().position(|found| found["rule"] == "recompile").expect("one") + 1;
    let number = number.to_string();
    let fix_there = ["fix", &number, "--yes", "--prove", "8s"];
    unladen(&fix_there).run().ended_with(2).says(["is of the host php", "--host php='ssh php'"]);
    unladen(&fix_there).args(["--host", &host(&bed, "")]).run().succeeded().shows(["It is kept"]);
    assert_eq!(fs::read_to_string(&written).expect("the fix is there"), "opcache.enable=1\n");
    let proof = unladen(&["runs", "show", "latest", "--json"]).run().succeeded();
    assert!(!proof.stdout.contains("ssh -F"), "the command that leads there is not kept: {proof}");
    unladen(&["fix", "undo", &number]).run().succeeded();
    assert!(!written.exists(), "it is taken off");

    // Its own words: the file that the PHP there reads last.
    let file = fix["file"].as_str().unwrap().strip_suffix(", on php").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(file, app.lab.path("ini/zz-unladen.ini").to_str().unwrap(), "{found}");
    let lines: Vec<&str> = fix["lines"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    bed.run_in("php", &format!("printf '%s\\n' '{}' > {file}", lines.join("' '")));
    app.restart(&bed);
    let document = weigh(&bed, &app, "").document();
    assert!(recompile(&document).is_none() && not_judged(&document).is_none(), "{document}");
}

#[test]
fn first_requests_of_fresh_processes_count_on_hosts_too() {
    if is_skipped("first_requests_of_fresh_processes_count_on_hosts_too") {
        return;
    }
    let bed = Bed::new(["web", "php"]);
    let mut app = App::start(&bed);
    fs::write(app.lab.path("ini/10-off.ini"), "opcache.enable = 1\n").expect("a file of our own");
    app.restart(&bed);
    let restart =
        format!("{} 'kill -USR2 $(cat {})'", bed.host("php").ssh_command(), app.lab.path("fpm.pid").display());
    let document = weigh(&bed, &app, "").args(["--restart", &restart]).document();
    let traced = document.list("traced").iter().find(|traced| traced["state"] == "fresh");
    assert!(traced.is_some_and(|traced| traced["requests"].as_u64() >= Some(12)), "{document}");
    let compiled = document.list("counts").iter().find(|count| {
        count["state"] == "fresh" && count["counter"] == "compiles.php" && count["group"].as_str().is_some_and(is_php)
    });
    let compiled = compiled.unwrap_or_else(|| panic!("nothing compiled by fresh processes in\n{document}"));
    assert!(compiled["low"].as_f64() <= Some(31.0) && compiled["high"].as_f64() >= Some(31.0), "{compiled}");
    // Where the cache is on, a first request has to compile.
    assert!(recompile(&document).is_none(), "{document}");
}

fn is_php(group: &str) -> bool {
    group.starts_with("php/www-data php-fpm")
}

#[test]
fn a_host_where_nothing_may_be_traced_is_told_with_what_it_takes() {
    if is_skipped("a_host_where_nothing_may_be_traced_is_told_with_what_it_takes") {
        return;
    }
    let bed = Bed::new(["web", "php"]);
    let app = App::start(&bed);
    let nobody = "setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set=-all";
    let document = weigh(&bed, &app, nobody).document();
    let part = not_judged(&document).unwrap_or_else(|| panic!("{document}"));
    assert!(part["why"].as_str().unwrap().contains("CAP_BPF"), "{part}");
    assert!(part["takes"].as_str().unwrap().contains("--host php='ssh … sudo'"), "{part}");
    assert_eq!(part["elsewhere"], true, "{part}");
    assert!(recompile(&document).is_none(), "{document}");
    assert!(document.list("weights").iter().any(|row| row["host"] == "php" && row["follows"] == true), "{document}");
}

#[test]
fn a_host_that_dies_while_it_is_traced_ends_its_part_alone() {
    if is_skipped("a_host_that_dies_while_it_is_traced_ends_its_part_alone") {
        return;
    }
    let bed = Bed::new(["web", "php"]);
    let app = App::start(&bed);
    let running = weigh(&bed, &app, "").args(["--json"]).start();
    let mut held = None;
    wait::within(Duration::from_secs(180), || {
        let agents = bed.pids("php", "unladen-agent");
        held = agents.into_iter().map(|pid| (pid, bpf::held_by(pid))).find(|(_, held)| !held.is_empty());
        held.is_some()
    });
    let (pid, held) = held.expect("an agent traces");
    kill(pid, Signal::SIGKILL).expect("it runs");
    let document = running.wait().succeeded().document();
    let part = not_judged(&document).unwrap_or_else(|| panic!("{document}"));
    assert!(part["why"].as_str().unwrap().starts_with("nothing more is traced there: "), "{part}");
    assert!(document.list("weights").iter().any(|row| row["host"] == "php" && row["follows"] == true), "{document}");
    assert!(recompile(&document).is_none(), "{document}");
    wait::until("nothing of it is left in the kernel", || bpf::remaining(&held).is_empty());
}
