use std::sync::Arc;

use http_body_util::Full;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::observability::tests::observability;
use crate::sites::SiteView;
use crate::sites::tests::{Told, told};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Two sites that keep something, and one that does not.
fn sites() -> (Arc<Observability>, [Arc<Told>; 3]) {
    let sites = [told("site", Some(2)), told("shop", Some(5)), told("plain", None)];
    let observability = observability(vec![]);
    observability.set_sites(sites.iter().map(|site| Arc::clone(site) as Arc<dyn SiteView>).collect());
    (observability, sites)
}

fn ask(observability: &Observability, fields: &[(&str, &str)], body: &str) -> Result<u64, (u16, String)> {
    let mut request = Request::builder().method("POST").uri("/purge");
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
    let purged = runtime().block_on(purge(request, observability));
    purged.map(|purged| purged.purged).map_err(|refusal| (refusal.status.as_u16(), refusal.to_string()))
}

const JSON: (&str, &str) = ("content-type", "application/json");

fn page(is_https: Option<bool>, authority: &str, target: &str) -> PageAddress {
    PageAddress { is_https, authority: authority.to_owned(), target: target.to_owned() }
}

#[test]
fn sites_are_told_what_to_forget() {
    let (observability, [site, shop, plain]) = sites();
    let all = json!({ "url": "https://a.example/b?c=https://d/" }).to_string();
    assert_eq!(ask(&observability, &[JSON], &all), Ok(7));
    let tag = json!({ "site": "shop", "tag": "node-7", "soft": true }).to_string();
    assert_eq!(ask(&observability, &[("content-type", "application/json; charset=utf-8")], &tag), Ok(5));
    assert_eq!(ask(&observability, &[JSON], r#"{"site":"shop","all":true,"soft":false}"#), Ok(5));
    let url = Forget { what: What::Url(page(Some(true), "a.example", "/b?c=https://d/")), is_soft: false };
    let tag = Forget { what: What::Tag("node-7".to_owned()), is_soft: true };
    let every = Forget { what: What::All, is_soft: false };
    assert_eq!(*site.told.lock().unwrap(), std::slice::from_ref(&url));
    assert_eq!(*shop.told.lock().unwrap(), [url.clone(), tag, every]);
    assert_eq!(*plain.told.lock().unwrap(), [url]);
}

#[test]
fn what_is_not_understood_is_refused_and_changes_nothing() {
    let (observability, all) = sites();
    for (body, status, words) in [
        ("", 400, "is invalid"),
        ("{}", 400, "one of"),
        (r#"{"all":false}"#, 400, "one of"),
        (r#"{"url":"a/b","tag":"c"}"#, 400, "one of"),
        (r#"{"urls":["a/b"]}"#, 400, "urls"),
        (r#"{"tag":""}"#, 400, "empty"),
        (r#"{"url":"/only/a/path"}"#, 400, "no host"),
        (r#"{"url":"ftp://a/b"}"#, 400, "neither"),
        (r#"{"url":"http://user@a/b"}"#, 400, "user"),
        (r#"{"url":"http://a/b c"}"#, 400, "blanks"),
        (r#"{"prefix":"http:///b"}"#, 400, "no host"),
        (r#"{"all":true} {"#, 400, "is invalid"),
        (r#"{"site":"no such","all":true}"#, 404, "no such"),
        (r#"{"site":"plain","tag":"a"}"#, 404, "stores anything"),
    ] {
        let (found, told) = ask(&observability, &[JSON], body).unwrap_err();
        assert!(found == status && told.contains(words), "{body}: {found} {told}");
    }
    let long = format!(r#"{{"tag":"{}"}}"#, "x".repeat(LARGEST));
    assert_eq!(ask(&observability, &[JSON], &long).unwrap_err().0, 413);
    let plain = all[2].told.lock().unwrap().len();
    assert_eq!((all[0].told.lock().unwrap().len(), all[1].told.lock().unwrap().len(), plain), (0, 0, 1));
}

/// What a browser sends for a page of elsewhere: a form, `fetch` without CORS, and what it asks for first by OPTIONS.
#[test]
fn pages_of_elsewhere_are_refused() {
    let (observability, [site, ..]) = sites();
    let own = ("host", "127.0.0.1:9901");
    let body = r#"{"all":true}"#;
    for (fields, expected) in [
        (vec![own], 415),
        (vec![own, ("content-type", "text/plain")], 415),
        (vec![own, ("content-type", "application/x-www-form-urlencoded")], 415),
        (vec![own, ("content-type", "multipart/form-data; boundary=application/json")], 415),
        (vec![own, ("content-type", "text/plain; application/json")], 415),
        (vec![own, JSON, ("content-type", "text/plain")], 415),
        (vec![own, JSON, ("origin", "https://evil.example")], 403),
        (vec![own, JSON, ("origin", "null")], 403),
        (vec![own, JSON, ("origin", "")], 403),
        // Another program of this machine is elsewhere too.
        (vec![own, JSON, ("origin", "http://127.0.0.1:3000")], 403),
        (vec![own, JSON, ("origin", "http://localhost:9901")], 403),
        (vec![own, JSON, ("origin", "http://127.0.0.1:9901"), ("origin", "http://evil.example")], 403),
        (vec![JSON, ("origin", "http://127.0.0.1:9901")], 403),
        (vec![own, JSON, ("sec-fetch-site", "cross-site")], 403),
        (vec![own, JSON, ("sec-fetch-site", "same-site")], 403),
    ] {
        assert_eq!(ask(&observability, &fields, body).unwrap_err().0, expected, "{fields:?}");
    }
    assert!(site.told.lock().unwrap().is_empty());
    for fields in [
        vec![JSON],
        vec![own, JSON, ("origin", "http://127.0.0.1:9901"), ("sec-fetch-site", "same-origin")],
        vec![own, JSON, ("sec-fetch-site", "none")],
    ] {
        assert_eq!(ask(&observability, &fields, body), Ok(7), "{fields:?}");
    }
}

#[test]
fn where_a_page_is() {
    for (url, expected) in [
        ("https://a.example/b", page(Some(true), "a.example", "/b")),
        ("HTTP://A.example:8080/b?c#d", page(Some(false), "A.example:8080", "/b?c")),
        ("//a/b", page(None, "a", "/b")),
        ("a/b", page(None, "a", "/b")),
        ("a", page(None, "a", "/")),
        ("https://a?b", page(Some(true), "a", "/?b")),
        ("https://[::1]:8443//b/../%2e", page(Some(true), "[::1]:8443", "//b/../%2e")),
        ("a/b?u=https://c/d", page(None, "a", "/b?u=https://c/d")),
    ] {
        assert_eq!(PageAddress::read(url), Ok(expected), "{url}");
    }
}

proptest! {
    #[test]
    fn whatever_is_sent_is_read_or_refused(text in "\\PC*", url in "[a-z:/?#@ ]{0,30}") {
        let _ = PageAddress::read(&text);
        if let Ok(place) = PageAddress::read(&url) {
            prop_assert!(!place.authority.is_empty() && place.target.starts_with('/'));
        }
        let _ = serde_json::from_str::<Wish>(&text).map(Wish::read);
    }
}
