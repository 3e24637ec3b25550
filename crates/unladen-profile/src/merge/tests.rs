use proptest::prelude::*;

use super::*;
use crate::function::functions;
use crate::profile::{CallCount, Cluster};
use crate::tests::testing::{by_name, of_lines, profiles};

#[test]
fn clusters_follow_one_another_and_frames_are_the_same_functions() {
    let mut one = of_lines("a", &[&[("main;f", 1)], &[("main", 2)]]);
    let main = one.frames.intern(crate::Frame::function("main"));
    one.clusters[0].calls.push(CallCount { caller: None, callee: main, calls: 3 });
    let other = of_lines("b", &[&[("g;f", 4), ("main;f", 8)]]);
    let merged = merge(&[one, other]).unwrap();
    assert_eq!(merged.clusters.iter().map(Cluster::total).collect::<Vec<_>>(), [1, 2, 12]);
    assert_eq!((merged.frames.len(), merged.stacks.len()), (3, 5));
    assert_eq!((merged.about.title.as_str(), merged.requests()), ("a + b", Some(3)));
    assert_eq!(functions(&merged).iter().map(|row| row.calls).collect::<Vec<_>>(), [None, Some(3), None]);
}

#[test]
fn requests_are_known_where_all_are() {
    let one = of_lines("a", &[&[("f", 1)][..]; 3]);
    let mut other = one.clone();
    other.about.requests = Some(40);
    let merged = merge(&[one.clone(), other.clone()]).unwrap();
    assert_eq!((merged.about.requests, merged.about.are_requests), (Some(43), true));
    other.about = About::default();
    let merged = merge(&[one, other]).unwrap();
    assert_eq!((merged.requests(), merged.about.are_requests), (None, false));
}

#[test]
fn samples_of_different_lengths_become_times() {
    let mut one = of_lines("a", &[&[("f", 3)]]);
    one.about.period_ns = Some(1_000_000);
    let mut other = of_lines("b", &[&[("f", 5)], &[("f", u64::MAX)]]);
    other.about.period_ns = Some(500_000);
    let merged = merge(&[one.clone(), other.clone()]).unwrap();
    assert_eq!((merged.about.unit, merged.about.period_ns), (Unit::Nanoseconds, None));
    assert_eq!(merged.clusters.iter().map(Cluster::total).collect::<Vec<_>>(), [3_000_000, 2_500_000, u64::MAX]);
    let alike = merge(&[one.clone(), one.clone()]).unwrap();
    assert_eq!((alike.about.unit, alike.about.period_ns, alike.total()), (Unit::Samples, Some(1_000_000), 6));
    other.about.period_ns = None;
    let error = merge(&[one, other]).unwrap_err();
    assert_eq!(error, MergeError::Periods { one: "a".to_owned(), other: "b".to_owned() });
}

#[test]
fn tenths_were_added_to_whole_samples() {
    let read = |name: &str, text: &str| {
        let reader = crate::read::reader_named("collapsed");
        crate::read::read_from(text.as_bytes(), std::path::Path::new(name), reader).unwrap()
    };
    let written = |profile: &Profile| {
        let mut out = Vec::new();
        crate::write::writer_named("collapsed").unwrap().write(profile, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let whole = read("mi", "a;b 10\na;c 10\n");
    let tenths = read("mf", "a;b 0.5\na;d 1.5\n");
    let hundredths = read("mh", "a;d 0.25\n");
    let merged = merge(&[whole.clone(), tenths.clone()]).unwrap();
    assert_eq!(written(&merged), "a;b 10.5\na;c 10\na;d 1.5\n");
    assert_eq!(written(&merge(&[tenths.clone(), whole.clone()]).unwrap()), "a;b 10.5\na;d 1.5\na;c 10\n");
    assert_eq!(
        merged.notes,
        ["weights have fractions: in JSON results, whose weights are whole, 10 stand for 1 of the samples"]
    );
    let all = merge(&[hundredths, merged, tenths]).unwrap();
    assert_eq!(written(&all), "a;d 3.25\na;b 11\na;c 10\n");
    assert_eq!(
        all.notes,
        ["weights have fractions: in JSON results, whose weights are whole, 100 stand for 1 of the samples"]
    );
    let alone = merge(&[whole]).unwrap();
    assert_eq!((alone.about.decimals, alone.notes.len()), (0, 0));
}

#[test]
fn what_counts_different_things_is_refused() {
    assert_eq!(merge(&[]).unwrap_err(), MergeError::Nothing);
    let one = of_lines("a", &[]);
    let mut other = of_lines("b", &[]);
    other.about.unit = Unit::Bytes;
    let error = merge(&[one, other]).unwrap_err();
    assert_eq!(error.to_string(), "`a` counts samples, `b` counts bytes: their sum would mean nothing");
}

#[test]
fn of_many_titles_some_are_named() {
    let many: Vec<Profile> = (0..12).map(|index| of_lines(&format!("p{}", index / 2 * 2), &[])).collect();
    assert_eq!(merge(&many).unwrap().about.title, "p0 + p2 + p4 + p6 + p8 + p10");
    let many: Vec<Profile> = (0..12).map(|index| of_lines(&format!("p{index}"), &[])).collect();
    assert_eq!(merge(&many).unwrap().about.title, "p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + 4 more");
}

proptest! {
    #[test]
    fn totals_are_kept(one in profiles(), other in profiles()) {
        let other = Profile { about: one.about.clone(), ..other };
        let merged = merge(&[one.clone(), other.clone()]).unwrap();
        prop_assert_eq!(merged.total(), one.total() + other.total());
        prop_assert_eq!(merged.clusters.len(), one.clusters.len() + other.clusters.len());
        let mut sums = std::collections::BTreeMap::new();
        for (stack, weight) in by_name(&one).into_iter().chain(by_name(&other)) {
            *sums.entry(stack).or_insert(0) += weight;
        }
        prop_assert_eq!(by_name(&merged), sums.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn one_alone_stays_as_it_is(one in profiles()) {
        let merged = merge(std::slice::from_ref(&one)).unwrap();
        prop_assert_eq!(&merged.about, &one.about);
        prop_assert_eq!(&merged.clusters, &one.clusters);
        prop_assert_eq!(by_name(&merged), by_name(&one));
    }
}
