use super::*;

fn folders(base: &str, vendor: &str) -> Folders {
    Folders { target: Path::new(vendor).join("composer"), vendor: vendor.into(), base: base.into() }
}

fn codes(folders: &Folders, file: &str) -> (String, String) {
    let (mut code, mut fixed) = (Vec::new(), Vec::new());
    let path = folders.path(file.as_bytes());
    path.write(&mut code);
    folders.static_path(&path, &mut fixed);
    (String::from_utf8_lossy(&code).into_owned(), String::from_utf8_lossy(&fixed).into_owned())
}

#[test]
fn paths_start_from_the_nearest_folder() {
    let folders = folders("/srv/a b/app", "/srv/a b/app/vendor");
    for (file, code, fixed) in [
        ("/srv/a b/app/vendor/x/y.php", "$vendorDir . '/x/y.php'", "__DIR__ . '/..' . '/x/y.php'"),
        ("/srv/a b/app/it's.php", "$baseDir . '/it\\'s.php'", "__DIR__ . '/../..' . '/it\\'s.php'"),
        ("/srv/a b/lib/z.php", "$baseDir . '/../lib/z.php'", "__DIR__ . '/../..' . '/../lib/z.php'"),
        ("/opt/z.php", "'/opt/z.php'", "'/opt/z.php'"),
    ] {
        assert_eq!(codes(&folders, file), (code.to_owned(), fixed.to_owned()), "{file}");
    }
}

#[test]
fn folders_are_told_from_each_other() {
    for (base, vendor, base_code) in [
        ("/a/b", "/a/b/vendor", "dirname($vendorDir)"),
        ("/a/b", "/a/b/lib/vendor", "dirname(dirname($vendorDir))"),
        ("/a/b/c", "/a/v", "dirname($vendorDir).'/b/c'"),
        ("/a/v/c", "/a/v", "$vendorDir . '/c'"),
        ("/a/b", "/x/y", "'/a/b'"),
        ("/a", "/x", "dirname($vendorDir).'/a'"),
    ] {
        let folders = folders(base, vendor);
        assert_eq!(folders.vendor_code(), b"dirname(__DIR__)");
        assert_eq!(String::from_utf8_lossy(&folders.base_code()), base_code, "{base} {vendor}");
    }
}

#[test]
fn a_list_takes_the_place_of_the_old_one() {
    let before = b"<?php\nclass ComposerStaticInitX\n{\n    public static $classMap = array (\n        ';' => 'a;',\n    );\n\n    \
        public static function getInitializer(ClassLoader $loader)\n    {\n        return \\Closure::bind(function () use ($loader) {\n            \
        $loader->classMap = ComposerStaticInitX::$classMap;\n\n        }, null, ClassLoader::class);\n    }\n}\n";
    let after = with_list(before, b"array (\n    )").expect("a list");
    assert_eq!(after, before.replace("\n        ';' => 'a;',", ""));
    assert_eq!(with_list(&after, b"array (\n        ';' => 'a;',\n    )").expect("a list"), before);

    let bare = after.replace("    public static $classMap = array (\n    );\n\n", "");
    let bare = bare.replace("            $loader->classMap = ComposerStaticInitX::$classMap;\n", "");
    assert_eq!(with_list(&bare, b"array (\n    )").expect("a list"), after);
    assert_eq!(with_list(b"<?php", b"array (\n    )"), Err("`getInitializer`"));
}

/// `vendor-dir` of a user's project led root into another application, whose classes then came from that user.
#[test]
fn a_vendor_folder_of_another_user_was_written_into() {
    let lab = tempfile::tempdir().unwrap();
    let (base, vendor) = (lab.path().join("project"), lab.path().join("vendor"));
    std::fs::create_dir_all(&base).unwrap();
    std::fs::create_dir_all(vendor.join("composer")).unwrap();
    let config =
        format!("{{\"autoload\":{{\"classmap\":[\"src/\"]}},\"config\":{{\"vendor-dir\":\"{}\"}}}}", vendor.display());
    std::fs::write(base.join("composer.json"), config).unwrap();
    std::fs::write(vendor.join("composer/autoload_real.php"), "<?php\n").unwrap();
    let map = Map::default();
    assert!(composer(&map, &base).is_ok(), "{:?}", composer(&map, &base));
    if let Err(error) = std::os::unix::fs::chown(vendor.join("composer"), Some(65534), None) {
        println!("SKIPPED: a vendor folder of another user: {error}");
        return;
    }
    let refused = composer(&map, &base).unwrap_err();
    assert!(refused.what.contains("another user's"), "{refused:?}");
}
