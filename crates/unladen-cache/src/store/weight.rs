//! What things take in memory, in bytes, as glibc's malloc has it.

/// Of a resource, besides what it has on the heap: its place in the table with the spare room of tables that grow by
/// doubling.
pub(crate) const PLACE: usize = 96;

/// Of a tag, its place in the index: a tree of 24-byte entries, whose nodes are at least half full.
pub(crate) const TAG: usize = 64;

/// A block on the heap of this many bytes, with malloc's own head.
pub(crate) const fn heap(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let whole = (bytes + 8).next_multiple_of(16);
    if whole < 32 { 32 } else { whole }
}

/// What an `Arc` of this many bytes takes.
pub(crate) const fn shared(bytes: usize) -> usize {
    heap(bytes + 16)
}
