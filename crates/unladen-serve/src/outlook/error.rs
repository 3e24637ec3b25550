//! The principal type is [`OutlookError`]: why nothing can be said of a request.

use std::io;

use unladen_http1::Fault;

/// Why nothing can be said of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutlookError {
    #[error("`{0}` is no URL of a page: write it as http://host/path")]
    Url(String),
    #[error("nothing listens at port {port}: there is {listeners}; give a URL with one of their ports")]
    NoListener { port: u16, listeners: String },
    #[error("no site at {listener} has the name `{host}`: such a request is answered with 421; there is {names}")]
    Misdirected { host: String, listener: String, names: String },
    #[error(
        "such a request is answered with {} ({}): it is none that two readers would read alike",
        .0.status(),
        .0.as_str()
    )]
    Refused(Fault),
    #[error("{0}")]
    Site(String),
    #[error("cannot ask: {0}")]
    System(#[from] io::Error),
}
