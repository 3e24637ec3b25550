//! The same in real browsers: one logs in and edits, another one only reads.

use unladen_tests::Chromium;

use crate::wiki::{Visitor, WIKI, at};

/// For whom a page is, as it says by its script and in its menu; and its text.
fn shown(page: &Chromium) -> (String, String) {
    let name = page.text("String(mw.config.get('wgUserName'))");
    let menu = page.text("(document.querySelector('#pt-userpage') || { innerText: 'null' }).innerText.trim()");
    assert_eq!(name, menu);
    (name, page.text("document.querySelector('.mw-parser-output').innerText.trim()"))
}

/// Where the page that was loaded last came from.
#[track_caller]
fn status(page: &Chromium) -> String {
    let pages = page.take_pages();
    let (_, fields) = pages.last().expect("a page was loaded");
    fields.get("cache-status").unwrap_or_else(|| panic!("{fields:?}")).clone()
}

#[test]
fn a_user_edits_and_another_reads() {
    let front = WIKI.get("FRONT");
    let url = format!("{front}{}", at("Read_by_all"));
    let account = WIKI.get("ACCOUNT");
    Visitor::editor().edit("Read_by_all", "The first text.", "");

    let reader = Chromium::start();
    let load = |text: &str, is_hit: bool| {
        reader.load(&url);
        assert_eq!(shown(&reader), ("null".to_owned(), text.to_owned()));
        let status = status(&reader);
        assert_eq!(status.starts_with("unladen; hit"), is_hit, "{status}");
    };
    load("The first text.", false);
    load("The first text.", true);

    let editor = Chromium::start();
    editor.load(&format!("{front}/index.php?title=Special:UserLogin"));
    editor.evaluate(&format!(
        "document.querySelector('#wpName1').value = {account:?};
        document.querySelector('#wpPassword1').value = {:?};
        document.querySelector('#wpRemember').checked = true;
        document.querySelector('#wpLoginAttempt').click()",
        WIKI.get("PASSWORD"),
    ));
    editor.wait_for("!location.href.includes('UserLogin') && document.querySelector('#pt-userpage')");
    editor.load(&url);
    assert_eq!(shown(&editor), (account.to_owned(), "The first text.".to_owned()));
    assert!(!status(&editor).contains("hit"));
    load("The first text.", true);

    editor.load(&format!("{front}/index.php?title=Read_by_all&action=edit"));
    editor.evaluate(
        "document.querySelector('#wpTextbox1').value = 'The second text.';
        document.querySelector('#wpSave').click()",
    );
    editor.wait_for("!location.href.includes('action=') && document.querySelector('.mw-parser-output')");
    assert_eq!(shown(&editor), (account.to_owned(), "The second text.".to_owned()));
    // At once, and again from memory.
    load("The second text.", false);
    load("The second text.", true);

    // Whoever has logged out is nobody again.
    editor.load(&format!("{front}/index.php?title=Special:UserLogout"));
    editor.evaluate(
        "document.querySelector('#mw-content-text form button, #mw-content-text form input[type=submit]').click()",
    );
    editor.wait_for("document.querySelector('#pt-login') && !document.querySelector('#pt-userpage')");
    editor.load(&url);
    assert_eq!(shown(&editor), ("null".to_owned(), "The second text.".to_owned()));
    load("The second text.", true);
    // Nothing went wrong on the way: scripts and styles came through the front too.
    for page in [&reader, &editor] {
        let mut problems = page.take_problems();
        // This wiki has none, which the browser asks for by itself.
        problems.retain(|problem| !problem.contains("/favicon.ico"));
        assert_eq!(problems, [""; 0]);
        assert!(page.asked().iter().any(|url| url.contains("/load.php?")), "{:?}", page.asked());
    }
}
