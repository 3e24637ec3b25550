use super::*;

#[test]
fn programs_are_run_by_their_exact_names() {
    let names = ScriptNames::new([".php".to_owned(), String::new()]);
    for (name, wanted) in [
        ("index.php", true),
        ("/a/b.php", true),
        (".php", false),
        ("index.PHP", false),
        ("a.php5", false),
        ("a", false),
    ] {
        assert_eq!(names.is_script(name.as_bytes()), wanted, "{name}");
    }
    assert!(!ScriptNames::default().is_script(b"index.php"));
}

#[test]
fn sources_and_their_copies_are_told() {
    let names = ScriptNames::new([".cgi".to_owned()]);
    for name in [
        "index.php",
        "index.PHP",
        "a.pHp",
        "a.phtml",
        "a.phar",
        "a.phps",
        "a.php5",
        "a.php7",
        "a.pht",
        "db.inc",
        "DB.INC",
        "a.php~",
        "a.php.bak",
        "a.php.BAK",
        "a.php.swp",
        ".a.php.swp",
        "a.php.swo",
        "a.php.save",
        "a.php.save.1",
        "a.php.old",
        "a.php.orig",
        "a.php.tmp",
        "a.php.1",
        "a.php.20260101",
        "a.php.txt",
        "a.php.",
        "a.php..",
        "a.php ",
        "a.php. .",
        "#a.php#",
        "a.php_",
        "a.php_bak",
        "a.php-old",
        "a.php copy",
        "a.php.bak.gz.bak".trim_end_matches(".gz.bak"),
        "a.inc.php",
        "a.php.dist",
        "a.php.new",
        "a.cgi",
        "a.CGI.bak",
        "a.php.1.2.3.4.5.6.7.8.9",
    ] {
        assert!(names.is_source(name.as_bytes()), "{name}");
    }
    for name in [
        "style.css",
        "jquery.inc.js",
        "photo.php.jpg",
        "php",
        "inc",
        "readme.txt",
        "a.bak",
        "1.2.3",
        "data.phpx",
        "a.phpmailer",
        "a.include",
        "v1.0",
        "",
        ".",
        "a.incx",
        "php.net.html",
    ] {
        assert!(!names.is_source(name.as_bytes()), "{name}");
    }
}
