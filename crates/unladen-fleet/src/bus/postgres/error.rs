//! [`explain`]: errors in words without secrets.

use tokio_postgres::error::SqlState;
use unladen_tls::TlsFault;

use crate::BusError;
use crate::bus::handshake::Handshake;
use crate::plain::plain;

pub(super) fn explain(error: &tokio_postgres::Error, shown: &str) -> BusError {
    if let Some(said) = error.as_db_error() {
        let message = plain(&format!("{shown}: {} ({})", said.message(), said.code().code()));
        return match said.code().code().get(..2) {
            _ if [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE].contains(said.code()) => BusError::Timeout,
            _ if *said.code() == SqlState::INSUFFICIENT_PRIVILEGE => BusError::Refused(format!(
                "{message}: the role needs `usage` on the schema unladen_fleet, and select, insert, update and delete \
                 on its tables; docs/reference/fleet.md has the statements"
            )),
            Some("28") => BusError::Refused(format!("{message}{}", advice(said.message()))),
            Some("08" | "53" | "57" | "58") => BusError::Unreachable(message),
            Some("25") => BusError::Refused(format!("{message}: this server does not write; name the one that does")),
            _ => BusError::Answer(message),
        };
    }
    let cause = std::error::Error::source(error);
    // Each of several hosts has answered, and the last may only have said that it is no primary.
    let last = if shown.contains(", ") { " (so says the last of these hosts)" } else { "" };
    let is_tls = error.to_string() == "error performing TLS handshake";
    if is_tls && let Some(source) = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
        return match HANDSHAKE.failed(shown, &TlsFault::of(source)) {
            BusError::Refused(words) => BusError::Refused(words + last),
            BusError::Unreachable(words) => BusError::Unreachable(words + last),
            other => other,
        };
    }
    // The server has answered that it does not.
    let does = if is_tls { format!("; {}", HANDSHAKE.plain) } else { String::new() };
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    let message = format!("{shown}: {error}{cause}{does}{last}");
    // These kinds have no other names: such as a missing password.
    if error.to_string() == "authentication error" || error.to_string() == "invalid configuration" {
        BusError::Refused(plain(&message))
    } else {
        BusError::Unreachable(plain(&message))
    }
}

const HANDSHAKE: Handshake = Handshake {
    authority: "name the file that has its authority: `ca`",
    name: "use such a name in the URL, or ask for its authority alone: `sslmode=verify-ca`",
    plain: "set `ssl = on` there; where nobody else is on the way, `sslmode=disable` in the URL does without",
    certificate: NO_CERTIFICATE,
};
const NO_CERTIFICATE: &str = "take `clientcert` and `cert` from its line in pg_hba.conf";

fn advice(said: &str) -> String {
    if said.contains("client certificate") {
        return format!(": none is sent: {NO_CERTIFICATE}");
    }
    // The first wording since version 14, the second before.
    if said.ends_with("no encryption") || said.ends_with("SSL off") {
        return ": if it is TLS that it wants, add `sslmode=verify-full` to the URL".to_owned();
    }
    String::new()
}
