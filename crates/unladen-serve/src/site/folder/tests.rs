use std::collections::HashSet;
use std::fs;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::LocalSet;
use unladen_http1::Request;
use unladen_serve_config::{FilesSettings, FolderSettings, Try};

use super::hot_files::{Contents, Form};
use super::*;

/// A folder with these files, which have not just changed, so that they are kept.
struct Settled {
    root: tempfile::TempDir,
    folder: Folder,
}

impl Settled {
    fn new(files: &[&str], tries: &[settings::Try]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::write(root.path().join(file), format!("this is {file} ").repeat(200)).unwrap();
        }
        let settings = FolderSettings {
            root: root.path().to_owned(),
            index: vec!["index.html".to_owned()],
            tries: tries.to_vec(),
            alias: String::new(),
        };
        let folder = Folder::new(&settings, &[], &FilesSettings::default()).unwrap();
        let settled = Self { root, folder };
        let began = Instant::now();
        while settled.is_settling(files[0]) {
            assert!(began.elapsed() < Duration::from_secs(30), "a file settles");
            std::thread::sleep(Duration::from_millis(50));
        }
        settled
    }

    fn is_settling(&self, file: &str) -> bool {
        let changed = std::fs::metadata(self.root.path().join(file)).unwrap().modified().unwrap();
        changed.elapsed().unwrap_or_default() < Duration::from_millis(2100)
    }

    async fn look(&self, target: &str, accepts: &str) -> Sendable {
        let mut request = Request { method: b"GET".to_vec(), target: target.into(), ..Request::default() };
        request.fields.push(b"accept-encoding", accepts.as_bytes());
        match self.folder.look(&request, true, Instant::now()).await {
            Ok(Looked::File(file)) => file,
            other => panic!("{target}: {other:?}"),
        }
    }

    fn keeps(&self, path: &str) -> bool {
        self.folder.hot.as_ref().unwrap().get(path.as_bytes(), Form::Any).is_some()
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

fn in_memory(file: &Sendable) -> &[u8] {
    match &file.file.contents {
        Contents::Memory(bytes) => bytes,
        Contents::File(_) => panic!("it is kept in memory"),
    }
}

/// Each spelling was kept by itself, compressed by itself, and pushed out what is asked for often.
#[test]
fn spellings_of_a_path_do_not_fill_the_memory() {
    let paths = [settings::Try::Path(String::new()), settings::Try::Folder, settings::Try::Fixed("/all.html".into())];
    let site = Settled::new(&["a.css", "a b.css", "a%20b.css", "all.html", "index.html"], &paths);
    run(async {
        let plain = site.look("/a.css", "gzip").await;
        for target in ["//a.css", "/%61.css", "/a%2ecss", "///%61.c%73s?x", "/a.css?%"] {
            let other = site.look(target, "gzip").await;
            assert_eq!(in_memory(&other).as_ptr(), in_memory(&plain).as_ptr(), "{target} is the file that is kept");
            let path = target.split('?').next().unwrap();
            assert_eq!(site.keeps(path), path == "/a.css", "{target}");
        }
        // What is kept by a decoded path is not another's that is spelt so.
        for _ in 0..2 {
            for (target, text) in [("/a%2520b.css", "this is a%20b.css "), ("/a%20b.css", "this is a b.css ")] {
                assert!(in_memory(&site.look(target, "").await).starts_with(text.as_bytes()), "{target}");
            }
        }
        // Nor is each path kept for which a page for all of them stands.
        let page = site.look("/one", "gzip").await;
        assert_eq!(&*page.file.name, b"/all.html");
        for target in ["/two", "/three/four", "/all.html"] {
            let other = site.look(target, "gzip").await;
            assert_eq!(in_memory(&other).as_ptr(), in_memory(&page).as_ptr(), "{target} is the page that is kept");
            assert_eq!(site.keeps(target), target == "/all.html", "{target}");
        }
        assert!(in_memory(&site.look("/", "").await).starts_with(b"this is index.html"));
        assert!(site.keeps("/"));
    });
}

/// Each of those who asked at once for a file that was not kept yet compressed it.
#[test]
fn a_file_is_not_compressed_by_all_who_ask_at_once() {
    let site = Rc::new(Settled::new(&["a.css"], &[settings::Try::Path(String::new())]));
    // Half of the processors.
    let most = std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2);
    let all = run(LocalSet::new().run_until(async {
        let asked = (0..most + 8).map(|_| {
            let site = site.clone();
            tokio::task::spawn_local(async move { site.look("/a.css", "gzip").await })
        });
        let asked: Vec<_> = asked.collect();
        let mut all = Vec::new();
        for one in asked {
            all.push(one.await.unwrap());
        }
        all
    }));
    assert!(all.iter().all(|file| file.file.coding.is_some()));
    let made: HashSet<*const u8> = all.iter().map(|file| in_memory(file).as_ptr()).collect();
    assert!((1..=most).contains(&made.len()), "{} times for {most} turns", made.len());
}

/// A program is looked for once in a tenth of a second, whoever asks; and paths without end that lead to one are not
/// kept.
#[test]
fn a_program_is_known_for_a_moment_by_its_own_path_alone() {
    let root = tempfile::tempdir().unwrap();
    for file in ["index.php", "a.php"] {
        std::fs::write(root.path().join(file), "<?php").unwrap();
    }
    let tries = [settings::Try::Path(String::new()), settings::Try::Folder, settings::Try::Fixed("/index.php".into())];
    let settings = FolderSettings {
        root: root.path().to_owned(),
        index: vec!["index.php".to_owned()],
        tries: tries.to_vec(),
        alias: String::new(),
    };
    let folder = Folder::new(&settings, &[".php".to_owned()], &FilesSettings::default()).unwrap();
    let now = Instant::now();
    let name = |target: &str, now: Instant| {
        let request = Request { method: b"GET".to_vec(), target: target.into(), ..Request::default() };
        match run(folder.look(&request, true, now)).unwrap() {
            Looked::Script(script) => {
                let info = String::from_utf8(script.path_info.clone()).unwrap();
                format!("{} {info}", std::str::from_utf8(&script.name).unwrap())
            }
            other => format!("{other:?}"),
        }
    };
    let keeps = |path: &str| folder.hot.as_ref().unwrap().get(path.as_bytes(), Form::Any).is_some();
    for (target, found, is_kept) in [
        ("/a.php", "/a.php ", true),
        ("/a.php/info", "/a.php /info", false),
        ("/", "/index.php ", true),
        ("/2026/a-page", "/index.php ", false),
    ] {
        assert_eq!(name(target, now), found, "{target}");
        assert_eq!(keeps(target), is_kept, "{target}");
    }
    std::fs::remove_file(root.path().join("a.php")).unwrap();
    assert_eq!(name("/a.php?b=c", now), "/a.php ", "it was there a moment ago");
    assert_eq!(name("/a.php/info", now), "/index.php ", "it is gone, and nothing of it is known by this path");
    let later = now + Duration::from_millis(200);
    assert_eq!(name("/a.php", later), "/index.php ", "it is looked for again");
    assert_eq!(name("/a.php", now), "/index.php ", "and what was known of it is forgotten");
}

fn told(files: &[(&str, &str)], allow: &[&str]) -> ToldByHtaccess {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let settings = FolderSettings {
        root: folder.path().to_owned(),
        index: vec!["index.html".to_owned()],
        tries: vec![Try::Path(String::new())],
        alias: "/static".to_owned(),
    };
    let files = FilesSettings { allow: allow.iter().map(|&one| one.to_owned()).collect(), ..Default::default() };
    let told = Folder::new(&settings, &[], &files).unwrap().told_by_htaccess();
    let real = fs::canonicalize(folder.path()).unwrap();
    let short = |list: Vec<String>| list.iter().map(|one| one.replace(real.to_str().unwrap(), "DIR")).collect();
    ToldByHtaccess { notes: short(told.notes), doubts: short(told.doubts) }
}

#[test]
fn what_an_htaccess_refuses_is_named_with_what_becomes_of_it() {
    let akismet = "Require all denied\n<FilesMatch \"^a\\.js$\">\nRequire all granted\n</FilesMatch>";
    let seen = told(&[("a/.htaccess", akismet), ("b/.htaccess", "<Files x.tpl>\nDeny from all\n</Files>")], &[]);
    let mut notes = seen.notes;
    notes.sort();
    assert_eq!(
        notes,
        [
            "DIR/a/.htaccess: line 1 refuses its folder, and so does `serve`: 403; one of its sections allows some \
             files, also here",
            "DIR/b/.htaccess: line 2 refuses files that match \"^x\\\\.tpl$\", and so does `serve`: 403",
        ]
    );
    assert_eq!(seen.doubts, [""; 0]);
}

#[test]
fn what_apache_would_answer_otherwise_is_a_doubt() {
    let root = told(&[(".htaccess", "Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8")], &[]);
    assert_eq!(root.notes, [""; 0]);
    assert_eq!(
        root.doubts,
        ["DIR/.htaccess: line 2 lets Apache send its folder only to some clients, but `serve` answers 403 to all; to \
          allow some, use a [[site.route]] with `path = \"/static/\"` and `access`, with `files.allow` for that path"]
    );
    let rewrite = "RewriteEngine on\nRewriteRule ^\\.git - [F]\n<Limit POST>\nDeny from all\n</Limit>\n<If \"true\">";
    let seen = told(&[("x/.htaccess", rewrite)], &[]);
    let lines: Vec<&str> = seen.doubts.iter().filter_map(|doubt| doubt.split(" may refuse").next()).collect();
    assert_eq!(
        lines,
        [
            "DIR/x/.htaccess: line 2, \"RewriteRule ^\\\\.git - [F]\",",
            "DIR/x/.htaccess: line 3, \"<Limit POST>\",",
            "DIR/x/.htaccess: line 6, \"<If \\\"true\\\">\",",
        ]
    );
    assert!(seen.doubts.iter().all(|doubt| doubt.contains(", below \"/static/x/\", with `status = 403`")));
    let open = told(&[("x/.htaccess", "Deny from all")], &["/static/x/*"]);
    assert!(open.doubts.first().is_some_and(|doubt| doubt.contains("`files.allow` allows its folder")), "{open:?}");
}
