//! Connections of clients, by HTTP/1 and HTTP/2: a request after another is read, answered, and told of.

pub(crate) mod h1;
pub(crate) mod h2;
mod refusal;
