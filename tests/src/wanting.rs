//! The principal type is [`Wanting`]: a server of TLS that wants a certificate of whoever connects, and says so by TLS
//! alone.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::port::free_address;
use crate::wait;

/// `openssl s_server`, which answers any GET with a page. It is killed when this is dropped.
#[derive(Debug)]
pub struct Wanting {
    child: Child,
    address: SocketAddr,
}

impl Wanting {
    /// With `chain.pem` and `key.pem` of this folder; certificates are to be signed by `ca.pem`.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start(folder: &Path, more: &[&str]) -> Self {
        let address = free_address();
        let mut command = Command::new("openssl");
        command.args(["s_server", "-quiet", "-www", "-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"]);
        command.args(["-cert", "chain.pem", "-key", "key.pem", "-accept", &address.to_string()]).args(more);
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("openssl starts");
        wait::until_ok("openssl comes up", || TcpStream::connect(address));
        Self { child, address }
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Wanting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
