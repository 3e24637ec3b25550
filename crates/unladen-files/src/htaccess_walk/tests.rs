use std::fs;

use super::*;
use crate::private_names::PrivateNames;

#[test]
fn each_htaccess_below_a_root_that_refuses_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join("root").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(".htaccess", "Options -Indexes");
    put("data/.htaccess", "Require all denied");
    put("data/open/.htaccess", "Deny from all");
    put("a/b/.htaccess", "Require ip 10.0.0.1\n<Files *.tpl>\nDeny from all\n</Files>\n<Limit GET>");
    put(".git/.htaccess", "Deny from all");
    put("../other/lib/.htaccess", "Deny from all");
    std::os::unix::fs::symlink("../other", folder.path().join("root/link")).unwrap();

    let other = folder.path().join("other");
    let root = Root::open(&folder.path().join("root")).unwrap().with_links([&*other]).unwrap();
    let rules = Rules { private: Some(PrivateNames::except(["/data/open/*"])), ..Rules::default() };
    let walk = root.each_htaccess(&rules);
    assert!(!walk.is_cut);
    let mut seen: Vec<_> = walk.seen.iter().map(|one| (one.path.as_deref(), one.folder, one.is_open)).collect();
    seen.sort_by_key(|one| one.0);
    assert_eq!(
        seen,
        [
            (None, Some(Denial::All(1)), false),
            (Some(&b"/a/b/"[..]), Some(Denial::Some(1)), false),
            (Some(b"/data/"), Some(Denial::All(1)), false),
            (Some(b"/data/open/"), Some(Denial::All(1)), true),
        ]
    );
    let own = walk.seen.iter().find(|one| one.path.as_deref() == Some(b"/a/b/")).unwrap();
    assert_eq!(own.files, [("^.*\\.tpl$".to_owned(), Denial::All(3))]);
    assert_eq!(own.unclear, [(5, "<Limit GET>".to_owned())]);
    assert_eq!(root.each_htaccess(&Rules { private: None, ..Rules::default() }), HtaccessWalk::default());
}

#[test]
fn a_root_of_many_such_files_is_told_in_part() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..=MOST_SEEN {
        let path = folder.path().join(number.to_string());
        fs::create_dir(&path).unwrap();
        fs::write(path.join(".htaccess"), "Deny from all").unwrap();
    }
    let walk = Root::open(folder.path()).unwrap().each_htaccess(&Rules::default());
    assert_eq!((walk.seen.len(), walk.is_cut), (MOST_SEEN, true));
}
