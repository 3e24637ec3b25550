//! Tests of [`CacheLookup`].

use std::path::Path;
use std::sync::Arc;

use unladen_http1::{Fields, Request};
use unladen_pool::Upstream;
use unladen_serve_config::{Config, Machine};

use super::*;
use crate::proxy::Proxy;
use crate::site::Site;

const CONFIG: &str = "[[site]]\nlisten = '127.0.0.1:8080'\nupstream = 'http://127.0.0.1:9'\n";

fn site() -> Site {
    let config = Config::parse(CONFIG, Path::new("unladen.toml"), Path::new("/"), &Machine).unwrap();
    let settings = config.settings.site[0].clone();
    let upstream = Upstream::new(settings.proxy.upstream.clone(), 1).unwrap();
    let app = Arc::new(Proxy::new(settings.proxy.clone(), upstream, None));
    Site::new(settings, app, 1, None).unwrap()
}

/// What becomes of a request while the validator says this, and a page is stored under that label.
fn decision(known: ValidatorAnswer, label: Option<&[u8]>) -> Decision {
    decision_and_key(known, label, (false, false)).0
}

/// The same, perhaps while another process serves, or while this node is cut off; and whom the request may wait together
/// with.
fn decision_and_key(
    known: ValidatorAnswer,
    label: Option<&[u8]>,
    (is_leaving, is_cut_off): (bool, bool),
) -> (Decision, Vec<u8>) {
    let site = site();
    let cache = site.cache.as_ref().unwrap();
    let request = Request { method: b"GET".to_vec(), target: b"/".to_vec(), ..Request::default() };
    let now = Time::now();
    let mut fields = Fields::default();
    fields.push(b"cache-control", b"max-age=600, stale-while-revalidate=600");
    let freshness = Freshness::of(200, &fields, now, now, &cache.policy);
    let stored = Stored::new(
        200,
        Fields::default(),
        bytes::Bytes::new(),
        freshness,
        label.map(Into::into),
        cache.store.sequence(),
    );
    let lookup = CacheLookup {
        cache,
        request: &request,
        control: RequestControl::default(),
        known,
        has_cookies: false,
        is_authorized: false,
        is_leaving,
        is_cut_off,
    };
    let decision = lookup.decide(&Found { resource: None, stored: Some(Arc::new(stored)) }, b"key", now);
    (decision, lookup.join_key(b"key", b""))
}

/// A time without a zone seems to be young again each quarter of an hour: all that was kept under it was asked for anew
/// then, by everybody.
#[test]
fn what_was_kept_under_a_label_is_served_while_the_label_seems_young() {
    let label = &b"2024-05-01 08:00:00"[..];
    let settling = || ValidatorAnswer::Settling(label.into());
    assert_eq!(decision(settling(), Some(label)), Decision::Serve(CacheResult::Validated, ""));
    assert_eq!(
        decision(ValidatorAnswer::Version(label.into()), Some(label)),
        Decision::Serve(CacheResult::Validated, "")
    );
    let passes = Decision::Pass(Forwarded::Stale, "label-settling");
    assert_eq!(decision(settling(), Some(b"2024-05-01 07:59:59")), passes);
    assert_eq!(decision(settling(), None), passes);
}

/// What was forgotten there is neither answered with here, nor waited for.
#[test]
fn nothing_is_shared_while_another_process_serves() {
    let known = || ValidatorAnswer::Version(b"1".as_slice().into());
    let of = |is_leaving| decision_and_key(known(), Some(b"1"), (is_leaving, false));
    assert_eq!(of(false).0, Decision::Serve(CacheResult::Validated, ""));
    assert_eq!(of(false).1, of(false).1);
    let (one, other) = (of(true), of(true));
    assert_eq!(one.0, Decision::Fetch(Forwarded::Stale));
    assert_ne!(one.1, other.1);
    assert!(one.1.starts_with(b"key"), "whoever forgets the page forgets what is on its way to it");
}

/// Another node may have been told to forget it, and so may whoever has asked for it before.
#[test]
fn while_a_node_is_cut_off_only_a_validator_vouches_for_a_page() {
    let of = |is_cut_off| decision_and_key(ValidatorAnswer::Nothing, None, (false, is_cut_off));
    assert_eq!(of(false).0, Decision::Serve(CacheResult::Hit, ""));
    assert_eq!(of(false).1, of(false).1);
    let (one, other) = (of(true), of(true));
    assert_eq!(one.0, Decision::Fetch(Forwarded::Stale));
    assert_ne!(one.1, other.1);
    let vouched = |is_cut_off| {
        decision_and_key(ValidatorAnswer::Version(b"1".as_slice().into()), Some(b"1"), (false, is_cut_off))
    };
    assert_eq!(vouched(true), vouched(false));
    // Nobody vouches for what was vouched for some time ago.
    let silent = ValidatorAnswer::Silent(Some(Duration::from_secs(600)));
    let silent = |is_cut_off| decision_and_key(silent.clone(), Some(b"1"), (false, is_cut_off)).0;
    assert_eq!(silent(false), Decision::Serve(CacheResult::Stale, "validator-silent"));
    assert_eq!(silent(true), Decision::Pass(Forwarded::Stale, "validator-silent"));
}

fn key(fields: &[(&[u8], &[u8])], has_cookies: bool) -> Vec<u8> {
    let mut request = Request::default();
    fields.iter().for_each(|(name, value)| request.fields.push(name, value));
    uncacheable_key(b"http://a/", &request, has_cookies).into_owned()
}

#[test]
fn whoever_says_who_they_are_is_told_apart() {
    let nobody = key(&[(b"accept", b"*/*")], false);
    assert_eq!(nobody, b"http://a/");
    // Cookies that do not matter.
    assert_eq!(key(&[(b"cookie", b"_ga=1")], false), nobody);
    let users = [
        nobody.clone(),
        key(&[(b"Cookie", b"session=1")], true),
        key(&[(b"cookie", b"session=2")], true),
        key(&[(b"cookie", b"a=1"), (b"cookie", b"session=2")], true),
        key(&[(b"Authorization", b"Basic YQ==")], false),
        key(&[(b"authorization", b"Basic Yg==")], false),
    ];
    for (n, one) in users.iter().enumerate() {
        assert!(users[n + 1..].iter().all(|other| other != one), "{}", one.escape_ascii());
    }
}
