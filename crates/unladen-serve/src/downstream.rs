//! Clients' connections, HTTP/1 and HTTP/2: reads requests, answers them, and logs them.

pub(crate) mod h1;
pub(crate) mod h2;
mod refusal;
