//! How a map that is no longer true is told of.

use std::fs;

use crate::fpm::Fpm;
use crate::site::{OWN_LOADER, Site, THROWS};

fn gone() -> Site {
    let site = Site::new().with("Late", "late.php").with("Very\\Gone", "very.php").mapped();
    for file in ["late.php", "very.php"] {
        fs::remove_file(site.root.join(file)).unwrap();
    }
    site
}

#[test]
fn the_log_names_the_class_the_file_and_what_to_do() {
    let site = gone();
    site.prints(&format!("{OWN_LOADER} echo Late::FROM; class_exists('Very\\Gone');"));
    let logged = site.logged();
    let root = site.root.display();
    assert_eq!(
        logged,
        [format!(
            "unladen classmap: Late is no longer in {root}/late.php, where {root}/map.php has it; the other loaders were asked. To see all \
             that has changed: unladen classmap --check"
        )]
    );
}

#[test]
fn it_is_told_once_and_not_once_a_request() {
    let mut site = gone();
    let page = format!("<?php require 'map.php'; {THROWS} {OWN_LOADER} echo Late::FROM;");
    fs::write(site.root.join("page.php"), page).unwrap();
    let fpm = Fpm::start(&site, &[]);
    for _ in 0..5 {
        assert_eq!(fpm.get("page.php"), "own:Late own");
    }
    assert_eq!(site.logged().len(), 1, "{:?}", site.logged());
    assert_eq!(site.markers().len(), 1);

    site.add("Other", "other.php", "<?php class Other {}");
    site.map_at("map.php");
    fpm.reset();
    for _ in 0..2 {
        assert_eq!(fpm.get("page.php"), "own:Late own");
    }
    assert_eq!(site.logged().len(), 2, "another map tells anew: {:?}", site.logged());
}

#[test]
fn a_link_in_the_place_of_the_marker_is_not_followed() {
    let site = gone();
    let statements = format!("{OWN_LOADER} echo Late::FROM;");
    site.run("require 'map.php';", &statements, &[]);
    let marker = site.markers().remove(0);
    let target = site.root.join("target");
    let link = format!("symlink({target:?}, {marker:?});");
    assert_eq!(site.run(&format!("{link} require 'map.php';"), &statements, &[]), "own:Late own");
    assert!(!target.exists());
    assert_eq!(site.logged(), [""; 0]);
}

#[test]
fn without_a_place_for_the_marker_it_is_silent() {
    let site = gone();
    let statements = format!("{THROWS} {OWN_LOADER} echo Late::FROM;");
    for setting in
        ["sys_temp_dir=/nowhere/at/all", "disable_functions=mkdir", "disable_functions=error_log,sys_get_temp_dir"]
    {
        assert_eq!(site.run("require 'map.php';", &statements, &[setting]), "own:Late own", "{setting}");
        assert_eq!(site.logged(), [""; 0], "{setting}");
    }
}

#[test]
fn a_path_cannot_write_lines_of_its_own_into_the_log() {
    let site = Site::new().with("Late", "a\nb.php").mapped();
    fs::remove_file(site.root.join("a\nb.php")).unwrap();
    site.prints(&format!("{OWN_LOADER} echo Late::FROM;"));
    assert_eq!(site.logged().len(), 1);
    assert!(site.logged()[0].contains("/a\\nb.php, where"), "{:?}", site.logged());
}
