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
        // Those of archives, package managers and further editors.
        "a.php.gz",
        "a.php.br",
        "a.php.zst",
        "a.php.zip",
        "a.php.tar.gz",
        "a.PHP.7z",
        "a.php.orig.gz",
        "a.php.txt.gz",
        "a.php.dpkg-old",
        "a.php.ucf-dist",
        "a.php.rpmsave",
        "a.php.sample",
        "a.php.part",
        "a.php.~1~",
        ".a.php.un~",
        "a.php.swx",
        "a.inc.php.zip",
        "a.cgi.zip",
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
        "index.php.html",
        "index.php.html.gz",
        "jquery.inc.js.br",
        "Acme.Inc.zip",
        "php-8.2.30.tar.gz",
        "mirror.php-8.2.tar.gz",
        "style.css.gz",
        "a.php.svg",
    ] {
        assert!(!names.is_source(name.as_bytes()), "{name}");
    }
}
