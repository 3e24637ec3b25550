//! The principal type is [`SiteStamp`]: changes with the files of a `[[site]]`.

/// Numbers that change with the files of a `[[site]]`, even if the settings stay the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteStamp {
    /// TLS files of its calls to the application: if they change, it is another upstream.
    pub proxy: u64,
    /// Certificates and keys for clients.
    pub tls: u64,
    pub country: u64,
    /// Files that its routes name (passwords, other upstreams' TLS), and the page of local replies.
    pub routes: u64,
}
