//! The principal type is [`Relay`]: a way to a server that can be cut and delayed.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// Between two looks at what is to be.
const LOOK: Duration = Duration::from_millis(10);

/// A way to a server that can be cut and delayed, as a cable and the machines in between can: what goes by here is TCP's
/// bytes. It ends when this is dropped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    way: Arc<Way>,
}

#[derive(Debug)]
struct Way {
    to: SocketAddr,
    /// Nothing goes by, and nobody is told.
    is_cut: AtomicBool,
    /// Connections are closed, and new ones too.
    is_refused: AtomicBool,
    is_over: AtomicBool,
    /// Milliseconds each way.
    delay: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
}

// === impl Relay ===

impl Relay {
    /// To a server.
    pub fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let way = Arc::new(Way {
            to: server,
            is_cut: AtomicBool::new(false),
            is_refused: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            delay: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let shared = Arc::clone(&way);
        spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let way = Arc::clone(&shared);
                spawn(move || way.carry(&client));
            }
        });
        Self { address, way }
    }

    /// Where to connect instead.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Nothing goes by any more, and nobody is told, until [`Relay::mend`].
    pub fn cut(&self) {
        self.way.is_cut.store(true, Ordering::SeqCst);
    }

    /// All connections are closed, and new ones are closed at once, until [`Relay::mend`].
    pub fn refuse(&self) {
        self.way.is_refused.store(true, Ordering::SeqCst);
        self.way.close();
    }

    /// What goes by takes so long each way.
    pub fn delay(&self, delay: Duration) {
        self.way.delay.store(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), Ordering::SeqCst);
    }

    /// All is well again; what was held goes on.
    pub fn mend(&self) {
        self.delay(Duration::ZERO);
        self.way.is_refused.store(false, Ordering::SeqCst);
        self.way.is_cut.store(false, Ordering::SeqCst);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.way.is_over.store(true, Ordering::SeqCst);
        self.way.close();
        // It waits for somebody to come.
        let _ = TcpStream::connect(self.address);
    }
}

impl Way {
    fn carry(self: Arc<Self>, client: &TcpStream) {
        if self.waits() || self.is_refused.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(self.to) else { return };
        let (Ok(from), Ok(to)) = (client.try_clone(), server.try_clone()) else { return };
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|stream| stream.peer_addr().is_ok());
            open.extend([client.try_clone(), server.try_clone()].into_iter().flatten());
        }
        let way = Arc::clone(&self);
        let there = spawn(move || way.pass(&from, &to));
        self.pass(&server, client);
        let _ = there.join();
    }

    /// What one side says goes to the other, until either is over.
    fn pass(&self, mut from: &TcpStream, mut to: &TcpStream) {
        let _ = (from.set_read_timeout(Some(LOOK)), to.set_nodelay(true));
        let mut bytes = [0; 16 * 1024];
        loop {
            let count = match from.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
                {
                    if self.is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    continue;
                }
                Err(_) => break,
            };
            sleep(Duration::from_millis(self.delay.load(Ordering::SeqCst)));
            if self.waits() || to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        // The end is something to be told, too.
        self.waits();
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }

    /// Returns when something may go by, or nothing ever will; which it is.
    fn waits(&self) -> bool {
        while self.is_cut.load(Ordering::SeqCst) && !self.is_over.load(Ordering::SeqCst) {
            sleep(LOOK);
        }
        self.is_over.load(Ordering::SeqCst)
    }

    fn close(&self) {
        for stream in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}
