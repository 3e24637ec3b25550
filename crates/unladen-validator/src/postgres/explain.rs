//! [`explain`]: an error as validators report it.

use tokio_postgres::error::SqlState;
use unladen_tls::TlsFault;

use crate::AskError;
use crate::counts::text;

/// `shown`: the server as messages name it.
pub(super) fn explain(error: &tokio_postgres::Error, shown: &str) -> AskError {
    if let Some(said) = error.as_db_error() {
        let code = said.code().code();
        let message = text(format!("{} ({code})", said.message()));
        return match code.get(..2) {
            _ if *said.code() == SqlState::QUERY_CANCELED => AskError::Timeout,
            Some("28") => AskError::Refused(message),
            Some("08" | "53" | "57" | "58") => AskError::Unreachable(message),
            _ => AskError::Query(message),
        };
    }
    let cause = std::error::Error::source(error);
    // Each host has answered, and the last one may only have said that it is no primary.
    let last = if shown.contains(", ") { " (so says the last of these hosts)" } else { "" };
    let message = text(match cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        Some(source) if error.to_string() == "error performing TLS handshake" => {
            format!("{shown}: no TLS: {}{last}", TlsFault::of(source))
        }
        _ => format!("{shown}: {error}{}{last}", cause.map(|cause| format!(": {cause}")).unwrap_or_default()),
    });
    // These kinds have no other text: for example a password is requested and none is given.
    if error.to_string() == "authentication error" || error.to_string() == "invalid configuration" {
        AskError::Refused(message)
    } else {
        AskError::Unreachable(message)
    }
}
