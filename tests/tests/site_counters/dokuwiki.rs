//! DokuWiki with the lines of docs/concepts/caching.md: what its own functions save is seen by the request after it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use unladen_tests::{Answer, Site, Subject, Wire, wait};

use crate::doc;
use crate::servers::done;

/// DokuWiki, which hands no session to readers, behind `unladen serve`.
struct Wiki {
    subject: Subject,
    site: Site,
}

impl Wiki {
    fn up() -> Self {
        let subject = Subject::up("dokuwiki");
        let preload = Path::new(subject.get("STATE")).join("wiki/inc/preload.php");
        let before = std::fs::read_to_string(&preload).expect("the subject has one");
        std::fs::write(&preload, format!("{before}\n{}", doc::block("php", "dokuwiki"))).expect("it can be written");
        // The opcode cache keeps no file that is younger than two seconds.
        let file = std::fs::File::options().write(true).open(&preload).expect("a file");
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("its time");
        hands_out_no_session(&subject);
        // It is there from the first page that is saved on.
        save(&subject, "of:first", "as it is set up");
        let lines = doc::block("toml", "dokuwiki")
            .lines()
            .filter(|line| !line.starts_with("[[site]]") && !line.starts_with("listen"));
        let changes = Path::new(subject.get("STATE")).join("data/meta/_dokuwiki.changes");
        let lines: Vec<String> = lines
            .map(|line| match line.split_once(" = ") {
                Some(("upstream", _)) => format!("upstream = \"{}\"", subject.get("SITE")),
                Some(("file", _)) => format!("file = \"{}\"", changes.display()),
                _ => line.to_owned(),
            })
            .collect();
        let site = Site::start(&lines.join("\n"));
        Self { subject, site }
    }

    /// As a reader without a cookie.
    #[track_caller]
    fn get(&self, page: &str) -> Answer {
        let host = self.subject.get("SITE").trim_start_matches("http://");
        self.site.wire().ask(format!("GET /doku.php/{page} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
    }

    fn save(&self, page: &str, text: &str) {
        save(&self.subject, page, text);
    }
}

/// Waits until readers are handed no session: PHP looks every other second whether a file has changed.
fn hands_out_no_session(subject: &Subject) {
    let host = subject.get("SITE").trim_start_matches("http://");
    wait::until_ok("no session is handed out", || {
        let get = format!("GET /doku.php/of:bread HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let answer = Wire::tcp(host.parse().expect("its address")).ask(get);
        let has_cookie = answer.fields.iter().any(|(name, _)| name == "set-cookie");
        if has_cookie { Err(format!("{answer:?}")) } else { Ok(()) }
    });
}

/// By DokuWiki's own program, as its web server's user.
fn save(subject: &Subject, page: &str, text: &str) {
    let program: PathBuf = Path::new(subject.get("STATE")).join("wiki/bin/dwpage.php");
    let file = tempfile::NamedTempFile::new().expect("a file for temporary use");
    std::fs::write(file.path(), text).expect("a file of our own");
    done(Command::new("chmod").arg("644").arg(file.path()));
    let mut commit = Command::new("setpriv");
    commit.args(["--reuid", "www-data", "--regid", "www-data", "--clear-groups", "--", "php"]).arg(program);
    done(commit.args(["commit", "-m", "a change"]).arg(file.path()).arg(page).current_dir("/"));
}

/// DokuWiki itself takes a page that it rendered within the second of another page's coming for current.
fn another_second() {
    std::thread::sleep(Duration::from_millis(1001));
}

#[test]
fn what_dokuwiki_saves_is_seen_by_the_printed_validator() {
    let wiki = Wiki::up();
    let kept = |page: &str, status: u16| {
        let first = wiki.get(page);
        assert_eq!(first.status, status, "{first:?}");
        let again = wiki.get(page);
        let said = (first.cache().to_owned(), again.cache().to_owned());
        assert!(again.status == status && said.1 == "hit; detail=validated", "{page}: {said:?}");
        again.text()
    };
    let bread = kept("of:bread", 200);
    assert!(bread.contains("neither much nor little"), "{bread}");
    for text in ["saved once", "saved twice", "saved again"] {
        wiki.save("of:bread", text);
        let answer = wiki.get("of:bread").is_asked(200);
        assert!(answer.text().contains(text), "{text}");
        assert!(kept("of:bread", 200).contains(text));
    }
    // A page that a link leads to, which was not there: the link is another then.
    wiki.save("of:salt", "See [[of:later]].");
    assert!(kept("of:salt", 200).contains("wikilink2"));
    another_second();
    wiki.save("of:later", "now there is");
    assert!(wiki.get("of:salt").is_asked(200).text().contains("wikilink1"));
    // What is gone, and what is not for readers.
    assert!(kept("of:later", 200).contains("now there is"));
    wiki.save("of:later", "");
    assert!(!wiki.get("of:later").is_asked(200).text().contains("now there is"));
    for _ in 0..2 {
        let private = wiki.get("private:cellar");
        assert!(!private.text().contains("Mondays"), "{private:?}");
    }
    // A form comes with a session, which is its reader's alone.
    for _ in 0..2 {
        let form = wiki.get("of:bread?do=login").is_asked(200);
        let sets_cookie = form.fields.iter().any(|(name, _)| name == "set-cookie");
        assert!(sets_cookie && form.cache().contains("fwd-status=200"), "{form:?}");
    }
    wiki.site.stop();
}
