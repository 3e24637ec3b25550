use std::time::Duration;

use proptest::prelude::*;

use super::*;

const HEARTBEAT: Duration = Duration::from_secs(1);

fn question(text: &str) -> Question {
    Question { parameters: vec![text.to_owned()] }
}

fn version(number: u64) -> Version {
    Some(number.to_string().into_bytes().into())
}

/// Listens to `here`, and was there a moment ago.
fn listening() -> (Pushed, Instant) {
    let (pushed, now) = (Pushed::new(1), Instant::now());
    pushed.begin("here");
    pushed.vouch(now + HEARTBEAT);
    (pushed, now)
}

#[test]
fn an_answer_does_until_it_is_told_of() {
    let (pushed, now) = listening();
    let picnic = question("picnic");
    pushed.remember(&picnic, &version(1), pushed.before(), Some("picnic"), Some("here"));
    assert_eq!(pushed.find(0, &picnic, now), Some(version(1)));
    pushed.told("another");
    assert_eq!(pushed.find(0, &picnic, now), Some(version(1)));
    pushed.told("picnic");
    assert_eq!(pushed.find(0, &picnic, now), None);
    pushed.remember(&picnic, &version(2), pushed.before(), Some("picnic"), Some("here"));
    pushed.told("");
    assert_eq!(pushed.find(0, &picnic, now), None);
    // What notifications do not name, each may be about.
    pushed.remember(&picnic, &version(3), pushed.before(), None, Some("here"));
    pushed.told("another");
    assert_eq!((pushed.find(0, &picnic, now), pushed.count()), (None, 2));
}

#[test]
fn nothing_does_longer_than_somebody_was_there() {
    let (pushed, now) = listening();
    let picnic = question("picnic");
    pushed.remember(&picnic, &version(1), pushed.before(), None, Some("here"));
    assert_eq!(pushed.find(0, &picnic, now + HEARTBEAT - Duration::from_nanos(1)), Some(version(1)));
    assert_eq!(pushed.find(0, &picnic, now + HEARTBEAT), None);
    pushed.lost();
    assert_eq!(pushed.find(0, &picnic, now), None);
    // Something may have been missed.
    pushed.begin("here");
    pushed.vouch(now + HEARTBEAT);
    assert_eq!(pushed.find(0, &picnic, now), None);
}

/// The answer of a standby that lags, or of the server that was there before, is from before what was told.
#[test]
fn an_answer_of_another_server_is_not_remembered() {
    let (pushed, now) = listening();
    let picnic = question("picnic");
    for server in [Some("there"), None] {
        pushed.remember(&picnic, &version(1), pushed.before(), None, server);
        assert_eq!(pushed.find(0, &picnic, now), None);
    }
}

/// What happens beside each other: a change is committed and told later, questions are sent and answered later.
#[derive(Clone, Debug)]
enum Step {
    Commit {
        page: usize,
    },
    /// Of the changes that were not told yet, the first.
    Tell,
    Send {
        page: usize,
    },
    /// Of the questions that are under way, any.
    Answer {
        which: usize,
    },
    Reconnect,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..3usize).prop_map(|page| Step::Commit { page }),
        Just(Step::Tell),
        (0..3usize).prop_map(|page| Step::Send { page }),
        any::<usize>().prop_map(|which| Step::Answer { which }),
        Just(Step::Reconnect),
    ]
}

proptest! {
    /// In whatever order it happens: what is found is no older than the last change that was told.
    #[test]
    fn what_was_told_is_never_served_again(steps in prop::collection::vec(step(), 0..120), has_key: bool) {
        let (pushed, now) = listening();
        let page = |page: usize| format!("page {page}");
        let (mut committed, mut told) = ([0_u64; 3], [0_u64; 3]);
        let (mut to_tell, mut under_way) = (Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Commit { page } => {
                    committed[page] += 1;
                    to_tell.push((page, committed[page]));
                }
                Step::Tell if !to_tell.is_empty() => {
                    let (changed, number) = to_tell.remove(0);
                    told[changed] = number;
                    pushed.told(&page(changed));
                }
                // The database answers with what is committed when the question comes to it, at the earliest.
                Step::Send { page } => under_way.push((page, pushed.before(), committed[page])),
                Step::Answer { which } if !under_way.is_empty() => {
                    let (asked, before, number) = under_way.remove(which % under_way.len());
                    let name = page(asked);
                    let key = has_key.then_some(&*name);
                    pushed.remember(&question(&name), &version(number), before, key, Some("here"));
                }
                Step::Reconnect => {
                    // What was not told is never told.
                    to_tell.clear();
                    told = committed;
                    pushed.begin("here");
                }
                _ => {}
            }
            for (number, told) in told.iter().enumerate() {
                if let Some(found) = pushed.find(0, &question(&page(number)), now) {
                    let found: u64 = String::from_utf8(found.unwrap().into()).unwrap().parse().unwrap();
                    prop_assert!(found >= *told, "{found} of {told}");
                }
            }
        }
    }
}
