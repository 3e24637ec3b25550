//! The principal type is [`SiteStamp`]: what tells that the files of a `[[site]]` are others.

/// Numbers that are others when the files of a `[[site]]` are, though the settings are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteStamp {
    /// What it trusts and shows where it calls the application: with another, it is another upstream.
    pub proxy: u64,
    /// The certificates and keys that it shows to clients.
    pub tls: u64,
    /// The country database.
    pub country: u64,
    /// What its routes name: files of passwords, and what other upstreams trust; and the page of
    /// local replies.
    pub routes: u64,
}
