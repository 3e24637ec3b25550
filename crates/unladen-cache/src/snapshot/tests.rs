//! Tests of snapshots: what is read is what was written, or it is refused.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;
use unladen_http1::{Fields, Request};

use super::*;
use crate::tests::testing::{NOW, get, later, policy};
use crate::{Freshness, Nominated, Policy, Sequence, Store, StoreSettings, Stored, Time};

/// What is read of a whole snapshot.
fn read(bytes: &[u8]) -> Result<(SnapshotHeader, Vec<SnapshotEntry>), SnapshotError> {
    let (header, mut rest) = bytes.split_first_chunk::<HEADER_LENGTH>().ok_or(SnapshotError::Short)?;
    let header = SnapshotHeader::read(header)?;
    let mut entries = Vec::new();
    loop {
        let (head, behind) = rest.split_first_chunk::<FRAME_LENGTH>().ok_or(SnapshotError::Short)?;
        let head = FrameHead::read(head);
        let (payload, behind) = behind.split_at_checked(head.length as usize).ok_or(SnapshotError::Short)?;
        head.check(payload)?;
        rest = behind;
        match head.kind {
            ENTRY => entries.push(SnapshotEntry::read(payload)?),
            END if read_end(payload)? == entries.len() as u64 && rest.is_empty() => return Ok((header, entries)),
            END => return Err(SnapshotError::End),
            kind => return Err(SnapshotError::Kind(kind)),
        }
    }
}

fn header() -> SnapshotHeader {
    SnapshotHeader { fingerprint: u128::MAX / 7, written: NOW, is_last: true }
}

/// Of what a store has.
fn written(store: &Store) -> Vec<u8> {
    let mut bytes = header().to_bytes().to_vec();
    let mut count = 0;
    for resource in store.survey().iter().filter_map(std::sync::Weak::upgrade) {
        for (said, stored) in resource.variants() {
            count += u64::from(SnapshotEntry::write(&resource, said, stored, &mut bytes));
        }
    }
    write_end(count, &mut bytes);
    bytes
}

fn store() -> Store {
    Store::new(StoreSettings { memory: 1 << 20, largest: 1 << 16, variants: 4 })
}

fn stored(lines: &[(String, Vec<u8>)], body: &[u8]) -> Stored {
    let mut fields = Fields::default();
    lines.iter().for_each(|(name, value)| fields.push(name.as_bytes(), value));
    let freshness = Freshness::of(200, &fields, NOW, NOW, &Policy::default());
    Stored::new(200, fields, Bytes::copy_from_slice(body), freshness, None, Sequence(0))
}

fn put(store: &Store, request: &Request, nominated: &[&str], stored: Stored) -> bool {
    let nominated = Nominated(nominated.iter().map(|name| name.as_bytes().into()).collect());
    let mut key = Vec::new();
    crate::write_key(request, true, &policy(), &mut key);
    let said = |nominated: &Nominated| {
        let mut said = Vec::new();
        nominated.write_variant(request, &policy(), &mut said);
        said
    };
    store.put(&key, &nominated, said, Arc::new(stored))
}

fn lines(lines: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    lines.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect()
}

fn small() -> Vec<u8> {
    let store = store();
    let page = stored(&lines(&[("etag", "\"v\""), ("cache-tag", "a, b"), ("cache-control", "max-age=60")]), b"page");
    assert!(put(&store, &get("/page", &["accept-language: de"]), &["accept-language"], page));
    assert!(put(&store, &get("/other", &[]), &[], stored(&[], b"")));
    written(&store)
}

fn field() -> impl Strategy<Value = (String, Vec<u8>)> {
    ("(cache-tag|xkey|etag|cache-control|vary|x-[a-z]{1,8})", "[ -~]{0,20}").prop_map(|(n, v)| (n, v.into_bytes()))
}

fn duration() -> impl Strategy<Value = Duration> {
    (0..1_u64 << 31, 0..1_000_000_000_u32).prop_map(|(seconds, nanos)| Duration::new(seconds, nanos))
}

proptest! {
    #[test]
    fn what_is_read_is_what_was_written(
        fields in proptest::collection::vec(field(), 0..8),
        body in proptest::collection::vec(any::<u8>(), 0..300),
        durations in [duration(), duration(), duration(), duration()],
        flags in any::<[bool; 8]>(),
        (received, vouched) in any::<(i64, i64)>(),
        version in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..20)),
        language in "[a-z]{0,5}",
    ) {
        let mut page = stored(&fields, &body);
        let [initial_age, lifetime, stale_while_revalidate, stale_if_error] = durations;
        page.freshness = Freshness {
            initial_age, received: Time(received), lifetime, stale_while_revalidate, stale_if_error,
            heuristic: flags[0], no_cache: flags[1], must_revalidate: flags[2], immutable: flags[3],
            shared_with_cookies: flags[4], shared_with_authorized: flags[5],
        };
        page.has_more_tags |= flags[6];
        page.is_soft_purged = flags[7].into();
        page.vouched = vouched.into();
        page.version = version.map(Into::into);
        page.add_groups(b"https://example.org");
        let store = store();
        let language = format!("accept-language: {language}");
        prop_assert!(put(&store, &get("/page", &[&language]), &["accept-language"], page));
        let found = store.find(b"https://example.org/page").unwrap();
        let (said, before) = found.variants()[0];
        let (read_header, entries) = read(&written(&store)).unwrap();
        prop_assert_eq!(read_header, header());
        prop_assert_eq!(entries.len(), 1);
        let entry = &entries[0];
        prop_assert_eq!((&entry.key[..], &entry.nominated, &entry.variant[..]), (found.key_bytes(), &found.nominated, said));
        let after = &entry.stored;
        prop_assert_eq!(
            (after.status, &after.body, &after.freshness, &after.version, &after.tags, after.has_more_tags, &after.lines),
            (before.status, &before.body, &before.freshness, &before.version, &before.tags, before.has_more_tags, &before.lines)
        );
        prop_assert_eq!(after.lines_of_304(), before.lines_of_304());
        prop_assert_eq!(&after.validators, &before.validators);
        prop_assert_eq!(after.is_soft_purged(), before.is_soft_purged());
        prop_assert_eq!(after.vouched.load(Ordering::Relaxed), vouched);
        prop_assert!(after.weight() <= before.weight());
    }

    #[test]
    fn an_entry_of_any_bytes_is_refused_or_can_be_written_again(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = SnapshotEntry::read(&bytes);
    }

    #[test]
    fn an_entry_with_a_byte_changed_is_refused_or_plain(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let whole = small();
        let first = &whole[HEADER_LENGTH..];
        let head = FrameHead::read(first.first_chunk().unwrap());
        let mut payload = first[FRAME_LENGTH..][..head.length as usize].to_vec();
        let at = at.index(payload.len());
        payload[at] = byte;
        // As if its checksum were right.
        if let Ok(entry) = SnapshotEntry::read(&payload) {
            prop_assert!(!entry.stored.lines.windows(4).any(|bytes| bytes == b"\r\n\r\n"));
            prop_assert!((200..600).contains(&entry.stored.status));
        }
    }
}

#[test]
fn a_snapshot_that_is_cut_off_anywhere_is_refused() {
    let whole = small();
    assert_eq!(read(&whole).unwrap().1.len(), 2);
    for length in 0..whole.len() {
        assert!(read(&whole[..length]).is_err(), "{length} of {}", whole.len());
    }
    assert_eq!(read(&[&whole[..], b"x"].concat()).unwrap_err(), SnapshotError::End);
}

#[test]
fn a_snapshot_with_any_bit_flipped_is_refused() {
    let whole = small();
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&flipped).is_err(), "bit {bit} of {}", whole.len() * 8);
    }
}

#[test]
fn a_snapshot_of_another_format_says_so() {
    let mut other = small();
    other[8] = 9;
    let error = read(&other).unwrap_err();
    assert_eq!((error, &*error.to_string()), (SnapshotError::Format(9), "it has format 9, but this version reads 1"));
    assert_eq!(read(&[0; 100]).unwrap_err(), SnapshotError::NoSnapshot);
}

#[test]
fn a_count_that_is_far_too_great_takes_no_memory() {
    let mut payload = Vec::new();
    super::write_sized(&mut payload, b"http://a/");
    payload.extend_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(SnapshotEntry::read(&payload).unwrap_err(), SnapshotError::Short);
}

#[test]
fn what_is_for_the_holders_of_a_secret_is_never_written() {
    for (lines_of_request, vary, lines_of_page, is_written) in [
        (&["cookie: id=1"][..], &["cookie"][..], &[][..], false),
        // Who has none is anybody.
        (&[], &["cookie"], &[], true),
        (&["authorization: Basic eA=="], &["authorization"], &[], false),
        (&["x-api-key: 1"], &["x-api-key"], &[], false),
        (&["x-session-id: 1"], &["x-session-id"], &[], false),
        (&["user-agent: curl"], &["user-agent"], &[], true),
        (&["x-device: mobile"], &["x-device"], &[], true),
        (&["cookie: id=1"], &[], &[("set-cookie", "id=2")], false),
        // It does not depend on them.
        (&["cookie: id=1"], &[], &[], true),
    ] {
        let store = store();
        assert!(put(&store, &get("/", lines_of_request), vary, stored(&lines(lines_of_page), b"page")));
        let entries = read(&written(&store)).unwrap().1;
        assert_eq!(entries.len(), usize::from(is_written), "{lines_of_request:?} {vary:?} {lines_of_page:?}");
    }
}

#[test]
fn a_variant_that_is_told_by_a_digest_is_not_written() {
    let store = store();
    let long = format!("x-device: {}", "m".repeat(2000));
    assert!(put(&store, &get("/", &[&long]), &["x-device"], stored(&[], b"page")));
    assert_eq!(read(&written(&store)).unwrap().1.len(), 0);
}

#[test]
fn what_was_known_to_be_current_last_comes_first() {
    let store = store();
    for n in [3, 1, 2] {
        let mut page = stored(&[], b"page");
        page.vouched = later(n).0.into();
        assert!(put(&store, &get(&format!("/{n}"), &[]), &[], page));
    }
    let keys: Vec<_> = read(&written(&store)).unwrap().1.into_iter().map(|entry| entry.key).collect();
    assert_eq!(keys, [3, 2, 1].map(|n| format!("https://example.org/{n}").into_bytes()));
}

#[test]
fn what_is_in_doubt_is_asked_about_unless_a_validator_vouches() {
    let [mut page, mut validated] = [(), ()].map(|()| {
        let store = store();
        assert!(put(&store, &get("/", &[]), &[], stored(&lines(&[("cache-control", "max-age=60")]), b"page")));
        read(&written(&store)).unwrap().1.remove(0)
    });
    validated.stored.version = Some(b"v".as_slice().into());
    for entry in [&mut page, &mut validated] {
        entry.doubt();
        assert_eq!(entry.stored.vouched.load(Ordering::Relaxed), 0);
    }
    assert!(page.stored.is_soft_purged() && !validated.stored.is_soft_purged());
}
