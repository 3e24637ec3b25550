//! The principal type is [`Ports`].

use std::net::{Ipv4Addr, TcpListener};

use crate::Result;

/// Gives out ports that nobody has, below those that the kernel gives to who opens connections.
#[derive(Debug)]
pub(crate) struct Ports(u16);

impl Ports {
    pub(crate) fn new() -> Self {
        // Two benches at once begin at different places.
        Self(20_000 + u16::try_from(std::process::id() % 8_000).unwrap_or(0))
    }

    pub(crate) fn free(&mut self) -> Result<u16> {
        while self.0 < 32_000 {
            self.0 += 1;
            if TcpListener::bind((Ipv4Addr::LOCALHOST, self.0)).is_ok() {
                return Ok(self.0);
            }
        }
        Err("there is no free port below 32,000".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_out_twice() {
        let mut ports = Ports::new();
        let first = ports.free().unwrap();
        assert!(ports.free().unwrap() > first);
    }
}
