//! MediaWiki's own AutoLoader against the map, for every class of a real tree; and trees that are made to be difficult.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "mediawiki/compare.rs"]
mod compare;
#[path = "mediawiki/fixture.rs"]
mod fixture;
#[path = "mediawiki/settings.rs"]
mod settings;
#[path = "mediawiki/shapes.rs"]
mod shapes;

use std::path::Path;
use std::process::Command;

use compare::{Loaded, compare, copied, installed};
use fixture::Fixture;

#[test]
fn every_class_of_the_installed_mediawiki() {
    assert!(compare(installed(), Loaded::All) > 4000);
}

#[test]
fn without_extensions() {
    assert!(compare(installed(), Loaded::Nothing) > 3000);
}

/// MediaWiki up to 1.39.4 left out of its list what it found in its namespaces' folders.
#[test]
fn with_the_short_list_of_earlier_releases() {
    let copy = copied();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/mediawiki/classmap/before.php");
    let status = Command::new("php").arg(script).arg(copy.path()).status().unwrap();
    assert!(status.success());
    assert!(compare(copy.path(), Loaded::All) > 4000);
}

/// Two extensions that want the same class and the same namespace, namespaces in namespaces, a namespace that is
/// MediaWiki's, a class that a list and a folder have, links, Composer's loaders in front and behind.
#[test]
fn extensions_in_each_others_way() {
    let copy = copied();
    let root = copy.path();
    let far = tempfile::tempdir().unwrap();
    std::fs::remove_dir_all(root.join("extensions")).ok();
    Fixture::at(root)
        .file(
            "extensions/Zebra/extension.json",
            r#"{"name": "Zebra", "manifest_version": 2,
                "AutoloadClasses": {"Both": "one/Both.php", "Title": "one/Title.php", "Gone": "one/Gone.php", "Other": "one/Both.php"},
                "AutoloadNamespaces": {"Shared\\": "one/", "Shared\\Deep\\": "deep", "MediaWiki\\Block\\": "one/", "Monolog\\": "log/"},
                "TestAutoloadClasses": {"Zebra\\Test": "one/Test.php"}, "load_composer_autoloader": true}"#,
        )
        .php("extensions/Zebra/one/Both.php", "class Both {}")
        .php("extensions/Zebra/one/Title.php", "class Title {}")
        .php("extensions/Zebra/one/Test.php", "namespace Zebra; class Test {}")
        .php("extensions/Zebra/one/Deep/Inner.php", "namespace Shared\\Deep; class Inner {}")
        .php("extensions/Zebra/one/Deep/Under.php", "namespace Shared\\Deep; class Under {}")
        .php("extensions/Zebra/deep/Inner.php", "namespace Shared\\Deep; class Inner {}")
        .php("extensions/Zebra/one/Zebra.php", "namespace MediaWiki\\Block; class Zebra {}")
        .php("extensions/Zebra/log/Logger.php", "namespace Monolog; class Logger {}")
        .php("extensions/Zebra/log/Zebra.php", "namespace Monolog; class Zebra {}")
        .php("extensions/Zebra/vendor/x/Front.php", "class Front {}")
        .php("extensions/Zebra/vendor/x/Both.php", "class Both {}")
        .vendor("extensions/Zebra/vendor", true, &[("Front", "x/Front.php"), ("Both", "x/Both.php")]);
    Fixture::at(far.path())
        .file(
            "extension.json",
            r#"{"name": "Ant", "manifest_version": 1, "AutoloadClasses": {"Both": "Both.php", "ant\\Small": "small.php"},
                "AutoloadNamespaces": {"Shared\\": "src/", "Ant\\": "//src/./"}, "load_composer_autoloader": true}"#,
        )
        .php("Both.php", "class Both {}")
        .php("small.php", "namespace Ant; class Small {}")
        .php("src/One.php", "namespace Shared; class One {}")
        .php("src/Two.php", "namespace Ant; class Two {}")
        .php("vendor/x/Front.php", "class Front {}")
        .php("vendor/x/Last.php", "class Last {} class Title {}")
        .vendor("vendor", false, &[("Front", "x/Front.php"), ("Last", "x/Last.php"), ("Title", "x/Last.php")]);
    std::os::unix::fs::symlink(far.path(), root.join("extensions/Ant")).unwrap();
    assert!(compare(root, Loaded::All) > 3000);

    // The other way round, and one of them alone.
    for calls in [
        "wfLoadExtension( 'Zebra' ); wfLoadExtension( 'Ant' );",
        "wfLoadExtensions( [ 'Zebra' ] ); wfLoadSkin( 'Vector' );",
    ] {
        Fixture::at(root).php("LocalSettings.php", calls);
        assert!(compare(root, Loaded::Settings(&root.join("LocalSettings.php"))) > 3000);
    }
}
