//! Pages from memory: the application is asked once, for each language and country.

use std::sync::LazyLock;

use unladen_tests::{Subject, wait};

use crate::{Site, add_page, cache, get, is_asked, sign, signed};

static PLEDGES: LazyLock<Subject> = LazyLock::new(|| Subject::up("pledges"));

/// So that a machine with much to do answers in time.
const PATIENT: &str = "timeout = \"5s\"";

#[test]
fn a_page_is_made_once_and_answered_from_memory_until_it_changes() {
    let site = Site::of(&PLEDGES, "", PATIENT);
    let first = site.get("/library", "");
    assert_eq!((first.status, cache(&first)), (200, "fwd=uri-miss; fwd-status=200; stored"));
    let etag = first.field("etag").expect("an ETag").to_owned();
    let again = site.get("/library", "");
    assert_eq!((again.status, cache(&again), &again.body), (200, "hit; detail=validated", &first.body));
    assert_eq!(again.field("etag"), Some(etag.as_str()));

    // Conditional requests take no application at all.
    let same = site.get("/library", &format!("If-None-Match: \"other\", {etag}\r\n"));
    assert_eq!((same.status, cache(&same), same.body.len()), (304, "hit; detail=validated", 0));
    assert_eq!(same.field("etag"), Some(etag.as_str()));
    let changed = first.field("last-modified").expect("a time").to_owned();
    assert_eq!(site.get("/library", &format!("If-Modified-Since: {changed}\r\n")).status, 304);
    let other = site.get("/library", "If-None-Match: \"other\"\r\n");
    assert_eq!((other.status, cache(&other), &other.body), (200, "hit; detail=validated", &first.body));
    let mut wire = site.wire();
    wire.send("HEAD /library HTTP/1.1\r\nHost: pledges.example\r\n\r\n");
    let head = wire.next(true);
    assert_eq!((head.status, head.field("content-length")), (200, Some(&*first.body.len().to_string())));
    is_asked(&PLEDGES, "/library", 1);
    // nginx says that its answer depends on the codings that a client takes; but it is plain, and coded here.
    wait::until_ok("it is compressed", || {
        let packed = site.get("/library", "Accept-Encoding: gzip\r\n");
        match packed.field("content-encoding") {
            Some("gzip") if cache(&packed) == "hit; detail=validated" && packed.body.len() < first.body.len() / 2 => {
                Ok(())
            }
            _ => Err(format!("{packed:?}")),
        }
    });
    is_asked(&PLEDGES, "/library", 1);

    sign(&mut site.wire(), "library", "Ada");
    let next = site.get("/library", &format!("If-None-Match: {etag}\r\n"));
    assert_eq!((next.status, signed(&next.text())), (200, signed(&first.text()) + 1));
    assert!(next.text().contains("<li>Ada, ") && next.field("etag") != Some(&etag), "{}", next.text());
    assert_eq!(cache(&next), "fwd=stale; fwd-status=200; stored");
    assert_eq!(cache(&site.get("/library", "")), "hit; detail=validated");
    is_asked(&PLEDGES, "/library", 2);
    site.stop();
}

#[test]
fn each_language_has_its_page() {
    let site = Site::of(&PLEDGES, "", PATIENT);
    let shown = |languages: &str| {
        let answer = site.get("/shelter", &format!("Accept-Language: {languages}\r\n"));
        let language = answer.field("content-language").expect("a language").to_owned();
        assert!(answer.text().contains(&format!("<html lang=\"{language}\">")), "{}", answer.text());
        (language, cache(&answer).starts_with("hit"))
    };
    assert_eq!(shown("en"), ("en".to_owned(), false));
    assert_eq!(shown("de"), ("de".to_owned(), false));
    // Whatever browsers say, there are two.
    for (languages, language) in
        [("en-GB,en;q=0.9,de;q=0.5", "en"), ("de-AT, de;q=0.9, en;q=0.1", "de"), ("cy, de;q=0.2", "de")]
    {
        assert_eq!(shown(languages), (language.to_owned(), true), "{languages}");
    }
    // What an application gives to who wants neither is its own matter, and is asked once.
    assert_eq!(shown("cy"), ("en".to_owned(), false));
    assert_eq!(shown("fr, nl;q=0.5"), ("en".to_owned(), true));
    is_asked(&PLEDGES, "/shelter", 3);
    // The other's ETag is for the other.
    let german = site.get("/shelter", "Accept-Language: de\r\n");
    let etag = german.field("etag").expect("an ETag");
    let lines = format!("Accept-Language: en\r\nIf-None-Match: {etag}\r\n");
    assert_eq!(site.get("/shelter", &lines).status, 200);
    site.stop();
}

/// The name under which a pledge is asked for in another way is not a way to have another stored in its place.
#[test]
fn what_else_a_client_says_is_no_other_pledge() {
    let site = Site::of(&PLEDGES, "", PATIENT);
    let own = site.get("/canal", "").text();
    let with = site.get("/canal?ref=tools", "").text();
    assert_eq!(signed(&own), signed(&with));
    assert!(!with.contains("value=\"tools\""), "{with}");
    // Of no pledge, the database has nothing to say.
    let none = site.get("/nosuch", "");
    assert_eq!(none.status, 404);
    site.stop();
}

#[test]
fn a_client_cannot_say_of_which_country_it_is() {
    add_page(
        &PLEDGES,
        "where.php",
        "header('Cache-Control: max-age=60'); header('Vary: X-GeoIP-Country');
         echo 'in ', $_SERVER['HTTP_X_GEOIP_COUNTRY'] ?? 'no country', ' ', bin2hex(random_bytes(8));",
    );
    let site = Site::of(&PLEDGES, "", PATIENT);
    let first = site.get("/where.php", "X-GeoIP-Country: CY\r\n");
    assert!(first.text().starts_with("in no country "), "{}", first.text());
    for lines in
        ["", "X-GeoIP-Country: DE\r\n", "X_GeoIP_Country: DE\r\n", "x-geoip-country: XX\r\nX-GEOIP-COUNTRY: GB\r\n"]
    {
        let again = site.get("/where.php", lines);
        assert_eq!((again.text(), cache(&again).starts_with("hit")), (first.text(), true), "{lines}");
    }
    let again = site.wire().ask(get("/where.php", "Connection: X-GeoIP-Country\r\nX-GeoIP-Country: DE\r\n"));
    assert_eq!(again.text(), first.text());
    site.stop();
}
