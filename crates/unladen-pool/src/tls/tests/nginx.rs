//! Sessions with OpenSSL, which gives two tickets for a full handshake and one for a resumed one.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::*;

/// nginx with one certificate, on a port of its own. Ends with this.
struct Nginx {
    process: Child,
    address: SocketAddr,
    _folder: Arc<TempDir>,
}

impl Nginx {
    async fn start(authority: &Authority, protocols: &str) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let (chain, key) = authority.leaf(|_| {}).files();
        for (from, to) in [(chain.path(), "chain.pem"), (key.path(), "key.pem")] {
            std::fs::copy(from, folder.path().join(to)).unwrap();
        }
        // Between finding a free port and listening there, another may take it.
        for _ in 0..5 {
            let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            std::fs::write(folder.path().join("nginx.conf"), settings(address, protocols)).unwrap();
            let process = Command::new(binary())
                .args(["-p", folder.path().to_str().unwrap(), "-e", "stderr", "-c", "nginx.conf"])
                .stdin(Stdio::null())
                .spawn()
                .unwrap();
            let mut nginx = Self { process, address, _folder: folder.clone() };
            while nginx.process.try_wait().unwrap().is_none() {
                if TcpStream::connect(address).await.is_ok() {
                    return nginx;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        panic!("nginx does not start: see what it says above");
    }
}

fn settings(address: SocketAddr, protocols: &str) -> String {
    format!(
        "daemon off; master_process off; worker_processes 1; pid nginx.pid; error_log stderr;
         events {{ worker_connections 500; }}
         http {{
             access_log off;
             client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
             uwsgi_temp_path uwsgi; scgi_temp_path scgi;
             server {{
                 listen {address} ssl;
                 ssl_certificate chain.pem; ssl_certificate_key key.pem;
                 ssl_protocols {protocols};
                 location / {{ return 200 'well'; }}
             }}
         }}"
    )
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn binary() -> &'static Path {
    let places = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].map(Path::new);
    places.into_iter().find(|place| place.exists()).expect("nginx is not installed: apt-get install nginx")
}

#[tokio::test]
async fn a_hundred_connections_at_once_resume() {
    let authority = Authority::new();
    for protocols in ["TLSv1.3", "TLSv1.2"] {
        let nginx = Nginx::start(&authority, protocols).await;
        let connector = Connector::new(&trusting(&authority), Protocol::Http1).unwrap();
        let mut resumed = Vec::new();
        for _ in 0..3 {
            // All shake hands before any has got its new tickets.
            let mut streams = Vec::new();
            for _ in 0..100 {
                streams.push(connect(&connector, "upstream.example", nginx.address).await.unwrap());
            }
            resumed.push(streams.iter().filter(|stream| is_resumed(stream)).count());
            for stream in &mut streams {
                assert!(exchange(stream).await.unwrap().starts_with("HTTP/1.1 200"));
            }
        }
        let first = if protocols == "TLSv1.2" { 99 } else { 0 };
        assert_eq!(resumed, [first, 100, 100], "{protocols}");
    }
}
