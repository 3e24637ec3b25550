//! What is found.

use std::fs;
use std::os::unix::fs::symlink;

use crate::site::{OWN_LOADER, Site};

#[test]
fn a_class_is_loaded_from_its_file_and_others_are_left_to_the_other_loaders() {
    let site = Site::new().with("Foo\\Bar", "src/Bar.php").mapped();
    let printed =
        site.prints(&format!("{OWN_LOADER} echo Foo\\Bar::FROM, ' ', Late::FROM, ' '; var_dump(class_exists('No'));"));
    assert_eq!(printed, "map own:Late own own:No bool(false)\n");
}

#[test]
fn a_name_in_another_case_is_the_same_name() {
    let site = Site::new().with("Foo\\Bar", "src/Bar.php").with("plain", "plain.php").mapped();
    assert_eq!(site.prints("echo FOO\\bar::FROM, PLAIN::FROM;"), "mapmap");
}

#[test]
fn only_ascii_has_a_case() {
    let site = Site::new().with("Été", "e.php").mapped();
    assert_eq!(site.prints("echo ÉTé::FROM; var_dump(class_exists('été'));"), "mapbool(false)\n");
}

#[test]
fn names_and_paths_are_any_bytes() {
    let odd = b"a b/it's \"$x\" {$y}/back\\slash\\/new\nline/\xff\xfe/?>.php";
    let site = Site::new().with(b"\xe9t\xe9", odd).mapped();
    assert_eq!(site.prints("$c = \"\\xe9t\\xe9\"; echo $c::FROM; $c = \"\\xe9T\\xe9\"; echo $c::FROM;"), "mapmap");
}

#[test]
fn odd_requests_are_misses() {
    let site = Site::new().with("A", "a.php").mapped();
    assert_eq!(
        site.prints("foreach (['', '0', '12', 'a b', '\\\\', \"a\\0\"] as $c) echo (int) class_exists($c);"),
        "000000"
    );
}

#[test]
fn a_map_of_nothing_finds_nothing() {
    assert_eq!(Site::new().mapped().prints("var_dump(class_exists('A'));"), "bool(false)\n");
}

#[test]
fn a_tree_can_be_moved_with_its_map() {
    let mut site = Site::new().with("A", "src/a.php").mapped();
    let moved = site.root.with_file_name("moved");
    fs::rename(&site.root, &moved).unwrap();
    site.root = moved;
    assert_eq!(site.prints("echo A::FROM;"), "map");
}

#[test]
fn a_tree_can_be_switched_by_a_link() {
    let mut site = Site::new().with("A", "src/a.php").mapped();
    let (one, two, link) = (site.root.clone(), site.root.with_file_name("two"), site.root.with_file_name("link"));
    fs::create_dir_all(two.join("src")).unwrap();
    fs::copy(one.join("map.php"), two.join("map.php")).unwrap();
    fs::write(two.join("src/a.php"), "<?php class A { const FROM = 'two'; }").unwrap();
    fs::create_dir(two.join("tmp")).unwrap();
    for (tree, from) in [(one, "map"), (two, "two")] {
        let _ = fs::remove_file(&link);
        symlink(tree, &link).unwrap();
        site.root = link.clone();
        assert_eq!(site.prints("echo A::FROM;"), from);
    }
}

#[test]
fn a_file_elsewhere_is_found_where_it_is() {
    let site = Site::new().with("A", "src/a.php");
    fs::create_dir(site.root.join("cache")).unwrap();
    site.map_at("cache/map.php");
    fs::rename(site.root.join("cache/map.php"), site.root.join("map.php")).unwrap();
    assert_eq!(site.prints("echo A::FROM;"), "map");
}

#[test]
fn a_file_that_another_loader_has_included_is_not_included_again() {
    let mut site = Site::new();
    site.add("B", "ab.php", "<?php class A {}");
    let site = site.mapped();
    assert_eq!(
        site.prints("include 'ab.php'; var_dump(class_exists('B'), class_exists('A', false));"),
        "bool(false)\nbool(true)\n"
    );
}

#[test]
fn six_thousand_classes_are_all_found() {
    let mut site = Site::new();
    for number in 0..6000 {
        let name = format!("Class{number}");
        site = site.with(format!("Some\\Name\\{name}"), format!("src/{}/{name}.php", number % 20));
    }
    let site = site.mapped();
    let all = "for ($i = $n = 0; $i < 6000; $i++) $n += (\"Some\\\\Name\\\\Class$i\")::FROM === 'map'; echo $n;";
    assert_eq!(site.prints(all), "6000");
}

#[test]
fn settings_that_close_opcache_to_scripts_do_no_harm() {
    let site = Site::new().with("A", "a.php").mapped();
    fs::create_dir(site.root.join("cache")).unwrap();
    let cache = format!("opcache.file_cache={}", site.root.join("cache").display());
    for setting in [
        "opcache.restrict_api=/nowhere",
        "disable_functions=ini_get",
        "disable_functions=opcache_is_script_cached",
        "opcache.file_cache_only=1",
        "opcache.revalidate_path=1",
        "opcache.max_file_size=10",
    ] {
        let mut settings = vec!["opcache.enable_cli=1", setting];
        if setting.contains("file_cache_only") {
            settings.push(&cache);
        }
        let printed = site.run("require 'map.php';", "echo A::FROM; var_dump(class_exists('B'));", &settings);
        assert_eq!(printed, "mapbool(false)\n", "{setting}");
        assert_eq!(site.logged(), [""; 0], "{setting}");
    }
}
