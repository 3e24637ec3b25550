//! The AutoLoaders of other releases.

use std::path::Path;

use unladen_classmap::{Options, reader_named};

use crate::compare::{Loaded, read};
use crate::fixture::{AUTOLOADER, Fixture};

fn classes(root: &Path) -> Vec<String> {
    let map = read(root, Loaded::All).map;
    map.entries.iter().map(|entry| entry.class.to_string()).collect()
}

#[test]
fn of_1_39_finds_by_its_namespaces() {
    let root = tempfile::tempdir().unwrap();
    Fixture::at(root.path()).mediawiki().extension("Cite");
    assert_eq!(classes(root.path()), ["Cite\\Cite", "MediaWiki\\Block\\Block", "Title", "Wikimedia\\Xml"]);
}

#[test]
fn of_1_35_has_them_in_a_function() {
    let root = tempfile::tempdir().unwrap();
    let list = "public static function getAutoloadNamespaces() { return [ 'MediaWiki\\\\Logger\\Monolog\\\\' => __DIR__ . '/block/',
        'Wikimedia\\\\' => __DIR__ . '/libs/' ]; }";
    let loader = AUTOLOADER.replace("= self::CORE_NAMESPACES;", &format!("= [];\n{list}"));
    Fixture::at(root.path())
        .mediawiki()
        .extension("Cite")
        .php(
            "includes/AutoLoader.php",
            &format!("{loader}AutoLoader::$psr4Namespaces = AutoLoader::getAutoloadNamespaces();"),
        )
        .php("includes/block/Log.php", "namespace MediaWiki\\Logger\\Monolog; class Log {}");
    assert_eq!(classes(root.path()), ["Cite\\Cite", "MediaWiki\\Logger\\Monolog\\Log", "Title", "Wikimedia\\Xml"]);
}

/// They are in the source all the same, and nobody looks into them.
#[test]
fn from_1_42_on_the_list_alone_finds_what_is_mediawikis() {
    let root = tempfile::tempdir().unwrap();
    let loader = AUTOLOADER.replace("= self::CORE_NAMESPACES;", "= [];").replace("'/' .\n", "");
    Fixture::at(root.path())
        .mediawiki()
        .extension("Cite")
        .php("includes/AutoLoader.php", &loader)
        .file("extensions/No/extension.json", r#"{"AutoloadNamespaces": {"No\\": "src"}}"#)
        .php("extensions/No/src/No.php", "namespace No; class No {}");
    assert_eq!(classes(root.path()), ["Cite\\Cite", "Title"]);
    let problems = read(root.path(), Loaded::All).application.problems;
    assert!(problems.iter().any(|problem| problem.what.contains("without a final `/`")), "{problems:?}");
}

/// Up to 1.30.
#[test]
fn without_namespaces() {
    let root = tempfile::tempdir().unwrap();
    let loader = "class AutoLoader { static function autoload( $className ) { if ( isset( $wgAutoloadLocalClasses[$className] ) ) {} } }";
    let list = "global $wgAutoloadLocalClasses; $wgAutoloadLocalClasses = array( 'Title' => 'includes//Title.php' );";
    Fixture::at(root.path())
        .mediawiki()
        .extension("Cite")
        .php("includes/AutoLoader.php", loader)
        .php("autoload.php", list);
    assert_eq!(classes(root.path()), ["Title"]);
}

#[test]
fn of_another_shape_is_told() {
    for (loader, told) in [
        ("class AutoLoader {}", "is not a known AutoLoader (MediaWiki 1.25 to 1.45)"),
        (
            &AUTOLOADER.replace("self::$psr4Namespaces[$prefix]", "$x"),
            "expected `self::$psr4Namespaces[$prefix]` in it",
        ),
        (
            &AUTOLOADER.replace("public static $psr4Namespaces = self::CORE_NAMESPACES;", ""),
            "`static $psr4Namespaces =`",
        ),
        (&AUTOLOADER.replace("= self::CORE_NAMESPACES;", "= something();"), "AutoLoader.php:9: "),
    ] {
        let root = tempfile::tempdir().unwrap();
        Fixture::at(root.path()).mediawiki().php("includes/AutoLoader.php", loader);
        let problem = reader_named("mediawiki").unwrap().read(root.path(), &Options::default()).unwrap_err();
        assert!(problem.to_string().contains(told), "{problem}");
    }
}

/// Debian serves MediaWiki from a folder of links; PHP's `__DIR__` is where they lead.
#[test]
fn through_links() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().canonicalize().unwrap().join("usr");
    Fixture::at(&real).mediawiki().extension("Cite");
    let served = root.path().join("var");
    std::fs::create_dir(&served).unwrap();
    for part in ["autoload.php", "includes", "extensions"] {
        std::os::unix::fs::symlink(real.join(part), served.join(part)).unwrap();
    }
    let map = read(&served, Loaded::All).map;
    assert_eq!(map.entries.len(), 4);
    assert!(map.entries.iter().all(|entry| entry.path.starts_with(real.to_str().unwrap().as_bytes())));
}
