//! The principal type is [`Fake`]: an authority of tests, which answers all that it is asked in one way, or by the
//! first line of the request.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, pem::PemObject};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::wanted::Authority;

/// Answers each request of each connection, word by word.
pub(crate) struct Fake {
    _folder: tempfile::TempDir,
    pub(crate) authority: Authority,
    /// So often it was connected to.
    pub(crate) connections: Arc<AtomicU64>,
}

impl Fake {
    pub(crate) async fn start(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::start_with(move |_, _| answer.clone()).await
    }

    /// `answer`: of the request's first line, and where this authority is.
    pub(crate) async fn start_with(answer: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let ca: PathBuf = folder.path().join("ca.pem");
        std::fs::write(&ca, issuer.pem()).unwrap();
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(unladen_tls::provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (acceptor, answer) = (TlsAcceptor::from(Arc::new(config)), Arc::new(answer));
        let connections = Arc::new(AtomicU64::new(0));
        let counted = connections.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let (acceptor, answer) = (acceptor.clone(), answer.clone());
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let base = format!("https://localhost:{port}");
                    while let Some(line) = request(&mut stream).await {
                        let answer = answer(&line, &base);
                        if stream.write_all(answer.as_bytes()).await.is_err() || stream.flush().await.is_err() {
                            return;
                        }
                        if answer.contains("connection: close") {
                            let _ = stream.shutdown().await;
                            return;
                        }
                    }
                });
            }
        });
        let directory = format!("https://localhost:{port}/dir");
        let state = folder.path().to_owned();
        let authority = Authority { directory, email: None, ca: Some(ca), eab: None, state };
        Self { _folder: folder, authority, connections }
    }
}

/// Reads a request to its end; its first line.
async fn request(stream: &mut (impl AsyncReadExt + Unpin)) -> Option<String> {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return head.lines().next().map(str::to_owned);
            }
        }
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer).await {
            Ok(count) if count > 0 => read.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}

pub(crate) fn answer(status: &str, fields: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{fields}content-length: {}\r\n\r\n{body}", body.len())
}
