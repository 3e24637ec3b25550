use super::*;

#[test]
fn one_that_waits_is_seen_after_a_while_and_until_it_is_answered() {
    let unanswered = Arc::new(Unanswered::default());
    assert!(!unanswered.has_waited(1_000));
    let first = unanswered.begin(1_000);
    assert!(!unanswered.has_waited(1_000 + SOON - 1));
    assert!(unanswered.has_waited(1_000 + SOON));
    let second = unanswered.begin(2_000);
    drop(first);
    // It is not known which of them waits: rather one connection too many is closed.
    assert!(unanswered.has_waited(2_000));
    drop(second);
    assert!(!unanswered.has_waited(9_000));
    let _third = unanswered.begin(9_000);
    assert!(!unanswered.has_waited(9_000));
}
