//! What it costs: nothing that grows with the map, and no look at the files.

use std::fs;

use crate::fpm::Fpm;
use crate::site::Site;

fn large() -> Site {
    let mut site = Site::new();
    for number in 0..6000 {
        site.add(format!("Some\\Name\\Class{number}"), format!("src/Class{number}.php"), "");
    }
    site
}

#[test]
fn no_request_copies_the_map() {
    let site = large().with("A", "a.php").mapped();
    let page = "<?php $before = memory_get_usage(); require 'map.php'; \
        class_exists('A'); class_exists('Some\\Name\\class1'); class_exists('No\\Such\\Class'); \
        echo memory_get_usage() - $before, ' ', memory_get_peak_usage() - $before, ' ', (int) class_exists('A', false);";
    fs::write(site.root.join("page.php"), page).unwrap();
    let fpm = Fpm::start(&site, &[]);
    fpm.get("page.php");
    for _ in 0..2 {
        let printed = fpm.get("page.php");
        let numbers: Vec<i64> = printed.split(' ').map(|number| number.parse().expect(&printed)).collect();
        // Its 6,000 slots alone would be 200 kB.
        assert!(numbers[0] < 20_000 && numbers[1] < 100_000 && numbers[2] == 1, "{printed}");
    }
}

#[test]
fn opcache_keeps_the_map_once() {
    let site = large().mapped();
    let page = "<?php $used = function () { $s = opcache_get_status(false); \
            return $s['memory_usage']['used_memory'] + $s['interned_strings_usage']['used_memory']; }; \
        $used(); $before = $used(); require 'map.php'; echo $used() - $before;";
    fs::write(site.root.join("page.php"), page).unwrap();
    let fpm = Fpm::start(&site, &[]);
    let first: i64 = fpm.get("page.php").parse().unwrap();
    // Two arrays with about 43 bytes a slot, their keys and the paths.
    assert!((6000 * 100..6000 * 500).contains(&first), "{first}");
    assert_eq!(fpm.get("page.php"), "0");
}

#[test]
fn no_file_is_looked_at_that_opcache_has() {
    let site = Site::new().with("A", "a.php").with("B", "b.php").mapped();
    fs::write(site.root.join("page.php"), "<?php require 'map.php'; echo A::FROM, b::FROM;").unwrap();
    let fpm = Fpm::start(&site, &["opcache.validate_timestamps=0"]);
    assert_eq!(fpm.get("page.php"), "mapmap");
    fs::remove_file(site.root.join("a.php")).unwrap();
    fs::remove_file(site.root.join("b.php")).unwrap();
    assert_eq!(fpm.get("page.php"), "mapmap", "opcache need not know that they have gone, and nobody else asked");
    assert_eq!(site.logged(), [""; 0]);
}

#[test]
fn a_file_that_has_changed_is_read_again() {
    let site = Site::new().with("A", "a.php").mapped();
    fs::write(site.root.join("page.php"), "<?php require 'map.php'; echo A::FROM;").unwrap();
    let fpm = Fpm::start(&site, &["opcache.revalidate_freq=0"]);
    assert_eq!(fpm.get("page.php"), "map");
    let changed = site.root.join("a.php");
    fs::write(&changed, "<?php class A { const FROM = 'new'; }").unwrap();
    let later = std::time::Duration::from_secs(10);
    let file = fs::File::options().write(true).open(&changed).unwrap();
    file.set_modified(file.metadata().unwrap().modified().unwrap() + later).unwrap();
    assert_eq!(fpm.get("page.php"), "new");
}
