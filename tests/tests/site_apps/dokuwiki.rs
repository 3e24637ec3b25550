//! DokuWiki with `preset = "dokuwiki"` and its validator, by PHP-FPM alone.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use unladen_tests::{Answer, Chromium, Site, Subject, wait};

use crate::visitor::{Visitor, between};
use crate::{printed, refused};

/// DokuWiki, which hands no session to readers, behind a site that runs its scripts and sends its files.
struct Wiki {
    subject: Subject,
    site: Site,
}

impl Wiki {
    fn up() -> Self {
        let subject = Subject::up_with("dokuwiki", &[("UNLADEN_WORKERS", "3")]);
        let state = subject.get("STATE").to_owned();
        let preload = Path::new(&state).join("wiki/inc/preload.php");
        let before = fs::read_to_string(&preload).expect("the subject has one");
        fs::write(&preload, format!("{before}\n{}", printed("php dokuwiki"))).expect("it can be written");
        // The opcode cache keeps no file that is younger than two seconds.
        let file = fs::File::options().write(true).open(&preload).expect("a file");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("its time");
        let site = Site::start(&format!(
            "root = \"{state}/wiki\"
             php = \"{state}/fpm.sock\"
             preset = \"dokuwiki\"
             database = \"file:{state}/data\""
        ));
        let wiki = Self { subject, site };
        // PHP looks every other second whether a file has changed.
        wait::until_ok("no session is handed out", || {
            let answer = wiki.anonymous().read("/doku.php/of:bread");
            if answer.fields.iter().any(|(name, _)| name == "set-cookie") { Err(format!("{answer:?}")) } else { Ok(()) }
        });
        wiki
    }

    fn address(&self) -> SocketAddr {
        self.site.address()
    }

    fn folder(&self) -> PathBuf {
        Path::new(self.subject.get("STATE")).join("wiki")
    }

    fn anonymous(&self) -> Visitor {
        Visitor::anonymous(self.address())
    }

    /// One of its users, logged in by the form.
    #[track_caller]
    fn user(&self, name: &str) -> Visitor {
        let mut visitor = self.anonymous();
        let form = visitor.read("/doku.php/of:bread?do=login").text();
        let token = between(&form, "name=\"sectok\" value=\"", "\"");
        let password = self.subject.get(&format!("{}_PASSWORD", name.to_uppercase()));
        let fields = [("sectok", token), ("id", "of:bread"), ("do", "login"), ("u", name), ("p", password)];
        let done = visitor.post("/doku.php/of:bread?do=login", &fields);
        assert!(visitor.has_cookie("DW"), "{done:?}");
        visitor
    }

    /// Saves a page by the form, and waits until DokuWiki has answered.
    #[track_caller]
    fn save(visitor: &mut Visitor, page: &str, text: &str) {
        let form = visitor.read(&format!("/doku.php/{page}?do=edit")).text();
        let of = |name: &str| {
            let field = form.split("<input ").find(|field| field.contains(&format!("name=\"{name}\"")));
            field.map(|field| between(field, "value=\"", "\"").to_owned()).unwrap_or_default()
        };
        let (token, changed, date) = (of("sectok"), of("changecheck"), of("date"));
        let fields = [
            ("sectok", token.as_str()),
            ("id", page),
            ("rev", "0"),
            ("date", date.as_str()),
            ("prefix", "."),
            ("suffix", ""),
            ("changecheck", changed.as_str()),
            ("target", "section"),
            ("wikitext", text),
            ("summary", "a change"),
            ("do[save]", "Save"),
        ];
        let done = visitor.post(&format!("/doku.php/{page}?do=edit"), &fields);
        assert!(matches!(done.status, 200 | 302 | 303), "{done:?}");
    }
}

/// Who reads, as the page says; none: nobody that is known.
fn for_whom(answer: &Answer) -> Option<&'static str> {
    let text = answer.text();
    ["Anna of the wiki", "Bert of the wiki"].into_iter().find(|name| text.contains(name))
}

#[test]
fn nobody_gets_the_page_of_somebody_else_and_changes_are_seen_at_once() {
    let wiki = Wiki::up();
    let mut anna = wiki.user("anna");
    Wiki::save(&mut anna, "of:bread", "The loaf number 1.");
    wait::until_ok("the page is kept", || {
        let answer = wiki.anonymous().read("/doku.php/of:bread");
        if answer.cache() == "hit; detail=validated" { Ok(()) } else { Err(answer.cache().to_owned()) }
    });
    // What was saved before a request began is in its answer, and who it is for.
    let saved = AtomicU64::new(1);
    std::thread::scope(|scope| {
        let (wiki, saved) = (&wiki, &saved);
        let writer = scope.spawn(move || {
            for number in 2..8 {
                Wiki::save(&mut anna, "of:bread", &format!("The loaf number {number}."));
                saved.store(number, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(number * 97 % 500));
            }
        });
        for (name, shown) in
            [("", None), ("", None), ("anna", Some("Anna of the wiki")), ("bert", Some("Bert of the wiki"))]
        {
            scope.spawn(move || {
                let mut visitor = if name.is_empty() { wiki.anonymous() } else { wiki.user(name) };
                for _ in 0..40 {
                    let least = saved.load(Ordering::SeqCst);
                    let answer = visitor.read("/doku.php/of:bread");
                    let text = answer.text();
                    // DokuWiki empties a page's file before it writes it: who asks meanwhile may get an empty page.
                    if !text.contains("The loaf number ") {
                        continue;
                    }
                    let number: u64 = between(&text, "The loaf number ", ".").parse().expect("a number");
                    assert!(
                        number >= least,
                        "{number} is shown to {name:?}, and {least} was saved: {}",
                        answer.cache()
                    );
                    assert_eq!(for_whom(&answer), shown, "{answer:?}");
                }
                let private = visitor.get("/doku.php/private:cellar").text().contains("Mondays");
                assert_eq!(private, !name.is_empty(), "{name:?}");
            });
        }
        writer.join().expect("the writer ends well");
    });
    wiki.site.stop();
}

#[test]
fn a_user_edits_searches_and_logs_out_in_a_browser() {
    let wiki = Wiki::up();
    let url = |path: &str| format!("http://{}{path}", wiki.address());
    let (writer, reader) = (Chromium::start(), Chromium::start());
    writer.load(&url("/doku.php/of:salt?do=login"));
    writer.evaluate(&format!(
        "document.querySelector('#dw__login [name=u]').value = 'bert';
         document.querySelector('#dw__login [name=p]').value = {:?};
         document.querySelector('#dw__login [type=submit]').click()",
        wiki.subject.get("BERT_PASSWORD")
    ));
    writer.wait_for("document.body.innerText.includes('Bert of the wiki')");
    reader.load(&url("/doku.php/of:salt"));
    assert!(reader.text("document.body.innerText").contains("neither much nor little"));
    writer.load(&url("/doku.php/of:salt?do=edit"));
    writer.wait_for("document.querySelector('#wiki__text')");
    writer.evaluate(
        "document.querySelector('#wiki__text').value = 'Salt comes from the sea.';
         document.querySelector('#edbtn__save').click()",
    );
    writer.wait_for(
        "!location.search.includes('do=edit') && document.body.innerText.includes('Salt comes from the sea.')",
    );
    reader.load(&url("/doku.php/of:salt"));
    let text = reader.text("document.body.innerText");
    assert!(text.contains("Salt comes from the sea.") && !text.contains("Bert of the wiki"), "{text}");
    // A page is found when its reader's browser has had DokuWiki look at it, which happens beside the page.
    reader.load(&url("/doku.php/of:rivers"));
    wait::until_ok("it is found", || {
        reader.load(&url("/doku.php/of:bread?do=search&q=rivers"));
        let text = reader.text("document.body.innerText").to_lowercase();
        if text.contains("of rivers") || text.contains("of:rivers") { Ok(()) } else { Err(text) }
    });
    writer.evaluate("[...document.querySelectorAll('a')].find(link => link.href.includes('do=logout')).click()");
    writer.wait_for("![...document.querySelectorAll('a')].some(link => link.href.includes('do=logout'))");
    writer.load(&url("/doku.php/private:cellar"));
    assert!(!writer.text("document.body.innerText").contains("Mondays"));
    // Styles and scripts came through the site too.
    let mut problems = reader.take_problems();
    problems.retain(|problem| !problem.contains("favicon"));
    assert_eq!(problems, [""; 0]);
    wiki.site.stop();
}

#[test]
fn pages_settings_and_programs_are_not_sent_as_files() {
    let wiki = Wiki::up();
    let (address, host) = (wiki.address(), wiki.address().to_string());
    for (folder, file) in [("data/pages", "secret.txt"), ("conf", "users.auth.php"), (".git", "config")] {
        fs::create_dir_all(wiki.folder().join(folder)).unwrap();
        fs::write(wiki.folder().join(folder).join(file), "<?php // [core] a secret").unwrap();
    }
    refused::by_the_site(
        address,
        &host,
        &[
            "/data/pages/secret.txt",
            "/%64ata/pages/secret.txt",
            "//data/pages/secret.txt",
            "/lib/../data/pages/secret.txt",
            "/conf/users.auth.php",
            "/inc/init.php",
            "/bin/dwpage.php",
            "/vendor/autoload.php",
            "/.git/config",
        ],
    );
    refused::everywhere(address, &host, &["a secret"]);
    let icon = wiki.anonymous().read("/lib/tpl/dokuwiki/images/favicon.ico");
    assert_eq!(icon.body, fs::read(wiki.folder().join("lib/tpl/dokuwiki/images/favicon.ico")).unwrap());
    assert!(
        wiki.anonymous()
            .read("/lib/exe/css.php")
            .field("content-type")
            .is_some_and(|kind| kind.starts_with("text/css"))
    );
    // A page below a script, and the start page without a path.
    assert!(wiki.anonymous().read("/doku.php/of:maps").text().contains("What is to be said of"));
    assert_eq!(wiki.anonymous().read("/").field("content-type").map(|kind| &kind[..9]), Some("text/html"));
    wiki.site.stop();
}
