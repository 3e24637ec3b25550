//! The principal type is [`CertificateState`]: a certificate that a site shows to its clients, and its orders.

/// A certificate that a site shows to its clients, or orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateState {
    pub name: String,
    /// Last second of validity, since 1970; `None` if there is no certificate yet.
    pub not_after: Option<u64>,
    /// `None` if it comes from files.
    pub orders: Option<OrderState>,
}

/// Orders of a certificate at its authority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderState {
    pub is_ordering: bool,
    /// Time of the next step, in seconds since 1970; `None` if unknown.
    pub next: Option<u64>,
    pub failures: u64,
    /// Last error: the authority's message, and what to do.
    pub error: Option<String>,
}
