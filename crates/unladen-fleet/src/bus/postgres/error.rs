//! [`explain`]: what went wrong, in words without secrets.

use tokio_postgres::error::SqlState;
use unladen_tls::TlsFault;

use crate::BusError;
use crate::plain::plain;

/// What went wrong. `shown`: the server's hosts.
pub(super) fn explain(error: &tokio_postgres::Error, shown: &str) -> BusError {
    if let Some(said) = error.as_db_error() {
        let message = plain(&format!("{shown}: {} ({})", said.message(), said.code().code()));
        return match said.code().code().get(..2) {
            _ if [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE].contains(said.code()) => BusError::Timeout,
            _ if *said.code() == SqlState::INSUFFICIENT_PRIVILEGE => BusError::Refused(format!(
                "{message}: the role needs `usage` on the schema unladen_fleet, and select, insert, update and delete \
                 on its tables; docs/reference/fleet.md has the statements"
            )),
            Some("28") => BusError::Refused(message),
            Some("08" | "53" | "57" | "58") => BusError::Unreachable(message),
            Some("25") => BusError::Refused(format!("{message}: this server does not write; name the one that does")),
            _ => BusError::Answer(message),
        };
    }
    let cause = std::error::Error::source(error);
    let message = match cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        Some(source) if error.to_string() == "error performing TLS handshake" => {
            format!("{shown}: no TLS: {}", TlsFault::of(source))
        }
        _ => format!("{shown}: {error}{}", cause.map(|cause| format!(": {cause}")).unwrap_or_default()),
    };
    // Each of several hosts has said something, and the last one may only have said that it is no primary.
    let message = if shown.contains(", ") { format!("{message} (so says the last of these hosts)") } else { message };
    // Its kinds have no other names: a password is asked for and none is given, say.
    if error.to_string() == "authentication error" || error.to_string() == "invalid configuration" {
        BusError::Refused(plain(&message))
    } else {
        BusError::Unreachable(plain(&message))
    }
}
