use std::collections::BTreeSet;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn folders_that_link_to_each_other_across_come_to_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a", "b", "c", "d", "e"];
    for one in names {
        std::fs::create_dir(folder.path().join(one)).expect("a folder");
        for other in names.iter().filter(|other| **other != one) {
            symlink(format!("../{other}"), folder.path().join(one).join(format!("to-{other}"))).expect("a link");
        }
    }
    let roots = Roots { folders: vec![folder.path().to_owned()], files: BTreeSet::new() };
    let found = walk_up_to(&roots, 1000);
    assert!((100..1000).contains(&found.folders.len()), "{}", found.folders.len());
    assert_eq!(found.problems.len(), 0);
    let found = walk_up_to(&roots, 50);
    assert_eq!(found.folders.len(), 6 + 50);
    let problems = found.problems;
    assert!(matches!(problems.as_slice(), [one] if one.hides && one.what.contains("more than 50")), "{problems:?}");
}
