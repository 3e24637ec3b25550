//! Who tells a program the addresses of hosts and the names of users, if glibc is linked into it ([`settle`]).
#![allow(unsafe_code, reason = "no safe binding chooses glibc's name services")]

/// Has names come from files and DNS alone, in a program that glibc is linked into; in others it does nothing.
///
/// nsswitch.conf may name modules (`resolve`, `mdns4_minimal`, `systemd`) that glibc loads from the system. They bring
/// the system's own glibc along, which is another one than the program's: that can end the program. Those for files and DNS
/// are part of glibc. To be called before the first name is looked up.
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
    /// nss.h of glibc.
    fn __nss_configure_lookup(database: *const std::ffi::c_char, services: *const std::ffi::c_char) -> std::ffi::c_int;
}
