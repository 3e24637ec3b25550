//! The principal type is [`Way`]: that of a node to the bus, which can be cut.

use std::io::{Read, Write, copy};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::spawn;
use std::time::Duration;

use unladen_tests::Cables;
use unladen_tests::relay::Relay;

/// The way of a node to the bus.
pub(crate) struct Way {
    by: By,
    /// The bus, as the node names it.
    pub(crate) bus: String,
    /// The application, likewise.
    pub(crate) app: String,
    /// The words that the node's follow.
    pub(crate) inside: String,
}

enum By {
    /// All that goes by is passed on by a thread.
    Relay(Relay),
    /// It is in a network of its own, of this number.
    Cable(Arc<Cables>, u8),
}

/// The way of a network that has none to this machine's own: a Unix socket.
pub(crate) struct Door {
    path: PathBuf,
}

impl Way {
    /// Over loopback, to a bus that has such a URL by way of an address.
    pub(crate) fn relayed(bus: SocketAddr, app: &str, url: impl Fn(SocketAddr) -> String) -> Self {
        let relay = Relay::to(bus);
        Self { bus: url(relay.address()), app: app.to_owned(), inside: String::new(), by: By::Relay(relay) }
    }

    pub(crate) fn by_cable(cables: &Arc<Cables>, number: u8, app: Door, bus: String) -> Self {
        let app = format!("unix:{}", app.path.display());
        Self { bus, app, inside: cables.inside(number), by: By::Cable(Arc::clone(cables), number) }
    }

    /// Nothing goes by any more, and nobody is told.
    pub(crate) fn cut(&self) {
        match &self.by {
            By::Relay(relay) => relay.cut(),
            By::Cable(cables, number) => cables.pull(*number),
        }
    }

    /// Connections are closed, and new ones, too. A cable does not say so: it is pulled.
    pub(crate) fn refuse(&self) {
        match &self.by {
            By::Relay(relay) => relay.refuse(),
            By::Cable(..) => self.cut(),
        }
    }

    /// What goes by takes so long. A cable is as long as it is: of what goes by, some is lost at first.
    pub(crate) fn delay(&self, delay: Duration) {
        match &self.by {
            By::Relay(relay) => relay.delay(delay),
            By::Cable(..) => {
                self.cut();
                std::thread::sleep(delay);
                self.mend();
            }
        }
    }

    /// All is well again.
    pub(crate) fn mend(&self) {
        match &self.by {
            By::Relay(relay) => relay.mend(),
            By::Cable(cables, number) => cables.plug(*number),
        }
    }
}

impl Door {
    /// A socket of this path, which leads to a server of this URL.
    pub(crate) fn to(url: &str, path: PathBuf) -> Self {
        let address: SocketAddr = url.trim_start_matches("http://").trim_end_matches('/').parse().expect("an address");
        let listener = UnixListener::bind(&path).expect("a socket of our own");
        spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(address) else { continue };
                let (Ok(from), Ok(to)) = (client.try_clone(), server.try_clone()) else { continue };
                spawn(move || {
                    pass(from, &to);
                    let _ = to.shutdown(Shutdown::Write);
                });
                spawn(move || {
                    pass(server, &client);
                    let _ = client.shutdown(Shutdown::Both);
                });
            }
        });
        Self { path }
    }
}

fn pass(mut from: impl Read, mut to: impl Write) {
    // Either side may have gone.
    let _ = copy(&mut from, &mut to);
}
