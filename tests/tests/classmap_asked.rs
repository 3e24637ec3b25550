//! `unladen classmap` of applications that no reader knows: their own loaders are asked, in PHP.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use unladen_tests::wait::until;
use unladen_tests::{Ability, Call, Done, skip_without};

/// A folder with an application in it, which another user may read.
struct App {
    folder: tempfile::TempDir,
}

/// Names are in lower case, below a folder for each part, and end in `.inc.php`: no standard has that.
const LOADER: &str = "<?php
spl_autoload_register(function ($class) {
    $file = __DIR__ . '/lib/' . str_replace('_', '/', strtolower($class)) . '.inc.php';
    if (is_file($file)) { require_once $file; }
});
";

impl App {
    fn new(files: &[(&str, &str)]) -> Self {
        let app = Self { folder: tempfile::Builder::new().prefix("an app's $folder ").tempdir().unwrap() };
        fs::set_permissions(app.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for (path, text) in files {
            let path = app.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        app
    }

    /// A shop whose page uses one of its classes.
    fn shop() -> Self {
        Self::new(&[
            ("loader.php", LOADER),
            ("index.php", "<?php require 'loader.php'; echo 'total ', (new Shop_Cart)->total();"),
            ("lib/shop/cart.inc.php", "<?php class Shop_Cart extends Shop_List { function total() { return 3; } }"),
            ("lib/shop/list.inc.php", "<?php class Shop_List {}"),
            // Whoever loads it leaves a trace.
            (
                "lib/shop/mail.inc.php",
                "<?php touch(__DIR__ . '/../../trace'); class Shop_Mail { const SAYS = 'mail'; }",
            ),
            ("lib/other.php", "<?php class NobodyFindsIt {}"),
        ])
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn call<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Call {
        Call::new(["classmap"]).args(args).args([self.folder.path()])
    }

    /// Asks that script's loaders, never as root.
    fn ask(&self, script: &str) -> Done {
        self.asking(script).run()
    }

    fn asking(&self, script: &str) -> Call {
        let user: &[&str] = if nix::unistd::Uid::effective().is_root() { &["--as", "nobody"] } else { &[] };
        self.call(["--ask", script]).args(user)
    }

    /// A shop whose page does this before it registers its loader.
    fn hostile(code: &str) -> Self {
        let app = Self::shop();
        fs::write(app.path("index.php"), format!("<?php {code}; require 'loader.php'; echo 'total';")).unwrap();
        app
    }

    fn map(&self) -> String {
        fs::read_to_string(self.path("unladen-classmap.php")).unwrap()
    }

    /// What PHP prints, with the map and nothing else to find classes.
    fn php(&self, code: &str) -> String {
        fs::write(self.path("code.php"), format!("<?php require __DIR__ . '/unladen-classmap.php'; {code}")).unwrap();
        let done =
            Command::new("php").args(["-d", "display_errors=stderr"]).arg(self.path("code.php")).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }
}

/// That these words are printed.
fn prints(done: &Done, words: &[&str]) {
    for word in words {
        assert!(done.stdout.contains(word), "{word} is not in\n{done}");
    }
}

#[test]
fn an_application_with_a_loader_of_its_own_was_unknown() {
    let app = App::shop();
    app.call([]).run().ended_with(2).says([
        "it has its own autoloader (loader.php:2;",
        "--ask SCRIPT, such as --ask index.php",
        "--reader folders",
    ]);
    let done = app.ask("index.php").succeeded();
    let told = [
        "3 classes of 3 PHP files, by the answers of its own loaders (a closure)",
        "index.php: status 200, 7 bytes; 2 classes loaded by its loaders, 2 of them in the map; the same with the map and without",
        "php_admin_value[auto_prepend_file] = ",
    ];
    prints(&done, &told);
    assert!(!app.path("trace").exists(), "a class's file was loaded to ask for it");
    assert!(!app.map().contains("NobodyFindsIt"));
    // The map alone finds what the loader does, in any case, and the file does what it does.
    assert_eq!(app.php("echo (new shop_CART)->total(), Shop_Mail::SAYS;"), "3mail");
    assert!(app.path("trace").exists());
    // Nothing is run for what is known now.
    let checked = app.call(["--check"]).run().succeeded();
    assert!(checked.stdout.contains("3 classes, all up to date"), "{}", checked.stdout);
    let again = app.call([]).run().succeeded();
    assert!(again.stdout.contains("unchanged"), "{}", again.stdout);
    fs::write(app.path("lib/shop/mail.inc.php"), "<?php class Shop_Post {}").unwrap();
    app.call(["--check"]).run().ended_with(8);
}

#[test]
fn answers_are_the_same_bytes_from_run_to_run() {
    let app = App::shop();
    app.ask("index.php").succeeded();
    let answers = fs::read(app.path("unladen-classmap.answers.php")).unwrap();
    let map = app.map();
    fs::remove_file(app.path("unladen-classmap.answers.php")).unwrap();
    app.ask("index.php").succeeded();
    assert_eq!(fs::read(app.path("unladen-classmap.answers.php")).unwrap(), answers);
    assert_eq!(app.map(), map);
}

#[test]
fn an_application_that_requires_its_files_by_hand_is_told_that_no_map_helps() {
    let app = App::new(&[
        ("index.php", "<?php require 'a.php'; require_once __DIR__ . '/b.php'; echo A::SAYS;"),
        ("a.php", "<?php class A { const SAYS = 'a'; }"),
        ("b.php", "<?php function b() {}"),
    ]);
    app.call([]).run().ended_with(2).says([
        "this application loads its files with require; there is no autoloader that a map could replace (found 2 \
         requires and includes and 0 spl_autoload_register in 3 PHP files with 1 class)",
        "opcache.max_accelerated_files above 3",
    ]);
    app.ask("index.php").ended_with(5).says(["index.php (status 200, 1 bytes) registered no autoloader"]);
    assert!(!app.path("unladen-classmap.php").exists());
    let empty = App::new(&[("notes.txt", "")]);
    empty.call([]).run().ended_with(2).says(["no PHP file in it or below it"]);
}

/// A map includes a file and nothing else: where the loader does more, the class stays with it.
#[test]
fn classes_whose_loader_does_more_than_include_are_left_to_it() {
    let app = App::new(&[
        (
            "index.php",
            "<?php class Init {
                static function load($class) {
                    $file = __DIR__ . '/more/' . $class . '.php';
                    if (is_file($file)) { require_once $file; if (method_exists($class, 'init')) { $class::init(); } }
                }
            }
            class Plain {
                static function start() { spl_autoload_register([new self, 'load']); }
                // PHP calls it though it is not public.
                protected function load($class) {
                    if ($class === 'Ends') { exit; }
                    if ($class === 'Throws') { throw new Exception('not here'); }
                    if ($class === 'Wrong') { require __DIR__ . '/plain/Right.php'; }
                    @include __DIR__ . '/plain/' . $class . '.php';
                }
            }
            spl_autoload_register('Init::load'); Plain::start(); echo 'page';",
        ),
        ("more/Starts.php", "<?php class Starts { static function init() {} }"),
        ("plain/Ends.php", "<?php class Ends {}"),
        ("plain/Right.php", "<?php class Right {}"),
        ("plain/Throws.php", "<?php class Throws {}"),
        ("plain/Wrong.php", "<?php class Wrong {}"),
        ("plain/ZLast.php", "<?php class ZLast {} class ZWithIt {}"),
    ]);
    let done = app.ask("index.php").succeeded();
    prints(&done, &["2 classes of 2 PHP files"]);
    let answers = fs::read_to_string(app.path("unladen-classmap.answers.php")).unwrap();
    assert!(answers.contains("\"Starts\": \"its loader does more than include files: `method_exists(`\""), "{answers}");
    assert!(answers.contains("Exception: not here"), "{answers}");
    assert!(answers.contains("plain/Right.php does not declare it"), "{answers}");
    let map = app.map();
    assert!(map.contains("'ZLast' => __DIR__") && map.contains("'Right' => __DIR__"), "{map}");
    assert!(!map.contains("'Ends' =>") && !map.contains("'Wrong' =>"), "{map}");
}

/// The map would not be asked if it stood behind that loader.
#[test]
fn a_loader_that_puts_itself_in_front_gets_no_prepended_map() {
    let loader = LOADER.replace("});", "}, true, true);");
    let app = App::new(&[
        ("loader.php", &loader),
        ("index.php", "<?php require 'loader.php'; echo class_exists('One') ? 'one' : 'none';"),
        ("lib/one.inc.php", "<?php class One {}"),
    ]);
    let done = app.ask("index.php").succeeded();
    prints(&done, &["right after the application has registered a closure in ", "auto_prepend_file would not work"]);
}

#[test]
fn scripts_that_are_none_and_users_that_are_not_are_refused() {
    let app = App::shop();
    for script in ["none.php", "../index.php", "lib/..", "lib"] {
        app.ask(script).ended_with(2).says(["a PHP script below"]);
    }
    app.call(["--ask", "index.php", "--as", "no-such-user"]).run().ended_with(2).says(["no such user"]);
    if nix::unistd::Uid::effective().is_root() {
        app.call(["--ask", "index.php"]).run().ended_with(2).says(["but not as root", "--as www-data"]);
        app.call(["--ask", "index.php", "--as", "root"]).run().ended_with(2).says(["but not as root"]);
    }
    assert!(!app.path("unladen-classmap.php").exists());
}

/// What was chosen by whoever wrote the application's files.
#[test]
fn hostile_names_and_loops_neither_run_nor_reach_the_terminal() {
    let app = App::shop();
    std::os::unix::fs::symlink(".", app.path("lib/again")).unwrap();
    fs::write(app.path("lib/a'\n\u{1b}[31m\".inc.php"), "<?php class Odd {}").unwrap();
    fs::create_dir(app.path("lib/pipe.inc.php")).unwrap();
    let done = app.ask("index.php").succeeded();
    assert!(!done.stdout.contains('\u{1b}') && !done.stderr.contains('\u{1b}'), "{done}");
    assert_eq!(app.php("echo Shop_Mail::SAYS;"), "mail");
}

#[test]
fn names_of_files_are_taken_on_trust_only_where_nothing_else_happens() {
    let app = App::new(&[
        ("index.php", "<?php spl_autoload_register(fn($c) => @include __DIR__ . \"/inc/class.$c.php\");"),
        ("inc/class.One.php", "<?php class One { const SAYS = 1; }"),
        ("inc/class.Two.php", "<?php\nfinal class Two {}\n?>\n"),
        ("inc/class.Three.php", "<?php interface Three {}"),
        ("inc/class.Busy.php", "<?php define('BUSY', 1); class Busy {}"),
        ("inc/class.Twice.php", "<?php class Twice {}"),
        ("old/Twice.php", "<?php class Twice {}"),
        ("old/things.php", "<?php class Thing {}"),
    ]);
    let done = app.call(["--reader", "folders"]).run().succeeded();
    prints(&done, &["3 classes of 3 PHP files, by the names of its files"]);
    assert!(
        done.stderr.contains(
            "2 have a name that several files declare, 1 are in files with other names, 1 are in \
            files that do more"
        ),
        "{done}"
    );
    assert_eq!(app.php("echo One::SAYS;"), "1");
}

/// An application answers for its loaders, and named what only root can read: its class names got into the map.
#[test]
fn answers_show_root_no_more_than_the_user_who_runs_the_application_may_read() {
    if skip_without(Ability::Root, "answers_show_root_no_more_than_the_user_who_runs_the_application_may_read") {
        return;
    }
    let private = App::new(&[("Secret.php", "<?php class SecretThing {}")]);
    fs::set_permissions(private.path(""), fs::Permissions::from_mode(0o700)).unwrap();
    let file = private.path("Secret.php");
    let app = App::hostile(&format!(
        "file_put_contents('php://stdout', getenv('UNLADEN_ASK_KEY') . ' ' . json_encode(['class' => 'secretthing', \
         'file' => {:?}]) . \"\\n\")",
        file.to_str().unwrap().replace('$', "\\$")
    ));
    let done = app.ask("index.php").succeeded();
    let answers = fs::read_to_string(app.path("unladen-classmap.answers.php")).unwrap();
    assert!(!answers.contains("SecretThing") && !app.map().contains("SecretThing"), "{answers}\n{done}");
    assert!(answers.contains("Shop_Mail"), "{answers}");
}

/// `flock 9` of a script that root runs was open in the application.
#[test]
fn files_that_the_caller_left_open_are_closed_for_the_application() {
    let app = App::hostile("@exec('echo written >&9')");
    let folder = tempfile::tempdir().unwrap();
    let held = folder.path().join("held");
    let script = format!("exec 9>'{}'; exec \"$@\"", held.display());
    app.asking("index.php").through_shell(&script).run().succeeded();
    assert_eq!(fs::read_to_string(&held).unwrap(), "");
}

/// A process that a page had started held PHP's output, and was waited for without an end.
#[test]
fn what_a_page_leaves_running_is_not_waited_for() {
    let app = App::hostile("$left = proc_open(['setsid', 'sleep', '20'], [], $pipes); usleep(500000)");
    let begun = std::time::Instant::now();
    app.ask("index.php").ended_with(2).says(["what the page has started goes on"]);
    assert!(begun.elapsed().as_secs() < 18, "it was waited for");
}

#[test]
fn a_page_that_ends_php_each_time_is_not_the_same_with_the_map_and_without() {
    let app = App::shop();
    fs::write(
        app.path("index.php"),
        "<?php require 'loader.php'; register_shutdown_function(fn() => posix_kill(getmypid(), 9)); echo 'total';",
    )
    .unwrap();
    let done = app.ask("index.php");
    assert!(!done.stdout.contains("the same with the map and without"), "{done}");
    done.ended_with(2).says(["it did not answer"]);
    assert!(!app.path("unladen-classmap.php").exists());
}

/// The page's PHP went on in a session of its own, and its folder stayed.
#[test]
fn an_interrupted_question_leaves_nothing_behind() {
    let app = App::hostile("touch(__DIR__ . '/trace'); sleep(30)");
    fs::set_permissions(app.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let running = app.asking("index.php").env("TMPDIR", folder.path()).start();
    until("the page runs", || app.path("trace").exists());
    running.interrupt();
    running.wait().ended_with(130);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "the folder is left");
}

#[test]
fn a_umask_that_others_may_read_nothing_by_hid_the_questions() {
    let app = App::shop();
    app.asking("index.php").through_shell("umask 077; exec \"$@\"").run().succeeded();
}

/// The owner of the folder writes the answers, which root's next run prints.
#[test]
fn escape_codes_in_answers_do_not_reach_the_terminal() {
    let app = App::shop();
    app.ask("index.php").succeeded();
    let answers = app.path("unladen-classmap.answers.php");
    let text = fs::read_to_string(&answers).unwrap();
    assert!(text.contains("a closure"), "{text}");
    fs::write(&answers, text.replace("a closure", "a \\u001b[2J\\u202eclosure")).unwrap();
    for args in [&[][..], &["--explain", "Shop_Cart"]] {
        let done = app.call(args.iter().copied()).run();
        assert!(!done.stdout.contains(['\u{1b}', '\u{202e}']) && !done.stderr.contains('\u{1b}'), "{done}");
    }
}
