//! [`settle`]: how glibc's malloc takes large blocks from the kernel.
#![allow(unsafe_code, reason = "no safe binding calls mallopt(3)")]

#[cfg(target_env = "gnu")]
use nix::libc;

/// Blocks from this size on are taken from the kernel by themselves, and go back to it when they are freed: malloc's own default.
#[cfg(target_env = "gnu")]
const LARGE: i32 = 256 << 10;

/// Keeps malloc from moving the bound up to the largest block that was ever freed, as it does by itself: after a page of 4 MiB all smaller
/// blocks, such as what compressing takes, would come out of one heap, in which what is kept for long leaves holes. A cache of 64 MiB then
/// took 110 to 120 MiB.
pub(crate) fn settle() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt takes two numbers and keeps them; no other thread allocates yet. Were it refused, all would be as before.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}
