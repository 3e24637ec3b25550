//! [`run`]: `unladen classmap` on an application whose files come and go, are written while they are read, lead in circles,
//! have no end, or are none; one that watches it all the time, and others that are interrupted, or find a full disk.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use tempfile::TempDir;
use unladen_tests::{Ability, Call, Done, Running, skip_without, wait};

use crate::gauge::Gauge;

/// Between two changes.
const PAUSE: Duration = Duration::from_millis(10);
/// What a call may take: it reads some hundred small files, and one at times that is larger than it takes.
const LIMIT: Duration = Duration::from_secs(120);
/// Classes of the application.
const CLASSES: usize = 200;
const COMPOSER: &str = r#"{"autoload": {"psr-4": {"App\\": "src/"}, "classmap": ["lib/"]}}"#;
/// A disk of its own that is full, and what is there after the call.
const ON_A_FULL_DISK: &str = r#"mount -t tmpfs -o size=64k none "$DISK" || exit 99
    cat /dev/zero > "$DISK/other" 2>/dev/null; "$@"; code=$?; echo "there: $(ls -A "$DISK" | xargs)" >&2; exit $code"#;

/// An application of Composer's.
struct App {
    folder: TempDir,
}

/// Runs it so long; `is_long`: memory is to be flat.
pub fn run(time: Duration, is_long: bool) {
    if skip_without(Ability::PrivateMounts, "classmap_is_flat_while_files_come_and_go") {
        return;
    }
    let app = App::new();
    let watching = app.watch(time);
    wait::until("the map is there", || app.map().is_file());
    let gauge = Gauge::start(watching.pid());
    let end = Instant::now() + time;
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut turn, mut calls) = (0_usize, 0);
    while Instant::now() < end {
        turn += 1;
        app.change(turn, &mut rng);
        if turn.is_multiple_of(23) {
            calls += 1;
            app.call(calls, &mut rng);
        }
        sleep(PAUSE);
    }
    let readings = gauge.stop();
    app.put_in_order();
    // What the watch has made of all that is what anybody would make of it.
    wait::until("the map is as it would be now", || app.check(&app.map()).code == Some(0));
    watching.interrupt();
    let done = watching.wait().succeeded();
    assert!(done.stdout.contains("changed"), "{done}");
    eprintln!("{}; {turn} changes, {calls} other calls", readings.told("classmap --watch"));
    assert_eq!(app.hidden(), [""; 0], "left behind");
    if is_long {
        readings.are_flat("classmap --watch");
    }
}

impl App {
    fn new() -> Self {
        let app = Self { folder: tempfile::tempdir().expect("a folder") };
        for name in ["src", "lib"] {
            fs::create_dir(app.path(name)).expect("a folder");
        }
        fs::write(app.path("composer.json"), COMPOSER).expect("a file");
        (0..CLASSES).for_each(|number| fs::write(app.class(number), App::text(number, 0)).expect("a file"));
        app
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What is watched.
    fn map(&self) -> PathBuf {
        self.path("unladen-classmap.php")
    }

    /// What others write.
    fn other(&self) -> PathBuf {
        self.path("other.php")
    }

    fn class(&self, number: usize) -> PathBuf {
        self.path(&format!("src/Class{number}.php"))
    }

    fn text(number: usize, lines: usize) -> String {
        format!("<?php\nnamespace App;\n{}final class Class{number} {{}}\n", "// a line\n".repeat(lines))
    }

    /// It ends with the test's thread, should that panic.
    fn watch(&self, time: Duration) -> Running {
        Call::new(["classmap", "--watch"]).args([self.folder.path()]).within(time + LIMIT).start()
    }

    fn check(&self, map: &Path) -> Done {
        Call::new(["classmap", "--check", "-o"]).args([map, self.folder.path()]).within(LIMIT).run()
    }

    /// Something happens. What is done in one turn is undone in a later one, or stays in its place.
    fn change(&self, turn: usize, rng: &mut fastrand::Rng) {
        let number = rng.usize(..CLASSES);
        let (class, extra) = (self.class(number), self.path(&format!("src/Extra{}", turn % 7)));
        // What another turn has put there, or taken away, is there or not.
        let toggle = |path: &Path, make: &dyn Fn(&Path)| {
            if path.symlink_metadata().is_ok() {
                let _ = fs::remove_file(path);
            } else {
                make(path);
            }
        };
        match turn % 13 {
            0 => self.write_slowly(&class, &App::text(number, rng.usize(..2_000))),
            1 => drop(fs::remove_file(&class)),
            2 => {
                let beside = self.path("src/.editor");
                fs::write(&beside, App::text(number, 3)).expect("a file");
                fs::rename(&beside, &class).expect("a file");
            }
            3 if extra.is_dir() => fs::remove_dir_all(&extra).expect("a folder"),
            3 => {
                fs::create_dir(&extra).expect("a folder");
                let text = format!("<?php\nnamespace App\\Extra{};\ninterface Thing {{}}\n", turn % 7);
                fs::write(extra.join("Thing.php"), text).expect("a file");
            }
            4 => toggle(&self.path("lib/up"), &|path| symlink("..", path).expect("a link")),
            5 => toggle(&self.path("lib/Itself.php"), &|path| symlink("Itself.php", path).expect("a link")),
            6 => toggle(&self.path("lib/Endless.php"), &|path| symlink("/dev/zero", path).expect("a link")),
            7 => toggle(&self.path("lib/Pipe.php"), &|path| mkfifo(path, Mode::S_IRUSR).expect("a pipe")),
            8 => {
                let broken = [
                    "<?php class A { '",
                    "<?php /* class B",
                    "<?php $x = <<<END\nclass C {}",
                    "<?php #[A('",
                    "\0\u{fe}<?php ?>",
                ];
                fs::write(self.path("lib/broken.php"), broken[rng.usize(..broken.len())]).expect("a file");
            }
            9 => fs::write(self.path("lib/deep.php"), format!("<?php\n$x = {};", "[".repeat(50_000))).expect("a file"),
            10 => {
                // Half of it, as of somebody who writes it in place.
                self.write_slowly(&self.path("composer.json"), COMPOSER);
            }
            11 => {
                let installed = self.path("vendor/composer/installed.json");
                if installed.symlink_metadata().is_ok() {
                    fs::remove_dir_all(self.path("vendor")).expect("a folder");
                } else {
                    fs::create_dir_all(self.path("vendor/composer")).expect("a folder");
                    mkfifo(&installed, Mode::S_IRUSR).expect("a pipe");
                }
            }
            _ if turn % 500 == 12 => {
                // As long as none that is read; holes take no disk.
                let huge = fs::File::create(self.path("lib/huge.php")).expect("a file");
                huge.set_len(300 << 20).expect("a long file");
            }
            _ => drop(fs::remove_file(self.path("lib/huge.php"))),
        }
    }

    /// Whoever reads it meanwhile sees nothing, or half of it.
    fn write_slowly(&self, path: &Path, text: &str) {
        let mut file = fs::File::create(path).expect("a file");
        for part in text.as_bytes().chunks(text.len() / 2 + 1) {
            file.write_all(part).expect("a part");
            file.flush().expect("a part");
            sleep(Duration::from_millis(1));
        }
    }

    /// Another call at the same time; whatever becomes of it, the map that it writes is whole, or as it was.
    fn call(&self, number: usize, rng: &mut fastrand::Rng) {
        let before = fs::read(self.other()).ok();
        let make = || Call::new(["classmap", "--partial", "-o"]).within(LIMIT);
        match number % 3 {
            0 => {
                let running = make().args([self.other().as_path(), self.folder.path()]).start();
                sleep(Duration::from_millis(rng.u64(..120)));
                // It may be done already.
                let _ = nix::sys::signal::kill(running.pid(), nix::sys::signal::Signal::SIGTERM);
                running.wait();
            }
            1 => {
                let disk = tempfile::tempdir().expect("a folder");
                let call = make().args([disk.path().join("map.php").as_path(), self.folder.path()]);
                let call = call.env("DISK", disk.path()).through(["unshare", "--mount"]);
                let done = call.through_shell(ON_A_FULL_DISK).run();
                assert_ne!(done.code, Some(0), "{done}");
                assert!(done.stderr.trim_end().ends_with("there: other"), "{done}");
            }
            _ => {
                // 0: as it would be now; 2: what it was made of, or the map, cannot be read; 5: no class is left; 8: otherwise.
                let done = self.check(&self.other());
                assert!(matches!(done.code, Some(0 | 2 | 5 | 8)), "{done}");
            }
        }
        let after = fs::read(self.other()).ok();
        let is_whole = |map: &Vec<u8>| map.starts_with(b"<?php") && map.trim_ascii_end().ends_with(END);
        assert!(after == before || after.as_ref().is_some_and(is_whole), "{:?}", after.map(String::from_utf8));
    }

    /// As it was at first.
    fn put_in_order(&self) {
        for name in ["lib", "vendor"] {
            let _ = fs::remove_dir_all(self.path(name));
        }
        fs::create_dir(self.path("lib")).expect("a folder");
        fs::write(self.path("composer.json"), COMPOSER).expect("a file");
        (0..CLASSES).for_each(|number| fs::write(self.class(number), App::text(number, 0)).expect("a file"));
    }

    /// Files whose names begin with a dot, at the places where maps are.
    fn hidden(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name());
        names.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with('.')).collect()
    }
}

/// How each map ends.
const END: &[u8] = b"::register();";
