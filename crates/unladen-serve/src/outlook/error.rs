//! The principal type is [`OutlookError`]: why nothing can be said of a request.

use std::io;

use unladen_http1::Fault;

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutlookError {
    /// It is no URL of a page.
    #[error("`{0}` is no URL of a page: write it as http://host/path")]
    Url(String),
    /// There are several sites, and none listens there.
    #[error("nothing listens at port {port}: there is {listeners}; give a URL with one of their ports")]
    NoListener {
        /// The URL's.
        port: u16,
        /// Those there are.
        listeners: String,
    },
    /// No site there has the name.
    #[error("no site at {listener} has the name `{host}`: such a request is answered with 421; there is {names}")]
    Misdirected {
        /// The URL's.
        host: String,
        /// Where it comes in.
        listener: String,
        /// Those there are.
        names: String,
    },
    /// The request is none that would be taken.
    #[error(
        "such a request is answered with {} ({}): it is none that two readers would read alike",
        .0.status(),
        .0.as_str()
    )]
    Refused(Fault),
    /// The site cannot be as it is configured.
    #[error("{0}")]
    Site(String),
    /// The system refuses what it takes to ask.
    #[error("cannot ask: {0}")]
    System(#[from] io::Error),
}
