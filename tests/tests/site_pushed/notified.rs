//! Validators that PostgreSQL tells of changes.

use std::time::{Duration, Instant};

use unladen_tests::relay::Relay;
use unladen_tests::site::Site;
use unladen_tests::wait;

use crate::changes::{Changes, metric, number, validator};

const PATH: &str = "/Picnic";
/// Of the printed example.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// A site that is told by way of this, once it is.
fn site(changes: &Changes, app: &unladen_tests::Upstream, relay: &Relay) -> Site {
    let at = format!("@{}/", changes.postgres.address());
    let database = changes.postgres.url("right").replace(&at, &format!("@{}/", relay.address()));
    let site = Site::of(app, &validator("pushed", &database));
    wait_until_it_listens(&site);
    site
}

fn wait_until_it_listens(site: &Site) {
    wait::until("it listens", || metric(&site.path("admin.sock"), "unladen_validator_listening") == 1);
}

fn asked(site: &Site) -> u64 {
    metric(&site.path("admin.sock"), "unladen_validator_asked_total")
}

/// Asks until this number is there, and no longer than it may not be. Nothing older than what is due is there meanwhile.
#[track_caller]
fn reads_until(site: &Site, changes: &Changes, wanted: u64) {
    let begun = Instant::now();
    loop {
        let due = changes.due(HEARTBEAT);
        let read = number(&site.get(PATH));
        assert!(read >= due, "{read}, but {due} was there for longer than {HEARTBEAT:?}");
        if read == wanted {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{read} after {:?}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn nothing_is_asked_until_something_is_told_and_nothing_is_older_than_the_bound() {
    let mut changes = Changes::start();
    let app = changes.application();
    let relay = Relay::to(changes.postgres.address());
    let site = site(&changes, &app, &relay);
    nothing_is_asked_while_nothing_changes(&site, &changes);
    a_change_is_seen(&site, &mut changes);
    whoever_changes_it_sees_that_at_once(&site, &mut changes, &app);
    an_ended_connection_is_no_reason_to_be_stale(&site, &mut changes);
    a_silent_connection_is_found_out_in_time(&site, &mut changes, &relay);
    let told = site.told();
    assert!(told.contains("no page is served that was changed longer ago than 1s"), "{told}");
    assert!(told.contains("asks at each request"), "{told}");
}

fn nothing_is_asked_while_nothing_changes(site: &Site, changes: &Changes) {
    for path in [PATH, "/other", "/pICNIC"] {
        site.get(path);
        site.get(path).is_hit(200);
    }
    let before = asked(site);
    for _ in 0..200 {
        site.get(PATH).is_hit(200);
    }
    // The connection may be late, on a busy machine: then it is asked.
    let more = asked(site) - before;
    assert!(more < 100, "{more} questions for 200 requests");
    assert!(metric(&site.path("admin.sock"), "unladen_validator_remembered_total") >= 100);
    // What is told of another page leaves this one alone.
    let (before, hits) = (asked(site), 20);
    for _ in 0..hits {
        changes.postgres.sql("update pledges set n = n + 1 where ref = 'other'");
        site.get(PATH).is_hit(200);
    }
    let more = asked(site) - before;
    assert!(more < hits, "{more} questions");
}

fn a_change_is_seen(site: &Site, changes: &mut Changes) {
    for _ in 0..10 {
        let now = changes.change();
        reads_until(site, changes, now);
        // The other spelling is the same row.
        reads_other(site, changes, now);
    }
    // What is gone is told of, and what is new.
    changes.postgres.sql("delete from pledges where ref = 'Picnic'");
    site.get_until(PATH, |answer| answer.cache().starts_with("fwd="));
    changes.postgres.sql("insert into pledges values ('Picnic', -1)");
    let now = changes.change();
    reads_until(site, changes, now);
    changes.postgres.sql("truncate pledges");
    site.get_until(PATH, |answer| answer.cache().starts_with("fwd="));
    changes.postgres.sql("insert into pledges values ('Picnic', -1), ('other', 0)");
    let now = changes.change();
    reads_until(site, changes, now);
}

#[track_caller]
fn reads_other(site: &Site, changes: &Changes, wanted: u64) {
    wait::until("the other spelling is told of, too", || {
        let due = changes.due(HEARTBEAT);
        let read = number(&site.get("/pICNIC"));
        assert!(read >= due, "{read} of {due}");
        read == wanted
    });
}

/// Also where nobody would be told for long: the notification is kept back with all else.
fn whoever_changes_it_sees_that_at_once(site: &Site, changes: &mut Changes, app: &unladen_tests::Upstream) {
    let answer = site.wire().post(PATH, "sign");
    let cookie = answer.field("set-cookie").expect("a cookie").to_owned();
    assert_eq!(cookie, "__unladen_fresh=1; Max-Age=1; Path=/; HttpOnly; SameSite=Lax");
    // Nobody else gets one.
    assert_eq!(site.get(PATH).field("set-cookie"), None);
    let before = metric(&site.path("admin.sock"), "unladen_validator_bypassed_total");
    for _ in 0..20 {
        let now = changes.change();
        let read = number(&site.get_with(PATH, "Cookie: __unladen_fresh=1\r\n"));
        assert_eq!(read, now, "whoever changed it got an old page");
    }
    assert_eq!(metric(&site.path("admin.sock"), "unladen_validator_bypassed_total"), before + 20);
    // The page is the same for all: it is no page of theirs.
    let now = changes.change();
    reads_until(site, changes, now);
    let fetched = app.seen().len();
    site.get_with(PATH, "Cookie: __unladen_fresh=1\r\n").is_hit(200);
    site.get(PATH).is_hit(200);
    assert_eq!(app.seen().len(), fetched);
}

fn an_ended_connection_is_no_reason_to_be_stale(site: &Site, changes: &mut Changes) {
    for _ in 0..3 {
        changes.postgres.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity \
             where application_name = 'unladen' and query like '%pg_listening_channels%'",
        );
        let now = changes.change();
        reads_until(site, changes, now);
    }
    // A restart ends all of them.
    changes.postgres.restart(Duration::from_millis(50));
    let now = changes.change();
    reads_until(site, changes, now);
    wait_until_it_listens(site);
    comes_from_memory_again(site);
}

/// Who listens connects again beside those that ask, and these pause after each failure: in between the application
/// answers, and its page is stored under no label.
fn comes_from_memory_again(site: &Site) {
    site.get_until(PATH, |answer| answer.cache().starts_with("hit"));
}

/// Nobody is told that nothing goes by any more: what is remembered is good for the bound, and then it is asked for; what
/// cannot be asked for is fetched.
fn a_silent_connection_is_found_out_in_time(site: &Site, changes: &mut Changes, relay: &Relay) {
    site.get(PATH).is_hit(200);
    relay.cut();
    let now = changes.change();
    std::thread::sleep(HEARTBEAT);
    // In the end the application answers, when the question has had its time.
    reads_until(site, changes, now);
    assert_eq!(metric(&site.path("admin.sock"), "unladen_validator_listening"), 0);
    relay.mend();
    wait_until_it_listens(site);
    let now = changes.change();
    reads_until(site, changes, now);
    comes_from_memory_again(site);
}
