//! A map that `unladen classmap` makes, switched on and off in a real MediaWiki by the one line that its documentation
//! gives.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use unladen_tests::{Ability, Call, Document, Subject, skip_without};

/// What opcache asks of the sources that it holds is no question of an autoloader.
const NOT_IN_OUR_TIME: &str = "opcache.revalidate_freq = 3600\n";

/// For LocalSettings.php: the page says whom PHP asks first for a class.
const TELLING: &str = r"
header( 'X-First-Loader: ' . ( is_string( spl_autoload_functions()[0] ) ? 'a function' : spl_autoload_functions()[0][0] ) );
";

struct Wiki {
    subject: Subject,
    state: PathBuf,
}

impl Wiki {
    /// As releases up to 1.39.4 were: a third of the core's classes are in no map.
    fn before() -> Self {
        let subject = Subject::up_with("mediawiki", &[("UNLADEN_CLASSMAP", "before")]);
        let state = PathBuf::from(subject.get("STATE"));
        fs::write(state.join("php.d/test.ini"), NOT_IN_OUR_TIME).unwrap();
        let mut settings = fs::OpenOptions::new().append(true).open(state.join("LocalSettings.php")).unwrap();
        settings.write_all(TELLING.as_bytes()).unwrap();
        let wiki = Self { subject, state };
        wiki.subject.run(["restart"]);
        wiki
    }

    fn tree(&self) -> PathBuf {
        self.state.join("before")
    }

    /// As somebody does who has read the manual: the map goes into the application's folder.
    fn map(&self) -> PathBuf {
        let settings = self.state.join("LocalSettings.php");
        let call = Call::new(["classmap", "--settings"]).args([&settings]).args([self.tree()]);
        let done = call.run().succeeded();
        let map = self.tree().join("unladen-classmap.php");
        assert!(
            done.stdout.contains("auto_prepend_file"),
            "the line that switches it on is not told:\n{}",
            done.stdout
        );
        map
    }

    /// With a line in the pool's file; it is taken out again in the end.
    fn with_in_pool<T>(&self, line: &str, look: impl FnOnce() -> T) -> T {
        let file = self.state.join("fpm.conf");
        let pool = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{pool}{line}\n")).unwrap();
        self.subject.run(["restart"]);
        let seen = look();
        fs::write(&file, pool).unwrap();
        self.subject.run(["restart"]);
        seen
    }

    /// The main page, without what differs from request to request: times, and the request's number. And whether the
    /// map is asked first.
    fn page(&self) -> (String, bool) {
        let output = Command::new("curl").args(["-sfi", "-m", "60", self.subject.url()]).output().expect("curl starts");
        let answer = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success() && answer.starts_with("HTTP/1.1 200"), "{}\n{answer}", output.status);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let loader =
            head.lines().find_map(|line| line.strip_prefix("X-First-Loader: ")).expect("LocalSettings.php tells");
        let (before, number) = body.split_once("\"wgRequestId\":\"").expect("the request's number");
        let (_, after) = number.split_once('"').expect("its end");
        let page = [before, after].concat().chars().filter(|character| !character.is_ascii_digit()).collect();
        (page, loader.starts_with("UnladenClassmap_"))
    }

    /// The checks of files in a request, and how many of them found nothing.
    fn checks(&self) -> (f64, f64) {
        let call = Call::weigh(["--time", "6s", "--phase", "150ms", "--settle", "20ms", "--group-by", "pid"]);
        let document: Document = call.args([self.subject.url()]).document();
        let count = |counter| document.count("php-fpm", counter);
        (count("files.checked"), count("syscall.newfstatat.ENOENT"))
    }
}

/// The page is the same with the map and without, and off is off.
#[test]
fn a_page_of_mediawiki_is_the_same_with_the_map() {
    let wiki = Wiki::before();
    let (page, mapped) = wiki.page();
    assert!(!mapped, "a map is in use before there is one");
    let map = wiki.map();

    let line = format!("php_admin_value[auto_prepend_file] = {}", map.display());
    assert_eq!(wiki.with_in_pool(&line, || wiki.page()), (page.clone(), true));
    assert_eq!(wiki.page(), (page.clone(), false));

    // The other line, for those who share their PHP with other applications.
    let settings = wiki.state.join("LocalSettings.php");
    let text = fs::read_to_string(&settings).unwrap();
    let (php, rest) = text.split_once('\n').unwrap();
    fs::write(&settings, format!("{php}\nrequire '{}';\n{rest}", map.display())).unwrap();
    wiki.subject.run(["restart"]);
    assert_eq!(wiki.page(), (page, true));
}

/// What was looked for is known: the checks for classes are gone. (That they are back without the map is the test
/// above.)
#[test]
fn the_map_takes_the_file_checks_off_a_page() {
    if skip_without(Ability::Tracing, "the_map_takes_the_file_checks_off_a_page") {
        return;
    }
    let wiki = Wiki::before();
    let (before, before_missing) = wiki.checks();
    let map = wiki.map();
    let line = format!("php_admin_value[auto_prepend_file] = {}", map.display());
    let (with, with_missing) = wiki.with_in_pool(&line, || wiki.checks());

    let told = format!("{before} ({before_missing} missing), with the map {with} ({with_missing})");
    assert!(before > 790.0 && before_missing > 75.0, "{told}");
    assert!(with < 170.0 && with_missing < 10.0, "{told}");
}
