//! Purges by HTCP, as MediaWiki sends them: they reach the node that they are sent to, and by way of the fleet the others.

use std::net::{SocketAddr, UdpSocket};

use unladen_tests::site::{app, page};
use unladen_tests::{Serve, Upstream, Valkey, Wire, free_address, wait};

/// As MediaWiki packs it.
fn clear(url: &str) -> Vec<u8> {
    let text = |text: &str| [&u16::try_from(text.len()).expect("short").to_be_bytes()[..], text.as_bytes()].concat();
    let specifier = [text("HEAD"), text(url), text("HTTP/1.0"), text("")].concat();
    let data = u16::try_from(8 + 2 + specifier.len()).expect("short");
    let head = [&(4 + data + 2).to_be_bytes()[..], &[0, 0], &data.to_be_bytes(), &[4, 0, 1, 2, 3, 4, 0, 0]].concat();
    [head, specifier, vec![0, 2]].concat()
}

struct Node {
    serve: Serve,
    address: SocketAddr,
}

impl Node {
    fn start(valkey: &Valkey, app: &Upstream, more: &str) -> Self {
        let address = free_address();
        let node = Self {
            serve: Serve::start(&format!(
                "threads = 1
                 [admin]
                 listen = \"unix:DIR/admin.sock\"
                 [fleet]
                 purges = \"{}\"
                 {more}
                 [[site]]
                 name = \"wiki\"
                 listen = \"{address}\"
                 upstream = \"{}\"
                 ",
                Valkey::url_at(valkey.address()),
                app.url()
            )),
            address,
        };
        wait::until("it is a node of the fleet", || {
            let metrics = Wire::unix(&node.serve.path("admin.sock")).get("/metrics").is(200).text();
            metrics.lines().any(|line| line == "unladen_fleet_connected 1")
        });
        node
    }

    fn is_kept(&self, path: &str) -> bool {
        let lines = "Host: wiki.example\r\nCache-Control: only-if-cached\r\n";
        Wire::tcp(self.address).ask(format!("GET {path} HTTP/1.1\r\n{lines}\r\n")).status == 200
    }

    fn fetch(&self, path: &str) {
        Wire::tcp(self.address).ask(format!("GET {path} HTTP/1.1\r\nHost: wiki.example\r\n\r\n")).is(200);
    }
}

#[test]
fn a_purge_by_htcp_reaches_all_nodes_and_nothing_else_is_purged() {
    let valkey = Valkey::start();
    let app = app(|_| page("Cache-Control: max-age=600\r\n", "page"));
    // TCP's ports are looked for; of UDP nobody has them.
    let (htcp, strangers) = (free_address(), free_address());
    let one = Node::start(&valkey, &app, &format!("htcp = \"{htcp}\""));
    let two = Node::start(&valkey, &app, &format!("htcp = \"{strangers}\"\nhtcp_from = [\"10.0.0.0/8\"]"));
    for node in [&one, &two] {
        node.fetch("/wiki/Picnic");
        node.fetch("/wiki/Other");
    }
    let sender = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let purge = clear("http://wiki.example/wiki/Picnic");
    let other = clear("http://wiki.example/wiki/Other");
    // Who may not, and what is no purge.
    sender.send_to(&other, strangers).expect("it is sent");
    for wrong in [&other[..other.len() - 1], b"", &[0; 2000]] {
        sender.send_to(wrong, htcp).expect("it is sent");
    }
    // UDP may lose it, though hardly on one machine.
    wait::until("the page is gone on both", || {
        sender.send_to(&purge, htcp).expect("it is sent");
        !one.is_kept("/wiki/Picnic") && !two.is_kept("/wiki/Picnic")
    });
    assert!(one.is_kept("/wiki/Other") && two.is_kept("/wiki/Other"));
    // It was told who sent something that nobody heeds, and why.
    one.serve.stop().says(["is not a purge"]);
    two.serve.stop().says(["htcp_from"]);
}
