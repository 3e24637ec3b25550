//! The principal types are [`Params`], what a web server tells an application of a request, and [`Address`], where it does.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Parameters of a FastCGI request (FastCGI 1.0, section 3.4: name-value pairs), in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params(pub Vec<(Vec<u8>, Vec<u8>)>);

/// Where an application listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Unix(PathBuf),
    /// A port.
    Tcp(SocketAddr),
}

// === impl Params ===

impl Params {
    /// The value of the first of that name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(own, _)| own == name.as_bytes()).map(|(_, value)| &value[..])
    }

    /// Gives it another value, or adds it.
    pub fn set(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        let value = value.into();
        match self.0.iter_mut().find(|(own, _)| own == name.as_bytes()) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.as_bytes().to_vec(), value)),
        }
    }

    /// Takes it out.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| own != name.as_bytes());
    }
}
