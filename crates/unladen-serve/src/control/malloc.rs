//! glibc's malloc: how it takes memory from the kernel ([`settle`]) and gives it back ([`give_back`]).
#![allow(unsafe_code, reason = "no safe binding calls mallopt(3) and malloc_trim(3)")]

#[cfg(target_env = "gnu")]
use nix::libc;

/// Size in bytes from which blocks are mapped on their own, and unmapped when freed: malloc's initial default.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 256 << 10;

/// Stops malloc from raising the threshold to the largest block ever freed: after a page of 4 MiB, smaller blocks, such
/// as those for compression, would come out of one heap, where long-lived ones leave holes. A cache of 64 MiB then took
/// 110 to 120 MiB.
pub(crate) fn settle() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt takes two numbers and keeps them; no other thread allocates yet. Were it refused, all would be as
    // before.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Gives free memory between used blocks back to the kernel; malloc itself returns only the end of a heap. Takes some
/// milliseconds, locking each heap in turn: to be called after a peak, on a thread that carries no requests.
pub(crate) fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: malloc_trim takes a number, and may be called at any time on any thread.
    let _ = unsafe { libc::malloc_trim(0) };
}
