//! WordPress's plugins, whose order is not in its files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "mediawiki/fixture.rs"]
#[allow(dead_code)]
mod fixture;

use std::path::Path;

use fixture::Fixture;
use tempfile::TempDir;
use unladen_classmap::{Extensions, Options, Project, reader_for, reader_named};

fn site() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    Fixture::at(root.path())
        .php("wp-settings.php", "")
        .php(
            "wp-config.php",
            "require_once __DIR__ . '/vendor/autoload.php';\nif ( $x ) { require 'other/autoload.php'; }\nrequire_once ABSPATH . 'wp-settings.php';",
        )
        .vendor("vendor", true, &[("Config", "Config.php"), ("Both", "Both.php")])
        .php("vendor/Config.php", "class Config {}")
        .php("vendor/Both.php", "class Both {}")
        .vendor("wp-content/plugins/shop/vendor", true, &[("Shop", "Shop.php"), ("Shared", "Shared.php"), ("Both", "Both.php")])
        .php("wp-content/plugins/shop/vendor/Shop.php", "class Shop {}")
        .php("wp-content/plugins/shop/vendor/Shared.php", "class Shared {}")
        .php("wp-content/plugins/shop/vendor/Both.php", "class Both {}")
        .vendor("wp-content/plugins/mail/lib/vendor", true, &[("Mail", "Mail.php"), ("Shared", "Shared.php")])
        .php("wp-content/plugins/mail/lib/vendor/Mail.php", "class Mail {}")
        .php("wp-content/plugins/mail/lib/vendor/Shared.php", "class Shared {}")
        .vendor("wp-content/themes/plain/vendor", false, &[("Theme", "Theme.php"), ("Config", "Theme.php")])
        .php("wp-content/themes/plain/vendor/Theme.php", "class Theme {} class Config {}");
    root
}

fn read(root: &Path, extensions: Extensions) -> Project {
    let options = Options { extensions, ..Options::default() };
    Project::read(root, reader_named("wordpress").unwrap(), &options).unwrap()
}

fn files(project: &Project, root: &Path) -> Vec<String> {
    let root = root.canonicalize().unwrap();
    let of = |path: String| path.strip_prefix(&format!("{}/", root.display())).unwrap().replace("wp-content/", "");
    project.map.entries.iter().map(|entry| format!("{} {}", entry.class, of(entry.path.to_string()))).collect()
}

#[test]
fn of_plugins_that_all_are_active_what_two_have_is_not_in_the_map() {
    let root = site();
    let project = read(root.path(), Extensions::All);
    let expected = [
        "Both plugins/shop/vendor/Both.php",
        "Config vendor/Config.php",
        "Mail plugins/mail/lib/vendor/Mail.php",
        "Shop plugins/shop/vendor/Shop.php",
        "Theme themes/plain/vendor/Theme.php",
    ];
    assert_eq!(files(&project, root.path()), expected);
    let shared = project.map.duplicates.iter().find(|duplicate| duplicate.class == "Shared").unwrap();
    assert_eq!((&shared.wins, shared.others.len()), (&None, 2));
    assert!(!project.application.problems.iter().any(|problem| problem.hides), "{:?}", project.application.problems);
}

/// Nothing of what may be inactive, and nothing that it may have too.
#[test]
fn plugins_may_not_be_active() {
    let root = site();
    let project = read(root.path(), Extensions::Enabled);
    assert_eq!(files(&project, root.path()), [""; 0]);
    let problem = project.application.problems.first().unwrap();
    assert!(!problem.hides && problem.what.contains("--all-extensions"), "{problem}");
    std::fs::remove_dir_all(root.path().join("wp-content/themes")).unwrap();
    assert_eq!(files(&read(root.path(), Extensions::Enabled), root.path()), ["Config vendor/Config.php"]);
}

#[test]
fn is_known_by_its_files() {
    let root = site();
    assert_eq!(reader_for(root.path(), &Options::default()).unwrap().name(), "wordpress");
}
