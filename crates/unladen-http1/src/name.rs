//! The principal type is [`Name`]: known field names.

/// Field names that matter to a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Name {
    Host,
    Connection,
    ContentLength,
    TransferEncoding,
    KeepAlive,
    ProxyConnection,
    Te,
    Trailer,
    Upgrade,
    Expect,
    Via,
    Forwarded,
    XForwardedFor,
    XForwardedHost,
    XForwardedProto,
    XRequestId,
    Traceparent,
    Date,
    Http2Settings,
    Other,
}

impl Name {
    /// The known field of a name, in any case.
    pub fn of(name: &[u8]) -> Self {
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        match name.len() {
            2 if is(b"te") => Self::Te,
            3 if is(b"via") => Self::Via,
            4 if is(b"host") => Self::Host,
            4 if is(b"date") => Self::Date,
            6 if is(b"expect") => Self::Expect,
            7 if is(b"upgrade") => Self::Upgrade,
            7 if is(b"trailer") => Self::Trailer,
            9 if is(b"forwarded") => Self::Forwarded,
            10 if is(b"connection") => Self::Connection,
            10 if is(b"keep-alive") => Self::KeepAlive,
            11 if is(b"traceparent") => Self::Traceparent,
            12 if is(b"x-request-id") => Self::XRequestId,
            14 if is(b"content-length") => Self::ContentLength,
            14 if is(b"http2-settings") => Self::Http2Settings,
            15 if is(b"x-forwarded-for") => Self::XForwardedFor,
            16 if is(b"x-forwarded-host") => Self::XForwardedHost,
            16 if is(b"proxy-connection") => Self::ProxyConnection,
            17 if is(b"transfer-encoding") => Self::TransferEncoding,
            17 if is(b"x-forwarded-proto") => Self::XForwardedProto,
            _ => Self::Other,
        }
    }

    /// Whether it belongs to one connection and is never passed on (RFC 9110, section 7.6.1). Fields that `Connection`
    /// lists are found with [`Fields::has_token`](crate::Fields::has_token).
    pub fn is_hop_by_hop(self) -> bool {
        matches!(
            self,
            Self::Connection
                | Self::TransferEncoding
                | Self::KeepAlive
                | Self::ProxyConnection
                | Self::Te
                | Self::Trailer
                | Self::Upgrade
                | Self::Http2Settings
        )
    }

    /// Whether CGI and its kin would take it for a known field: they write `-` and `_` alike, so that `X_Forwarded_For`
    /// reaches the application under the name of the field that a proxy vouches for.
    pub(crate) fn is_lookalike(name: &[u8]) -> bool {
        if memchr::memchr(b'_', name).is_none() || name.len() > LONGEST {
            return false;
        }
        let mut dashed = [b'-'; LONGEST];
        for (to, from) in dashed.iter_mut().zip(name) {
            *to = if *from == b'_' { b'-' } else { *from };
        }
        Self::of(&dashed[..name.len()]) != Self::Other
    }
}

const LONGEST: usize = b"transfer-encoding".len();

#[cfg(test)]
mod tests;
