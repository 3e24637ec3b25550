//! `unladen serve` keeps a queue in front of an application: as many requests are there at a time as it has workers, the
//! others wait in turn, each client in a line of its own.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use unladen_tests::site::{app, get, page};
use unladen_tests::{Answer, PhpFpm, Serve, Site, Upstream, Wire};

const CACHED: &str = "Cache-Control: max-age=600\r\n";
const PASSED: &str = "Cache-Control: no-store\r\n";
/// Clients are whom the test says that they are.
const TRUSTS: &str = "trusted.proxies = [\"127.0.0.1\"]\nper_client = 1000";

/// Holds each request until it is let go, and counts the most that it worked on at a time.
#[derive(Debug, Clone, Default)]
struct Workers(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// Requests that may still be answered.
    leave: Mutex<usize>,
    more: Condvar,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Workers {
    fn app(&self, lines: &'static str) -> Upstream {
        let workers = self.clone();
        app(move |request| {
            let counts = &*workers.0;
            let now = counts.now.fetch_add(1, Ordering::SeqCst) + 1;
            counts.most.fetch_max(now, Ordering::SeqCst);
            let leave = counts.leave.lock().unwrap();
            let mut leave = counts.more.wait_while(leave, |leave| *leave == 0).unwrap();
            *leave = leave.saturating_sub(1);
            drop(leave);
            counts.now.fetch_sub(1, Ordering::SeqCst);
            page(lines, &request.target)
        })
    }

    /// So many more are answered.
    fn let_go(&self, count: usize) {
        *self.0.leave.lock().unwrap() += count;
        self.0.more.notify_all();
    }

    fn most(&self) -> usize {
        self.0.most.load(Ordering::SeqCst)
    }
}

fn site(app: &Upstream, queue: &str, more: &str) -> Site {
    Site::of(app, &format!("{TRUSTS}\n{more}\n[site.queue]\n{queue}"))
}

/// A request of a client of this address.
fn ask(site: &Site, client: u8, path: &str) -> Wire {
    let mut wire = site.wire();
    wire.send(get(path, &format!("X-Forwarded-For: 10.0.0.{client}\r\n")));
    wire
}

/// One that has come so far as to wait.
fn waits(site: &Site, client: u8, path: &str) -> Wire {
    let before = queue(site)["waiting"].as_u64().unwrap();
    let wire = ask(site, client, path);
    unladen_tests::wait::until(&format!("{path} waits"), || queue(site)["waiting"].as_u64().unwrap() == before + 1);
    wire
}

/// What the live page is told of the queue.
#[track_caller]
fn queue(site: &Site) -> serde_json::Value {
    queue_at(&site.path("admin.sock"))
}

#[track_caller]
fn queue_at(admin: &Path) -> serde_json::Value {
    let stats = Wire::unix(admin).get("/stats").is(200).text();
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    stats["upstreams"][0]["site"]["queue"].clone()
}

#[track_caller]
fn is_refused(answer: &Answer, reason: &str) {
    answer.clone().refuses(503, reason);
    let after: u64 = answer.field("retry-after").expect("it is told when to come again").parse().unwrap();
    assert!((1..=120).contains(&after), "{answer:?}");
}

/// The paths that the application was asked for, in their order.
fn asked(app: &Upstream) -> Vec<String> {
    app.seen().into_iter().map(|seen| seen.target).collect()
}

#[test]
fn no_more_than_there_are_workers_are_asked_at_a_time_and_the_others_wait() {
    for lines in [CACHED, PASSED] {
        let workers = Workers::default();
        let app = workers.app(lines);
        let site = site(&app, "running = 4", "");
        let mut wires: Vec<Wire> = (0..100_u8).map(|number| ask(&site, number, &format!("/{number}"))).collect();
        unladen_tests::wait::until("the others wait", || queue(&site)["waiting"] == 96);
        app.wait("four are asked for", |app| app.seen().len() == 4);
        assert_eq!(queue(&site)["running"], 4);
        workers.let_go(100);
        for (number, wire) in wires.iter_mut().enumerate() {
            assert_eq!(wire.answer().is(200).text(), format!("/{number}"));
        }
        assert_eq!(workers.most(), 4);
        let after = queue(&site);
        assert_eq!((&after["running"], &after["waiting"]), (&0.into(), &0.into()), "{after}");
        let waited: u64 = after["wait"]["buckets"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(waited, 96, "{after}");
        site.stop();
    }
}

#[test]
fn a_client_with_many_connections_has_one_turn_as_others_have() {
    let workers = Workers::default();
    let app = workers.app(PASSED);
    let site = site(&app, "running = 1", "");
    let mut wires = vec![ask(&site, 1, "/greedy/first")];
    app.wait("it is asked", |app| app.seen().len() == 1);
    wires.extend((0..20).map(|number| waits(&site, 1, &format!("/greedy/{number}"))));
    wires.extend((2..7).map(|client| waits(&site, client, &format!("/polite/{client}"))));
    workers.let_go(30);
    wires.iter_mut().for_each(|wire| drop(wire.answer().is(200)));
    let order = asked(&app);
    let polite: Vec<usize> =
        order.iter().enumerate().filter(|(_, path)| path.starts_with("/polite")).map(|(place, _)| place).collect();
    // The first of the greedy client's that waited, and then each of the others'.
    assert_eq!(polite, [2, 3, 4, 5, 6], "{order:?}");
    site.stop();
}

#[test]
fn who_joins_what_a_greedy_client_waits_for_lends_it_his_turn() {
    let workers = Workers::default();
    let app = workers.app(CACHED);
    let site = site(&app, "running = 1", "");
    let mut wires = vec![ask(&site, 1, "/greedy/first")];
    app.wait("it is asked", |app| app.seen().len() == 1);
    wires.extend((0..10).map(|number| waits(&site, 1, &format!("/greedy/{number}"))));
    wires.push(waits(&site, 1, "/front"));
    let before = queue(&site)["waiting"].clone();
    wires.push(ask(&site, 2, "/front"));
    // It waits for another's answer, and so is none of the queue's: there is nothing to be seen of it from outside but
    // that it is in flight.
    site.wait_for_requests(13);
    assert_eq!(queue(&site)["waiting"], before);
    workers.let_go(30);
    wires.iter_mut().for_each(|wire| drop(wire.answer().is(200)));
    let order = asked(&app);
    assert_eq!(order.iter().position(|path| path == "/front"), Some(2), "{order:?}");
    assert_eq!(order.len(), 12, "{order:?}");
    site.stop();
}

#[test]
fn who_leaves_while_it_waits_is_not_asked_for() {
    for (lines, name) in [(CACHED, "fetched"), (PASSED, "passed")] {
        let workers = Workers::default();
        let app = workers.app(lines);
        let site = site(&app, "running = 1\nlength = 2", "");
        let mut first = ask(&site, 1, "/first");
        app.wait("it is asked", |app| app.seen().len() == 1);
        let leaves = waits(&site, 2, &format!("/{name}"));
        let mut stays = waits(&site, 3, "/stays");
        leaves.end();
        unladen_tests::wait::until("its place is free", || queue(&site)["waiting"] == 1);
        let mut last = waits(&site, 4, "/last");
        workers.let_go(10);
        for wire in [&mut first, &mut stays, &mut last] {
            wire.answer().is(200);
        }
        assert_eq!(asked(&app), ["/first", "/stays", "/last"], "{lines:?}");
        assert_eq!(queue(&site)["left"], 1);
        // What was given up for want of clients is asked for when one comes.
        assert_eq!(ask(&site, 2, &format!("/{name}")).answer().is(200).text(), format!("/{name}"));
        site.stop();
    }
}

#[test]
fn where_the_queue_is_full_the_one_with_most_in_it_gives_one_up() {
    let workers = Workers::default();
    let app = workers.app(PASSED);
    let site = site(&app, "running = 1\nlength = 4", "");
    let mut first = ask(&site, 1, "/first");
    app.wait("it is asked", |app| app.seen().len() == 1);
    let mut greedy: Vec<Wire> = (0..4).map(|number| waits(&site, 1, &format!("/greedy/{number}"))).collect();
    is_refused(&ask(&site, 1, "/greedy/more").answer(), "queue_full");
    let mut polite = ask(&site, 2, "/polite");
    is_refused(&greedy.remove(0).answer(), "queue_full");
    workers.let_go(10);
    first.answer().is(200);
    polite.answer().is(200);
    greedy.iter_mut().for_each(|wire| drop(wire.answer().is(200)));
    assert_eq!(queue(&site)["refused"]["queue_full"], 2);
    let metrics = Wire::unix(&site.path("admin.sock")).get("/metrics").is(200).text();
    for line in [
        "unladen_queue_refused_total{site=\"test\",reason=\"queue_full\"} 2",
        "unladen_queue_places{site=\"test\"} 1",
        "unladen_queue_wait_duration_seconds_count{site=\"test\"} 4",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line}: {metrics}");
    }
    site.stop();
}

#[test]
fn who_has_waited_for_as_long_as_it_may_is_told_so_or_has_something_stale() {
    let workers = Workers::default();
    let app = workers.app("Cache-Control: max-age=10, stale-if-error=600\r\nAge: 20\r\n");
    let site = site(&app, "running = 1\nwait = \"300ms\"", "");
    workers.let_go(1);
    ask(&site, 1, "/stale").answer().is(200);
    let mut first = ask(&site, 1, "/first");
    app.wait("it is asked", |app| app.seen().len() == 2);
    let mut cold = ask(&site, 2, "/cold");
    let mut stale = ask(&site, 3, "/stale");
    is_refused(&cold.answer(), "queue_timeout");
    let answer = stale.answer();
    assert!(answer.cache().contains("queue_timeout"), "{answer:?}");
    assert_eq!(answer.is(200).text(), "/stale");
    workers.let_go(1);
    first.answer().is(200);
    site.stop();
}

#[test]
fn the_cause_of_a_refusal_is_told_with_the_request_that_has_it() {
    let workers = Workers::default();
    let app = workers.app(PASSED);
    let site = site(&app, "running = 1\nlength = 1", "");
    let mut first = ask(&site, 1, "/first");
    app.wait("it is asked", |app| app.seen().len() == 1);
    let mut waiting = waits(&site, 1, "/waits");
    let mut wire = site.wire();
    wire.send(get("/refused", "X-Forwarded-For: 10.0.0.1\r\nX-Request-Id: the-one-that-is-refused\r\n"));
    is_refused(&wire.answer(), "queue_full");
    let stats = Wire::unix(&site.path("admin.sock")).get("/stats").is(200).text();
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let trouble = &stats["upstreams"][0]["troubles"][0];
    assert_eq!(trouble["reason"], "queue_full", "{stats}");
    assert_eq!(trouble["request_id"], "the-one-that-is-refused", "{stats}");
    workers.let_go(10);
    first.answer().is(200);
    waiting.answer().is(200);
    site.stop();
}

#[test]
fn a_client_that_does_not_read_holds_no_worker() {
    const LONG: usize = 4 << 20;
    let app = app(|request| match &*request.target {
        "/long" => page(PASSED, &"x".repeat(LONG)),
        path => page(PASSED, path),
    });
    let site = site(&app, "running = 1\nwait = \"20s\"", "");
    let mut slow = ask(&site, 1, "/long");
    app.wait("it is asked", |app| app.seen().len() == 1);
    assert_eq!(ask(&site, 2, "/short").answer().is(200).text(), "/short");
    assert_eq!(slow.answer().is(200).body.len(), LONG);
    site.stop();
}

#[test]
fn a_validator_s_question_waits_for_nobody() {
    let workers = Workers::default();
    let held = workers.clone();
    let app = app(move |request| {
        if request.method == "HEAD" {
            return "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 1\r\n\r\n".to_owned();
        }
        let counts = &*held.0;
        let leave = counts.leave.lock().unwrap();
        *counts.more.wait_while(leave, |leave| *leave == 0).unwrap() -= 1;
        page("Cache-Control: no-cache\r\nETag: \"1\"\r\n", "p")
    });
    let site = site(&app, "running = 1", "[[site.validator]]\npath = \"/page\"\nhead = true");
    workers.let_go(1);
    ask(&site, 1, "/page").answer().is(200);
    let mut first = ask(&site, 1, "/first");
    app.wait("it is asked", |app| app.seen().iter().any(|seen| seen.target == "/first"));
    ask(&site, 2, "/page").answer().is_hit(200);
    workers.let_go(1);
    first.answer().is(200);
    site.stop();
}

#[test]
fn a_connection_that_became_another_protocol_s_held_its_place() {
    let app = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            if request.target == "/socket" {
                peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
                return peer.wait_for_end();
            }
            peer.answer(&request.target);
        }
    });
    let site = site(&app, "running = 1", "");
    let mut socket = site.wire();
    socket.send(get("/socket", "Connection: upgrade\r\nUpgrade: websocket\r\n"));
    assert_eq!(socket.head().status, 101);
    assert_eq!(ask(&site, 2, "/page").answer().is(200).text(), "/page");
    assert_eq!(queue(&site)["running"], 0);
    socket.end();
    site.stop();
}

#[test]
fn a_client_that_did_not_read_its_local_reply_held_a_place() {
    let app = Upstream::start(|peer| {
        while let Some(request) = peer.request() {
            if request.target == "/broken" {
                return;
            }
            peer.answer(&request.target);
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    // More than a Unix socket takes at once.
    let page = folder.path().join("sorry.html");
    std::fs::write(&page, "x".repeat(250 << 10)).expect("written");
    let site = site(&app, "running = 1", &format!("error_page = {page:?}"));
    let mut slow = site.unix();
    slow.send(get("/broken", "Accept: text/html\r\n"));
    app.wait("it is asked", |app| app.seen().len() == 1);
    assert_eq!(ask(&site, 2, "/page").answer().is(200).text(), "/page");
    assert_eq!(slow.answer().status, 502);
    site.stop();
}

#[test]
fn a_configuration_that_could_not_be_changed_the_queue_of_the_one_in_force() {
    let app = app(|request| page(PASSED, &request.target));
    let url = app.url();
    let serve = Serve::start_through(
        "exec \"$@\" 2>>DIR/said",
        &format!(
            "[admin]\nlisten = \"unix:DIR/admin.sock\"\n[[site]]\nname = \"test\"\nlisten = [\"unix:DIR/a.sock\"]\n\
             upstream = \"{url}\"\n[site.queue]\nrunning = 4\n"
        ),
    );
    let (file, admin) = (serve.path("unladen.toml"), serve.path("admin.sock"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("an address");
    let listen = format!("listen = [\"{}\", \"unix:", taken.local_addr().expect("an address"));
    let written = std::fs::read_to_string(&file).expect("its configuration");
    let changed = written.replace("running = 4", "running = 7").replace("listen = [\"unix:", &listen);
    std::fs::write(&file, changed).expect("written");
    unladen_tests::wait::until("it is refused", || {
        let said = std::fs::read_to_string(serve.path("said")).unwrap_or_default();
        said.contains("because the new one cannot be applied: cannot listen at")
    });
    assert_eq!(queue_at(&admin)["places"], 4);
    std::fs::write(&file, written.replace("running = 4", "running = 7")).expect("written");
    unladen_tests::wait::until("it is in force", || queue_at(&admin)["places"] == 7);
    serve.stop();
}

/// PHP-FPM of one worker, which works on `/slow` until it may go on.
fn held_php(settings: &str) -> (PhpFpm, Site) {
    let fpm = PhpFpm::start(1, "");
    fpm.page("index.php", "<?php echo 'page';");
    fpm.page("slow.php", "<?php while (!file_exists(__DIR__.'/go')) { usleep(1000); clearstatcache(); } echo 'slow';");
    let site =
        Site::start(&fpm.site(&format!("trusted.proxies = [\"127.0.0.1\"]\n{settings}\n[site.queue]\nrunning = 1")));
    (fpm, site)
}

#[test]
fn who_left_while_php_worked_gave_its_place_to_the_next_one() {
    let (fpm, site) = held_php("per_client = 1");
    let leaves = ask(&site, 1, "/slow.php");
    unladen_tests::wait::until("it is at PHP", || queue(&site)["running"] == 1);
    leaves.end();
    // Time to be seen to have left.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(queue(&site)["running"], 1);
    ask(&site, 1, "/index.php").answer().refuses(429, "too_many_of_client");
    let mut second = waits(&site, 2, "/index.php");
    fpm.page("go", "");
    assert_eq!(second.answer().is(200).text(), "page");
    unladen_tests::wait::until("nobody has a place", || queue(&site)["running"] == 0);
    assert_eq!(ask(&site, 1, "/index.php").answer().is(200).text(), "page");
    site.stop();
}

#[test]
fn who_has_left_keeps_its_place_for_no_longer_than_an_answer_is_waited_for() {
    let (fpm, site) = held_php("timeouts.first_byte = \"500ms\"");
    let leaves = ask(&site, 1, "/slow.php");
    unladen_tests::wait::until("it is at PHP", || queue(&site)["running"] == 1);
    leaves.end();
    unladen_tests::wait::until("its place is free", || queue(&site)["running"] == 0);
    fpm.page("go", "");
    assert_eq!(ask(&site, 2, "/index.php").answer().is(200).text(), "page");
    site.stop();
}

/// A client that left in mid-upload gave its place to the next one, though PHP worked on.
#[test]
fn who_left_in_the_middle_gave_its_place_to_the_next_one() {
    let (fpm, site) = held_php("buffer = { requests = false }");
    let mut leaves = site.wire();
    let head = "POST /slow.php HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 10.0.0.1\r\n";
    leaves.send(format!("{head}Content-Length: 1000\r\n\r\nnot all of it"));
    unladen_tests::wait::until("it is at PHP", || queue(&site)["running"] == 1);
    leaves.end();
    // Time to be seen to have left.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(queue(&site)["running"], 1, "PHP works on it");
    let mut second = waits(&site, 2, "/index.php");
    fpm.page("go", "");
    assert_eq!(second.answer().is(200).text(), "page");
    unladen_tests::wait::until("nobody has a place", || queue(&site)["running"] == 0);
    site.stop();
}

/// Twenty milliseconds, most of them asleep: what is measured is the queue, not the machine.
const PAGE: &str = "<?php usleep(20000); header('Cache-Control: no-store'); echo 'page ', getmypid();";

/// PHP-FPM with four workers, whose own queue holds next to nothing: what came there would be refused.
fn php() -> (PhpFpm, Site) {
    let fpm = PhpFpm::start(4, "listen.backlog = 4");
    fpm.page("index.php", PAGE);
    let settings = format!(
        "{TRUSTS}\nlimits.connections = 64\nfastcgi.status = \"/fpm-status\"\n[site.queue]\nlength = 200\nwait = \"2s\""
    );
    let site = Site::start(&fpm.site(&settings));
    unladen_tests::wait::until_ok("PHP-FPM has said how many workers it has", || {
        let queue = queue(&site);
        if queue["places"] == 5 { Ok(()) } else { Err(queue.to_string()) }
    });
    (fpm, site)
}

/// What clients of an address were answered: pages, refusals of the queue, anything else.
#[derive(Debug, Default, Clone, Copy)]
struct Answers {
    pages: usize,
    refused: usize,
}

/// Asks on one connection after the other's answer, until it is told to stop.
fn asks_on(site: &Site, client: u8, pause: Duration, is_over: &AtomicBool) -> Answers {
    let mut answers = Answers::default();
    let mut wire = site.wire();
    while !is_over.load(Ordering::SeqCst) {
        let answer = wire.ask(get("/index.php", &format!("X-Forwarded-For: 10.0.0.{client}\r\n")));
        match (answer.status, answer.reason()) {
            (200, None) => answers.pages += 1,
            (503, Some("queue_full" | "queue_timeout" | "overloaded")) => answers.refused += 1,
            _ => panic!("{answer:?}"),
        }
        std::thread::sleep(pause);
    }
    answers
}

#[test]
fn ten_times_what_php_can_do_and_one_waits_in_its_own_queue() {
    let (fpm, site) = php();
    let is_over = AtomicBool::new(false);
    let all: Vec<Answers> = std::thread::scope(|scope| {
        let begin = |client: u8| {
            scope.spawn({
                let (site, is_over) = (&site, &is_over);
                move || asks_on(site, client, Duration::from_millis(1), is_over)
            })
        };
        let clients: Vec<_> = (0..120_u8).map(|number| begin(number % 40)).collect();
        std::thread::sleep(Duration::from_secs(3));
        let now = queue(&site);
        assert!(now["running"].as_u64().unwrap() <= 5, "{now}");
        is_over.store(true, Ordering::SeqCst);
        clients.into_iter().map(|client| client.join().expect("it ends well")).collect()
    });
    // Nobody met another answer than a page or a refusal of the queue: no more than one waited in PHP-FPM's own.
    let pages: usize = all.iter().map(|answers| answers.pages).sum();
    assert!(pages > 100, "{all:?}");
    let after = queue(&site);
    assert_eq!((&after["running"], &after["waiting"]), (&0.into(), &0.into()), "{after}");
    let refused: u64 = after["refused"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(refused as usize, all.iter().map(|answers| answers.refused).sum::<usize>(), "{after}");
    assert!(fpm.socket().exists());
    site.stop();
}

#[test]
fn a_client_with_a_hundred_connections_leaves_five_polite_ones_their_pages() {
    let (_fpm, site) = php();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (site, over) = (&site, &is_over);
        let greedy: Vec<_> =
            (0..100).map(|_| scope.spawn(move || asks_on(site, 99, Duration::from_millis(1), over))).collect();
        let polite: Vec<_> = (1..=5)
            .map(|client| scope.spawn(move || asks_on(site, client, Duration::from_millis(300), over)))
            .collect();
        std::thread::sleep(Duration::from_secs(4));
        is_over.store(true, Ordering::SeqCst);
        let polite: Vec<Answers> = polite.into_iter().map(|client| client.join().expect("it ends well")).collect();
        let greedy: usize = greedy.into_iter().map(|client| client.join().expect("it ends well").pages).sum();
        assert!(polite.iter().all(|client| client.refused == 0 && client.pages > 0), "{polite:?}");
        assert!(greedy > 0);
    });
    site.stop();
}

/// What the live page is told of what goes wrong, the latest first.
fn troubles(site: &Site) -> serde_json::Value {
    let stats = Wire::unix(&site.path("admin.sock")).get("/stats").is(200).text();
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    stats["upstreams"][0]["troubles"].clone()
}

/// The page, the log, the live page and standard error tell of the same request by the same identifier.
#[test]
fn a_program_that_died_is_told_of_by_its_request_and_leaves_its_place_to_the_next() {
    let fpm = PhpFpm::start(1, "");
    fpm.page("index.php", "<?php header('Cache-Control: no-store'); echo 'well';");
    fpm.page("dies.php", "<?php exec('kill -9 ' . getmypid()); sleep(9);");
    let page = fpm.page("sorry.html", "<p>{reason}</p><code>{request_id}</code>");
    let more = format!("error_page = {page:?}\n[site.queue]\nrunning = 1\n[log]\nfile = \"DIR/access.json\"\n");
    let site = Site::start(&fpm.site(&more));
    let shown = site.get_with("/dies.php?a", "Accept: text/html\r\n").refuses(502, "upstream_closed").text();
    let id = shown.strip_prefix("<p>upstream_closed</p><code>").and_then(|rest| rest.strip_suffix("</code>"));
    let id = id.unwrap_or_else(|| panic!("{shown}"));
    assert!(!id.is_empty(), "{shown}");
    assert_eq!(site.get("/index.php").is(200).text(), "well");
    unladen_tests::wait::until("no place is taken", || queue(&site)["running"] == 0);
    let died = "if a process died";
    let trouble = troubles(&site)[0].clone();
    assert_eq!((&trouble["reason"], &trouble["request_id"]), (&"upstream_closed".into(), &id.into()), "{trouble}");
    assert!(trouble["cause"].as_str().is_some_and(|cause| cause.contains(died)), "{trouble}");
    let line = unladen_tests::wait::until_ok("it is logged", || {
        let log = std::fs::read_to_string(site.path("access.json")).unwrap_or_default();
        let mut lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines.find(|line| line["target"] == "/dies.php?a").ok_or(log)
    });
    assert_eq!((&line["request_id"], &line["reason"]), (&id.into(), &"upstream_closed".into()), "{line}");
    assert!(line["cause"].as_str().is_some_and(|cause| cause.contains(died)), "{line}");
    let told = site.told();
    let line = told.lines().find(|line| line.contains("[upstream_closed]")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.contains(died) && line.contains(id) && line.contains("fpm.sock"), "{line}");
}

/// Asks for so many pages at once, of a PHP with one worker, which goes on when this is so of how many were refused.
fn all_at_once(fpm: &PhpFpm, site: &Site, count: usize, is_so: impl Fn(usize) -> bool) -> Vec<Answer> {
    let go_on = fpm.root().join("go-on");
    let _ = std::fs::remove_file(&go_on);
    let refused = AtomicUsize::new(0);
    let ask = |number| {
        let answer = site.get(&format!("/held.php?{number}"));
        refused.fetch_add(usize::from(answer.status != 200), Ordering::SeqCst);
        answer
    };
    std::thread::scope(|scope| {
        let ask = &ask;
        let asking: Vec<_> = (0..count).map(|number| scope.spawn(move || ask(number))).collect();
        unladen_tests::wait::until("it may go on", || is_so(refused.load(Ordering::SeqCst)));
        std::fs::write(&go_on, "").unwrap();
        asking.into_iter().map(|asking| asking.join().expect("it is answered")).collect()
    })
}

#[test]
fn where_php_s_own_queue_is_full_that_is_told_and_one_of_ours_has_room() {
    const COUNT: usize = 12;
    let fpm = PhpFpm::start(1, "listen.backlog = 1");
    fpm.page(
        "held.php",
        "<?php header('Cache-Control: no-store');
         while (!file_exists(__DIR__ . '/go-on')) { usleep(5000); clearstatcache(); }
         echo 'well';",
    );
    let connect = "timeouts.connect = \"300ms\"";
    let site = Site::start(&fpm.site(connect));
    let answers = all_at_once(&fpm, &site, COUNT, |refused| refused > 0);
    let (pages, refused): (Vec<Answer>, Vec<Answer>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert!(!pages.is_empty() && !refused.is_empty(), "{pages:?} {refused:?}");
    let ids: Vec<String> = refused
        .iter()
        .map(|answer| answer.clone().refuses(503, "backlog_full").text().replace("503 backlog_full\nrequest ", ""))
        .collect();
    let trouble = troubles(&site)[0].clone();
    assert_eq!((&trouble["reason"], &trouble["count"]), (&"backlog_full".into(), &refused.len().into()), "{trouble}");
    let is_one = |id: &str| ids.iter().any(|own| own.trim_end() == id);
    assert!(trouble["request_id"].as_str().is_some_and(is_one), "{trouble} {ids:?}");
    let told = site.told();
    let line = told.lines().find(|line| line.contains("[backlog_full]")).unwrap_or_else(|| panic!("{told}"));
    for words in ["fpm.sock", "`listen.backlog`", "`queue.running`"] {
        assert!(line.contains(words), "{words}: {line}");
    }
    assert!(ids.iter().any(|id| line.contains(id.trim_end())), "{line} {ids:?}");
    // As it was told to do.
    let site = Site::start(&fpm.site(&format!("{connect}\n[site.queue]\nrunning = 1\nwait = \"30s\"")));
    let answers = all_at_once(&fpm, &site, COUNT, |_| queue(&site)["waiting"] == COUNT - 1);
    for answer in answers {
        assert_eq!(answer.is(200).text(), "well");
    }
    assert_eq!(troubles(&site), serde_json::json!([]));
    site.stop();
}
