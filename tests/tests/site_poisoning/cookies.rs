//! Pages that say `public` to browsers, and are written for who is logged in, or has left a comment.

use unladen_tests::site::{app, page};
use unladen_tests::{Site, Upstream};

/// As WordPress shows a comment that is held for moderation to who has left it, by a cookie; and says nothing of that.
fn blog(lines: &'static str) -> Upstream {
    app(move |request| page(lines, request.field("cookie").unwrap_or("stranger")))
}

const COMMENTER: &str = "Cookie: comment_author_email_1=ada@example.org\r\n";

#[test]
fn a_commenters_page_is_not_shown_to_a_stranger_nor_a_strangers_to_a_commenter() {
    for lines in [
        "Cache-Control: public, max-age=60\r\n",
        "Cache-Control: public\r\nETag: \"a\"\r\n",
        "Cache-Control: max-age=60\r\n",
        "Cache-Control: max-age=60, immutable\r\n",
        "Cache-Control: must-revalidate, max-age=60\r\n",
        "Expires: Sat, 06 Nov 2094 08:49:37 GMT\r\n",
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
    ] {
        let app = blog(lines);
        for site in Site::each(&app, "[site.cache]\nignore_cookies = [\"_ga*\"]") {
            for round in 0..2 {
                let own = site.get_with("/", COMMENTER).is_asked(200);
                assert!(own.text().contains("ada@"), "{lines:?}: {own:?}");
                let other = site.get_with("/", "Cookie: comment_author_email_1=bob@example.org\r\n").is_asked(200);
                assert!(other.text().contains("bob@"), "{lines:?}: {other:?}");
                let stranger = site.get("/").is(200);
                assert_eq!(stranger.text(), "stranger", "{lines:?}");
                assert_eq!(
                    stranger.cache().starts_with("hit"),
                    round == 1 && !lines.contains("ETag"),
                    "{lines:?}: {stranger:?}"
                );
                assert_eq!(site.get_with("/", "Cookie: _ga=1\r\n").is(200).text(), "stranger", "{lines:?}");
            }
            site.stop();
        }
    }
}

#[test]
fn what_is_said_to_shared_caches_is_shared_with_cookies() {
    for lines in ["Cache-Control: s-maxage=60\r\n", "Cache-Control: max-age=0\r\nCDN-Cache-Control: max-age=60\r\n"] {
        let app = app(move |_| page(lines, "for all"));
        for site in Site::each(&app, "") {
            site.get_with("/", COMMENTER).is_asked(200);
            site.get_with("/", "Cookie: other=1\r\n").is_hit(200);
            site.get("/").is_hit(200);
            site.stop();
        }
    }
    let app = blog("Cache-Control: max-age=60\r\nVary: Cookie\r\n");
    for site in Site::each(&app, "") {
        for _ in 0..2 {
            assert!(site.get_with("/", COMMENTER).is(200).text().contains("ada@"));
            assert_eq!(site.get("/").is(200).text(), "stranger");
        }
        site.get_with("/", COMMENTER).is_hit(200);
        site.stop();
    }
}

#[test]
fn whoever_opens_it_has_public_pages_shared() {
    let app = app(|_| page("Cache-Control: public, max-age=60\r\n", "for all"));
    for site in Site::each(&app, "[site.cache]\nshare_with_cookies = true") {
        site.get_with("/", COMMENTER).is_asked(200);
        site.get_with("/", "Cookie: other=1\r\n").is_hit(200);
        site.stop();
    }
}
