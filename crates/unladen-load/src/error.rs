//! The principal type is [`LoadError`]: what went wrong, and what to do next.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use unladen_tls::TlsFault;

use crate::expect::Statuses;
use crate::sample::{Sample, unexpected};

/// Why a request was not answered as it should be, or could not even be sent.
///
/// The message says what happened and what to do next; the error of the system or a library is its source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error("the {what} is {value}: expected {expected}")]
    Config { what: &'static str, value: String, expected: &'static str },
    #[error("{}", too_few_files(*concurrency, *limit, *most))]
    TooFewFiles {
        concurrency: usize,
        limit: u64,
        /// Maximum of concurrent requests; 0 if not even one is possible.
        most: u64,
    },
    #[error("there is no request {index}: there are {count}, counted from 0")]
    NoSuchRequest { index: usize, count: usize },
    #[error("cannot resolve the name `{host}`: {source}; check its spelling, /etc/hosts and the resolver")]
    Resolve { host: String, source: io::Error },
    /// The resolver knows the name, but no address of it.
    #[error("the name `{host}` has no address: check its spelling, or connect by address")]
    NoAddress { host: String },
    #[error("resolving the name `{host}` took longer than {after:?}: check the resolver, or connect by address")]
    ResolveTimeout { host: String, after: Duration },
    #[error(
        "connection refused by {target}: nothing listens there; start the application (if it has just answered, see its log), or check host and port"
    )]
    ConnectRefused { target: String, source: io::Error },
    #[error(
        "no connection to {target} within {after:?}: a firewall may drop the packets, or the server's backlog may be full"
    )]
    ConnectTimeout { target: String, after: Duration },
    #[error("cannot connect to {target}: {source}{}", advice(source))]
    Connect { target: String, source: io::Error },
    #[error("TLS with {target} failed: {fault}{}", tls_advice(fault))]
    Tls { target: String, fault: TlsFault, source: io::Error },
    #[error("cannot read certificates from {file}: {source}; expected PEM, `-----BEGIN CERTIFICATE-----`", file = file.display())]
    RootsFile { file: PathBuf, source: rustls::pki_types::pem::Error },
    #[error("a certificate in {file} cannot be used as an authority: {source}", file = file.display())]
    RootsCertificate { file: PathBuf, source: rustls::Error },
    /// The file of the client's certificate or key cannot be read.
    #[error("{problem}")]
    IdentityFile { problem: String },
    #[error(
        "the key {} cannot be used with the certificate {}: {source}; does the key belong to this certificate?",
        key.display(), certificate.display()
    )]
    Identity { certificate: PathBuf, key: PathBuf, source: rustls::Error },
    #[error("this system has no certificate authorities: install ca-certificates, or name a file with --cacert")]
    NoSystemRoots { source: Option<unladen_tls::SystemError> },
    #[error("cannot set up TLS: {source}")]
    TlsSetup { source: rustls::Error },
    /// The URL's host is not valid as a server name in TLS.
    #[error("`{host}` cannot be the name on a certificate: use a host name or an address")]
    TlsName { host: String, source: rustls::pki_types::InvalidDnsNameError },
    #[error(
        "{request} was not done within {after:?}, {stage}: check what the server is busy with, or raise the \
        timeout"
    )]
    Timeout { request: String, after: Duration, stage: Stage },
    #[error(
        "{request}: the server closed the connection {stage}: {}",
        closed_advice(*stage, version, target)
    )]
    ClosedEarly { request: String, stage: Stage, version: &'static str, target: String, source: hyper::Error },
    #[error("{request}: the answer is not {version} ({}): {}", innermost(source), protocol_advice(version))]
    Protocol { request: String, version: &'static str, source: hyper::Error },
    #[error("{}", unexpected(sample, expected))]
    UnexpectedStatus { sample: Box<Sample>, expected: Statuses },
    #[error("{request} was answered with a body that is not {expected}: check the answer, or correct the expectation")]
    UnexpectedBody { request: String, expected: String, sample: Box<Sample> },
    /// The body is larger than the limit, or does not end.
    #[error("{request}: the body is larger than {limit} bytes{}: does it end at all? Raise the limit if it does", announced_as(*announced))]
    BodyTooLarge {
        request: String,
        limit: u64,
        /// Length announced in the response, if any.
        announced: Option<u64>,
    },
    #[error("cancelled")]
    Cancelled,
    #[error("cannot start the client's thread: {source}; check the limits on processes and open files")]
    Thread { source: io::Error },
    #[error("the client's thread ended too early: this is a bug in unladen-load, please report it")]
    Gone,
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => "; start the application, or check the path of its socket",
        io::ErrorKind::PermissionDenied => "; run as a user that may write to the socket",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "; check address and routes",
        io::ErrorKind::AddrNotAvailable => {
            "; if each request opens a connection, no port is free: send more slowly, or keep connections alive"
        }
        _ if source.raw_os_error() == Some(nix::libc::EMFILE) => "; raise `ulimit -n`, or lower the concurrency",
        _ => "",
    }
}

fn tls_advice(fault: &TlsFault) -> &'static str {
    match fault {
        TlsFault::UnknownIssuer => "; name your own with --cacert FILE, or skip the check with --insecure",
        TlsFault::AuthorityAsServer | TlsFault::Expired(_) | TlsFault::NotYetValid(_) => {
            ", or skip the check with --insecure"
        }
        TlsFault::WrongName { .. } => "; use such a name in the URL, or skip the check with --insecure",
        TlsFault::Certificate(_) => "; --insecure skips the check",
        TlsFault::NoSuchHttp => "; try the other one",
        TlsFault::WantsClientCertificate => {
            "; give one with --cert FILE and --key FILE, or connect to the application behind it"
        }
        _ => "",
    }
}

fn protocol_advice(version: &str) -> &'static str {
    if version == "HTTP/2" {
        "does the server speak HTTP/2 there? Try --http 1.1"
    } else {
        "is it an HTTP server, or should the URL begin with https?"
    }
}

/// A server that does not speak this protocol closes the connection before it answers; so does one whose worker
/// crashes.
fn closed_advice(stage: Stage, version: &str, target: &str) -> &'static str {
    match (stage, version) {
        (Stage::Reading, _) => "see its error log: a worker may have crashed or hit a limit",
        (_, "HTTP/2") => "does it speak HTTP/2 there? Try --http 1.1; if it does, see its error log",
        // PHP-FPM's usual addresses; it drops what is not FastCGI.
        _ if target.starts_with("unix:") || target.ends_with(":9000") => {
            "is it an HTTP server? A FastCGI socket, such as PHP-FPM's, behaves like this: use the web server's \
             address; else see its error log: a worker may have crashed or hit a limit"
        }
        _ => "see its error log: a worker may have crashed or hit a limit",
    }
}

fn announced_as(announced: Option<u64>) -> String {
    announced.map(|length| format!(" (it announces {length})")).unwrap_or_default()
}

fn too_few_files(concurrency: usize, limit: u64, most: u64) -> String {
    let raise = "raise the limit (`ulimit -Hn`, LimitNOFILE= of systemd)";
    if most == 0 {
        return format!(
            "this process may have {limit} files open, too few for one connection and its other files: {raise}"
        );
    }
    format!(
        "{concurrency} connections at once need more than the {limit} files that this process may have open: use at \
         most --concurrency {most}, or {raise}"
    )
}

/// How far a request had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display)]
pub enum Stage {
    #[display("before there was a connection")]
    Connecting,
    #[display("before the response began")]
    Waiting,
    #[display("in the middle of the response")]
    Reading,
}

pub(crate) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An io::Error hides the error inside it, and gives that one's source as its own.
        if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            return find(inner);
        }
        next = error.source();
    }
    None
}

/// Message of the last error in the chain of sources: the most specific one.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
