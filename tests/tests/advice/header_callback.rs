//! `cacheable`'s lines for any PHP, where the application's own doings come between.

use std::fs;
use std::path::PathBuf;

use unladen_tests::advice::{Fix, Ground, curl};
use unladen_tests::{Ability, Subject, skip_without};

use crate::{fixes, weigh};

/// What applications do at their beginning, and what comes of the lines then.
const DOINGS: [(&str, bool); 4] = [
    ("", true),
    // MediaWiki does: PHP has one callback, and the later one stays.
    ("header_register_callback(function () { header('X-Own: 1'); });", true),
    ("while (ob_get_level() > 0) { ob_end_clean(); }", true),
    (
        "header_register_callback(function () { header('X-Own: 1'); }); while (ob_get_level() > 0) { ob_end_clean(); }",
        false,
    ),
];

/// The page, its program, and that as it is.
struct Page {
    ground: Ground,
    file: PathBuf,
    text: String,
}

impl Page {
    fn begins_with(&self, code: &str) {
        fs::write(&self.file, self.text.replacen("<?php", &format!("<?php {code}"), 1)).unwrap();
        self.ground.run("systemctl restart php-fpm").unwrap();
    }

    fn head(&self, more: &[&str]) -> String {
        curl(more.iter().copied().chain([self.ground.subject().url()])).0
    }
}

/// The lines registered a callback for headers. An application that registers its own took it away, and nothing was
/// said of it.
#[test]
fn the_applications_own_callback_for_headers_took_the_place_of_the_printed_one() {
    // PHP's settings are read of the processes that answer.
    if skip_without(Ability::Tracing, "the application's own callback for headers") {
        return;
    }
    let ground = Ground::of(|| Subject::up("pledges"));
    // A page of two milliseconds and more, on any machine.
    ground.subject().run(["fault", "recompile", "on"]);
    let more = ["--no-cookies"];
    let found = (0..5).find_map(|_| {
        let document = weigh(&ground, ground.subject().url(), &more).ok()?;
        fixes(&document).into_iter().find(|fix: &Fix| fix.rule == "cacheable")
    });
    let fix = found.expect("a page that is the same each time");
    assert_eq!(fix.by_hand(&ground), None, "{fix:?}");
    let _applied = fix.apply(&ground).unwrap();
    let file = PathBuf::from(ground.subject().get("STATE")).join("app/web/pledge.php");
    let log = PathBuf::from(ground.subject().get("STATE")).join("log/php.log");
    let page = Page { text: fs::read_to_string(&file).unwrap(), file, ground };
    for (code, is_said) in DOINGS {
        page.begins_with(code);
        let head = page.head(&[]);
        let says = head.contains("Cache-Control: public, max-age=0, s-maxage=60") && head.contains("Vary: Cookie");
        let is_told =
            || fs::read_to_string(&log).unwrap().contains("unladen-cache.php: the application sent its headers early");
        assert!(says || !is_said, "{code}: {head}");
        // Nothing says it, and that is told; or it could be said at the end all the same.
        assert!(says || is_told(), "{code}: {head}");
        for header in ["Cookie: a=b", "Authorization: Basic eDp5"] {
            let head = page.head(&["-H", header]);
            assert!(!head.contains("s-maxage"), "{code}: {header}: {head}");
        }
    }
}
