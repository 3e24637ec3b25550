use unladen_trace::{FileCall, FileOutcome};

use super::*;
use crate::rules::tests::testing::{self, PHP, PYTHON};

#[test]
fn a_neighbours_settings_are_not_named() {
    let settings = |path: &str, each: u64, background: u64| FileSeen {
        counted: testing::counted_of(testing::with(each, background), 1_000, testing::each(1)),
        ..testing::file(PHP, FileCall::Stat, path, FileOutcome::Found, 1)
    };
    let files = vec![settings("/srv/other/LocalSettings.php", 0, 90), settings("/srv/wiki/LocalSettings.php", 1, 0)];
    let mut evidence = Evidence { files, ..testing::lean() };
    let named = |evidence: &Evidence, group| {
        named_file(evidence, group, |file| file.path.ends_with("/LocalSettings.php")).map(|file| file.path.clone())
    };
    assert_eq!(named(&evidence, PHP).as_deref(), Some("/srv/wiki/LocalSettings.php"));
    assert_eq!(named(&evidence, PYTHON), None);
    // By chance, more of a neighbour's calls may fall into phases with requests.
    let uneven = FileSeen {
        counted: testing::counted_of(
            [90, 70, 95, 60, 80, 85].into_iter().cycle().take(60).collect(),
            1_000,
            testing::each(1),
        ),
        ..settings("/srv/other/LocalSettings.php", 0, 0)
    };
    evidence.files = vec![uneven];
    assert_eq!(named(&evidence, PHP), None);
    evidence.files = vec![settings("/srv/other/LocalSettings.php", 0, 90)];
    assert_eq!(named(&evidence, PHP), None);
}
