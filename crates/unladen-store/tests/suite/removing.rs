//! Runs are removed.

use std::collections::BTreeMap;

use unladen_store::{Filter, NewRun, Retention, RunId, Store};

use super::runs::{ids, run};

pub(crate) fn removed_runs_leave_nothing(store: &mut dyn Store) {
    let labels = BTreeMap::from([("release".to_owned(), "1.43".to_owned())]);
    let new = NewRun { labels: labels.clone(), evidence: Some(b"{}".to_vec()), ..run("weigh", "page", 1) };
    let kept = store.keep_all(&[new.clone(), new.clone(), new.clone()]).unwrap();
    // One twice, and one that does not exist.
    let none = RunId::new(4_000_000).unwrap();
    assert_eq!(store.remove(&[kept[0], kept[2], kept[2], none]).unwrap(), 2);
    assert_eq!(store.remove(&[kept[0]]).unwrap(), 0);
    assert_eq!(store.remove(&[]).unwrap(), 0);
    assert!(store.run(kept[0]).is_err() && store.evidence(kept[2]).is_err());
    assert_eq!(store.count(&Filter { labels, ..Filter::default() }).unwrap(), 1);
    assert_eq!(store.run(kept[1]).unwrap().document, new.document);
    // A number means one run for good.
    assert!(store.keep(&new).unwrap() > kept[2]);
}

pub(crate) fn the_newest_of_each_target_stay(store: &mut dyn Store) {
    let mut kept = Vec::new();
    for time in [3, 1, 2, 3] {
        for (verb, target) in [("weigh", "a"), ("weigh", "b"), ("load", "a")] {
            kept.push(((verb, target), time, store.keep(&run(verb, target, time)).unwrap()));
        }
    }
    let all = store.count(&Filter::default()).unwrap();
    for keep in [5, 4, 3, 2, 1, 0] {
        let mut gone = Vec::new();
        for group in [("weigh", "a"), ("weigh", "b"), ("load", "a")] {
            let mut of_group: Vec<(i64, RunId)> =
                kept.iter().filter(|(of, ..)| *of == group).map(|(_, time, id)| (*time, *id)).collect();
            of_group.sort_unstable_by(|a, b| b.cmp(a));
            gone.extend(of_group.into_iter().skip(keep as usize).map(|(_, id)| id));
        }
        gone.sort_unstable();
        assert_eq!(store.prunable(Retention::Newest(keep)).unwrap(), gone, "{keep}");
    }
    assert_eq!(store.count(&Filter::default()).unwrap(), all, "to ask is not to remove");
    let gone = store.prunable(Retention::Newest(1)).unwrap();
    assert_eq!(store.prune(Retention::Newest(1)).unwrap(), gone);
    assert_eq!(store.prune(Retention::Newest(1)).unwrap(), []);
    // The last of the two newest that have one time.
    let left: Vec<RunId> = kept[9..].iter().rev().map(|(.., id)| *id).collect();
    assert_eq!(ids(&store.list(&Filter::default()).unwrap()), left);
}

pub(crate) fn runs_since_a_time_stay(store: &mut dyn Store) {
    let runs: Vec<NewRun> = [5, 1, 3].into_iter().map(|time| run("weigh", "page", time)).collect();
    let kept = store.keep_all(&runs).unwrap();
    assert_eq!(store.prunable(Retention::Since(1)).unwrap(), []);
    assert_eq!(store.prune(Retention::Since(5)).unwrap(), [kept[1], kept[2]]);
    assert_eq!(ids(&store.list(&Filter::default()).unwrap()), [kept[0]]);
    assert_eq!(store.prune(Retention::Newest(0)).unwrap(), [kept[0]]);
}
