use super::*;
use crate::observability::tests::record;

fn add(misses: &Misses, target: &str, at: Instant) {
    let record = RequestAccount { target: target.as_bytes(), began: at, total: Duration::from_millis(2), ..record() };
    misses.add(&record, CacheResult::Miss, "private");
}

fn most(misses: &[&Misses]) -> Vec<(String, u64, u64)> {
    let all = Miss::most(misses.iter().map(|misses| misses.look()).collect());
    all.iter().map(|miss| (String::from_utf8_lossy(&miss.target).into_owned(), miss.requests, miss.unsure)).collect()
}

#[test]
fn what_is_asked_for_often_is_found_among_much_that_is_not() {
    let (misses, now) = (Misses::default(), Instant::now());
    for n in 0..20_000 {
        add(&misses, &format!("/{n}"), now);
        if n % 20 == 0 {
            add(&misses, "/often", now);
        }
        if n % 25 == 0 {
            add(&misses, "/second", now);
        }
    }
    let found = most(&[&misses]);
    assert_eq!(found.len(), PLACES);
    // Each count is no less than it was, and no more than it may be by what is said.
    let count = |target: &str| found.iter().find(|(other, ..)| other == target).unwrap();
    for (target, really) in [("/often", 1000), ("/second", 800)] {
        let (_, requests, unsure) = count(target);
        assert!(
            (really..=really + unsure).contains(requests),
            "{target}: {requests}, of which {unsure} may be others'"
        );
    }
    assert_eq!(found[0].0, "/often");
    let [windows] = [misses.0.lock().unwrap()];
    assert_eq!(windows.now.len(), PLACES);
}

#[test]
fn threads_are_added_up_and_the_same_target_of_another_host_is_another() {
    let (one, other, now) = (Misses::default(), Misses::default(), Instant::now());
    add(&one, "/a", now);
    add(&one, "/a", now);
    add(&other, "/a", now);
    add(&other, "/b", now);
    other.add(
        &RequestAccount { authority: b"other.example", target: b"/a", began: now, ..record() },
        CacheResult::Pass,
        "",
    );
    let found: Vec<_> = most(&[&one, &other]).into_iter().map(|(target, requests, _)| (target, requests)).collect();
    assert_eq!(found, [("/a".to_owned(), 3), ("/b".to_owned(), 1), ("/a".to_owned(), 1)]);
    let all = Miss::most(vec![one.look()]);
    assert_eq!((all[0].mean(), all[0].result, all[0].why), (Duration::from_millis(2), CacheResult::Miss, "private"));
}

#[test]
fn what_is_too_long_is_cut_and_told_apart_all_the_same() {
    let (misses, now) = (Misses::default(), Instant::now());
    let long = format!("/{}", "x".repeat(16_000));
    add(&misses, &format!("{long}1"), now);
    add(&misses, &format!("{long}2"), now);
    add(&misses, &format!("{long}2"), now);
    let found = misses.look();
    let sizes: Vec<_> = found.iter().map(|miss| (miss.target.len(), miss.is_cut, miss.requests)).collect();
    assert_eq!(sizes, [(TARGET, true, 1), (TARGET, true, 2)]);
}

#[test]
fn what_is_asked_for_no_more_is_forgotten() {
    let (misses, now) = (Misses::default(), Instant::now());
    let later = |n: u32| now + n * (WINDOW / 4);
    add(&misses, "/then", later(0));
    // The next count: it is told with the one before.
    add(&misses, "/now", later(5));
    assert_eq!(most(&[&misses]).len(), 2);
    add(&misses, "/now", later(10));
    let found: Vec<_> = most(&[&misses]).into_iter().map(|(target, requests, _)| (target, requests)).collect();
    assert_eq!(found, [("/now".to_owned(), 2)]);
    // After a long rest, nothing is left of before.
    add(&misses, "/new", later(100));
    assert_eq!(most(&[&misses]), [("/new".to_owned(), 1, 0)]);
}
