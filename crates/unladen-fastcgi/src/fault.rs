//! The principal type is [`Fault`]: why bytes are no FastCGI answer.

/// What is wrong with an application's output. Nothing that follows on its connection can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("what it sent is not FastCGI (does it speak HTTP?)")]
    Version,
    /// A record of a type that only a web server sends, or an unknown one.
    #[error("it sent a record of type {0}, which no application sends")]
    Kind(u8),
    #[error("it sent a record of request {came}, where request {asked} is under way")]
    Request { came: u16, asked: u16 },
    #[error("it sent more output after the end of its output")]
    AfterEnd,
    #[error("its end of the request has {0} bytes, not 8")]
    EndLength(u16),
    #[error("it ended the request with protocol status {0}, which FastCGI does not have")]
    Status(u8),
    #[error("it ended the request before its head was whole")]
    NoHead,
    /// The head is invalid or ambiguous as CGI.
    #[error("the head of its answer: {0}")]
    Head(#[from] unladen_http1::Fault),
    #[error("its list of values is malformed")]
    Values,
}

/// Why an application refused a request: it has processed nothing of it (FastCGI 1.0, section 5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it takes no further request over this connection")]
    Multiplexed,
    #[error("it says that it is overloaded")]
    Overloaded,
    #[error("it is no FastCGI responder (but an authorizer or a filter?)")]
    Role,
}
