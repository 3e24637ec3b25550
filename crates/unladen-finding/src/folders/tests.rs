use unladen_trace::{FileCall, FileOutcome};

use super::*;
use crate::rules::tests::testing::{self, PHP, PYTHON};

#[test]
fn large_folders_stand_by_themselves() {
    let paths = [
        ("/srv/app/vendor/a/A.php", 40.0),
        ("/srv/app/vendor/b/B.php", 5.0),
        ("/srv/app/vendor/c/C.php", 5.0),
        ("/srv/app/src/D.php", 48.0),
        ("/srv/app/index.php", 1.0),
        ("/etc/localtime", 1.0),
    ];
    let mut told = folders(paths);
    told.sort_by(|a, b| b.1.total_cmp(&a.1));
    let told: Vec<_> = told.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(
        told,
        [
            ("/srv/app/src", 48.0),
            ("/srv/app/vendor/a", 40.0),
            ("/srv/app/vendor, elsewhere", 10.0),
            ("/srv/app, elsewhere", 1.0),
            ("/, elsewhere", 1.0),
        ]
    );
}

#[test]
fn nothing_and_relative_paths() {
    assert!(folders([]).is_empty());
    assert!(folders([("a", 0.0)]).is_empty());
    assert_eq!(folders([("a.php", 2.0)]), [("/".to_owned(), 2.0)]);
    assert_eq!(folders([("lib/a.php", 2.0)]), [("lib".to_owned(), 2.0)]);
}

#[test]
fn folders_whose_names_begin_alike_and_are_not_ascii() {
    let told = folders([("/é/a", 1.0), ("/éé/b", 1.0)]);
    assert_eq!(told, [("/é".to_owned(), 1.0), ("/éé".to_owned(), 1.0)]);
    assert_eq!(folders([("é/a", 1.0)]), [("é".to_owned(), 1.0)]);
    assert_eq!(
        folders([("/", 1.0), ("", 1.0), ("//a", 8.0)]),
        [("/".to_owned(), 8.0), ("/, elsewhere".to_owned(), 2.0)]
    );
}

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
