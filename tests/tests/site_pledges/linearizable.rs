//! Whoever asks after a signature was committed gets it: no request that starts later is given a page of before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unladen_tests::{Subject, Wire};

use crate::sql::Sql;
use crate::{Site, cache, get, sign, signed};

/// Requests of each reader. With these the test finds that a request joins a question that is already on its way.
const REQUESTS: usize = 1_000;
const READERS: usize = 16;
/// After so many answers, nobody signs for the last so many of them: pages are asked for more than once, however long it
/// takes to make one on this machine.
const WINDOW: u64 = 192;
const QUIET: u64 = 96;
/// Far above what it takes on a busy machine. Readers who are not done by then break off: what they have seen has to do.
const LIMIT: Duration = Duration::from_secs(160);

/// A pledge that is being signed.
struct Pledge {
    name: &'static str,
    /// Who had signed before, and has, as far as that was acknowledged.
    signed: AtomicU64,
}

/// How pages were answered.
#[derive(Debug, Default)]
struct Seen {
    validated: usize,
    unchanged: usize,
    fetched: usize,
    shared: usize,
}

// One test, which has the machine's threads to itself as far as that is possible.
#[test]
fn a_request_that_starts_after_a_commit_gets_the_signature() {
    // Three PHP processes, so that pages are made while others sign.
    let subject = Subject::up_with("pledges", &[("UNLADEN_WORKERS", "3")]);
    // A page waits for 5 ms when it has read who has signed: it is on its way, and old, while others come who may not
    // share it.
    subject.run(["fault", "sleeps", "on"]);
    let site = Site::of(&subject, "", "timeout = \"5s\"");
    let pledges = ["blood", "tree"].map(|name| {
        let signed = signed(&site.get(&format!("/{name}"), "").text());
        Pledge { name, signed: AtomicU64::new(signed) }
    });
    let before: Vec<u64> = pledges.iter().map(|pledge| pledge.signed.load(Ordering::SeqCst)).collect();
    let (is_over, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let began = Instant::now();

    let (seen, commits) = std::thread::scope(|scope| {
        let signers = [true, false].map(|by_form| {
            let (pledges, site, subject, is_over, answered) = (&pledges, &site, &subject, &is_over, &answered);
            scope.spawn(move || match by_form {
                true => {
                    let mut wire = site.wire();
                    sign_again_and_again(pledges, is_over, answered, |pledge, name| sign(&mut wire, pledge, name))
                }
                false => {
                    let mut sql = Sql::of(subject);
                    sign_again_and_again(pledges, is_over, answered, |pledge, name| sql.sign(pledge, name))
                }
            })
        });
        let readers: Vec<_> = (0..READERS)
            .map(|number| {
                let (pledges, site, answered) = (&pledges, &site, &answered);
                // Most ask for the same, so that some come while a page is on its way to others.
                let pledge = &pledges[usize::from(number % 8 == 0)];
                scope.spawn(move || read(pledge, site, answered, number, began))
            })
            .collect();
        let seen: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        is_over.store(true, Ordering::SeqCst);
        let commits: Vec<u64> = signers.into_iter().map(|signer| signer.join().expect("a signer ends well")).collect();
        let seen: Vec<Seen> = seen.into_iter().map(|seen| seen.expect("no reader sees an old page")).collect();
        (seen, commits)
    });

    let sum = |of: fn(&Seen) -> usize| seen.iter().map(of).sum::<usize>();
    let all = Seen {
        validated: sum(|seen| seen.validated),
        unchanged: sum(|seen| seen.unchanged),
        fetched: sum(|seen| seen.fetched),
        shared: sum(|seen| seen.shared),
    };
    eprintln!("{all:?}, signed {commits:?} times, in {:?}", began.elapsed());
    // It tells nothing unless pages change while they are asked for, are in memory at times, and are asked for by
    // several.
    assert!(commits.iter().all(|commits| *commits > 100), "{commits:?}");
    assert!(all.validated > 500 && all.unchanged > 50 && all.fetched > 200 && all.shared > 50, "{all:?}");
    let added: u64 =
        pledges.iter().zip(before).map(|(pledge, before)| pledge.signed.load(Ordering::SeqCst) - before).sum();
    assert_eq!(added, commits.iter().sum::<u64>());
    for pledge in &pledges {
        assert_eq!(signed(&site.get(&format!("/{}", pledge.name), "").text()), pledge.signed.load(Ordering::SeqCst));
    }
    site.stop();
}

/// How often it signed.
fn sign_again_and_again(
    pledges: &[Pledge; 2],
    is_over: &AtomicBool,
    answered: &AtomicU64,
    mut sign: impl FnMut(&str, &str),
) -> u64 {
    let mut commits = 0;
    while !is_over.load(Ordering::SeqCst) {
        if answered.load(Ordering::SeqCst) % WINDOW >= WINDOW - QUIET {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        let pledge = &pledges[usize::from(commits % 4 == 0)];
        sign(pledge.name, &format!("Nobody{commits}"));
        pledge.signed.fetch_add(1, Ordering::SeqCst);
        commits += 1;
        std::thread::sleep(Duration::from_millis(commits * 7 % 11));
    }
    commits
}

/// Reads a pledge's page over and over. Every other request asks whether the page that it has is still the one.
fn read(pledge: &Pledge, site: &Site, answered: &AtomicU64, number: usize, began: Instant) -> Seen {
    let (path, lines) = (format!("/{}", pledge.name), ["", "Accept-Language: de\r\n"][usize::from(number % 8 == 1)]);
    let mut seen = Seen::default();
    let mut wire: Option<Wire> = None;
    let mut has: Option<(String, u64)> = None;
    for request in 0..REQUESTS {
        if began.elapsed() > LIMIT {
            eprintln!("reader {number} breaks off after {request} requests");
            break;
        }
        // A new connection may be another thread's.
        if request % 50 == 0 {
            wire = None;
        }
        let wire = wire.get_or_insert_with(|| site.wire());
        let condition = match &has {
            Some((etag, _)) if request % 2 == 1 => format!("If-None-Match: {etag}\r\n"),
            _ => String::new(),
        };
        // So that not all wait for one page, and then for the next.
        std::thread::sleep(Duration::from_millis((request * 7 + number * 13) as u64 % 17));
        let least = pledge.signed.load(Ordering::SeqCst);
        let answer = wire.ask(get(&path, &format!("{lines}{condition}")));
        answered.fetch_add(1, Ordering::SeqCst);
        let said = cache(&answer).to_owned();
        let shown = match (answer.status, &has) {
            (200, _) => signed(&answer.text()),
            (304, Some((_, shown))) if !condition.is_empty() => *shown,
            _ => panic!("{answer:?}"),
        };
        assert!(
            shown >= least,
            "an old page: {least} had signed {} before request {request} of reader {number}, and it shows {shown}\n{said}",
            pledge.name
        );
        seen.unchanged += usize::from(answer.status == 304);
        seen.validated += usize::from(said.starts_with("hit; detail=validated"));
        seen.fetched += usize::from(said.contains("fwd="));
        seen.shared += usize::from(said.contains("collapsed"));
        if answer.status == 200 {
            has = Some((answer.field("etag").expect("an ETag").to_owned(), shown));
        }
    }
    seen
}
