use proptest::prelude::*;

use super::*;
use crate::frame::Frame;
use crate::tests::testing::{Named, by_name, of_lines, profiles};

#[test]
fn stacks_are_kept_whole_and_requests_too() {
    let mut profile = of_lines("", &[&[("main;find;stat", 1), ("main;draw", 2)], &[("main;draw", 4)]]);
    let file = profile.frames.intern(Frame { file: "autoload.php", ..Frame::function("x") });
    let main = profile.frames.intern(Frame::function("main"));
    let find = profile.frames.intern(Frame::function("find"));
    profile.clusters[1].calls = vec![
        CallCount { caller: Some(main), callee: find, calls: 3 },
        CallCount { caller: Some(find), callee: main, calls: 1 },
        CallCount { caller: None, callee: file, calls: 5 },
    ];
    let found = grep(&profile, &"^find|autoload".parse().unwrap(), false);
    assert_eq!(found.clusters.iter().map(Cluster::total).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(found.requests(), Some(2));
    assert_eq!(found.clusters[1].calls.iter().map(|count| count.calls).collect::<Vec<_>>(), [3, 5]);
    let names: Vec<&str> = found.frames.iter().map(|(_, frame)| frame.name).collect();
    assert_eq!(names, ["main", "find", "stat", "x"]);
    let others = grep(&profile, &"^find|autoload".parse().unwrap(), true);
    assert_eq!(others.clusters.iter().map(Cluster::total).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(others.clusters[1].calls.iter().map(|count| count.calls).collect::<Vec<_>>(), [1]);
}

#[test]
fn what_is_no_expression_is_told() {
    let error = "a(".parse::<Pattern>().unwrap_err().to_string();
    assert!(error.starts_with("`a(` is not a regular expression"), "{error}");
}

proptest! {
    #[test]
    fn those_that_match_and_those_that_do_not_are_the_whole(profile in profiles(), text in "[abcf]|_|x3|\\^\\$") {
        let pattern: Pattern = text.parse().unwrap();
        let parts = [grep(&profile, &pattern, false), grep(&profile, &pattern, true)];
        let mut stacks = by_name(&parts[0]);
        stacks.extend(by_name(&parts[1]));
        stacks.sort();
        prop_assert_eq!(stacks, by_name(&profile));
        let has = |stack: &[Named]| {
            stack.iter().any(|(name, file, _)| pattern.0.is_match(name) || pattern.0.is_match(file))
        };
        prop_assert!(by_name(&parts[0]).iter().all(|(stack, _)| has(stack)));
        prop_assert!(!by_name(&parts[1]).iter().any(|(stack, _)| has(stack)));
        for part in &parts {
            prop_assert_eq!(part.clusters.len(), profile.clusters.len());
            prop_assert_eq!(part.requests(), profile.requests());
        }
        let calls = |profile: &Profile| profile.clusters.iter().map(|cluster| cluster.calls.len()).sum::<usize>();
        prop_assert_eq!(calls(&parts[0]) + calls(&parts[1]), calls(&profile));
    }
}
