//! PHP under Excimer: nothing but our requests, nothing but what the profiler itself says, and nothing that stays.
//! Needs root, eBPF, nginx, php-fpm and php-excimer.
//!
//! Measures: shares of samples; its timer loses ticks where others have the processor.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by them")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{Settings, Site, is_there, skip};
use unladen_load::{Cancel, DriverConfig, Request};
use unladen_profile::{ExcimerLog, FrameKind, Input, Profile};
use unladen_profiler::{Clock, Excimer, ExcimerOptions, Profiler, ProfilerError, capture_request};

const OPTIONS: ExcimerOptions =
    ExcimerOptions { period: Duration::from_millis(1), clock: Clock::Wall, timeout: Duration::from_secs(60) };
/// Spends some ms of its own processor's time in functions of several kinds: on a busy machine that is more of the
/// clock's, never less, and none of them passes while others have the processor.
const BUSY: &str = "<?php
    class Work { static function cpu() { \\$u = getrusage(); return 1e3 * (\\$u['ru_utime.tv_sec'] + \\$u['ru_stime.tv_sec']) + 1e-3 * (\\$u['ru_utime.tv_usec'] + \\$u['ru_stime.tv_usec']); }
        function deep(\\$n) { if (\\$n) { return \\$this->deep(\\$n - 1); } self::spin(32); } static function spin(\\$ms) { \\$t = self::cpu(); while (self::cpu() - \\$t < \\$ms) md5('x'); } }
    spl_autoload_register(function (\\$class) { Work::spin(24); });
    function look() { class_exists('Nobody'); }
    (new Work)->deep(5); look(); (function () { Work::spin(28); })(); eval('Work::spin(20);');
";

fn open(site: &Site, path: &str) -> Excimer {
    let captured = capture_request(&site.driver(path), &Cancel::new()).unwrap();
    Excimer::open(captured, OPTIONS).unwrap()
}

fn busy() -> String {
    BUSY.replace("\\$", "$")
}

/// What each function weighs, by itself and with all that it calls.
fn shares(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let mut shares: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (stack, weight) in profile.clusters.iter().flat_map(|cluster| &cluster.weights) {
        let mut names: Vec<_> =
            profile.stacks.inwards_out(*stack).map(|frame| profile.frames.get(frame).name.to_owned()).collect();
        // One that comes when no code runs any more has none.
        let Some(innermost) = names.first() else { continue };
        shares.entry(innermost.clone()).or_default().0 += weight;
        names.sort();
        names.dedup();
        for name in names {
            shares.entry(name).or_default().1 += weight;
        }
    }
    shares
}

fn collapsed(profile: &Profile) -> BTreeMap<String, u64> {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (stack, weight) in profile.clusters.iter().flat_map(|cluster| &cluster.weights) {
        let name = |frame| profile.frames.get(frame).name.replace([' ', ';', '\0'], "_");
        let names: Vec<_> = profile.stacks.outwards_in(*stack).into_iter().map(name).collect();
        *lines.entry(names.join(";")).or_default() += weight;
    }
    lines
}

#[test]
fn the_shares_are_those_of_excimers_own_formats_to_the_sample() {
    if skip("excimer::the_shares_are_those_of_excimers_own_formats_to_the_sample") {
        return;
    }
    let site = Site::start(&Settings::default());
    let tmp = site.tmp();
    // The page profiles itself, and writes one log three times: by the wrapper's code, and by Excimer's own.
    let page = format!(
        "{}
        $own = new ExcimerProfiler; $own->setPeriod(0.0005); $own->setEventType(EXCIMER_REAL); $own->start();
        for ($i = 0; $i < 4; $i++) {{ (new Work)->deep(3); look(); (function () {{ Work::spin(7); }})(); eval('Work::spin(5);'); }}
        $o = new class {{ function go() {{ Work::spin(5); }} }}; $o->go();
        $own->stop(); $log = $own->getLog(); $out = '';
        if (class_exists('Unladen\\Profile\\Log', false)) {{
            $header = ['excimer' => 1, 'period_ns' => 500000, 'clock' => 'wall', 'script' => __FILE__];
            $end = Unladen\\Profile\\Log::write($log, $header, function ($line) use (&$out) {{
                $out .= json_encode($line, Unladen\\Profile\\Log::JSON) . \"\\n\"; }});
            file_put_contents('{1}/log', $out . json_encode(['end' => $end]) . \"\\n\");
            file_put_contents('{1}/collapsed', $log->formatCollapsed());
            file_put_contents('{1}/functions', json_encode($log->aggregateByFunction(), JSON_INVALID_UTF8_SUBSTITUTE));
        }}",
        busy(),
        tmp.display()
    );
    site.page("busy.php", &page);
    let mut profiler = open(&site, "/busy.php");
    profiler.profile(&mut Profile::default(), &Cancel::new()).unwrap();

    let mut own = Profile::default();
    let cluster = own.begin_request();
    let text = fs::read(tmp.join("log")).unwrap();
    ExcimerLog::add(&mut Input::new(&mut &text[..]), Some("no file at all"), &mut own, cluster).unwrap();
    let expected = fs::read_to_string(tmp.join("collapsed")).unwrap();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for line in expected.lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        *lines.entry(stack.trim_start_matches(';').to_owned()).or_default() += count.parse::<u64>().unwrap();
    }
    assert_eq!(collapsed(&own), lines);
    let functions: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&fs::read(tmp.join("functions")).unwrap()).unwrap();
    let of = |value: &serde_json::Value| (value["self"].as_u64().unwrap(), value["inclusive"].as_u64().unwrap());
    let visible = |name: &String| name.replace('\0', " ");
    let functions: BTreeMap<_, _> = functions.iter().map(|(name, value)| (visible(name), of(value))).collect();
    assert_eq!(shares(&own), functions);
    assert!(own.total() > 20, "{}", own.total());
}

#[test]
fn a_request_is_a_cluster_with_its_kinds_of_frames() {
    if skip("excimer::a_request_is_a_cluster_with_its_kinds_of_frames") {
        return;
    }
    let site = Site::start(&Settings::default());
    // Under the profiler, it tells what part of its time the class look-up took.
    let page = busy()
        .replace(
            "(new Work)->deep(5); look();",
            "$b = hrtime(true); (new Work)->deep(5); $l = hrtime(true); look(); $l = hrtime(true) - $l;",
        )
        .replace("eval('Work::spin(20);');", "eval('Work::spin(20);'); $b = hrtime(true) - $b;");
    let tells = format!(
        "if (class_exists('Unladen\\Profile\\Log', false)) {{ file_put_contents('{}/took', \"$l $b\\n\", FILE_APPEND); }}",
        site.tmp().display()
    );
    let script = site.page("busy.php", &format!("{page}{tells}"));
    let mut profiler = open(&site, "/busy.php");
    assert!(profiler.notes().is_empty(), "{:?}", profiler.notes());
    let mut profile = Profile::default();
    let mut times = Vec::new();
    for _ in 0..3 {
        assert_eq!(profiler.plain(&Cancel::new()).unwrap().status, 200);
        let begun = Instant::now();
        assert_eq!(profiler.profile(&mut profile, &Cancel::new()).unwrap().status, 200);
        times.push(begun.elapsed());
    }
    profiler.finish(&mut profile).unwrap();
    assert_eq!((profile.requests(), profile.about.period_ns), (Some(3), Some(1_000_000)));
    for (cluster, time) in profile.clusters.iter().zip(times) {
        // One for each of the 104 ms that it takes at least, of which a machine under load loses many; and of those
        // that passed at most.
        let most = u64::try_from(time.as_millis()).unwrap() + 1;
        assert!((20..=most).contains(&cluster.total()), "{} of {most}", cluster.total());
    }
    let frames: BTreeMap<_, _> =
        profile.frames.iter().map(|(_, frame)| (frame.name.to_owned(), (frame.kind, frame.line))).collect();
    let script = script.display().to_string();
    assert_eq!(frames[&script], (FrameKind::Include, 0));
    assert_eq!(frames["Work::spin"], (FrameKind::Function, 3));
    assert_eq!(frames[&format!("{{closure:{script}(4)}}")], (FrameKind::ClassLookup, 4));
    assert_eq!(frames[&format!("{{closure:{script}(6)}}")], (FrameKind::Function, 6));
    assert!(!frames.keys().any(|name| name.contains("Unladen") || name.contains("profile-")), "{frames:?}");
    let weight = |name: &str| shares(&profile)[name].1;
    // Excimer's own closures have no name in PHP's sense: the class look-up weighs what the page says that it took.
    let share = weight("look") as f64 / profile.total() as f64;
    let told = fs::read_to_string(site.tmp().join("took")).unwrap();
    let told: Vec<f64> = told.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let (looks, wholes): (Vec<f64>, Vec<f64>) = told.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
    assert_eq!(looks.len(), 3);
    let expected = looks.iter().sum::<f64>() / wholes.iter().sum::<f64>();
    assert!((share - expected).abs() < 0.1, "{share}, where the page says {expected}");
}

#[test]
fn whatever_way_a_request_ends_its_log_is_delivered() {
    if skip("excimer::whatever_way_a_request_ends_its_log_is_delivered") {
        return;
    }
    let site = Site::start(&Settings { ini: "display_errors=0\n", ..Settings::default() });
    let after = "function after() { Work::spin(200); }";
    let pages = [
        ("exit", 200, "after(); exit('bye');".to_owned()),
        ("fatal", 500, "after(); gone();".to_owned()),
        ("memory", 500, "after(); ini_set('memory_limit', '8M'); str_repeat('x', 100 << 20);".to_owned()),
        ("thrown", 500, "after(); throw new Exception('no');".to_owned()),
        ("finished", 200, "echo 'sent'; fastcgi_finish_request(); after();".to_owned()),
        ("shutdown", 200, "register_shutdown_function(function () { after(); exit; });".to_owned()),
        ("destructor", 200, "class D { function __destruct() { after(); } } $d = new D;".to_owned()),
        ("cleared", 200, "foreach (array_keys($GLOBALS) as $k) { unset($GLOBALS[$k]); } after();".to_owned()),
        (
            "chdir",
            200,
            "chdir('/'); set_error_handler(function () { throw new Exception('handler'); }); after();".to_owned(),
        ),
        ("status", 404, "http_response_code(404); after();".to_owned()),
    ];
    for (name, status, text) in pages {
        site.page(&format!("{name}.php"), &format!("{}{after}{text}", busy()));
        let mut config: DriverConfig = site.driver(&format!("/{name}.php"));
        config.expect.statuses = "100-599".parse().unwrap();
        let captured = capture_request(&config, &Cancel::new()).unwrap();
        assert_eq!(captured.status, status, "{name}");
        let mut profiler = Excimer::open(captured, OPTIONS).unwrap();
        let mut profile = Profile::default();
        let answered = profiler.profile(&mut profile, &Cancel::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(answered.status, status, "{name}");
        let after = shares(&profile).get("after").copied().unwrap_or_default().1;
        // 200 ms of 304: a machine under load loses ticks of Excimer's timer, so that their number says nothing.
        assert!(after * 4 >= profile.total() && after > 0, "{name}: {after} samples of {}", profile.total());
    }
}

#[test]
fn a_page_sees_what_it_sees_without() {
    if skip("excimer::a_page_sees_what_it_sees_without") {
        return;
    }
    for split in [true, false] {
        let site = Site::start(&Settings { split, ..Settings::default() });
        let dump = format!(
            "<?php $GLOBALS['own'] = 1; include 'beside.php';
            $server = $_SERVER; ksort($server);
            foreach (['REQUEST_TIME', 'REQUEST_TIME_FLOAT', 'REMOTE_PORT', 'SERVER_PORT'] as $varies) unset($server[$varies]);
            $globals = array_keys($GLOBALS); sort($globals);
            // Known, and told: the wrapper is the first of the files.
            $files = array_values(preg_grep('~/profile-[0-9a-f]+\\.php$~', get_included_files(), PREG_GREP_INVERT));
            $under = class_exists('Unladen\\Profile\\Log', false) ? 'under' : 'plain';
            file_put_contents('{}/' . $under, json_encode([$server, $_ENV, getcwd(), __FILE__, __DIR__, $files,
                file_get_contents('php://input'), $_POST, $_GET, $_REQUEST, $_COOKIE, $globals, ini_get_all(null, false),
                error_reporting(), ob_get_level(), spl_autoload_functions(), get_include_path(), isset($argv) ? $argv : null,
                set_error_handler(null), set_exception_handler(null)], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES));
            echo 'done';",
            site.tmp().display()
        );
        site.page("deep/dump.php", &dump);
        site.page("deep/beside.php", "<?php $beside = 1;");
        let request = Request::get(&site.url("/deep/dump.php/Main_Page/x?a=1&b[]=2")).unwrap().method("POST").unwrap();
        let kind = "Content-Type: application/x-www-form-urlencoded".parse().unwrap();
        let request = request.header(kind).cookie("c=3").unwrap().body("p=1&q=%20x").build().unwrap();
        let captured = capture_request(&DriverConfig::new(vec![request]), &Cancel::new()).unwrap();
        let mut profiler = Excimer::open(captured, OPTIONS).unwrap();
        profiler.plain(&Cancel::new()).unwrap();
        profiler.profile(&mut Profile::default(), &Cancel::new()).unwrap();
        let read = |name: &str| fs::read_to_string(site.tmp().join(name)).unwrap();
        let (plain, under) = (read("plain"), read("under"));
        assert!(plain.contains("/deep/dump.php") && plain.contains("p=1&q=%20x"), "{plain}");
        for (line, (plain, under)) in plain.lines().zip(under.lines()).enumerate() {
            assert_eq!(plain, under, "line {line}, split {split}");
        }
        assert_eq!(plain.len(), under.len());
    }
}

/// Tells whether it is profiled, and what a worker's settings are.
const WATCH: &str =
    "<?php echo json_encode([class_exists('Unladen\\Profile\\Log', false), ini_get('auto_prepend_file'),
    ini_get('memory_limit'), md5(json_encode(ini_get_all(null, false))), ini_get('display_errors')]);";

#[test]
fn requests_of_others_are_never_profiled_and_nothing_stays() {
    if skip("excimer::requests_of_others_are_never_profiled_and_nothing_stays") {
        return;
    }
    let site = Site::start(&Settings::default());
    site.page("busy.php", &busy());
    site.page("watch.php", &WATCH.replace("\\P", "\\\\P").replace("\\L", "\\\\L"));
    let before = site.get_text("/watch.php");
    assert!(before.starts_with("[false,\"\","), "{before}");
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut asked = 0;
            while !ended.load(Ordering::Relaxed) {
                // The same order, as a client can give it.
                assert_eq!(site.get_text("/watch.php?UNLADEN_PROFILE_OUT=/tmp/x"), before);
                asked += 1;
            }
            asked
        });
        // The others end whatever becomes of this.
        let profiled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut profiler = open(&site, "/busy.php");
            let mut profile = Profile::default();
            for _ in 0..20 {
                profiler.profile(&mut profile, &Cancel::new()).unwrap();
            }
        }));
        ended.store(true, Ordering::Relaxed);
        assert!(others.join().unwrap() > 20);
        profiled.unwrap();
    });
    for signal in [None, Some(Signal::SIGINT), Some(Signal::SIGKILL)] {
        end_a_run(&site, signal);
        // All workers.
        for _ in 0..20 {
            assert_eq!(site.get_text("/watch.php"), before, "after {signal:?}");
        }
    }
    let left = || fs::read_dir("/run/unladen-profile").map(|entries| entries.count()).unwrap_or(0);
    drop(open(&site, "/busy.php"));
    // Tests beside this one may have runs of their own.
    let begun = Instant::now();
    while left() > 0 && begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(!is_there(Path::new("/run/unladen-profile")), "the next run takes away what was left");
}

/// Has another process profile the page, and ends it while it does.
fn end_a_run(site: &Site, signal: Option<Signal>) {
    let example = std::env::current_exe().unwrap();
    let example = example.parent().and_then(Path::parent).unwrap().join("examples/profile");
    assert!(example.exists(), "cargo builds examples with tests: {}", example.display());
    let requests = if signal.is_some() { "100000" } else { "3" };
    // Whoever runs the tests in the background has SIGINT ignored, and with it all that they start.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(example).arg(site.url("/busy.php")).arg(requests);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "request 2"), "it does not profile");
    if let Some(signal) = signal {
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
    }
    lines.for_each(drop);
    let status = child.wait().unwrap();
    assert_eq!(status.success(), signal.is_none(), "{status}");
}

#[test]
fn php_without_excimer_is_told_what_to_install() {
    if skip("excimer::php_without_excimer_is_told_what_to_install") {
        return;
    }
    let site = Site::start(&Settings { excimer: false, ..Settings::default() });
    let captured = capture_request(&site.driver("/up.php"), &Cancel::new()).unwrap();
    let error = Excimer::open(captured, OPTIONS).unwrap_err();
    assert!(matches!(error, ProfilerError::Missing { .. }), "{error}");
    let error = error.to_string();
    let reload = format!("kill -USR2 {}", site.fpm.id());
    assert!(
        error.contains("has not loaded Excimer")
            && error.contains("put extension=excimer.so into a file of ")
            && error.ends_with(&reload),
        "{error}"
    );
}

#[test]
fn who_keeps_our_script_out_is_told() {
    if skip("excimer::who_keeps_our_script_out_is_told") {
        return;
    }
    let site = Site::start(&Settings { pool: "php_admin_value[open_basedir] = /tmp:/var/www", ..Settings::default() });
    let captured = capture_request(&site.driver("/up.php"), &Cancel::new()).unwrap();
    let error = Excimer::open(captured, OPTIONS).unwrap_err().to_string();
    assert!(error.contains("open_basedir"), "{error}");
}

#[test]
fn settings_that_do_not_count_under_the_profiler_are_noted() {
    if skip("excimer::settings_that_do_not_count_under_the_profiler_are_noted") {
        return;
    }
    let site = Site::start(&Settings { ini: "zend.assertions=1\nopcache.enable=0\n", ..Settings::default() });
    let own = site.page(".user.ini", "memory_limit=77M\n");
    site.page("deep/er/page.php", "<?php echo 1;");
    let notes = open(&site, "/deep/er/page.php").notes().join("\n");
    assert!(notes.contains(&own.display().to_string()), "{notes}");
    assert!(notes.contains("opcache is off") && notes.contains("zend.assertions"), "{notes}");
}
