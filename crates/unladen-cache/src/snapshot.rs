//! A store's responses as bytes, for another process: the principal type is [`SnapshotEntry`].
//!
//! A snapshot is a [`SnapshotHeader`], then frames. Each frame has a [`FrameHead`] with the length and checksum of its
//! payload. An [`ENTRY`] frame holds a response, and one [`END`] frame has their number, so that a cut between two
//! frames is seen. All numbers are little-endian.
//!
//! The checksums (XXH3) find torn or decayed data, but no malice: readers of a file have to control who can write it.
//!
//! ```
//! use unladen_cache::{FRAME_LENGTH, FrameHead, SnapshotEntry, Store, StoreSettings, write_end};
//!
//! let store = Store::new(StoreSettings { memory: 1 << 20, largest: 1 << 16, variants: 4 });
//! let mut bytes = Vec::new();
//! let mut count = 0;
//! for resource in store.survey().iter().filter_map(|resource| resource.upgrade()) {
//!     for (said, stored) in resource.variants() {
//!         count += u64::from(SnapshotEntry::write(&resource, said, stored, &mut bytes));
//!     }
//! }
//! write_end(count, &mut bytes);
//! let (head, payload) = bytes.split_first_chunk::<FRAME_LENGTH>().unwrap();
//! assert_eq!(FrameHead::read(head).check(payload), Ok(()));
//! ```

mod entry;
mod error;
mod format;
mod frame;
mod header;
mod personal;
mod reader;

pub use entry::SnapshotEntry;
pub use error::SnapshotError;
pub use frame::{END, ENTRY, FRAME_LENGTH, FrameHead, read_end, write_end};
pub use header::{HEADER_LENGTH, SnapshotHeader};

#[cfg(test)]
mod tests;
