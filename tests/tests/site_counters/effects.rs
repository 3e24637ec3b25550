//! GETs that do something are the application's, whatever a validator for all pages says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use unladen_tests::Site;
use unladen_tests::site::{app, page};

/// A validator for all pages, of a file that stays as it is.
const ALL: &str = "[[site.validator]]\npath = \"/{page*}\"\nfile = \"DIR/version\"";

fn site(app: &str, settings: &str) -> Site {
    let site = Site::start(&format!("upstream = \"{app}\"\n{settings}\n{ALL}"));
    let file = std::fs::File::create(site.path("version")).expect("a file of our own");
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 1);
    file.set_modified(long_ago).expect("its time can be set");
    site
}

#[test]
fn a_get_that_does_something_is_never_answered_by_the_validator_of_all_pages() {
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    let app = app(move |_| page("", &format!("number {}", count.fetch_add(1, Ordering::SeqCst))));
    let site = site(&app.url(), "effects = [\"export\", \"/shop/cart*\"]\nno_effects = [\"doku.php\"]");
    for path in ["/", "/a/page", "/index.php", "/index.php/page?a=b", "/doku.php/start", "/shop/carrots"] {
        let first = site.get(path).is_asked(200).text();
        assert_eq!(site.get(path).is_hit(200).text(), first, "{path}");
    }
    for path in [
        "/wp-cron.php?doing_wp_cron=1",
        "/wp-cron.php",
        "/wp-cr%6Fn.php",
        "/wp-admin/admin-ajax.php?action=x",
        "/wp%2Dadmin/",
        "/blog/xmlrpc.php",
        "/user/logout",
        "/Logout;a=b",
        "/a/export",
        "/shop/cart?add=1",
        "/shop/cart/empty",
        "/lib/exe/taskrunner.php?id=start",
        "/doku.php/login",
    ] {
        for _ in 0..3 {
            let before = done.load(Ordering::SeqCst);
            let answer = site.get(path).is_asked(200);
            assert_eq!(answer.text(), format!("number {before}"), "{path}: {answer:?}");
        }
    }
    site.stop();
}
