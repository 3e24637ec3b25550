//! How glibc's malloc takes memory from the kernel ([`settle`]), and gives it back ([`give_back`]).
#![allow(unsafe_code, reason = "no safe binding calls mallopt(3) and malloc_trim(3)")]

#[cfg(target_env = "gnu")]
use nix::libc;

/// Blocks from this size on are taken from the kernel by themselves, and go back to it when they are freed: malloc's
/// own default.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 256 << 10;

/// Keeps malloc from moving the bound up to the largest block that was ever freed, as it does by itself: after a page
/// of 4 MiB all smaller blocks, such as what compressing takes, would come out of one heap, in which what is kept for
/// long leaves holes. A cache of 64 MiB then took 110 to 120 MiB.
pub(crate) fn settle() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt takes two numbers and keeps them; no other thread allocates yet. Were it refused, all would be as
    // before.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Gives back to the kernel what lies idle between blocks that are in use: malloc itself gives back the end of a heap
/// alone. Some milliseconds, for which each heap in turn is locked: to be called after a peak, on a thread that carries
/// no requests.
pub(crate) fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: malloc_trim takes a number, and may be called at any time on any thread.
    let _ = unsafe { libc::malloc_trim(0) };
}
