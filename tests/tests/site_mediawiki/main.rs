//! MediaWiki behind `unladen serve`, as `docs/guides/mediawiki.md` has it: what is kept for anonymous readers, what
//! never is, and that what is kept is purged when it changes, before whoever changed it is answered.
//!
//! Long: an application is set up, and people edit it in a browser.

mod browser;
mod load;
mod wiki;

use std::process::Command;

use unladen_tests::site::{app, page};
use unladen_tests::{Server, Site, Wire};

use wiki::{TLS, Visitor, WIKI, at, host, is_hit, maintenance, reader};

#[test]
fn what_anonymous_readers_share() {
    let mut editor = Visitor::editor();
    editor.edit("Shared", "[[Elsewhere]]", "");
    // What, its status, and whether the second one who asks gets what the first one got.
    let asked = [
        ("/index.php/Shared", 200, true),
        ("/index.php?title=Shared&action=history", 200, true),
        ("/index.php/Nowhere", 404, true),
        ("/index.php/shared", 301, true),
        ("/", 301, true),
        ("/load.php?lang=en&modules=startup&only=scripts&raw=1&skin=vector", 200, true),
        ("/load.php?lang=en&modules=skins.vector.styles.legacy&only=styles&skin=vector", 200, true),
        ("/api.php?action=query&meta=siteinfo&format=json&smaxage=60&maxage=60", 200, true),
        ("/resources/assets/poweredby_mediawiki_88x31.png", 200, true),
        // MediaWiki would have them kept for an hour, but never purges them.
        ("/index.php?title=Shared", 200, false),
        ("/index.php?title=Shared&oldid=1", 200, false),
        ("/index.php/Special:RecentChanges", 200, false),
        // It asks to be asked.
        ("/index.php?title=Shared&action=raw", 200, false),
        ("/index.php?title=Shared&action=edit", 200, false),
        ("/index.php/Special:Random", 302, false),
        ("/index.php/Special:UserLogin", 200, false),
        ("/api.php?action=query&meta=userinfo&format=json", 200, false),
    ];
    let mut hits = 0;
    for (path, status, is_kept) in asked {
        let first = Visitor::anonymous().get(path).is(status);
        for _ in 0..3 {
            let again = Visitor::anonymous().get(path).is(status);
            let said = |answer: &unladen_tests::Answer| answer.field("cache-status").unwrap().to_owned();
            assert_eq!(is_hit(&again), is_kept, "{path}: {}, then {}", said(&first), said(&again));
            if is_kept {
                assert_eq!(first.body, again.body, "{path}");
                hits += 1;
            }
        }
    }
    assert_eq!(hits, 27);
}

#[test]
fn what_sets_a_cookie_is_for_one_alone() {
    let mut sessions = Vec::new();
    for _ in 0..4 {
        let answer = Visitor::anonymous().read("/index.php/Special:UserLogin");
        assert!(!is_hit(&answer), "{answer:?}");
        sessions.push(answer.field("set-cookie").expect("a session").to_owned());
    }
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 4);
    // Whoever has such a session is somebody, although MediaWiki does not know who.
    let mut visitor = Visitor::anonymous();
    visitor.read("/index.php/Special:UserLogin");
    let answer = visitor.get(&at("Main_Page")).is(200);
    assert!(!is_hit(&answer), "{answer:?}");
    assert_eq!(answer.field("cache-control"), Some("private, must-revalidate, max-age=0"));
}

#[test]
fn pages_of_users_and_those_of_others_do_not_meet() {
    let mut editor = Visitor::editor();
    let mut anonymous = Visitor::anonymous();
    for round in 0..3 {
        // In either order: who comes first gets a page made for them.
        let page = format!("Met_{round}");
        editor.edit(&page, "Here.", "");
        if round == 1 {
            assert!(!is_hit(&anonymous.read(&at(&page))));
        }
        for _ in 0..2 {
            let own = editor.read(&at(&page));
            assert_eq!((reader(&own).as_deref(), is_hit(&own)), (Some(WIKI.get("ACCOUNT")), false));
        }
        // Although what the editor got is not kept, what the others get is, and at once.
        anonymous.read(&at(&page));
        let shared = anonymous.read(&at(&page));
        assert_eq!((reader(&shared), is_hit(&shared)), (None, true), "{:?}", shared.field("cache-status"));
    }
}

/// As many as there are on the web, which say nothing of who reads.
#[test]
fn cookies_of_others_split_nothing() {
    Visitor::editor().edit("Counted", "Here.", "");
    Visitor::anonymous().read(&at("Counted"));
    for cookies in ["_ga=GA1.1.5; theme=dark", "_ga=GA1.1.6", "my_wik=1", "x=my_wiki_session=1"] {
        let mut visitor = Visitor::anonymous();
        visitor.more = format!("Cookie: {cookies}\r\n");
        let answer = visitor.read(&at("Counted"));
        assert_eq!((reader(&answer), is_hit(&answer)), (None, true), "{cookies}");
    }
    for cookies in ["my_wiki_session=12345678901234567890123456789012", "_ga=1; my_wikiToken=1", "UseCDNCache=false"] {
        let mut visitor = Visitor::anonymous();
        visitor.more = format!("Cookie: {cookies}\r\n");
        assert!(!is_hit(&visitor.read(&at("Counted"))), "{cookies}");
    }
}

/// By a cookie that splits nothing, nobody chooses what others get.
#[test]
fn cookies_that_split_nothing_change_nothing() {
    let app = app(|request| {
        let lines = "Cache-Control: s-maxage=60\r\nVary: Cookie\r\n";
        page(lines, request.field("cookie").unwrap_or("none"))
    });
    let site = Site::of(&app, "[site.cache]\nvary_cookies = [\"session*\"]");
    assert_eq!(site.get_with("/", "Cookie: theme=<script>; user=eve\r\n").is_asked(200).text(), "none");
    assert_eq!(site.get_with("/", "Cookie: theme=dark\r\n").is_hit(200).text(), "none");
    assert_eq!(site.get_with("/", "Cookie: theme=<script>; session=1\r\n").is_asked(200).text(), "session=1");
    assert_eq!(site.get_with("/", "Cookie: session=1\r\n").is_hit(200).text(), "session=1");
    assert_eq!(site.get("/").is_hit(200).text(), "none");
    site.stop();
}

#[test]
fn a_page_that_was_not_there() {
    let mut anonymous = Visitor::anonymous();
    let page = at("Made_later");
    anonymous.get(&page).is(404);
    assert!(is_hit(&anonymous.get(&page).is(404)));
    Visitor::editor().edit("Made_later", "It is there.", "");
    let answer = anonymous.read(&page);
    assert!(answer.text().contains("It is there.") && !is_hit(&answer));
    assert!(is_hit(&anonymous.read(&page)));
}

#[test]
fn pages_that_are_moved_and_deleted() {
    let mut editor = Visitor::editor();
    let mut anonymous = Visitor::anonymous();
    editor.edit("Movable", "It moves.", "");
    editor.edit("Doomed", "It goes.", "");
    let before = [("Movable", 200), ("Moved", 404), ("Doomed", 200)];
    for (page, status) in before {
        anonymous.get(&at(page)).is(status);
        assert!(is_hit(&anonymous.get(&at(page)).is(status)), "{page}");
    }
    maintenance("moveBatch.php", &[], "Movable|Moved\n", "");
    maintenance("deleteBatch.php", &[], "Doomed\n", "");
    for (page, status) in [("Movable", 200), ("Moved", 200), ("Doomed", 404)] {
        let answer = anonymous.get(&at(page)).is(status);
        assert!(!is_hit(&answer), "{page}");
        assert_eq!(answer.text().contains("It moves."), status == 200, "{page}");
    }
    // What a redirect shows is another page, with which it is not purged: it is not kept.
    assert!(!is_hit(&anonymous.read(&at("Movable"))));
    assert!(is_hit(&anonymous.read(&at("Moved"))));
}

/// What else changes, as pages with this one as a template, changes when MediaWiki's jobs have run: by a script, they
/// purge the addresses that readers use.
#[test]
fn what_jobs_purge() {
    let mut editor = Visitor::editor();
    let mut anonymous = Visitor::anonymous();
    editor.edit("Template:Told", "told-1", "");
    editor.edit("Telling", "{{Told}}", "");
    let told = |anonymous: &mut Visitor| {
        let answer = anonymous.read(&at("Telling"));
        (wiki::newest(&answer, "told-"), is_hit(&answer))
    };
    assert_eq!([told(&mut anonymous), told(&mut anonymous)], [(Some(1), false), (Some(1), true)]);
    // Of pages that changed in the second in which the template does, MediaWiki thinks that they have it already.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    editor.edit("Template:Told", "told-2", "");
    // MediaWiki makes jobs once it has answered.
    let runs = (1..=20).find(|_| {
        maintenance("runJobs.php", &[], "", "");
        let (revision, is_hit) = told(&mut anonymous);
        assert_eq!(is_hit, revision == Some(1), "{revision:?}");
        revision == Some(2)
    });
    assert!(runs.is_some());
    assert_eq!(told(&mut anonymous), (Some(2), true));
}

/// The request that MediaWiki sends, as it is on the wire, has its page forgotten before it is answered.
#[test]
fn the_purge_that_mediawiki_sends() {
    let mut anonymous = Visitor::anonymous();
    let page = at("Purged");
    Visitor::editor().edit("Purged", "Here.", "");
    let cache = Server::good();
    let settings = format!("$wgCdnServers = [ '{}' ];", cache.url("").strip_prefix("http://").unwrap());
    maintenance("purgeList.php", &[], &format!("{}{page}\n", WIKI.get("SITE")), &settings);
    let received = cache.received();
    let [purge] = &received[..] else { panic!("{received:?}") };
    assert_eq!(purge.line, format!("PURGE {}{page} HTTP/1.1", WIKI.get("SITE")));
    assert_eq!((purge.header("host"), &purge.body[..]), (Some(host()), &b""[..]));
    let mut bytes = format!("{}\r\n", purge.line);
    purge.headers.iter().for_each(|(name, value)| bytes += &format!("{name}: {value}\r\n"));
    // Twice on one connection, which it keeps.
    let mut wire = Wire::tcp(host().parse().unwrap());
    for _ in 0..2 {
        anonymous.read(&page);
        assert!(is_hit(&anonymous.read(&page)));
        assert_eq!(wire.ask(format!("{bytes}\r\n")).is(200).text(), "1 purged\n");
        assert!(!is_hit(&anonymous.read(&page)));
        assert_eq!(wire.ask(format!("{bytes}x-purge: soft\r\n\r\n")).is(200).text(), "1 purged\n");
        let answer = anonymous.read(&page);
        assert_eq!(answer.field("cache-status").map(|status| status.contains("fwd=stale")), Some(true), "{answer:?}");
    }
    assert_eq!(wire.ask(format!("{}\r\n", bytes.replace("Purged", "Not_there"))).is(200).text(), "0 purged\n");
}

#[test]
fn a_purge_from_elsewhere_is_refused() {
    let mut anonymous = Visitor::anonymous();
    let page = at("Not_purged");
    Visitor::editor().edit("Not_purged", "Here.", "");
    anonymous.read(&page);
    let url = format!("{}{page}", WIKI.get("SITE"));
    // Who says to ask for one who may is not believed.
    for more in ["X-A: b", "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "X-Real-IP: 127.0.0.1"] {
        let from_elsewhere = ["-s", "--interface", "127.0.0.2", "-X", "PURGE", "-H", more, "-w", "%{http_code}"];
        let done = Command::new("curl").args(from_elsewhere).args(["-o", "/dev/null", &url]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&done.stdout), "403", "{more}");
        assert!(is_hit(&anonymous.read(&page)), "{more}");
    }
}

/// Those who read are sent on to HTTPS; a purge is done where it comes.
#[test]
fn a_purge_to_the_address_of_plain_http() {
    let (site, plain) = (TLS.get("SITE"), TLS.get("PLAIN"));
    let page = at("Main_Page");
    let curl = |args: &[&str]| {
        let format = "%{http_code} %{redirect_url} %header{cache-status}";
        let done = Command::new("curl").args(["-sk", "-o", "/dev/null", "-w", format]).args(args).output().unwrap();
        String::from_utf8(done.stdout).unwrap()
    };
    let is_hit = || curl(&[&format!("{site}{page}")]).starts_with("200  unladen; hit");
    assert_eq!(curl(&[&format!("{plain}{page}")]), format!("301 {site}{page} "));
    is_hit();
    assert!(is_hit());
    // As MediaWiki sends it: to a proxy, for the page as it is by plain HTTP.
    let purged = format!("{}{page}", site.replace("https://", "http://"));
    let from_elsewhere = curl(&["--interface", "127.0.0.2", "-X", "PURGE", "-x", plain, &purged]);
    assert!(from_elsewhere.starts_with("403") && is_hit(), "{from_elsewhere}");
    let done = curl(&["-X", "PURGE", "-x", plain, &purged]);
    assert!(done.starts_with("200") && !is_hit() && is_hit(), "{done}");
}

/// MediaWiki knows who asks: it believes the site, and the site believes nobody.
#[test]
fn the_address_of_a_client() {
    let url = format!("{}/api.php?action=query&meta=userinfo&format=json", WIKI.get("SITE"));
    for more in ["X-A: b", "X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: 192.0.2.7, 127.0.0.1"] {
        let done = Command::new("curl").args(["-s", "--interface", "127.0.0.3", "-H", more, &url]).output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(said["query"]["userinfo"]["name"], "127.0.0.3", "{more}: {said}");
    }
}
