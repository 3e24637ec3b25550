use unladen_trace::{FileCall, FileOutcome};

use super::*;
use crate::rules::tests::testing::{self, PHP, PYTHON};

fn with_file(group: usize, path: &str) -> Evidence {
    Evidence { files: vec![testing::file(group, FileCall::Stat, path, FileOutcome::Found, 1)], ..testing::lean() }
}

#[test]
fn one_is_known_by_its_files_or_by_its_answer() {
    let of = |path: &str| Application::of(&with_file(PHP, path), PHP);
    assert_eq!(of("/srv/blog/wp-includes/post.php"), Some(Application::WordPress));
    assert_eq!(of("/usr/share/mediawiki/includes/Title.php"), Some(Application::MediaWiki));
    assert_eq!(of("/srv/shop/vendor/doctrine/orm/src/Query.php"), Some(Application::Doctrine));
    assert_eq!(of("/srv/shop/index.php"), None);
    assert_eq!(Application::of(&with_file(PYTHON, "/srv/wp-includes/x"), PHP), None, "it is another group's file");
    let mut evidence = testing::lean();
    let headers = vec![("link".to_owned(), "<http://a/wp-json/>; rel=\"https://api.w.org/\"".to_owned())];
    evidence.response = Some(Response { headers, ..Response::default() });
    assert_eq!(Application::of(&evidence, PHP), Some(Application::WordPress));
}

/// Of two sites that run under one user, the busy neighbour's files gave the page its application, and the fix that
/// one's folder.
#[test]
fn a_neighbours_files_name_no_application() {
    let at_any_time = |path: &str| unladen_trace::FileSeen {
        counted: testing::counted_of(testing::with(0, 40), 1_000, testing::with(0, 40)),
        ..testing::file(PHP, FileCall::Stat, path, FileOutcome::Found, 1)
    };
    let own = testing::file(PHP, FileCall::Stat, "/usr/share/mediawiki/includes/Title.php", FileOutcome::Found, 3);
    let neighbour = at_any_time("/srv/blog/wp-content/plugins/a.php");
    let mut evidence = Evidence { files: vec![neighbour.clone(), own], ..testing::lean() };
    assert_eq!(Application::of(&evidence, PHP), Some(Application::MediaWiki));
    assert_eq!(folder_of(&evidence, PHP, "/wp-content/"), None);
    evidence.files = vec![neighbour];
    assert_eq!(Application::of(&evidence, PHP), None);
}

#[test]
fn a_library_tells_less_than_its_application() {
    let file = |path: &str, each| testing::file(PHP, FileCall::Stat, path, FileOutcome::Found, each);
    let files =
        vec![file("/srv/vendor/doctrine/orm/src/A.php", 90), file("/srv/vendor/laravel/framework/src/B.php", 2)];
    let evidence = Evidence { files, ..testing::lean() };
    assert_eq!(Application::of(&evidence, PHP), Some(Application::Laravel));
}

/// Debian's is not below the folder of the code.
#[test]
fn a_folder_is_where_most_of_it_is() {
    let path = "/var/lib/wordpress/wp-content/themes/a/functions.php";
    assert_eq!(folder_of(&with_file(PHP, path), PHP, "/wp-content/").as_deref(), Some("/var/lib/wordpress/wp-content"));
    assert_eq!(folder_of(&with_file(PHP, "wp-content/a"), PHP, "/wp-content/"), None);
    assert_eq!(folder_of(&with_file(PHP, path), PYTHON, "/wp-content/"), None);
}
