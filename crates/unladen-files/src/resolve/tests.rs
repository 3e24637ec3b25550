mod hostile;
mod links;

use std::fs;
use std::path::Path;

use super::*;
use crate::script_names::ScriptNames;

/// A root with files, in a folder with a secret beside it.
pub(super) struct Tree {
    _folder: tempfile::TempDir,
    root: Root,
}

impl Tree {
    pub(super) fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(folder.path().join("secret"), "SECRET").unwrap();
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("SOURCE of {file}")).unwrap();
        }
        Self { root: Root::open(&root).unwrap(), _folder: folder }
    }

    pub(super) fn with_links(self, folders: &[&Path]) -> Self {
        Self { root: self.root.with_links(folders.iter().copied()).unwrap(), ..self }
    }

    pub(super) fn path(&self) -> &Path {
        self.root.path()
    }

    /// In short: `file PATH`, `script NAME PATH_INFO`, `redirect PATH`, or a status.
    pub(super) fn get(&self, target: &[u8], rules: &Rules) -> String {
        let path = match RequestPath::parse(target) {
            Ok(path) => path,
            Err(_) => return "400".to_owned(),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self.root.resolve(&path, rules, Instant::now()) {
            Resolved::File(file) => format!("file {}", text(&file.path)),
            Resolved::Script(script) => {
                let whole = script.root.join(text(&script.name).trim_start_matches('/'));
                let folder = whole.parent().unwrap();
                let real = folder.canonicalize().unwrap_or(folder.to_owned());
                assert_eq!(script.filename, real.join(whole.file_name().unwrap()), "no link to a folder is in it");
                format!("script {} {}", text(&script.name), text(&script.path_info)).trim_end().to_owned()
            }
            Resolved::Redirect(path) => format!("redirect {}", text(&path)),
            Resolved::NotFound => "404".to_owned(),
            Resolved::Status(status) => status.to_string(),
            Resolved::Refused(refusal) => refusal.status().to_string(),
        }
    }
}

pub(super) fn files_alone() -> Rules {
    Rules::default()
}

/// As of a front controller.
pub(super) fn front_controller() -> Rules {
    Rules {
        index: vec!["index.php".to_owned(), "index.html".to_owned()],
        tries: vec![Try::Path(String::new()), Try::Folder, Try::Fixed("/index.php".to_owned())],
        scripts: ScriptNames::new([".php".to_owned()]),
        hidden: false,
        ..Rules::default()
    }
}

#[test]
fn files_and_folders() {
    let tree = Tree::new(&["index.html", "a/index.html", "a/b.css", "empty/x/y", "a b/c.txt", "evil.com/x"]);
    for (target, wanted) in [
        ("/", "file index.html"),
        ("/index.html", "file index.html"),
        ("/a/b.css?v=1", "file a/b.css"),
        ("/a", "redirect /a/"),
        ("/a?x=y", "redirect /a/"),
        ("/a/", "file a/index.html"),
        ("//a//b.css", "file a/b.css"),
        ("/a%20b", "redirect /a%20b/"),
        ("/a%20b/c.txt", "file a b/c.txt"),
        ("/a/b.css/", "404"),
        ("/a/b.css/x", "404"),
        ("/empty/", "404"),
        ("/nothing", "404"),
        ("/nothing/", "404"),
        // No other host.
        ("//evil.com", "redirect /evil.com/"),
        ("///evil.com", "redirect /evil.com/"),
    ] {
        assert_eq!(tree.get(target.as_bytes(), &files_alone()), wanted, "{target}");
    }
    assert_eq!(tree.get(&[b"/".as_slice(), &[b'a'; 5000]].concat(), &files_alone()), "404");
}

#[test]
fn a_front_controller_answers_what_is_no_file() {
    let tree =
        Tree::new(&["index.php", "wp-login.php", "wp-admin/index.php", "wp-admin/a.js", "docs/index.html", "x/y"]);
    for (target, wanted) in [
        ("/", "script /index.php"),
        ("/hello-world", "script /index.php"),
        ("/2026/11/hello/", "script /index.php"),
        ("/wp-login.php?action=logout", "script /wp-login.php"),
        ("/wp-admin", "redirect /wp-admin/"),
        ("/wp-admin/", "script /wp-admin/index.php"),
        ("/wp-admin/a.js", "file wp-admin/a.js"),
        ("/docs/", "file docs/index.html"),
        ("/x/", "script /index.php"),
        ("/no.php", "script /index.php"),
        ("/index.php/2026/hello", "script /index.php /2026/hello"),
        ("/index.php/", "script /index.php /"),
        ("/wp-login.php/index.php/x", "script /wp-login.php /index.php/x"),
        ("/index.php/a%2Fb", "script /index.php /a/b"),
        ("/index.php/.hidden", "script /index.php /.hidden"),
        ("/wiki/AC%2FDC", "script /index.php"),
        ("/wiki/.NET", "script /index.php"),
        ("/M%FCnchen", "script /index.php"),
    ] {
        assert_eq!(tree.get(target.as_bytes(), &front_controller()), wanted, "{target}");
    }
}

#[test]
fn a_script_is_a_regular_file_itself() {
    let tree = Tree::new(&["index.php", "uploads/a.jpg", "folder.php/b.php"]);
    let mut rules = front_controller();
    rules.tries.pop();
    for (target, wanted) in [
        ("/uploads/a.jpg/x.php", "404"),
        ("/uploads/a.jpg/.php", "404"),
        ("/uploads/a.jpg%00.php", "400"),
        ("/uploads/a.jpg%20.php", "404"),
        ("/nothing.php/x", "404"),
        ("/folder.php/b.php", "script /folder.php/b.php"),
        ("/folder.php/b.php/c", "script /folder.php/b.php /c"),
        ("/folder.php", "redirect /folder.php/"),
    ] {
        assert_eq!(tree.get(target.as_bytes(), &rules), wanted, "{target}");
    }
}

#[test]
fn places_are_tried_in_their_order() {
    let tree = Tree::new(&["about.html", "a/index.html", "a.html", "fallback/page.html"]);
    let mut rules = files_alone();
    rules.tries = vec![
        Try::Path(String::new()),
        Try::Path(".html".to_owned()),
        Try::Folder,
        Try::Fixed("/fallback/page.html".to_owned()),
    ];
    for (target, wanted) in [
        ("/about", "file about.html"),
        ("/a", "file a.html"),
        ("/a/", "file a/index.html"),
        ("/nothing", "file fallback/page.html"),
        ("/.env", "file fallback/page.html"),
    ] {
        assert_eq!(tree.get(target.as_bytes(), &rules), wanted, "{target}");
    }
    rules.tries = vec![Try::Path(String::new()), Try::Status(410)];
    assert_eq!(tree.get(b"/nothing", &rules), "410");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let tree = Tree::new(&[]);
    let pipe = tree.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(tree.path().join("socket")).unwrap();
    assert_eq!(tree.get(b"/pipe", &files_alone()), "404");
    assert_eq!(tree.get(b"/socket", &files_alone()), "404");
}

#[test]
fn precompressed_forms_that_are_not_older() {
    use unladen_cache::{Accepted, Coding};
    let tree = Tree::new(&["a.css", "a.css.br", "a.css.gz"]);
    let form = |header: &[u8]| {
        let path = RequestPath::parse(b"/a.css").unwrap();
        let Resolved::File(file) = tree.root.resolve(&path, &files_alone(), Instant::now()) else { panic!() };
        let found = tree.root.precompressed(&file, Accepted::of(Some(header)), &files_alone(), Instant::now());
        found.map(|(coding, _)| coding)
    };
    let older = |name: &str| {
        let file = fs::File::options().write(true).open(tree.path().join(name)).unwrap();
        let times = rustix::fs::Timestamps {
            last_access: rustix::fs::Timespec { tv_sec: 5, tv_nsec: 0 },
            last_modification: rustix::fs::Timespec { tv_sec: 5, tv_nsec: 0 },
        };
        rustix::fs::futimens(&file, &times).unwrap();
    };
    older("a.css");
    assert_eq!(form(b"gzip, deflate, br, zstd"), Some(Coding::Brotli));
    assert_eq!(form(b"gzip"), Some(Coding::Gzip));
    assert_eq!(form(b"br;q=0.5, gzip"), Some(Coding::Gzip));
    assert_eq!(form(b"br;q=0, gzip;q=0"), None);
    assert_eq!(form(b"zstd"), None);
    assert_eq!(form(b""), None);
    older("a.css.br");
    assert_eq!(form(b"br, gzip"), Some(Coding::Brotli), "as old as the file itself");
    fs::write(tree.path().join("a.css"), "new").unwrap();
    assert_eq!(form(b"br"), None);
}

#[test]
fn a_root_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for name in ["nothing", "file"] {
        let error = Root::open(&folder.path().join(name)).unwrap_err().to_string();
        assert!(error.contains("has to be a folder"), "{error}");
    }
}

#[test]
fn what_this_process_may_not_read_is_named_in_the_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree = Tree::new(&["a/secret.txt", "a/run.php", "closed/x.txt", "entered/x.txt"]);
    let set = |name: &str, mode| fs::set_permissions(tree.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    set("", 0o755);
    set("a/secret.txt", 0o000);
    set("a/run.php", 0o000);
    set("closed", 0o000);
    set("entered", 0o311);
    // Whoever runs the tests may read all; this thread may not.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            nix::unistd::setfsuid(nix::unistd::Uid::from_raw(65534));
            assert_eq!(tree.get(b"/a/secret.txt", &files_alone()), "403");
            assert_eq!(tree.get(b"/closed/x.txt", &files_alone()), "403");
            // It is FastCGI's program that reads it.
            assert_eq!(tree.get(b"/a/run.php", &front_controller()), "script /a/run.php");
            assert_eq!(tree.get(b"/entered", &files_alone()), "redirect /entered/");
            let path = RequestPath::parse(b"/a/secret.txt").unwrap();
            let Resolved::Refused(refusal) = tree.root.resolve(&path, &files_alone(), Instant::now()) else { panic!() };
            let text = refusal.to_string();
            assert!(text.contains("a/secret.txt") && text.contains("may not read it"), "{text}");
        });
    });
    for name in ["closed", "entered"] {
        set(name, 0o755);
    }
}

/// Plugins put an index script of a few bytes into folders of downloads, whose archives were then refused.
#[test]
fn an_index_of_a_few_bytes_made_a_folder_of_downloads_an_applications() {
    let site = Tree::new(&["up/theme.zip", "app/theme.zip", "theme.zip", "index.php"]);
    std::fs::write(site.path().join("up/index.php"), "<?php // Silence is golden.").unwrap();
    std::fs::write(site.path().join("app/index.php"), format!("<?php // {}", "x".repeat(200))).unwrap();
    let rules = front_controller();
    assert_eq!(site.get(b"/up/theme.zip", &rules), "file up/theme.zip");
    assert_eq!(site.get(b"/app/theme.zip", &rules), "404");
    assert_eq!(site.get(b"/theme.zip", &rules), "404", "in the root, each script counts");
}
