//! The principal type is [`CertificateState`]: a certificate that a site shows to its clients, and what becomes of it.

/// A certificate that a site shows to its clients, or wants to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateState {
    /// Its first name; of one from a file without a name, the file.
    pub name: String,
    /// The last second in which it is valid, since 1970; none: there is none yet.
    pub not_after: Option<u64>,
    /// What is known of its orders; none: it comes from files.
    pub orders: Option<OrderState>,
}

/// What is known of the orders of a certificate at its authority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderState {
    /// Whether one is under way.
    pub is_ordering: bool,
    /// When the next step is, in seconds since 1970; none: it is not known yet.
    pub next: Option<u64>,
    /// Those that failed since the last that succeeded.
    pub failures: u64,
    /// Why the last one failed: what the authority said, and what to do.
    pub error: Option<String>,
}
