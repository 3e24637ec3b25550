//! Whoever asks after a change was committed gets it: no request that starts later is given a page of before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unladen_tests::Wire;

use super::{Blog, sql};

/// Requests of each reader. With these the test finds answers that are 50 ms too old; those of a question that is already on
/// its way, which takes a millisecond, only the test of pledges finds.
const REQUESTS: usize = 150;
const READERS: usize = 8;
/// More changes of each kind than this; until then, readers go on.
const FEWEST: u64 = 8;
/// After so many answers, nobody writes for the last so many of them: the page is asked for more than once, however long
/// it takes to make it on this machine.
const WINDOW: u64 = 48;
const QUIET: u64 = 16;
/// So many comments of the last ones stay: each makes the page longer.
const KEPT: u64 = 20;
/// Far above what it takes on a busy machine. Readers who are not done by then break off: what they have seen has to do.
const LIMIT: Duration = Duration::from_secs(160);

/// How pages were answered.
#[derive(Debug, Default)]
struct Seen {
    validated: usize,
    fetched: usize,
}

/// The highest number behind `saved `, `noted ` in a page.
fn newest(page: &str, word: &str) -> u64 {
    let numbers = page.match_indices(word).filter_map(|(at, _)| {
        let rest = &page[at + word.len()..];
        rest[..rest.find(|letter: char| !letter.is_ascii_digit())?].parse().ok()
    });
    numbers.max().unwrap_or(0)
}

#[test]
fn a_request_that_starts_after_a_commit_gets_the_change() {
    // Three PHP processes, so that pages are made while others write.
    let blog = Blog::with(&[("UNLADEN_WORKERS", "3")]);
    let post = blog.php("echo of('of-clocks');");
    let (saved, noted, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let answered = AtomicU64::new(0);
    let began = Instant::now();
    let seen = std::thread::scope(|scope| {
        // One writes posts, by WordPress' own program in a request of its own; one notes comments, as a plugin would by SQL.
        let writers = [true, false].map(|is_post| {
            let (blog, post, saved, noted, is_over, answered) = (&blog, &post, &saved, &noted, &is_over, &answered);
            scope.spawn(move || {
                for number in 1.. {
                    while answered.load(Ordering::SeqCst) % WINDOW >= WINDOW - QUIET && !is_over.load(Ordering::SeqCst) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    if is_over.load(Ordering::SeqCst) {
                        return number;
                    }
                    if is_post {
                        blog.php(&format!(
                            "wp_update_post(['ID' => {post}, 'post_content' => '<p>saved {number}.</p>']);"
                        ));
                        saved.store(number, Ordering::SeqCst);
                    } else {
                        let text = format!(
                            "insert into wp_comments (comment_post_ID, comment_author, comment_content, comment_approved, comment_date, comment_date_gmt) \
                             values ({post}, 'Nia', 'noted {number}.', '1', now() + interval {number} minute, utc_timestamp() + interval {number} minute)"
                        );
                        sql(&blog.subject, &text);
                        noted.store(number, Ordering::SeqCst);
                        if let Some(old) = number.checked_sub(KEPT) {
                            sql(&blog.subject, &format!("delete from wp_comments where comment_content = 'noted {old}.'"));
                        }
                    }
                    std::thread::sleep(Duration::from_millis(number * 37 % 400));
                }
                0
            })
        });
        let readers: Vec<_> = (0..READERS)
            .map(|number| {
                let (blog, counts) = (&blog, [&saved, &noted, &answered]);
                scope.spawn(move || read(blog, counts, number, began))
            })
            .collect();
        let seen: Vec<Result<Seen, _>> = readers.into_iter().map(|reader| reader.join()).collect();
        is_over.store(true, Ordering::SeqCst);
        let changes = writers.map(|writer| writer.join().expect("a writer ends well"));
        assert!(changes.iter().all(|changes| *changes > FEWEST), "too few changes to tell anything: {changes:?}");
        seen
    });
    let seen: Vec<Seen> = seen.into_iter().map(|seen| seen.expect("no reader sees an old page")).collect();
    let (validated, fetched) =
        (seen.iter().map(|seen| seen.validated).sum::<usize>(), seen.iter().map(|seen| seen.fetched).sum::<usize>());
    eprintln!("{validated} from memory, {fetched} made, in {:?}", began.elapsed());
    // It tells nothing unless pages change while they are asked for, and are in memory at times.
    assert!(validated > 50 && fetched > 20, "{validated} from memory, {fetched} made");
    blog.site.stop();
}

/// Reads the post over and over.
fn read(blog: &Blog, [saved, noted, answered]: [&AtomicU64; 3], number: usize, began: Instant) -> Seen {
    let mut seen = Seen::default();
    let mut wire: Option<Wire> = None;
    let has_enough = || saved.load(Ordering::SeqCst) > FEWEST && noted.load(Ordering::SeqCst) > FEWEST;
    for request in 0.. {
        if request >= REQUESTS && has_enough() {
            break;
        }
        if began.elapsed() > LIMIT {
            eprintln!("reader {number} breaks off after {request} requests");
            break;
        }
        // A new connection may be another thread's.
        if request % 20 == 0 {
            wire = None;
        }
        let wire = wire.get_or_insert_with(|| Wire::tcp(blog.address()));
        std::thread::sleep(Duration::from_millis((request * 7 + number * 13) as u64 % 60));
        let least = (saved.load(Ordering::SeqCst), noted.load(Ordering::SeqCst));
        let answer = wire.ask(format!("GET /of-clocks/ HTTP/1.1\r\nHost: {}\r\n\r\n", blog.address())).is(200);
        answered.fetch_add(1, Ordering::SeqCst);
        let page = answer.text();
        let shown = (newest(&page, "saved "), newest(&page, "noted "));
        assert!(
            shown.0 >= least.0 && shown.1 >= least.1,
            "an old page: {least:?} were committed before request {request} of reader {number}, and it shows {shown:?}; {}",
            answer.cache()
        );
        seen.validated += usize::from(answer.cache().starts_with("hit; detail=validated"));
        seen.fetched += usize::from(answer.cache().starts_with("fwd="));
    }
    seen
}
