//! The principal type is [`Wire`]: counts what goes by.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::spawn;

use crate::Result;

/// A way to a port of this machine that counts what goes by.
pub(super) struct Wire {
    port: u16,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    bytes: AtomicU64,
    pieces: AtomicU64,
}

impl Wire {
    pub(super) fn to(server: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (port, counts) = (listener.local_addr()?.port(), Arc::new(Counts::default()));
        let shared = Arc::clone(&counts);
        spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)) else { continue };
                let (Ok(from), Ok(to)) = (client.try_clone(), server.try_clone()) else { continue };
                let (there, back) = (Arc::clone(&shared), Arc::clone(&shared));
                spawn(move || there.pass(&from, &to));
                spawn(move || back.pass(&server, &client));
            }
        });
        Ok(Self { port, counts })
    }

    /// Where to connect instead.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Bytes of both ways, and in how many pieces they came.
    pub(super) fn passed(&self) -> (u64, u64) {
        (self.counts.bytes.load(Ordering::Relaxed), self.counts.pieces.load(Ordering::Relaxed))
    }
}

impl Counts {
    fn pass(&self, mut from: &TcpStream, mut to: &TcpStream) {
        let _ = to.set_nodelay(true);
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(count) = from.read(&mut bytes) {
            if count == 0 || to.write_all(&bytes[..count]).is_err() {
                break;
            }
            self.bytes.fetch_add(count as u64, Ordering::Relaxed);
            self.pieces.fetch_add(1, Ordering::Relaxed);
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }
}
