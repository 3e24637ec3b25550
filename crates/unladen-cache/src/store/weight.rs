//! Memory sizes in bytes, with glibc's malloc.

/// A resource's place in the table, besides its heap memory, with the spare room of tables that grow by doubling.
pub(crate) const PLACE: usize = 96;

/// A tag's place in the index: a tree of 24-byte entries, whose nodes are at least half full.
pub(crate) const TAG: usize = 64;

/// A heap block of this many bytes, with malloc's head.
pub(crate) const fn heap(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let whole = (bytes + 8).next_multiple_of(16);
    if whole < 32 { 32 } else { whole }
}

/// An `Arc` of this many bytes.
pub(crate) const fn shared(bytes: usize) -> usize {
    heap(bytes + 16)
}
