//! The loader among others.

use crate::site::{OWN_LOADER, Site};

/// Prints whose the loaders are, in their order.
const ORDER: &str = r#"function order() {
    foreach (spl_autoload_functions() as $f) { echo is_array($f) ? 'map' : ($f instanceof Closure ? 'own' : $f), ' '; }
}"#;

#[test]
fn it_is_asked_first_and_the_others_stay_in_their_order() {
    let site = Site::new().with("A", "a.php").mapped();
    let others =
        "spl_autoload_register('first'); spl_autoload_register('second'); function first() {} function second() {}";
    assert_eq!(site.run(&format!("{ORDER} {others} require 'map.php';"), "order();", &[]), "map first second ");
}

#[test]
fn required_again_it_comes_to_the_front_again() {
    let site = Site::new().with("A", "a.php").mapped();
    let statements = format!(
        "{ORDER} function pushy() {{}} spl_autoload_register('pushy', true, true); order(); require 'map.php'; order();"
    );
    assert_eq!(site.prints(&statements), "pushy map map pushy ");
}

#[test]
fn prepended_to_all_scripts_and_required_by_one_it_is_there_once() {
    let site = Site::new().with("A", "a.php").mapped();
    std::fs::write(
        site.root.join("main.php"),
        format!("<?php {ORDER} require __DIR__ . '/map.php'; order(); echo A::FROM;"),
    )
    .unwrap();
    for opcache in ["opcache.enable_cli=0", "opcache.enable_cli=1"] {
        let prepend = format!("auto_prepend_file={}", site.root.join("map.php").display());
        assert_eq!(site.file("main.php", &[opcache, &prepend]), "map map");
    }
}

#[test]
fn required_again_while_it_loads_a_class() {
    let mut site = Site::new().with("B", "b.php");
    site.add("A", "a.php", "<?php require __DIR__ . '/map.php'; class A extends B {}");
    assert_eq!(site.mapped().prints("echo A::FROM;"), "map");
}

#[test]
fn removed_it_leaves_the_old_order() {
    let site = Site::new().with("A", "a.php").mapped();
    let statements = format!(
        "{ORDER} {OWN_LOADER} spl_autoload_unregister(spl_autoload_functions()[0]); order(); var_dump(class_exists('A'));"
    );
    assert_eq!(site.prints(&statements), "own own:A bool(false)\n");
}

#[test]
fn two_maps_work_side_by_side() {
    let (one, two) = (Site::new().with("A", "a.php").mapped(), Site::new().with("B", "b.php").mapped());
    let statements = format!("{ORDER} require {:?}; order(); echo A::FROM, B::FROM;", two.root.join("map.php"));
    assert_eq!(one.prints(&statements), "map map mapmap");
}

#[test]
fn a_map_and_its_successor_work_side_by_side() {
    let mut site = Site::new().with("A", "a.php").mapped();
    site.add("B", "b.php", "<?php class B { const FROM = 'new'; }");
    site.map_at("new.php");
    assert_eq!(site.prints("require 'new.php'; echo A::FROM, B::FROM;"), "mapnew");
}
