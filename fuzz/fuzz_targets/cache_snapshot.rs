#![no_main]
//! Snapshots of a store: what is taken can be stored, written and taken again, and breaks no head apart; whatever
//! stands before it.

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use unladen_cache::{
    END, ENTRY, FRAME_LENGTH, FrameHead, HEADER_LENGTH, Restored, SnapshotEntry, SnapshotHeader, Store, StoreSettings,
    read_end,
};

fuzz_target!(|data: &[u8]| {
    frames(data);
    // As if its checksum were right.
    let Ok(entry) = SnapshotEntry::read(data) else { return };
    let stored = entry.stored;
    let lines = &stored.lines;
    assert!(!lines.windows(3).any(|bytes| bytes == b"\n\r\n") && !lines.starts_with(b"\r\n"));
    assert!((200..600).contains(&stored.status));
    assert!(stored.body.len() + lines.len() <= 3 * data.len());
    let store = Store::new(StoreSettings { memory: 64 << 20, largest: 1 << 20, variants: 4 });
    let stored = Arc::new(stored);
    let restored = store.restore(&entry.key, &entry.nominated, &entry.variant, stored.clone());
    assert_eq!(restored, Restored::Stored);
    let resource = store.find(&entry.key).expect("it is stored");
    let mut again = Vec::new();
    // What brings a cookie is not written, and so it is not read but here.
    if SnapshotEntry::write(&resource, &entry.variant, &stored, &mut again) {
        let (head, payload) = again.split_first_chunk::<FRAME_LENGTH>().expect("it has a head");
        FrameHead::read(head).check(payload).expect("it is whole");
        let read = SnapshotEntry::read(payload).expect("what is written is read").stored;
        assert_eq!((read.status, &read.body, &read.lines), (stored.status, &stored.body, &stored.lines));
        assert_eq!((read.freshness, &read.tags, &read.version), (stored.freshness, &stored.tags, &stored.version));
    }
});

/// As a file is read.
fn frames(data: &[u8]) {
    let Some((header, mut rest)) = data.split_first_chunk::<HEADER_LENGTH>() else { return };
    if SnapshotHeader::read(header).is_err() {
        rest = data;
    }
    while let Some((head, behind)) = rest.split_first_chunk::<FRAME_LENGTH>() {
        let head = FrameHead::read(head);
        let Some((payload, behind)) = behind.split_at_checked(head.length as usize) else { return };
        if head.check(payload).is_err() {
            return;
        }
        match head.kind {
            ENTRY => drop(SnapshotEntry::read(payload)),
            END => assert_eq!(read_end(payload).is_ok(), payload.len() == 8),
            _ => return,
        }
        rest = behind;
    }
}
