//! The principal type is [`Cause`]: why an upstream was not asked, or has not answered: what happened, and what to do.

use std::io;
use std::sync::Arc;

use unladen_pool::{Endpoint, LeaseError, TlsError, Unhealthy, Upstream, is_out_of_files};

use crate::reason::Reason;

/// Why an upstream was not asked, or has not answered.
#[derive(Clone, Debug)]
pub struct Cause {
    pub reason: Reason,
    pub endpoint: Option<Arc<Endpoint>>,
    pub text: String,
}

/// Advice when no file descriptor is left.
pub const OUT_OF_FILES: &str = "no file descriptor is left: raise the limit of this process (`LimitNOFILE=` of \
                                       systemd, `ulimit -n`), or lower `client.connections` and `limits.connections`";

const BACKLOG_FULL: &str = "its queue of unaccepted connections is full (`listen.backlog` of PHP-FPM, \
                                   `net.core.somaxconn`): it is overloaded; set `queue.running` to its number of \
                                   workers, so that requests wait here instead";

impl Cause {
    /// Cause of a failed connection.
    pub fn of_lease(error: &LeaseError, reason: Reason, endpoint: &Arc<Endpoint>) -> Self {
        let text = match error {
            _ if reason == Reason::OutOfFiles => OUT_OF_FILES.to_owned(),
            _ if reason == Reason::BacklogFull => BACKLOG_FULL.to_owned(),
            LeaseError::Connect { source, .. } => format!("cannot connect to {source}{}", advice(source)),
            LeaseError::Timeout(after) => format!(
                "no connection within {after:?} (`timeouts.connect`): is it down, or does a firewall drop the packets?"
            ),
            LeaseError::TooManyPending => {
                "`limits.pending` requests wait for a connection: it is slow, or `limits.connections` is low".to_owned()
            }
            LeaseError::Http2(error) => {
                format!("it does not speak HTTP/2 there ({error}); set `http` to another version, or see its error log")
            }
            other => other.to_string(),
        };
        Self { reason, endpoint: Some(endpoint.clone()), text }
    }

    /// TLS failed on an open connection before its first use.
    pub fn of_tls(error: &TlsError, endpoint: &Arc<Endpoint>) -> Self {
        Self { reason: Reason::TlsFailed, endpoint: Some(endpoint.clone()), text: error.to_string() }
    }

    /// Describes why an endpoint is unhealthy.
    pub fn words_of_health(error: &Unhealthy) -> String {
        match error {
            Unhealthy::Connect(source) if is_out_of_files(source) => format!(
                "its health was not checked: \
                {OUT_OF_FILES}"
            ),
            Unhealthy::Connect(source) => format!("its health check cannot connect to {source}{}", advice(source)),
            other => format!("its health check failed: {other}"),
        }
    }

    /// Cause of a request without an endpoint.
    pub fn of_no_endpoint(upstream: &Upstream) -> Self {
        let is_told = upstream.discovery().is_some();
        let text = match upstream.lookup_error() {
            Some(error) if is_told => format!("it has no endpoint, and discovery fails: {error}"),
            None if upstream.endpoints().is_known() => {
                "it has no endpoint: discovery reports none, or all are draining".to_owned()
            }
            None if is_told && upstream.endpoints().endpoints().is_empty() => {
                "its endpoints are not known yet".to_owned()
            }
            Some(error) => format!("its name has no address: {error}"),
            None if upstream.endpoints().endpoints().is_empty() => "its name has no address yet".to_owned(),
            None => "all its endpoints are out, because of consecutive failures or failed health checks".to_owned(),
        };
        Self { reason: Reason::NoEndpoint, endpoint: None, text }
    }

    /// Cause of a missing or bad answer.
    pub fn of_answer(reason: Reason, endpoint: Option<Arc<Endpoint>>, upstream: &Upstream) -> Option<Self> {
        let timeouts = &upstream.settings().timeouts;
        let text = match reason {
            // The peers of a tier have one setting for both.
            Reason::ConnectTimeout | Reason::UpstreamTimeout if upstream.settings().is_tier => format!(
                "it did not respond within {:?} (half of `deadline` in [tier]), or its answer paused for {:?}",
                timeouts.first_byte, timeouts.idle
            ),
            Reason::ConnectTimeout => format!("no connection within {:?} (`timeouts.connect`)", timeouts.connect),
            Reason::UpstreamClosed => {
                "it closed the connection before its answer was complete: see its error log".to_owned()
            }
            Reason::UpstreamTimeout => format!(
                "no answer within {:?} (`timeouts.first_byte`), or a pause of {:?} (`timeouts.idle`)",
                timeouts.first_byte, timeouts.idle
            ),
            Reason::UpstreamMalformed => "its answer is malformed or ambiguous HTTP".to_owned(),
            Reason::UpstreamStatus => "it answered with a status of `retry.statuses`".to_owned(),
            Reason::QueueFull => {
                "`queue.length` requests wait for it: it gets more requests than it can answer, or `queue.running` is \
                 lower than its number of workers"
                    .to_owned()
            }
            Reason::QueueTimeout => "no worker was free within `queue.wait`: its workers are slow or stuck, or \
                 `queue.running` is lower than their number"
                .to_owned(),
            Reason::Overloaded => "it gets more requests than it can answer: its queue was never empty for longer \
                 than `queue.wait`, so the oldest requests are refused at once"
                .to_owned(),
            _ => return None,
        };
        Some(Self { reason, endpoint, text })
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "; nothing listens there: is it running, and is that its port?",
        io::ErrorKind::NotFound => "; there is no such socket: is it running, and is that its path?",
        io::ErrorKind::PermissionDenied => "; this process may not open it: check the socket's owner and mode",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "; check the network and its routes",
        _ => "",
    }
}

/// Reason for a missing connection.
pub fn reason_of(error: &LeaseError) -> Reason {
    match error {
        LeaseError::NoEndpoint => Reason::NoEndpoint,
        LeaseError::TooManyPending => Reason::TooManyPending,
        LeaseError::Connect { source, .. } if is_out_of_files(source) => Reason::OutOfFiles,
        // Only Unix sockets: on TCP the kernel retries by itself (connect(2), EAGAIN).
        LeaseError::Connect { source, .. } if source.kind() == io::ErrorKind::WouldBlock => Reason::BacklogFull,
        LeaseError::Connect { .. } => Reason::ConnectFailed,
        LeaseError::Timeout(_) => Reason::ConnectTimeout,
        LeaseError::Tls(_) => Reason::TlsFailed,
        LeaseError::Http2(_) => Reason::UpstreamMalformed,
        LeaseError::NoUpgrade => Reason::NoUpgrade,
    }
}
