//! A map that is no longer true.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::site::{OWN_LOADER, Site, THROWS};

/// A site whose map has `Late` in a file that has gone.
fn gone() -> Site {
    let site = Site::new().with("Late", "late.php").mapped();
    fs::remove_file(site.root.join("late.php")).unwrap();
    site
}

#[test]
fn a_class_whose_file_has_gone_is_left_to_the_other_loaders() {
    assert_eq!(gone().prints(&format!("{OWN_LOADER} echo Late::FROM;")), "own:Late own");
}

#[test]
fn no_error_handler_hears_of_a_file_that_has_gone() {
    assert_eq!(
        gone().prints(&format!("{THROWS} {OWN_LOADER} echo Late::FROM; var_dump(error_get_last());")),
        "own:Late ownNULL\n"
    );
}

#[test]
fn nor_of_a_folder_in_its_place() {
    let site = gone();
    fs::create_dir(site.root.join("late.php")).unwrap();
    assert_eq!(site.prints(&format!("{THROWS} {OWN_LOADER} echo Late::FROM;")), "own:Late own");
}

#[test]
fn nor_of_one_that_goes_while_php_still_remembers_its_path() {
    let site = Site::new().with("Late", "late.php").mapped();
    let statements =
        "realpath('late.php'); exec('mv late.php gone.php'); echo Late::FROM; exec('mv gone.php late.php');";
    assert_eq!(site.prints(&format!("{THROWS} {OWN_LOADER} {statements}")), "own:Late own");
    assert_eq!(site.logged().len(), 1, "{:?}", site.logged());
}

#[test]
fn nor_of_one_that_must_not_be_read() {
    let site = Site::new().with("Late", "late.php").mapped();
    fs::set_permissions(site.root.join("late.php"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read anything.
    let statements = format!(
        "ini_set('error_log', ''); posix_getuid() or posix_setuid(65534); {THROWS} {OWN_LOADER} echo Late::FROM;"
    );
    assert_eq!(site.prints(&statements), "own:Late own");
}

#[test]
fn a_file_without_the_class_is_no_matter() {
    let mut site = Site::new();
    site.add("Late", "late.php", "<?php class Other {}");
    let statements = format!("{THROWS} {OWN_LOADER} echo Late::FROM; var_dump(class_exists('Other', false));");
    assert_eq!(site.mapped().prints(&statements), "own:Late ownbool(true)\n");
}

#[test]
fn what_a_file_throws_itself_is_not_held_back() {
    let mut site = Site::new();
    site.add("A", "a.php", "<?php throw new Exception('mine');");
    site.add("B", "b.php", "<?php class {");
    let statements =
        "foreach (['A', 'B'] as $c) try { new $c; } catch (Throwable $e) { echo get_class($e), $e->getLine(), ' '; }";
    assert_eq!(site.mapped().prints(statements), "Exception1 ParseError1 ");
}

#[test]
fn what_a_file_returns_is_no_matter() {
    let mut site = Site::new();
    site.add("A", "a.php", "<?php class A { const FROM = 'map'; } return false;");
    let site = site.mapped();
    assert_eq!(site.prints("echo A::FROM;"), "map");
    assert_eq!(site.logged(), [""; 0]);
}

#[test]
fn a_file_sees_nothing_of_the_loader_that_it_could_mistake_for_its_own() {
    let mut site = Site::new();
    site.add("A", "a.php", "<?php $class = $file = $e = 1; class A { const FROM = 'map'; } echo implode(',', array_keys(get_defined_vars()));");
    assert_eq!(site.mapped().prints("echo A::FROM;"), "unladenClass,unladenFile,class,file,emap");
}
