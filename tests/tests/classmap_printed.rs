//! The line that `unladen classmap` prints, put in as it is printed: in a DokuWiki and a WordPress as Debian packages
//! them.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use unladen_tests::{Call, Done, Subject, free_port, wait};

/// Where to put a line, and the line.
struct Printed {
    file: PathBuf,
    code: String,
}

/// `  in FILE, how: CODE`.
fn printed(done: &Done) -> Printed {
    let line = done
        .stdout
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("in /") && line.contains("unladen-classmap.php"));
    let line = line.unwrap_or_else(|| panic!("no line to put in\n{done}"));
    let (file, rest) = line.strip_prefix("in ").unwrap().split_once(", ").unwrap();
    let (_, code) = rest.split_once(": ").unwrap();
    Printed { file: file.into(), code: code.to_owned() }
}

impl Printed {
    /// As somebody does who reads it: into the file, behind its `<?php`, or into a new one.
    fn put_in(&self) {
        let there = fs::read_to_string(&self.file).unwrap_or_default();
        let text = match there.split_once("<?php") {
            Some((before, after)) => format!("{before}<?php\n{}\n{after}", self.code),
            None if self.code.starts_with("<?php") => format!("{}\n", self.code),
            None => format!("<?php\n{}\n", self.code),
        };
        fs::create_dir_all(self.file.parent().unwrap()).unwrap();
        fs::write(&self.file, text).unwrap();
        let checked = Command::new("php").arg("-l").arg(&self.file).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    }
}

/// Copies a tree with what its links lead to: what is tested changes nothing of the package.
fn copied(from: &str, to: &Path) {
    assert!(Path::new(from).is_dir(), "{from} is not there: scripts/test installs it");
    let done = Command::new("cp").args(["-rL", from]).arg(to).status().unwrap();
    assert!(done.success());
}

/// PHP's own server of a folder.
struct Php {
    child: Child,
    port: u16,
}

impl Php {
    fn serve(root: &Path, append: &Path) -> Self {
        let port = free_port();
        let child = Command::new("php")
            .args(["-d", "display_errors=0", "-d"])
            .arg(format!("auto_append_file={}", append.display()))
            .arg("-S")
            .arg(format!("127.0.0.1:{port}"))
            .arg("-t")
            .arg(root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It ends with this, also if it never listens.
        let php = Self { child, port };
        wait::until_ok("php -S listens", || TcpStream::connect(("127.0.0.1", port)));
        php
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Php {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Says at the end of a page whether the map's loader is there, and how many files were loaded by it.
const TELLING: &str = "<?php $maps = array_filter(get_declared_classes(), fn($c) => str_starts_with($c, 'UnladenClassmap_'));\n\
    echo '<!-- maps: ', count($maps), ' -->';\n";

struct Wiki {
    folder: tempfile::TempDir,
}

impl Wiki {
    /// DokuWiki with settings and data of its own.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copied("/usr/share/dokuwiki", &folder.path().join("wiki"));
        copied("/etc/dokuwiki", &folder.path().join("conf"));
        let wiki = Self { folder };
        let data = wiki.path("data");
        for below in
            ["pages", "attic", "media", "media_attic", "meta", "media_meta", "cache", "index", "locks", "tmp", "log"]
        {
            fs::create_dir_all(data.join(below)).unwrap();
        }
        fs::write(data.join("pages/start.txt"), "====== Hello ======\nA page.\n").unwrap();
        let local = format!(
            "<?php\n$conf['savedir'] = '{}';\n$conf['useacl'] = 0;\n$conf['title'] = 'A wiki';\n",
            data.display()
        );
        fs::write(wiki.path("conf/local.php"), local).unwrap();
        let preload =
            format!("<?php\nif (!defined('DOKU_CONF')) define('DOKU_CONF', '{}/');\n", wiki.path("conf").display());
        fs::write(
            wiki.path("wiki/inc/preload.php"),
            format!("{preload}if (!defined('DOKU_MAIN_CONF')) define('DOKU_MAIN_CONF', DOKU_CONF);\n"),
        )
        .unwrap();
        fs::write(wiki.path("tell.php"), TELLING).unwrap();
        wiki
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn page(&self) -> String {
        Php::serve(&self.path("wiki"), &self.path("tell.php")).get("/doku.php?id=start")
    }
}

/// It printed `require __DIR__ …` for a file in another folder: HTTP 500.
#[test]
fn the_line_for_dokuwiki_works_as_it_is_printed() {
    let wiki = Wiki::new();
    let before = wiki.page();
    assert!(before.starts_with("HTTP/1.0 200") && before.contains("Hello") && before.contains("maps: 0"), "{before}");
    for more in [&[][..], &["--all-extensions"]] {
        let done =
            Call::new(["classmap"]).args(more).args([wiki.path("wiki")]).run().succeeded().shows(["switch it on"]);
        let line = printed(&done);
        assert_eq!(line.file, wiki.path("wiki/inc/preload.php"));
        let preload = fs::read_to_string(&line.file).unwrap();
        line.put_in();
        let after = wiki.page();
        assert!(after.starts_with("HTTP/1.0 200") && after.contains("Hello") && after.contains("maps: 1"), "{after}");
        fs::write(&line.file, preload).unwrap();
    }
    // How it was made is remembered.
    Call::new(["classmap", "--check"]).args([wiki.path("wiki")]).run().succeeded();
}

/// On the whole site, with its database: a plugin's class is found by the map alone, and the site goes on answering.
#[test]
fn the_file_for_wordpress_works_on_a_real_site() {
    let subject = Subject::up("wordpress");
    let root = PathBuf::from(subject.get("STATE")).join("wp");
    vendor_at(&root.join("wp-content/plugins/shop/vendor"));
    let done = Call::new(["classmap", "--all-extensions"]).args([&root]).run().succeeded();
    let line = printed(&done);
    assert_eq!(line.file, root.join("wp-content/mu-plugins/unladen.php"));
    line.put_in();
    let tell = "<?php add_action('wp_footer', function () { echo 'says ', class_exists('Till') ? Till::SAYS : 'nothing'; });\n";
    fs::write(root.join("wp-content/mu-plugins/zz-tell.php"), tell).unwrap();
    let page = |asked: &str| {
        let got = Command::new("curl").args(["-sS", "-i", asked]).output().unwrap();
        String::from_utf8_lossy(&got.stdout).into_owned()
    };
    let with = page(subject.url());
    assert!(with.starts_with("HTTP/1.1 200") && with.contains("says till"), "{with}");
    // Taking it away restores the old state: nobody else knows the class.
    fs::remove_file(&line.file).unwrap();
    let without = page(subject.url());
    assert!(without.starts_with("HTTP/1.1 200") && without.contains("says nothing"), "{without}");
}

/// A plugin's loader as Composer dumps it, with one class.
fn vendor_at(vendor: &Path) {
    fs::create_dir_all(vendor.join("composer")).unwrap();
    for (name, text) in [
        ("autoload.php", "<?php"),
        ("Till.php", "<?php class Till { const SAYS = 'till'; }"),
        ("composer/autoload_real.php", "<?php"),
        ("composer/autoload_classmap.php", "<?php return array('Till' => dirname(__DIR__) . '/Till.php');"),
        ("composer/autoload_psr4.php", "<?php return array();"),
        ("composer/autoload_namespaces.php", "<?php return array();"),
    ] {
        fs::write(vendor.join(name), text).unwrap();
    }
}

/// Its plugins are where its settings have them; without them nothing would be in the map.
#[test]
fn the_file_for_debians_wordpress_works_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |below: &str| folder.path().join(below);
    copied("/usr/share/wordpress", &path("blog"));
    let config = format!("<?php\ndefine('WP_CONTENT_DIR', '{}');\n", path("content").display());
    fs::write(path("config-default.php"), config).unwrap();
    let call = |more: &[&str]| {
        Call::new(["classmap", "--settings"]).args([path("config-default.php")]).args(more).args([path("blog")]).run()
    };
    call(&["--all-extensions"]).ended_with(5).says(["no class of", "nothing was written"]).shows_nothing();
    assert!(!path("blog/unladen-classmap.php").exists());

    vendor_at(&path("content/plugins/shop/vendor"));
    call(&[]).ended_with(5).says(["--all-extensions also reads extensions that may not be enabled"]);
    let done = call(&["--all-extensions"]).succeeded();
    let line = printed(&done);
    assert_eq!(line.file, path("content/mu-plugins/unladen.php"));
    line.put_in();
    // As WordPress does: the file is loaded, and what it hooks runs once all plugins are.
    let code = format!(
        "function add_action($hook, $what, $priority) {{ $hook === 'plugins_loaded' && $priority === PHP_INT_MIN ? $what() : exit(3); }} \
         require '{}'; echo Till::SAYS;",
        line.file.display()
    );
    let ran = Command::new("php").args(["-r", &code]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "till", "{}", String::from_utf8_lossy(&ran.stderr));
    // Nothing has to be said again to check it; nothing said otherwise goes unsaid.
    Call::new(["classmap", "--check"]).args([path("blog")]).run().succeeded().says_nothing();
}
