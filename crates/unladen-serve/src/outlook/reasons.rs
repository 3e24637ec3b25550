//! [`of`]: all reasons why an answer is not kept.

use unladen_cache::{NoStore, Time};
use unladen_http1::{Fields, Length, Response};

use crate::cache::fetch_plan::FetchPlan;

/// More than there are.
const MOST: usize = 16;

/// The cache gives only the first reason: it is remedied, and the cache asked again.
pub(super) fn of(mut wanted: FetchPlan, mut response: Response) -> Vec<NoStore> {
    let mut reasons = Vec::new();
    let received = Time::now();
    while let Err(why) = wanted.judge(&response, received) {
        if reasons.contains(&why) || reasons.len() >= MOST {
            break;
        }
        reasons.push(why);
        mend(why, &mut wanted, &mut response);
    }
    reasons
}

/// Changes request and answer so that this reason no longer applies.
fn mend(why: NoStore, wanted: &mut FetchPlan, response: &mut Response) {
    let request = &mut wanted.request;
    match why {
        NoStore::Method => request.method = b"GET".to_vec(),
        NoStore::RequestNoStore => without(&mut request.fields, &[b"cache-control", b"pragma"]),
        NoStore::Status | NoStore::OddRequest => response.status = 200,
        NoStore::NoStore => take_off(&mut response.fields, b"no-store"),
        NoStore::Private => take_off(&mut response.fields, b"private"),
        NoStore::Authorization => without(&mut request.fields, &[b"authorization"]),
        NoStore::SetCookie => without(&mut response.fields, &[b"set-cookie"]),
        NoStore::VaryAll => without(&mut response.fields, &[b"vary"]),
        // As if a validator vouched for it.
        NoStore::NoLifetime => wanted.is_validated = true,
        NoStore::Cookies => without(&mut request.fields, &[b"cookie"]),
        NoStore::TooLarge => response.length = Length::None,
    }
}

fn without(fields: &mut Fields, names: &[&[u8]]) {
    fields.retain(|field| !names.iter().any(|name| field.name.eq_ignore_ascii_case(name)));
}

/// Removes a directive of `Cache-Control` and its kin.
fn take_off(fields: &mut Fields, directive: &[u8]) {
    for name in [&b"cache-control"[..], b"cdn-cache-control"] {
        let lines: Vec<Vec<u8>> = fields
            .iter()
            .filter(|field| field.name.eq_ignore_ascii_case(name))
            .map(|field| field.value.to_vec())
            .collect();
        if lines.is_empty() {
            continue;
        }
        let joined = lines.join(&b", "[..]);
        let is_meant = |part: &[u8]| {
            let word = part.split(|byte| *byte == b'=').next().unwrap_or_default();
            word.trim_ascii().eq_ignore_ascii_case(directive)
        };
        let left: Vec<&[u8]> = joined.split(|byte| *byte == b',').filter(|part| !is_meant(part)).collect();
        without(fields, &[name]);
        fields.push(name, &left.join(&b","[..]));
    }
}
