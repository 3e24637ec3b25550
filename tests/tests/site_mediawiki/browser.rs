//! The same in real browsers: one logs in and edits, another one only reads.

use unladen_tests::{Chromium, Subject};

use crate::wiki::{TLS, WIKI, at};

/// A browser at a wiki.
struct Browser<'w> {
    page: Chromium,
    wiki: &'w Subject,
}

impl<'w> Browser<'w> {
    fn start(wiki: &'w Subject) -> Self {
        // Nobody knows the certificate of the subject.
        Self { page: Chromium::start_with("--ignore-certificate-errors"), wiki }
    }

    #[track_caller]
    fn load(&self, path: &str) {
        self.page.load(&self.wiki.at("SITE", path));
    }

    /// Loads a page of the wiki: for whom it is, as it says by its script and in its menu; its text; and whether it
    /// came from memory.
    #[track_caller]
    fn read(&self, page: &str) -> (String, String, bool) {
        self.page.take_pages();
        self.load(&at(page));
        let pages = self.page.take_pages();
        let [(200 | 304, fields)] = &pages[..] else { panic!("{pages:?}") };
        let status = fields.get("cache-status").unwrap_or_else(|| panic!("{fields:?}"));
        let (who, text) = self.shown();
        (who, text, status.starts_with("unladen; hit"))
    }

    #[track_caller]
    fn shown(&self) -> (String, String) {
        let name = self.page.text("String(mw.config.get('wgUserName'))");
        let menu = self.page.text("(document.querySelector('#pt-userpage') || { innerText: 'null' }).innerText.trim()");
        assert_eq!(name, menu);
        (name, self.page.text("document.querySelector('.mw-parser-output').innerText.trim()"))
    }

    fn log_in(&self) {
        self.load("/index.php?title=Special:UserLogin");
        self.page.evaluate(&format!(
            "document.querySelector('#wpName1').value = {:?};
            document.querySelector('#wpPassword1').value = {:?};
            document.querySelector('#wpRemember').checked = true;
            document.querySelector('#wpLoginAttempt').click()",
            self.wiki.get("ACCOUNT"),
            self.wiki.get("PASSWORD"),
        ));
        self.page.wait_for("!location.href.includes('UserLogin') && document.querySelector('#pt-userpage')");
    }

    fn log_out(&self) {
        self.load("/index.php?title=Special:UserLogout");
        self.page.evaluate("document.querySelector('#mw-content-text form [type=submit]').click()");
        self.page.wait_for("document.querySelector('#pt-login') && !document.querySelector('#pt-userpage')");
    }

    /// Saves a page, and waits until it is shown.
    fn edit(&self, page: &str, text: &str) {
        self.load(&format!("/index.php?title={page}&action=edit"));
        self.page.evaluate(&format!(
            "document.querySelector('#wpTextbox1').value = {text:?};
            document.querySelector('#wpSave').click()"
        ));
        self.page.wait_for("!location.href.includes('action=') && document.querySelector('.mw-parser-output')");
        self.page.wait_for("document.readyState === 'complete'");
        assert_eq!(self.shown(), (self.wiki.get("ACCOUNT").to_owned(), text.to_owned()));
    }

    /// Nothing went wrong on the way: scripts and styles came through the site too.
    fn end(self) {
        let mut problems = self.page.take_problems();
        // This wiki has no icon, which the browser asks for by itself; and MediaWiki warns of what it uses itself.
        problems.retain(|problem| {
            !problem.contains("/favicon.ico") && !problem.contains("deprecated ResourceLoader module")
        });
        assert_eq!(problems, [""; 0]);
        let asked = self.page.asked();
        assert!(asked.iter().any(|url| url.contains("/load.php?")), "{asked:?}");
    }
}

#[test]
fn a_user_edits_and_another_reads() {
    edits_and_reads(&WIKI);
}

#[test]
fn a_user_edits_and_another_reads_by_https() {
    edits_and_reads(&TLS);
}

fn edits_and_reads(wiki: &Subject) {
    const PAGE: &str = "Read_by_all";
    let (first, second) = ("The first text.", "The second text.");
    let own = |text: &str| (wiki.get("ACCOUNT").to_owned(), text.to_owned(), false);
    let shared = |text: &str, is_hit: bool| ("null".to_owned(), text.to_owned(), is_hit);
    let (editor, reader) = (Browser::start(wiki), Browser::start(wiki));

    editor.log_in();
    editor.edit(PAGE, first);
    assert_eq!(reader.read(PAGE), shared(first, false));
    assert_eq!(reader.read(PAGE), shared(first, true));
    assert_eq!(editor.read(PAGE), own(first));
    assert_eq!(reader.read(PAGE), shared(first, true));

    editor.edit(PAGE, second);
    // At once, and then from memory.
    assert_eq!(reader.read(PAGE), shared(second, false));
    assert_eq!(reader.read(PAGE), shared(second, true));
    assert_eq!(editor.read(PAGE), own(second));

    // Whoever has logged out is nobody again.
    editor.log_out();
    let (who, text, _) = editor.read(PAGE);
    assert_eq!((who.as_str(), text.as_str()), ("null", second));
    assert_eq!(reader.read(PAGE), shared(second, true));
    editor.end();
    reader.end();
}
