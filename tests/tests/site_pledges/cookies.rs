//! Pages of clients with sessions: none ever gets another's.

use std::sync::LazyLock;

use unladen_tests::{Answer, Subject};

use crate::{Site, add_page, asked, cache, get, sign, signed};

static PLEDGES: LazyLock<Subject> = LazyLock::new(|| Subject::up("pledges"));

/// The worst that can be said of pages: they never change. What is stored of one client would be given to all.
fn site() -> Site {
    let socket = PLEDGES.get("DATABASE_SOCKET");
    let unchanged = ["mine", "session", "varies"].map(|page| {
        format!(
            "[[site.validator]]
             path = \"/{page}.php\"
             database = \"postgres:///{}?host={socket}&user=validator\"
             query = \"select 'unchanged'\"
             timeout = \"5s\"
             ",
            PLEDGES.get("DATABASE")
        )
    });
    Site::of(&PLEDGES, &unchanged.concat(), "timeout = \"5s\"")
}

/// Asks as several clients at once, each many times, on connections of both threads; `check` is given who asked, and
/// the answer.
fn crowd(site: &Site, path: &str, check: impl Fn(&str, &Answer) + Sync) {
    std::thread::scope(|scope| {
        for name in ["ada", "bea", "chidi", "dilys"] {
            let check = &check;
            scope.spawn(move || {
                for _ in 0..15 {
                    let mut wire = site.wire();
                    for _ in 0..10 {
                        let answer = wire.ask(get(path, &format!("Cookie: session={name}\r\n")));
                        assert_eq!(answer.status, 200, "{answer:?}");
                        check(name, &answer);
                    }
                    let nobody = wire.get(path);
                    assert!(!nobody.text().contains("session"), "{nobody:?}");
                }
            });
        }
    });
}

/// A page that looks at a cookie and says nothing of that.
#[test]
fn a_page_that_does_not_say_that_it_is_for_one_is_not_given_to_another() {
    add_page(
        &PLEDGES,
        "mine.php",
        "header('ETag: \"1\"'); header('Cache-Control: max-age=0');
         echo isset($_COOKIE['session']) ? \"session of $_COOKIE[session]\" : 'hello', str_repeat(' ', 2000);",
    );
    let site = site();
    crowd(&site, "/mine.php", |name, answer| {
        assert!(answer.text().starts_with(&format!("session of {name}")), "{name}: {answer:?}");
        assert!(cache(answer).starts_with("fwd=") && cache(answer).ends_with("; detail=cookies"), "{answer:?}");
    });
    site.stop();
}

#[test]
fn a_page_that_varies_by_cookie_is_kept_for_each() {
    add_page(
        &PLEDGES,
        "varies.php",
        "header('Vary: Cookie'); header('ETag: \"' . md5($_COOKIE['session'] ?? '') . '\"');
         echo isset($_COOKIE['session']) ? \"session of $_COOKIE[session]\" : 'hello';",
    );
    let site = site();
    crowd(&site, "/varies.php", |name, answer| {
        assert!(answer.text().starts_with(&format!("session of {name}")), "{name}: {answer:?}");
    });
    // Each was made once, or a few times where several asked at the same time.
    assert!(asked(&PLEDGES, "/varies.php") < 40, "{}", asked(&PLEDGES, "/varies.php"));
    site.stop();
}

/// PHP's own sessions, with and without what PHP says of them to caches.
#[test]
fn sessions_that_are_begun_are_handed_out_once() {
    for limiter in ["nocache", ""] {
        add_page(
            &PLEDGES,
            "session.php",
            &format!(
                "ini_set('session.cache_limiter', '{limiter}'); session_save_path('{}/work');
                 session_start(); $_SESSION['n'] ??= bin2hex(random_bytes(8)); echo $_SESSION['n'];",
                PLEDGES.get("STATE")
            ),
        );
        // PHP's cache of compiled files looks for changes every two seconds.
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        let site = site();
        let begin = || {
            let answer = site.get("/session.php", "");
            let cookie = answer.field("set-cookie").unwrap_or_else(|| panic!("no session: {answer:?}")).to_owned();
            (cookie.split(';').next().unwrap_or_default().to_owned(), answer.text())
        };
        let sessions: Vec<_> = (0..6).map(|_| begin()).collect();
        let (mut cookies, mut secrets): (Vec<_>, Vec<_>) = sessions.iter().cloned().unzip();
        cookies.sort_unstable();
        cookies.dedup();
        secrets.sort_unstable();
        secrets.dedup();
        assert_eq!((cookies.len(), secrets.len()), (6, 6), "{limiter:?}: {sessions:?}");
        for _ in 0..5 {
            for (cookie, secret) in &sessions {
                let answer = site.get("/session.php", &format!("Cookie: {cookie}\r\n"));
                assert_eq!(answer.text(), *secret, "{limiter:?}: {answer:?}");
            }
        }
        site.stop();
    }
}

/// The pledges' own pages do not look at cookies, and do not say so: whoever has one that matters is answered by the
/// application, and gets what is current.
#[test]
fn a_pledge_for_who_has_a_cookie() {
    let site = site();
    let of = |cookie: &str| site.get("/mend", &format!("Cookie: {cookie}\r\n"));
    let first = site.get("/mend", "");
    assert_eq!(cache(&of("_ga=GA1.2.3; _ga_X=4")), "hit; detail=validated", "a cookie that is ignored");
    let own = of("session=ada; _ga=1");
    assert_eq!(
        (cache(&own), signed(&own.text())),
        ("fwd=bypass; fwd-status=200; detail=cookies", signed(&first.text()))
    );
    sign(&mut site.wire(), "mend", "Gwen");
    for cookie in ["session=ada", "_ga=1"] {
        assert_eq!(signed(&of(cookie).text()), signed(&first.text()) + 1, "{cookie}");
    }
    // What was answered to somebody with a cookie is not what others get.
    assert_eq!(cache(&site.get("/mend", "")), "hit; detail=validated");
    site.stop();
}
