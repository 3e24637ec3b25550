use std::fs;

use super::*;
use crate::{Map, Tree};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A project as drupal/recommended-project lays it out.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let list = |name: &str, text: &str| {
        (format!("vendor/composer/autoload_{name}.php"), format!("<?php return array({text});"))
    };
    let lists = [
        list("real", ""),
        list("classmap", "'Drupal' => __DIR__ . '/../../web/core/lib/Drupal.php'"),
        list("namespaces", ""),
        list("psr4", "'Drupal\\\\Core\\\\' => array(__DIR__ . '/../../web/core/lib/Drupal/Core')"),
    ];
    let lists: Vec<(&str, &str)> = lists.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    write(folder.path(), &lists);
    write(
        folder.path(),
        &[
            ("web/core/lib/Drupal.php", "<?php class Drupal {}"),
            ("web/core/lib/Drupal/Core/Cart.php", "<?php namespace Drupal\\Core; class Cart {}"),
            ("web/core/modules/node/node.info.yml", "name: Node\ntype: module\n"),
            ("web/core/modules/node/src/Node.php", "<?php namespace Drupal\\node; class Node {}"),
            ("web/core/modules/node/tests/modules/t/t.info.yml", "type: module\n"),
            ("web/core/modules/node/tests/modules/t/src/T.php", "<?php namespace Drupal\\t; class T {}"),
            ("web/modules/contrib/shop/shop.info.yml", "type: 'module' # of a shop\n"),
            ("web/modules/contrib/shop/src/Shop.php", "<?php namespace Drupal\\shop; class Shop {}"),
            ("web/modules/contrib/shop/modules/till/till.info.yml", "type: module\n"),
            ("web/modules/contrib/shop/modules/till/src/Till.php", "<?php namespace Drupal\\till; class Till {}"),
            ("web/modules/one/twice/twice.info.yml", "type: module\n"),
            ("web/modules/one/twice/src/A.php", "<?php namespace Drupal\\twice; class A {}"),
            ("web/sites/b/modules/twice/twice.info.yml", "type: module\n"),
            ("web/sites/b/modules/twice/src/A.php", "<?php namespace Drupal\\twice; class A {}"),
            ("web/themes/plain/plain.info.yml", "type: theme\n"),
            ("web/modules/theme/src/X.php", "<?php namespace Drupal\\theme; class X {}"),
        ],
    );
    folder
}

fn classes(root: &Path, extensions: Extensions) -> (Vec<String>, Vec<Problem>) {
    let options = Options { extensions, ..Options::default() };
    let application = Drupal.read(root, &options).unwrap();
    let map = Map::of(&application, &Tree::read(&application));
    (map.entries.iter().map(|entry| entry.class.to_string()).collect(), map.problems)
}

#[test]
fn without_being_told_that_all_are_enabled_no_module_is_in_the_map() {
    let folder = project();
    assert!(Drupal.knows(folder.path()) && Drupal.knows(&folder.path().join("web")));
    let (found, problems) = classes(folder.path(), Extensions::Enabled);
    assert_eq!(found, ["Drupal", "Drupal\\Core\\Cart"]);
    assert!(problems.iter().any(|problem| problem.what.contains("--all-extensions")), "{problems:?}");
    assert_eq!(classes(&folder.path().join("web"), Extensions::Enabled).0, found, "from the folder that is served");
}

#[test]
fn all_modules_are_found_but_those_of_tests_and_those_there_twice() {
    let folder = project();
    let (found, problems) = classes(folder.path(), Extensions::All);
    assert_eq!(
        found,
        ["Drupal", "Drupal\\Core\\Cart", "Drupal\\node\\Node", "Drupal\\shop\\Shop", "Drupal\\till\\Till"]
    );
    assert!(problems.iter().any(|problem| problem.what.contains("`twice` exists 2 times")), "{problems:?}");
}

#[test]
fn a_class_that_composer_too_has_stays_where_composer_finds_it() {
    let folder = project();
    // A module that is perhaps enabled, and has a class in core's namespace, takes nothing from core.
    write(
        folder.path(),
        &[
            ("web/modules/Core/Core.info.yml", "type: module\n"),
            ("web/modules/Core/src/Cart.php", "<?php namespace Drupal\\Core; class Cart {}"),
        ],
    );
    let options = Options { extensions: Extensions::All, ..Options::default() };
    let application = Drupal.read(folder.path(), &options).unwrap();
    let map = Map::of(&application, &Tree::read(&application));
    let cart = map.entries.iter().find(|entry| entry.class == "Drupal\\Core\\Cart").unwrap();
    assert!(cart.path.ends_with(b"web/core/lib/Drupal/Core/Cart.php"), "{}", cart.path);
    assert!(!classes(folder.path(), Extensions::Enabled).0.contains(&"Drupal\\Core\\Cart".to_owned()));
}

#[test]
fn without_composers_loader_it_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("core/lib/Drupal.php", "<?php class Drupal {}")]);
    let problem = Drupal.read(folder.path(), &Options::default()).unwrap_err();
    assert!(problem.to_string().contains("run composer install"), "{problem}");
}
