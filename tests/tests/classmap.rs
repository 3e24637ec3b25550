//! `unladen classmap`, over applications that the tests write, in PHP where it is PHP that decides.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

use unladen_tests::wait::until;
use unladen_tests::{Ability, Call, Document, skip_without};

/// A folder with an application in it.
struct App {
    folder: tempfile::TempDir,
}

impl App {
    fn new(files: &[(&str, &str)]) -> Self {
        let app = Self { folder: tempfile::Builder::new().prefix("an app's $folder ").tempdir().unwrap() };
        // Others may read it: some tests run as nobody.
        fs::set_permissions(app.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        files.iter().for_each(|(path, text)| app.write(path, text));
        app
    }

    /// Two classes by PSR-4 in `src`.
    fn shop() -> Self {
        Self::new(&[
            ("src/Cart.php", "<?php\nnamespace App;\nclass Cart { const SAYS = 'cart'; }\n"),
            ("src/Pay/Card.php", "<?php\nnamespace App\\Pay;\nfinal class Card { const SAYS = 'card'; }\n"),
        ])
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn map(&self) -> PathBuf {
        self.path("unladen-classmap.php")
    }

    /// `unladen classmap` with App\ in src.
    fn call<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Call {
        Call::new(["classmap", "--psr4", "App\\=src"]).args(args).args([self.folder.path()])
    }

    /// As [`App::call`], as a user who is nobody.
    fn call_as_nobody<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Call {
        self.call(args).through(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
    }

    /// What PHP prints, with the map and nothing else to find classes.
    fn php(&self, code: &str) -> String {
        let map = self.map().display().to_string().replace('\\', "\\\\").replace('\'', "\\'");
        let done = Command::new("php")
            .args(["-d", "display_errors=stderr", "-r", &format!("require '{map}'; {code}")])
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }
}

#[test]
fn php_finds_its_classes_by_the_map_in_any_case() {
    let app = App::shop();
    let done = app.call([]).run().succeeded().says_nothing();
    assert!(done.stdout.contains("2 classes of 2 PHP files"), "{}", done.stdout);
    assert_eq!(app.php("echo App\\Cart::SAYS, ' ', \\APP\\pay\\CARD::SAYS;"), "cart card");
}

#[test]
fn a_map_that_is_right_stays_untouched() {
    let app = App::shop();
    app.call([]).run().succeeded();
    let before = (app.text("unladen-classmap.php"), app.map().metadata().unwrap().modified().unwrap());
    let done = app.call([]).run().succeeded();
    assert!(done.stdout.contains("unchanged"), "{}", done.stdout);
    assert_eq!((app.text("unladen-classmap.php"), app.map().metadata().unwrap().modified().unwrap()), before);
}

#[test]
fn check_tells_what_the_map_lacks_and_what_has_moved_or_gone() {
    let app = App::shop();
    app.call(["--check"]).run().ended_with(8).says(["there is no map yet", "unladen classmap"]);
    app.call([]).run().succeeded();
    let done = app.call(["--check"]).run().succeeded().says_nothing();
    assert!(done.stdout.contains("2 classes, all up to date"), "{}", done.stdout);

    app.write("src/New.php", "<?php namespace App; interface NewOne {} class New {}");
    app.write("src/Fresh.php", "<?php namespace App; trait Fresh {}");
    app.write("src/Cart.php", "<?php namespace App; class Basket {}");
    fs::remove_file(app.path("src/Pay/Card.php")).unwrap();
    let done = app.call(["--check"]).run().ended_with(8).says(["is out of date"]);
    for line in
        ["App\\Card", "App\\Cart  src/Cart.php", "App\\Pay\\Card  src/Pay/Card.php", "App\\Fresh  src/Fresh.php"]
    {
        assert!(line == "App\\Card" || done.stdout.contains(line), "{line} is not in\n{}", done.stdout);
    }
    let document = Document(serde_json::from_str(&app.call(["--check", "--json"]).run().ended_with(8).stdout).unwrap());
    assert_eq!(document.0["schema"], "unladen.classmap-check/1");
    assert_eq!(document.0["current"], false);
    assert_eq!(document.0["differences"]["gone"][0]["class"], "App\\Pay\\Card");
    assert_eq!(document.0["differences"]["undeclared"][0]["path"], "src/Cart.php");
    assert_eq!(document.0["differences"]["lacking"][0]["class"], "App\\Fresh");
    assert_eq!(document.0["violations"][0]["class"], "App\\Basket");
}

#[test]
fn check_is_strict_if_told() {
    let app = App::shop();
    app.write("src/Odd.php", "<?php namespace App; class Even {}");
    app.call([]).run().succeeded();
    let done = app.call(["--check"]).run().succeeded();
    assert!(done.stdout.contains("App\\Even  src/Odd.php, expected in src/Even.php"), "{}", done.stdout);
    app.call(["--check", "--strict"]).run().ended_with(8).says(["violations"]);
}

#[test]
fn explain_names_the_winner_and_why() {
    let app = App::shop();
    app.write("lib/Cart.php", "<?php namespace App; class Cart {}");
    app.write("old/Cart.php", "<?php namespace App; class Cart {}");
    let done =
        app.call(["--psr4", "App\\=lib", "--psr4", "=.", "--explain", "\\app\\cart"]).run().succeeded().says_nothing();
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines[0], "App\\Cart: in the map: the first file that PHP would load");
    assert!(lines[1].contains("src/Cart.php  class in line 3  wins"), "{}", done.stdout);
    assert!(lines[2].contains("PSR-4, `App\\` is in"), "{}", done.stdout);
    assert!(lines[3].contains("lib/Cart.php"), "{}", done.stdout);
    assert!(done.stdout.contains("old/Cart.php  declared in line 1; no loader leads there"), "{}", done.stdout);
    app.call(["--explain", "App\\Crat"]).run().ended_with(2).says(["no file declares `App\\Crat`", "`App\\Cart`"]);
}

#[test]
fn json_has_paths_below_the_folder() {
    let app = App::shop();
    let document = app.call(["--emit", "json"]).run().succeeded().document();
    assert_eq!(document.0["schema"], "unladen.classmap/1");
    let classes = serde_json::json!({ "App\\Cart": "src/Cart.php", "App\\Pay\\Card": "src/Pay/Card.php" });
    assert_eq!(document.0["classes"], classes);
    assert!(!app.map().exists());
    let told = ["version", "time", "host", "command"];
    assert!(told.iter().all(|field| !document.0[*field].is_null()), "{document}");
    app.call(["--emit", "json", "-o", app.path("map.json").to_str().unwrap()]).run().succeeded();
    // The file is kept with the application: it changes if a class does, and not each time.
    let file: serde_json::Value = serde_json::from_str(&app.text("map.json")).unwrap();
    assert!(told.iter().all(|field| file[*field].is_null()) && file["classes"] == classes, "{file}");
    for args in [&["--json"][..], &["--check", "--json"], &["--explain", "App\\Cart", "--json"]] {
        let document = app.call(args.iter().copied()).run().succeeded().document();
        assert!(told.iter().all(|field| !document.0[*field].is_null()), "{args:?} {document}");
    }
}

#[test]
fn what_a_check_found_is_there_for_others_with_its_line() {
    let app = App::shop();
    app.call([]).run().succeeded();
    app.write("src/Odd.php", "<?php\nnamespace App;\n\nclass Even {}\n");
    app.write("src/Fresh.php", "<?php\nnamespace App;\ninterface Fresh {}\n");
    let [html, markdown, junit, sarif] = ["c.html", "c.md", "c.xml", "c.sarif"].map(|name| app.path(name));
    let files = [("--html", &html), ("--markdown", &markdown), ("--junit", &junit), ("--sarif", &sarif)];
    let files: Vec<&str> = files.iter().flat_map(|(option, path)| [*option, path.to_str().unwrap()]).collect();
    // The map is out of date; without --strict, a class that is misplaced is a warning.
    app.call(["--check"].into_iter().chain(files.iter().copied())).run().ended_with(8);

    let log: serde_json::Value = serde_json::from_str(&app.text("c.sarif")).unwrap();
    let place = |rule: &str| {
        let results = log["runs"][0]["results"].as_array().unwrap();
        let result = results.iter().find(|result| result["ruleId"] == rule).unwrap_or_else(|| panic!("{log:#}"));
        let at = &result["locations"][0]["physicalLocation"];
        let file = at["artifactLocation"]["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        (file, at["region"]["startLine"].clone(), result["level"].as_str().unwrap().to_owned())
    };
    assert_eq!(place("class-misplaced"), ("Odd.php".to_owned(), 4.into(), "warning".to_owned()));
    assert_eq!(place("classmap-out-of-date"), ("Fresh.php".to_owned(), 3.into(), "error".to_owned()));
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 8);
    let junit = app.text("c.xml");
    assert!(junit.contains(r#"tests="4""#) && junit.contains(r#"failures="1""#), "{junit}");
    for text in [app.text("c.html"), app.text("c.md")] {
        assert!(text.contains("src/Fresh.php") && text.contains("Odd.php:4"), "{text}");
    }
    // They are of a check, and of nothing else.
    app.call(files.iter().copied()).run().ended_with(2).says(["--check"]);
    // What was measured is kept, and this is none of it.
    let document = app.path("check.json");
    fs::write(&document, app.call(["--check", "--json"]).run().ended_with(8).stdout).unwrap();
    let store = app.path("runs.sqlite");
    let import = ["runs", "import", document.to_str().unwrap(), "--store", store.to_str().unwrap()];
    Call::new(import).run().ended_with(2).says(["measures nothing"]);
}

#[test]
fn the_map_can_go_to_standard_output() {
    let app = App::shop();
    let shown = app.call(["-o", "-"]).run().succeeded().says_nothing().stdout;
    app.call([]).run().succeeded();
    assert_eq!(shown, app.text("unladen-classmap.php"));
}

#[test]
fn broken_php_is_told_with_its_line_and_hides_nothing() {
    let app = App::shop();
    app.write("src/Broken.php", "<?php\nnamespace App;\nclass Broken {}\n$x = 'never ends;\n");
    app.call([]).run().succeeded().says(["src/Broken.php:4", "PHP cannot read this file"]);
    assert_eq!(app.php("echo App\\Cart::SAYS;"), "cart");
}

#[test]
fn what_cannot_be_read_leaves_the_old_map_in_place() {
    let app = App::shop();
    app.call([]).run().succeeded();
    fs::set_permissions(app.map(), fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(app.folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let before = app.text("unladen-classmap.php");
    app.write("src/Secret.php", "<?php namespace App; class Secret {}");
    app.write("src/Fresh.php", "<?php namespace App; class Fresh {}");
    fs::set_permissions(app.path("src/Secret.php"), fs::Permissions::from_mode(0o600)).unwrap();
    app.call_as_nobody([]).run().ended_with(2).says([
        "src/Secret.php",
        "Permission denied",
        "nothing was written",
        "--partial",
    ]);
    assert_eq!(app.text("unladen-classmap.php"), before);
    app.call_as_nobody(["--partial"]).run().succeeded().says(["src/Secret.php"]);
    assert!(app.text("unladen-classmap.php").contains("Fresh"));
    assert!(!app.text("unladen-classmap.php").contains("Secret"));
}

/// Class names of what only root may read would get into a map that its owner can read.
#[test]
fn a_link_shows_root_no_more_than_the_folders_owner_may_read() {
    if skip_without(Ability::Root, "a_link_shows_root_no_more_than_the_folders_owner_may_read") {
        return;
    }
    let private = App::new(&[
        ("Hidden.php", "<?php namespace App\\Closed; class Hidden {}"),
        ("Other.php", "<?php namespace App; class Other {}"),
    ]);
    let public = App::new(&[("Shared.php", "<?php namespace App\\Open; class Shared {}")]);
    fs::set_permissions(private.path(""), fs::Permissions::from_mode(0o700)).unwrap();
    let app = App::shop();
    for path in ["", "src", "src/Pay", "src/Cart.php", "src/Pay/Card.php"] {
        chown(app.path(path), Some(65534), Some(65534)).unwrap();
    }
    symlink(public.path(""), app.path("src/Open")).unwrap();
    symlink(private.path(""), app.path("src/Closed")).unwrap();
    symlink(private.path("Other.php"), app.path("src/Other.php")).unwrap();
    app.call([]).run().ended_with(2).says(["src/Closed", "Permission denied", "--partial"]);
    app.call(["--partial"]).run().succeeded().says(["src/Closed"]);
    let map = app.text("unladen-classmap.php");
    let has = |file: &str| map.contains(file);
    assert!(has("Open/Shared.php") && !has("Hidden.php") && !has("Other.php"), "{map}");
}

#[test]
fn a_target_that_cannot_be_written_leaves_the_old_map_in_place() {
    let app = App::shop();
    app.call([]).run().succeeded();
    let before = app.text("unladen-classmap.php");
    app.write("src/Fresh.php", "<?php namespace App; class Fresh {}");
    app.call_as_nobody([]).run().ended_with(6).says(["cannot write", "unladen-classmap.php", "Permission denied"]);
    assert_eq!(app.text("unladen-classmap.php"), before);
    app.call(["-o", "/nowhere/map.php"]).run().ended_with(6).says(["/nowhere/map.php", "No such file"]);
    let left: Vec<_> = fs::read_dir(app.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_prefix_that_leads_nowhere_is_told() {
    let app = App::shop();
    app.call(["--psr4", "Lib\\=lib"]).run().succeeded().says(["lib: no such folder", "'Lib\\=…'"]);
    app.call(["--psr4", "Lib"]).run().ended_with(2).says(["expected a prefix, `=` and a folder"]);
}

#[test]
fn a_folder_that_is_no_application_is_told() {
    let app = App::new(&[("readme.txt", "nothing")]);
    let done = Call::new(["classmap"]).args([app.folder.path()]).run().ended_with(2).shows_nothing();
    done.says(["no PHP file in it or below it", "name the folder of a PHP application"]);
    Call::new(["classmap", "/nowhere"]).run().ended_with(2).says(["/nowhere", "expected the folder of an application"]);
}

#[test]
fn invalid_json_is_told_with_its_line_and_leaves_the_old_map_in_place() {
    let app = App::shop();
    app.write("composer.json", "{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src\"}}}");
    let call = || Call::new(["classmap"]).args([app.folder.path()]);
    call().run().succeeded();
    let before = app.text("unladen-classmap.php");
    app.write("composer.json", "{\"autoload\":\n {\"psr-4\": {]}}");
    call().run().ended_with(2).says(["composer.json:2"]);
    assert_eq!(app.text("unladen-classmap.php"), before);
}

#[test]
fn watch_follows_what_changes() {
    let app = App::shop();
    let running = app.call(["--watch"]).start();
    let has = |text: &str| fs::read_to_string(app.map()).is_ok_and(|map| map.contains(text));
    until("the first map", || has("Card"));
    app.write("src/Fresh.php", "<?php namespace App; class Fresh {}");
    until("a new file's class", || has("App\\\\Fresh"));
    app.write("src/Deep/Er/Still.php", "<?php namespace App\\Deep\\Er; class Still {}");
    until("a class in new folders", || has("Still"));
    app.write("src/Deep/Er/Later.php", "<?php namespace App\\Deep\\Er; class Later {}");
    until("a later class in a new folder", || has("Later"));
    fs::rename(app.path("src/Pay"), app.path("src/Gone")).unwrap();
    until("the end of a class whose folder was renamed", || !has("Card"));
    fs::remove_file(app.path("src/Fresh.php")).unwrap();
    until("the end of a class whose file is gone", || !has("Fresh"));
    assert_eq!(app.php("echo App\\Cart::SAYS;"), "cart");
    running.interrupt();
    let done = running.wait().succeeded();
    assert!(done.stdout.contains("watching") && done.stdout.contains("changed"), "{}", done.stdout);
}

/// Composer's own class map, made by Composer and by us.
#[test]
fn composers_own_map_is_as_composer_writes_it_and_forgets_what_has_gone() {
    let app = App::new(&[
        (
            "composer.json",
            "{\"name\": \"a/b\", \"autoload\": {\"psr-4\": {\"App\\\\\": \"src\"}, \"classmap\": [\"lib\"]}}",
        ),
        ("src/Cart.php", "<?php\nnamespace App;\nclass Cart {}\n"),
        ("lib/all.php", "<?php\nclass Old {}\nclass Kept {}\n"),
    ]);
    let composer = || {
        let mut composer = Command::new("composer");
        composer.args(["dump-autoload", "-o", "--no-interaction", "--working-dir"]).arg(app.folder.path());
        let done = composer.env("COMPOSER_ALLOW_SUPERUSER", "1").output().expect("composer: scripts/test installs it");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let texts =
        || ["autoload_classmap.php", "autoload_static.php"].map(|file| app.text(&format!("vendor/composer/{file}")));
    composer();
    app.write("lib/all.php", "<?php\nclass Kept {}\nclass Fresh {}\n");
    let done = Call::new(["classmap", "--emit", "composer"]).args([app.folder.path()]).run().succeeded().says_nothing();
    assert!(done.stdout.contains("vendor/composer/autoload_classmap.php"), "{}", done.stdout);
    let ours = texts();
    assert!(ours[1].contains("'Fresh'") && !ours[1].contains("'Old'"), "{}", ours[1]);
    composer();
    assert_eq!(ours, texts());
}

/// A map in a folder of classes would change by being in itself, and a watch would never come to rest.
#[test]
fn a_map_is_not_in_itself() {
    let app = App::new(&[
        ("src/Cart.php", "<?php\nnamespace App;\nclass Cart {}\n"),
        ("composer.json", "{\"autoload\": {\"classmap\": [\".\"]}}"),
    ]);
    let call = || Call::new(["classmap"]).args([app.folder.path()]);
    call().run().succeeded();
    let before = app.text("unladen-classmap.php");
    let done = call().run().succeeded();
    assert!(done.stdout.contains("unchanged"), "{}", done.stdout);
    assert_eq!(app.text("unladen-classmap.php"), before);
}

/// Beside the files that an application is read from there are others, which the watch sees too.
#[test]
fn a_file_beside_the_settings_is_none_of_the_applications() {
    let app = App::new(&[
        ("src/Cart.php", "<?php\nnamespace App;\nclass Cart {}\n"),
        ("composer.json", "{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src\"}}}"),
    ]);
    let running = Call::new(["classmap", "--watch"]).args([app.folder.path()]).start();
    let has = |text: &str| fs::read_to_string(app.map()).is_ok_and(|map| map.contains(text));
    until("the first map", || has("Cart"));
    app.write("beside.php", "<?php namespace App; class Beside {}");
    app.write("src/Fresh.php", "<?php namespace App; class Fresh {}");
    until("a new file's class", || has("Fresh"));
    running.interrupt();
    let done = running.wait().succeeded();
    assert!(!has("Beside"), "{}", app.text("unladen-classmap.php"));
    assert!(!done.stderr.contains("Beside"), "{}", done.stderr);
}

#[test]
fn folders_by_bytes_that_are_no_utf8_are_taken() {
    use std::os::unix::ffi::OsStrExt;
    let app = App::new(&[]);
    let folder = app.folder.path().join(std::ffi::OsStr::from_bytes(b"s\xffc"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("A.php"), "<?php namespace App; class A {}").unwrap();
    let argument = [b"App\\=".as_slice(), folder.as_os_str().as_bytes()].concat();
    let psr4 = std::ffi::OsStr::from_bytes(&argument);
    let done = Call::new(["classmap", "--psr4"]).args([psr4]).args([app.folder.path()]).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.starts_with("1 class of 1 PHP file, by --psr4\n"), "{}", done.stdout);
}

#[test]
fn a_target_above_the_folder_it_is_named_from_is_relative_all_the_same() {
    let app = App::shop();
    fs::create_dir(app.path("build")).unwrap();
    let target = app.path("build/../map.php");
    let done = app.call(["--output"].into_iter().chain(target.to_str())).run();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(app.text("map.php").contains("__DIR__ . '/src/Cart.php'"), "{}", app.text("map.php"));
    assert!(app.text("map.php").contains("seen from this file: .\n"), "{}", app.text("map.php"));
}

#[test]
fn an_empty_map_is_an_error_and_no_file() {
    let app = App::new(&[("src/none.php", "<?php")]);
    app.call([]).run().ended_with(5).says(["no class of", "nothing was written"]).shows_nothing();
    assert!(!app.map().exists());
    app.call(["--check"]).run().ended_with(5).says(["no class of"]);
    // One that was there stays as it was.
    app.write("src/Cart.php", "<?php namespace App; class Cart {}");
    app.call([]).run().succeeded();
    let before = app.text("unladen-classmap.php");
    fs::remove_file(app.path("src/Cart.php")).unwrap();
    app.call([]).run().ended_with(5);
    assert_eq!(app.text("unladen-classmap.php"), before);
}

#[test]
fn check_remembers_how_the_map_was_made() {
    let app = App::shop();
    app.write("lib/Box.php", "<?php namespace Lib; class Box {}");
    let made = Call::new(["classmap", "--psr4", "App\\=src", "--psr4", "Lib\\=lib"]).args([app.folder.path()]);
    made.run().succeeded();
    let check = |args: &[&str]| Call::new(["classmap", "--check"]).args(args).args([app.folder.path()]).run();
    check(&[]).succeeded().says_nothing();
    check(&["--json"]).succeeded();
    // Said otherwise, it is checked so, and told.
    let done = check(&["--psr4", "App\\=src"]).ended_with(8);
    done.says([
        "was made with --reader psr4 --psr4 'App\\=src' --psr4 'Lib\\=lib'",
        "now it is --reader psr4 --psr4 'App\\=src'",
    ]);
    // A map in another folder knows its application.
    let far = tempfile::tempdir().unwrap();
    let map = far.path().join("map.php");
    app.call(["--output", map.to_str().unwrap()]).run().succeeded();
    Call::new(["classmap", "--check", "--output"]).args([&map]).run().succeeded().says_nothing();
    app.write("src/Fresh.php", "<?php namespace App; class Fresh {}");
    Call::new(["classmap", "--check", "--output"]).args([&map]).run().ended_with(8);
    // Made anew with something else, it says so.
    app.call([]).run().succeeded().says(["the existing map was made with --reader psr4", "now it is"]);
    // What it remembers may be damaged.
    let text = app.text("unladen-classmap.php");
    app.write("unladen-classmap.php", &text.replace("{\"psr4\"", "{\"psr5\""));
    app.write("unladen-classmap.php", &text.replace("// Made with: {", "// Made with: {{"));
    check(&[]).ended_with(2).says(["unladen-classmap.php:", "the map does not say how it was made"]);
}

#[test]
fn a_damaged_line_could_be_neither_overridden_nor_overwritten() {
    let app = App::shop();
    app.call([]).run().succeeded();
    let right = app.text("unladen-classmap.php");
    app.write("unladen-classmap.php", &right.replace("// Made with: {", "// Made with: {{"));
    let told = "the map does not say how it was made";
    app.call(["--check"]).run().ended_with(8).says([told, "now it is --reader psr4"]);
    app.call(["--explain", "App\\Cart"]).run().succeeded().says([told]);
    app.call([]).run().succeeded().says([told]);
    assert_eq!(app.text("unladen-classmap.php"), right);
}

#[test]
fn what_is_explained_otherwise_than_the_map_was_made_is_told() {
    let app = App::shop();
    app.write("lib/Box.php", "<?php namespace Lib; class Box {}");
    app.call(["--psr4", "Lib\\=lib"]).run().succeeded();
    let done = app.call(["--explain", "App\\Cart"]).run().succeeded();
    done.says(["the existing map was made with --reader psr4", "now it is --reader psr4 --psr4 'App\\=src' of"]);
}

#[test]
fn the_printed_line_has_an_absolute_path_that_php_reads() {
    let app = App::shop();
    let done = app.call([]).run().succeeded();
    let line = done
        .stdout
        .lines()
        .find_map(|line| line.split_once("its own loader: "))
        .expect("a line to put in")
        .1
        .to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    let script = elsewhere.path().join("index.php");
    fs::write(&script, format!("<?php {line} echo App\\Cart::SAYS;")).unwrap();
    let ran = Command::new("php").arg(&script).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "cart", "{line}\n{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn a_target_that_is_a_folder_or_in_none_is_told_before_anything_is_read() {
    let app = App::shop();
    fs::create_dir(app.path("map.php")).unwrap();
    app.call(["--output", app.path("map.php").to_str().unwrap()])
        .run()
        .ended_with(6)
        .says(["is a directory"])
        .shows_nothing();
    app.call(["--output", "/nowhere/map.php"])
        .run()
        .ended_with(6)
        .says(["/nowhere/map.php", "No such file"])
        .shows_nothing();
}

#[test]
fn explain_agrees_with_the_map_about_two_spellings() {
    let app = App::shop();
    app.write("src/CART.php", "<?php namespace App; class CART {}");
    for class in ["App\\Cart", "App\\CART", "app\\cart"] {
        let done = app.call(["--explain", class]).run();
        assert!(done.stdout.contains("not in the map: several spellings"), "{}", done.stdout);
        assert!(!done.stdout.contains("wins"), "{}", done.stdout);
    }
    app.call([]).run();
    assert!(!app.text("unladen-classmap.php").contains("Cart.php"), "{}", app.text("unladen-classmap.php"));
}

/// Whoever may put a file into an application would otherwise write to the terminal of whoever checks it.
#[test]
fn names_of_files_tell_a_terminal_nothing() {
    let app = App::shop();
    app.write("src/\u{1b}[2J\nOdd.php", "<?php namespace App; class Even {}");
    app.write("src/\u{1b}[2JBroken.php", "<?php namespace App; class Broken {} $x = '");
    let made = app.call([]).run().succeeded().says(["u{1b}[2JBroken.php"]);
    let checked = app.call(["--check"]).run().succeeded();
    assert!(checked.stdout.contains("\\u{1b}[2J\\nOdd.php"), "{}", checked.stdout);
    let explained = app.call(["--explain", "App\\Even"]).run().succeeded();
    for text in [&made.stderr, &made.stdout, &checked.stdout, &checked.stderr, &explained.stdout, &explained.stderr] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}

/// The classes alone do not make a map: its loader counts too.
#[test]
fn check_sees_a_map_that_was_changed_by_hand() {
    let app = App::shop();
    app.call([]).run().succeeded();
    let map = app.text("unladen-classmap.php");
    app.write("unladen-classmap.php", &map.replace("UnladenClassmap_", "UnladenClassmap_Other"));
    app.call(["--check"]).run().ended_with(8).says(["another version of unladen, or edited"]);
    app.write("unladen-classmap.php", &map);
    app.call(["--check"]).run().succeeded();
}
