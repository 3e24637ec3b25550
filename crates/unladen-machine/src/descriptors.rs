//! [`keep_inherited_descriptors`]: what a caller left open stays with this program.

/// Has no program that this one starts inherit a file that its caller has left open (close_range(2)). Root's scripts hold
/// locks and logs open, and some of these programs run the code of another user.
///
/// To be called once, before anything is opened. Kernels before 5.11 refuse it, and nothing changes.
pub fn keep_inherited_descriptors() {
    const FIRST: u32 = 3;
    // SAFETY: with CLOSE_RANGE_CLOEXEC it closes nothing and touches no memory; it sets a flag of each descriptor.
    #[allow(unsafe_code)]
    let _ = unsafe { nix::libc::syscall(nix::libc::SYS_close_range, FIRST, u32::MAX, nix::libc::CLOSE_RANGE_CLOEXEC) };
}
