//! What `unladen serve` keeps outlives it: a restart and a handover go on with what was in memory, a crash with what is
//! asked about first; and a file that is torn, old, or could be another's is not used.

mod load;
mod shop;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use load::{Load, PAGES, path};
use shop::Shop;
use unladen_tests::site::{app, get, page};
use unladen_tests::{Ability, Call, Seen, Upstream, Wire, skip_without, wait};

const FRESH: &str = "Cache-Control: max-age=600\r\n";

/// Each page is its path; one in ten is not to be kept.
fn paths() -> Upstream {
    Upstream::forgetful(|peer| {
        while let Some(Seen { target, .. }) = peer.request() {
            let lines = if target.starts_with("/own") { "Cache-Control: no-store\r\n" } else { FRESH };
            if !peer.send(page(lines, &target)) {
                return;
            }
        }
    })
}

/// Each answer has a number that grows; a page keeps its tag for as long as it is the same.
fn counting(lines: &'static str) -> (Upstream, Arc<AtomicUsize>) {
    let version = Arc::new(AtomicUsize::new(1));
    let now = version.clone();
    let upstream = app(move |request| {
        let tag = format!("\"{}\"", now.load(Ordering::SeqCst));
        let asked = request.fields.iter().find(|(name, _)| name == "if-none-match").map(|(_, value)| value);
        if asked == Some(&tag) {
            return format!("HTTP/1.1 304 Not Modified\r\n{lines}ETag: {tag}\r\n\r\n");
        }
        page(&format!("{lines}ETag: {tag}\r\n"), &now.load(Ordering::SeqCst).to_string())
    });
    (upstream, version)
}

/// Has all that is kept in memory, as the readers will see it.
fn warm(shop: &Shop) {
    let mut wire = shop.wire();
    for number in 0..PAGES {
        wire.get(&path(number)).is(200);
    }
}

/// Pages that are kept.
const KEPT: f64 = (PAGES - PAGES / 10) as f64;

#[test]
fn twenty_restarts_under_load_bring_the_hits_back() {
    let app = paths();
    let shop = Shop::start(&app, "");
    warm(&shop);
    let load = Load::start(shop.address(), 6);
    let before = load.share(1000);
    assert!(before > 0.85, "{before}");
    for turn in 0..20 {
        shop.stop();
        let began = Instant::now();
        shop.start_again();
        // From the first answers on: of what is not loaded yet, each page is fetched once.
        let mut answers = 0;
        let share = loop {
            let share = load.share(100);
            answers += 100;
            if share >= 0.9 * before {
                break share;
            }
            assert!(answers < 2000, "turn {turn}: {share} of {before}\n{}", shop.said());
        };
        eprintln!("turn {turn}: {share:.2} of {before:.2} after {answers} answers, {:?}", began.elapsed());
        let loaded =
            wait::until_ok("it is loaded", || shop.metric("unladen_snapshot_loaded_total", "").ok_or("not yet"));
        let known = shop.metric("unladen_snapshot_rejected_total", "reason=\"known\"").unwrap_or(0.0);
        assert!(loaded + known >= 1.0 && loaded + known <= KEPT, "turn {turn}: {loaded} and {known}\n{}", shop.said());
    }
    eprintln!("{} answers, {} connections made again", load.counts().0, load.again());
    load.stop();
    shop.stop();
    assert_eq!(shop.said().matches("is not used").count(), 0, "{}", shop.said());
}

#[test]
fn after_a_restart_all_that_was_kept_answers_at_once() {
    let app = paths();
    let shop = Shop::start(&app, "");
    warm(&shop);
    shop.stop();
    shop.start_again();
    shop.wait_until_loaded(KEPT);
    let mut wire = shop.wire();
    for number in (0..PAGES).filter(|number| !number.is_multiple_of(10)) {
        let answer = wire.get(&path(number)).is_hit(200);
        assert_eq!(answer.text(), path(number));
    }
    shop.wait_until_said("180 responses were loaded from", 1);
    shop.stop();
    assert_eq!(fs::metadata(shop.snapshot()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn five_handovers_under_load_keep_the_hits() {
    let app = paths();
    let shop = Shop::start(&app, "");
    warm(&shop);
    let load = Load::start(shop.address(), 6);
    let before = load.share(1000);
    for turn in 0..5 {
        shop.hand_over();
        // What the old one answers while it drains it asks about.
        let (all, _) = load.counts();
        let share = wait::until_ok("the hits are back", || {
            let share = load.share(100);
            if share >= 0.9 * before { Ok(share) } else { Err(format!("{share} of {before}\n{}", shop.said())) }
        });
        eprintln!("turn {turn}: {share:.2} of {before:.2} after {} answers", load.counts().0 - all);
        shop.wait_until_loaded(KEPT);
    }
    load.stop();
    shop.stop();
}

#[test]
fn what_the_old_process_is_told_after_a_handover_the_new_one_forgets() {
    let (app, version) = counting(FRESH);
    let shop = Shop::start(&app, "snapshot = false\ncache.purge = [\"127.0.0.1\"]");
    let mut kept = shop.wire();
    for path in ["/a", "/b", "/c"] {
        assert_eq!(kept.get(path).is(200).text(), "1");
    }
    shop.hand_over();
    shop.wait_until_loaded(3.0);
    shop.get_of_successor("/a").is_hit(200);
    version.store(2, Ordering::SeqCst);
    // On a connection that the old one still has.
    kept.ask("PURGE /a HTTP/1.1\r\nHost: test\r\n\r\n").is(200);
    assert_eq!(shop.get("/a").is_asked(200).text(), "2");
    assert_eq!(shop.get("/b").is_hit(200).text(), "1");
    shop.stop();
}

#[test]
fn a_form_that_the_old_process_carries_is_seen_by_readers_of_the_new_one() {
    let (begun, is_begun) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let (begun, may_go_on) = (std::sync::Mutex::new(begun), std::sync::Mutex::new(may_go_on));
    let text = Arc::new(AtomicUsize::new(1));
    let app = app(move |request| {
        if request.method == "POST" {
            begun.lock().unwrap().send(()).unwrap();
            may_go_on.lock().unwrap().recv().unwrap();
            text.store(2, Ordering::SeqCst);
            return "HTTP/1.1 204 No Content\r\n\r\n".to_owned();
        }
        page(FRESH, &text.load(Ordering::SeqCst).to_string())
    });
    let shop = Shop::start(&app, "snapshot = false");
    assert_eq!(shop.get("/form").text(), "1");
    let mut writer = shop.wire();
    writer.send("POST /form HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
    is_begun.recv().unwrap();
    shop.hand_over();
    shop.wait_until_loaded(1.0);
    assert_eq!(shop.get_of_successor("/form").is_hit(200).text(), "1");
    go_on.send(()).unwrap();
    writer.answer().is(204);
    assert_eq!(shop.get("/form").is_asked(200).text(), "2");
    shop.stop();
}

/// Each thread of the old process heard of its end when it came to it, and answered from memory until then.
#[test]
fn what_the_new_process_is_told_to_forget_no_thread_of_the_old_one_answers_with() {
    let (app, version) = counting(FRESH);
    let shop = Shop::start(&app, "snapshot = false\ncache.purge = [\"127.0.0.1\"]");
    for turn in 0..5 {
        let mut kept: Vec<Wire> = (0..16).map(|_| shop.wire()).collect();
        let now = version.load(Ordering::SeqCst).to_string();
        kept.iter_mut().for_each(|wire| assert_eq!(wire.get("/page").is(200).text(), now));
        // Purged by whoever takes a new connection, from before the new process serves until after it does.
        let (version, address) = (version.clone(), shop.address());
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let purging = std::thread::spawn(move || {
            let mut is_last = false;
            while !is_last {
                is_last = is_done.try_recv().is_ok();
                let now = (version.fetch_add(1, Ordering::SeqCst) + 1).to_string();
                Wire::tcp(address).ask("PURGE /page HTTP/1.1\r\nHost: test\r\n\r\n").is(200);
                kept.retain_mut(|wire| {
                    let answer = wire.get("/page").is(200);
                    assert_eq!(answer.text(), now, "turn {turn}: {answer:?}");
                    answer.field("connection") != Some("close")
                });
            }
        });
        shop.hand_over();
        done.send(()).unwrap();
        purging.join().unwrap();
    }
    shop.stop();
}

/// It is from before what the new process was told to forget, and those who ask afterwards do not wait for it.
#[test]
fn nobody_joins_a_fetch_of_the_old_process_once_another_serves() {
    let version = Arc::new(AtomicUsize::new(1));
    let (begun, is_begun) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let (begun, may_go_on) = (std::sync::Mutex::new(begun), std::sync::Mutex::new(may_go_on));
    let now = version.clone();
    let app = app(move |_| {
        let text = now.load(Ordering::SeqCst).to_string();
        if text == "1" {
            begun.lock().unwrap().send(()).unwrap();
            may_go_on.lock().unwrap().recv().unwrap();
        }
        page(FRESH, &text)
    });
    let shop = Shop::start(&app, "snapshot = false\ncache.purge = [\"127.0.0.1\"]");
    let mut first = shop.wire();
    first.send(get("/slow", ""));
    is_begun.recv().unwrap();
    // Which the old process reads, when it has handed over.
    let mut second = shop.wire();
    second.send("GET /slow HTTP/1.1\r\n");
    shop.hand_over();
    version.store(2, Ordering::SeqCst);
    assert_eq!(shop.get_of_successor("/slow").text(), "2");
    shop.wire().ask("PURGE /slow HTTP/1.1\r\nHost: test\r\n\r\n").is(200);
    second.send("Host: test\r\n\r\n");
    assert_eq!(second.answer().is(200).text(), "2");
    go_on.send(()).unwrap();
    assert_eq!(first.answer().is(200).text(), "1");
    shop.stop();
}

#[test]
fn a_page_that_changed_while_it_was_down_is_not_served_stale() {
    let (app, version) = counting("");
    let shop = Shop::start(
        &app,
        "[[site.validator]]
         path = \"/labelled/{page}\"
         file = \"DIR/{page}\"
         timeout = \"10s\"",
    );
    for label in ["changed", "same"] {
        fs::write(shop.path(label), label).unwrap();
        set_modified(&shop.path(label), 1_000_000_000);
        assert_eq!(shop.get(&format!("/labelled/{label}")).text(), "1");
        shop.get(&format!("/labelled/{label}")).is_hit(200);
    }
    // Stopped or killed: whose label is the same needs no more.
    for is_killed in [false, true] {
        if is_killed {
            // The last word of the process before is no longer the last.
            shop.wait_until_loaded(2.0);
            shop.kill();
        } else {
            shop.stop();
        }
        version.fetch_add(1, Ordering::SeqCst);
        let seconds = 1_000_000_000 + version.load(Ordering::SeqCst) as u64;
        set_modified(&shop.path("changed"), seconds);
        shop.start_again();
        shop.wait_until_loaded(2.0);
        assert_eq!(shop.get("/labelled/same").is_hit(200).text(), "1", "{is_killed}");
        let now = version.load(Ordering::SeqCst).to_string();
        assert_eq!(shop.get("/labelled/changed").is_asked(200).text(), now, "{is_killed}");
    }
    shop.stop();
}

#[test]
fn what_says_no_cache_or_is_stale_is_asked_about() {
    for (lines, settings, is_asked) in [
        ("Cache-Control: no-cache\r\n", "", true),
        ("Cache-Control: max-age=1, stale-while-revalidate=1000\r\n", "", true),
        (FRESH, "", false),
        // It has a tag, or the site is purged: a purge may have been lost.
        ("Cache-Control: max-age=600\r\nCache-Tag: a\r\n", "", true),
        (FRESH, "cache.purge = [\"127.0.0.1\"]", true),
        (FRESH, "cache.purge = [\"127.0.0.1\"]\nsnapshot = { file = \"DIR/shop.snapshot\", trust = \"fresh\" }", false),
        (FRESH, "snapshot = { file = \"DIR/shop.snapshot\", trust = \"revalidate\" }", true),
    ] {
        let (app, version) = counting(lines);
        let shop = Shop::start(&app, settings);
        assert_eq!(shop.get("/").text(), "1");
        shop.stop();
        version.store(2, Ordering::SeqCst);
        if lines.contains("max-age=1,") {
            std::thread::sleep(std::time::Duration::from_millis(1100));
        }
        shop.start_again();
        shop.wait_until_loaded(1.0);
        let answer = shop.get("/");
        assert_eq!(answer.text(), if is_asked { "2" } else { "1" }, "{lines:?} {settings:?}: {answer:?}");
        shop.stop();
    }
}

#[test]
fn after_a_crash_pages_are_asked_about_and_a_304_is_enough() {
    let (app, _) = counting(FRESH);
    let shop = Shop::start(&app, "snapshot = { file = \"DIR/shop.snapshot\", every = \"1s\" }");
    shop.get("/");
    wait::until("a snapshot is written", || shop.metric("unladen_snapshot_responses", "") == Some(1.0));
    shop.kill();
    shop.start_again();
    shop.wait_until_loaded(1.0);
    assert!(shop.get("/").is_asked(200).cache().contains("fwd=stale"));
    shop.get("/").is_hit(200);
    shop.stop();
}

#[test]
fn who_is_killed_while_it_writes_leaves_nothing_that_is_torn() {
    let app = app(|request| page(FRESH, &request.target.repeat(20_000)));
    let shop = Shop::start(&app, "snapshot = { file = \"DIR/shop.snapshot\", every = \"1s\" }");
    let new = shop.path("shop.snapshot.new");
    for turn in 0..4 {
        let mut wire = shop.wire();
        // Each some hundred kilobytes, so that it takes a while; and others at each turn, so that it is written.
        for number in 0..150 {
            wire.get(&format!("/{turn}/{number}")).is(200);
        }
        wait::until("it is being written", || fs::metadata(&new).is_ok_and(|new| new.len() > 1 << 20));
        shop.kill();
        shop.start_again();
        if turn > 0 || shop.snapshot().exists() {
            shop.wait_until_said("responses were loaded from", 1);
        }
        let answer = shop.get(&format!("/{turn}/7"));
        assert!(answer.text() == format!("/{turn}/7").repeat(20_000), "turn {turn}");
        // So that there is one to begin with.
        wait::until("it is written", || shop.snapshot().exists());
    }
    assert_eq!(shop.said().matches("is not used").count(), 0, "{}", shop.said());
    shop.stop();
    assert!(!new.exists());
}

#[test]
fn a_full_disk_is_told_and_the_file_from_before_stays() {
    if skip_without(Ability::PrivateMounts, "a full disk") {
        return;
    }
    let app = app(|request| page(FRESH, &request.target.repeat(10_000)));
    let script = "mkdir -p DIR/disk && exec unshare --mount sh -c 'mount -t tmpfs -o size=256k none DIR/disk && exec \"$@\"' sh \"$@\"";
    let shop = Shop::new(&app, "snapshot = { file = \"DIR/disk/shop.snapshot\", every = \"1s\" }", script);
    shop.start_again();
    shop.get("/a");
    wait::until("a snapshot is written", || shop.metric("unladen_snapshot_responses", "") == Some(1.0));
    for number in 0..20 {
        shop.get(&format!("/long/{number}"));
    }
    shop.wait_until_said("cannot be written: No space left on device", 1);
    wait::until("it has failed twice", || {
        shop.get(&format!("/more/{}", shop.metric("unladen_snapshot_failures_total", "").unwrap_or(0.0)));
        shop.metric("unladen_snapshot_failures_total", "") > Some(1.0)
    });
    let inside = format!("/proc/{}/root{}", shop.process(), shop.path("disk").display());
    assert!(fs::metadata(format!("{inside}/shop.snapshot")).is_ok_and(|old| old.len() < 1 << 16));
    assert!(fs::metadata(format!("{inside}/shop.snapshot.new")).is_err());
    assert_eq!(shop.said().matches("cannot be written").count(), 1, "told once:\n{}", shop.said());
    shop.get("/a").is_hit(200);
    shop.stop();
}

#[test]
fn a_file_that_could_be_anothers_is_not_used_and_told() {
    let (app, _) = counting(FRESH);
    let shop = Shop::start(&app, "");
    shop.get("/");
    shop.stop();
    let good = fs::read(shop.snapshot()).unwrap();
    let put = |bytes: &[u8], mode: u32| {
        let _ = fs::remove_file(shop.snapshot());
        fs::write(shop.snapshot(), bytes).unwrap();
        fs::set_permissions(shop.snapshot(), fs::Permissions::from_mode(mode)).unwrap();
    };
    let mut torn = good.clone();
    torn[good.len() / 2] ^= 1;
    for (bytes, mode, words) in [
        (&good[..], 0o646, "its mode is 0646"),
        (&torn, 0o600, "a checksum is wrong"),
        (&good[..good.len() - 1], 0o600, "it ends early"),
        (b"{}".repeat(100).as_slice(), 0o600, "it is not a snapshot"),
        (b"", 0o600, "it ends early"),
    ] {
        put(bytes, mode);
        shop.start_again();
        shop.wait_until_said(words, 1);
        shop.get("/").is_asked(200);
        wait::until("it is counted", || shop.metric("unladen_snapshot_refused_total", "") == Some(1.0));
        assert_eq!(shop.metric("unladen_snapshot_loaded_total", ""), Some(0.0));
        shop.stop();
    }
    put(&good, 0o600);
    if nix::unistd::geteuid().is_root() {
        chown(shop.snapshot(), Some(4711), None).unwrap();
        shop.start_again();
        shop.wait_until_said("it belongs to user 4711", 1);
        shop.get("/").is_asked(200);
        shop.stop();
    }
    // Each was replaced by one of its own.
    shop.start_again();
    shop.wait_until_loaded(1.0);
    shop.get("/").is_hit(200);
    shop.stop();
}

#[test]
fn other_rules_take_nothing_of_what_was_kept() {
    let (app, _) = counting(FRESH);
    let shop = Shop::start(&app, "");
    shop.get("/");
    shop.stop();
    shop.configure(&app, "cache.vary_cookies = [\"lang\"]");
    shop.start_again();
    shop.wait_until_said("the site's configuration was different when it was written", 1);
    shop.get("/").is_asked(200);
    shop.stop();
}

#[test]
fn what_is_for_one_user_is_never_written() {
    let app = app(|request| {
        let vary = if request.target == "/own" { "Vary: Cookie\r\n" } else { "" };
        page(&format!("{FRESH}{vary}"), &format!("{:?}", request.fields))
    });
    let shop = Shop::start(&app, "");
    let secret = "id=a-secret-of-one-user";
    shop.wire().ask(get("/own", &format!("Cookie: {secret}\r\n"))).is(200);
    shop.wire().ask(get("/own", "")).is(200);
    shop.wire().ask(get("/", "")).is(200);
    shop.stop();
    let bytes = fs::read(shop.snapshot()).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds(secret) && holds("http://test/own") && holds("http://test/"));
}

#[test]
fn a_check_tells_of_a_snapshot_that_cannot_be() {
    let app = paths();
    let shop = Shop::new(&app, "snapshot = { file = \"DIR/absent/shop.snapshot\" }", "exec \"$@\"");
    let check = || Call::new(["serve".as_ref(), shop.path("unladen.toml").as_os_str(), "--check".as_ref()]).run();
    check().succeeded().shows(["warning: the snapshot", "its folder does not exist"]);
    shop.configure(&app, "");
    fs::write(shop.snapshot(), "").unwrap();
    fs::set_permissions(shop.snapshot(), fs::Permissions::from_mode(0o666)).unwrap();
    check().succeeded().shows(["warning: the snapshot", "its mode is 0666"]);
    shop.configure(&app, "snapshot = true");
    check().ended_with(2).says(["[site.snapshot]", "`file`"]);
}

/// Dates a file: seconds since 1970.
#[allow(clippy::disallowed_types, reason = "a file's time is wall time")]
fn set_modified(file: &std::path::Path, seconds: u64) {
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
}
