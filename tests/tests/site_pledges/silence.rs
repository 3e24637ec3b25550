//! A database that does not answer: the application is asked, or a page is served that was current a moment ago. Nobody
//! hangs.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_tests::{Answer, Subject, wait};

use crate::sql::Sql;
use crate::{Site, asked, cache, is_asked, signed};

/// Far above the validator's time and a page's.
const SOON: Duration = Duration::from_secs(8);

/// The database's processes that answer validators, held up while this is there.
struct HeldUp(Vec<Pid>);

impl HeldUp {
    fn new(sql: &mut Sql) -> Self {
        // Nor are there others in their stead.
        sql.run("alter role validator connection limit 0");
        let of_validator = sql.run("select pid from pg_stat_activity where usename = 'validator'");
        let pids: Vec<Pid> =
            of_validator.lines().map(|pid| Pid::from_raw(pid.trim().parse().expect("a pid"))).collect();
        assert!(!pids.is_empty(), "no validator has asked");
        for pid in &pids {
            kill(*pid, Signal::SIGSTOP).expect("its process is there");
        }
        Self(pids)
    }
}

impl HeldUp {
    fn release(self, sql: &mut Sql) {
        sql.run("alter role validator connection limit -1");
    }
}

impl Drop for HeldUp {
    fn drop(&mut self) {
        for pid in &self.0 {
            let _ = kill(*pid, Signal::SIGCONT);
        }
    }
}

#[track_caller]
fn soon(site: &Site, path: &str) -> Answer {
    let begun = Instant::now();
    let answer = site.get(path, "");
    assert!(begun.elapsed() < SOON, "{:?}: {answer:?}", begun.elapsed());
    answer
}

/// Asks until a page is known to be current.
#[track_caller]
fn until_validated(site: &Site, path: &str) {
    wait::until("it is asked again", || cache(&soon(site, path)) == "hit; detail=validated");
}

// One test, as each of its steps is about what the one before has left.
#[test]
fn a_database_that_is_silent_or_gone() {
    let pledges = Subject::up("pledges");
    let mut sql = Sql::of(&pledges);
    let asks = Site::of(&pledges, "", "timeout = \"500ms\"");
    let waits = Site::of(&pledges, "", "timeout = \"500ms\"\nstale = \"10s\"");
    let before = signed(&soon(&asks, "/blood").text());
    for site in [&asks, &waits] {
        until_validated(site, "/blood");
    }

    // Whether it has changed cannot be known: so the application is asked, and says what is so now.
    let held_up = HeldUp::new(&mut sql);
    sql.sign("blood", "Bea");
    let made = asked(&pledges, "/blood");
    for _ in 0..3 {
        let answer = soon(&asks, "/blood");
        assert_eq!((answer.status, signed(&answer.text())), (200, before + 1), "{answer:?}");
        assert!(cache(&answer).ends_with("detail=validator-silent") && cache(&answer).contains("fwd="), "{answer:?}");
    }
    is_asked(&pledges, "/blood", made + 3);
    // Or, where that was chosen, what was current not long ago; but no longer than that.
    is_stale(&waits, before);
    is_asked(&pledges, "/blood", made + 3);
    std::thread::sleep(Duration::from_secs(11));
    let answer = soon(&waits, "/blood");
    assert_eq!((answer.status, signed(&answer.text())), (200, before + 1), "{answer:?}");
    assert!(cache(&answer).contains("fwd="), "{answer:?}");
    // A page that was never asked about is not known to be current.
    assert!(cache(&soon(&waits, "/tree")).contains("fwd="));

    held_up.release(&mut sql);
    for site in [&asks, &waits] {
        until_validated(site, "/blood");
        assert_eq!(signed(&soon(site, "/blood").text()), before + 1);
    }

    // Stopped, the application has no page to give either, and says so.
    let server = Pid::from_raw(i32::try_from(pledges.pid("postgres")).expect("a pid"));
    kill(server, Signal::SIGINT).expect("it runs");
    let socket = format!("{}/.s.PGSQL.5432", pledges.get("DATABASE_SOCKET"));
    wait::until("the database stops", || !std::fs::exists(&socket).is_ok_and(|there| there));
    let stopped = Instant::now();
    let answer = soon(&waits, "/blood");
    if stopped.elapsed() < Duration::from_secs(8) {
        assert!(answer.status == 200 && is_silent_hit(&answer), "{answer:?}");
    }
    for _ in 0..20 {
        let answer = soon(&asks, "/blood");
        assert_eq!((answer.status, answer.text().as_str()), (503, "The database cannot be reached.\n"), "{answer:?}");
    }
    std::thread::sleep(Duration::from_secs(11));
    assert_eq!(soon(&waits, "/blood").status, 503);
    for site in [asks, waits] {
        site.stop();
    }
}

/// The page of before, said to be stale.
#[track_caller]
fn is_stale(site: &Site, before: u64) {
    for _ in 0..3 {
        let answer = soon(site, "/blood");
        assert_eq!((answer.status, signed(&answer.text())), (200, before), "{answer:?}");
        assert!(is_silent_hit(&answer), "{answer:?}");
    }
}

fn is_silent_hit(answer: &Answer) -> bool {
    cache(answer).starts_with("hit; ") && cache(answer).ends_with("; detail=validator-silent")
}
