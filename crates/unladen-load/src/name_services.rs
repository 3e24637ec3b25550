//! Which services glibc uses to look up hosts and users ([`settle`]).
#![allow(unsafe_code, reason = "no safe binding chooses glibc's name services")]

/// Restricts name lookups to files and DNS, in a program that glibc is linked into; does nothing in others.
///
/// nsswitch.conf may name modules (`resolve`, `mdns4_minimal`, `systemd`) that glibc loads from the system. They load
/// the system's own glibc, which differs from the program's and can crash it. The modules for files and DNS are part of
/// glibc. To be called before the first name lookup.
pub fn settle() {
    #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
    for (database, services) in [(c"hosts", c"files dns"), (c"passwd", c"files"), (c"group", c"files")] {
        // SAFETY: both strings end with a zero and live for ever; glibc copies what it keeps, under its own lock. Were it
        // refused, names would be looked up as nsswitch.conf says.
        let _ = unsafe { __nss_configure_lookup(database.as_ptr(), services.as_ptr()) };
    }
}

#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
unsafe extern "C" {
    /// From glibc's nss.h.
    fn __nss_configure_lookup(database: *const std::ffi::c_char, services: *const std::ffi::c_char) -> std::ffi::c_int;
}
