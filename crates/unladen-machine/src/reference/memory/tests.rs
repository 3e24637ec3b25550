use super::*;

/// If this fails, the work has changed: its version has to change with it.
#[test]
fn the_pieces_of_version_1_are_these() {
    assert_eq!(crate::reference::version::VERSION, 1);
    let mut memory = Memory::new();
    let results: Vec<u64> = (0..3).map(|_| memory.run()).collect();
    assert_eq!(results, [2_206_329_586_711_463_933, 2_206_329_586_711_082_181, 2_206_329_586_711_445_901]);
    assert_eq!((HALF, STEPS), (524_288, 12_288));
}

/// What a program is started with, it keeps.
#[test]
fn programs_that_are_started_later_get_huge_pages_as_before() {
    let setting = || {
        let _held = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
        get_thp_disable()
    };
    let before = setting();
    let _memory = Memory::new();
    assert_eq!(setting(), before);
}

#[test]
fn the_streaming_comes_to_every_line_once() {
    let words: Vec<u64> = (0..HALF as u64).collect();
    let lines = (PAGES * PAGE) as u64;
    assert_eq!(stream(&words, &order(PAGES, 1)), LINE as u64 * (lines * (lines - 1) / 2));
}

#[test]
fn the_walk_comes_to_every_line_once() {
    let memory = Memory::new();
    let mut seen = vec![false; PAGES * PAGE];
    let mut at = memory.at;
    for _ in 0..PAGES * PAGE {
        let line = (at - HALF) / LINE;
        assert!(!std::mem::replace(&mut seen[line], true));
        at = walk(&memory.buffer, at, 1);
    }
    assert_eq!(at, memory.at);
}

#[test]
fn the_walk_stays_in_a_page_until_it_has_seen_all_of_it() {
    let memory = Memory::new();
    let lines = (0..PAGE as u32).map(|steps| (walk(&memory.buffer, memory.at, steps) - HALF) / LINE / PAGE);
    let pages: std::collections::BTreeSet<usize> = lines.collect();
    assert_eq!(pages.len(), 1);
}
