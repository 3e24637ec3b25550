//! What tests connect to: [`Authority`] makes certificates, [`Site`] is a server that has one, and answers; [`Dnsmasq`]
//! knows names.

use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{HandshakeKind, RootCertStore, ServerConfig, SupportedProtocolVersion};
use tempfile::NamedTempFile;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio_rustls::TlsAcceptor;

mod dnsmasq;

pub(crate) use dnsmasq::Dnsmasq;

/// An authority of its own, and its certificate in a file.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: NamedTempFile,
}

/// A certificate and its key.
pub(crate) struct Leaf {
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) pem: String,
    pub(crate) key: KeyPair,
}

/// How a server with TLS is to be.
pub(crate) struct Site<'a> {
    pub(crate) leaf: Leaf,
    pub(crate) alpn: &'a [&'a str],
    pub(crate) versions: &'a [&'static SupportedProtocolVersion],
    /// Whose certificates its clients must have.
    pub(crate) clients: Option<&'a Authority>,
}

/// What a server saw and what it is to answer.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) handshakes: Mutex<Vec<HandshakeKind>>,
    pub(crate) requests: Mutex<Vec<Request<()>>>,
    /// 200 unless set.
    pub(crate) status: Mutex<Option<StatusCode>>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        Self::named("An authority of the tests")
    }

    pub(crate) fn named(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let file = file(&issuer.pem());
        Self { issuer, file }
    }

    /// Its certificate.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// A certificate for `upstream.example`, unless changed.
    pub(crate) fn leaf(&self, change: impl FnOnce(&mut CertificateParams)) -> Leaf {
        let mut params = CertificateParams::new(["upstream.example".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Leaf { certificate: certificate.der().clone(), pem: certificate.pem(), key }
    }

    /// A server with such a certificate.
    pub(crate) fn site(&self) -> Site<'_> {
        Site { leaf: self.leaf(|_| {}), alpn: &["h2", "http/1.1"], versions: rustls::ALL_VERSIONS, clients: None }
    }
}

impl Leaf {
    /// The certificate and the key, in files.
    pub(crate) fn files(&self) -> (NamedTempFile, NamedTempFile) {
        (file(&self.pem), file(&self.key.serialize_pem()))
    }
}

impl Site<'_> {
    fn config(&self) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(self.versions).unwrap();
        let builder = match self.clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.issuer.der().clone()).unwrap();
                let verifier =
                    rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                builder.with_client_cert_verifier(verifier.unwrap())
            }
        };
        let key = PrivateKeyDer::try_from(self.leaf.key.serialize_der()).unwrap();
        let mut config = builder.with_single_cert(vec![self.leaf.certificate.clone()], key).unwrap();
        config.alpn_protocols = self.alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        config
    }

    /// Serves on this runtime, until it ends.
    pub(crate) async fn serve(self) -> (SocketAddr, Arc<Seen>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let acceptor = TlsAcceptor::from(Arc::new(self.config()));
        let ours = seen.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), ours.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let tls = stream.get_ref().1;
                    seen.handshakes.lock().unwrap().extend(tls.handshake_kind());
                    let h2 = tls.alpn_protocol() == Some(b"h2");
                    answer(stream, h2, seen).await;
                });
            }
        });
        (address, seen)
    }
}

/// Serves without TLS over TCP, in this version, until the runtime ends.
pub(crate) async fn serve_plain(h2: bool) -> (SocketAddr, Arc<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Seen::default());
    let ours = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, h2, ours.clone()));
        }
    });
    (address, seen)
}

/// Serves HTTP/1.1 over a Unix socket, until the runtime ends.
pub(crate) fn serve_unix(path: &Path) -> Arc<Seen> {
    let listener = UnixListener::bind(path).unwrap();
    let seen = Arc::new(Seen::default());
    let ours = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, false, ours.clone()));
        }
    });
    seen
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S, h2: bool, seen: Arc<Seen>) {
    let service = service_fn(|request: Request<Incoming>| {
        seen.requests.lock().unwrap().push(request.map(|_| ()));
        let status = seen.status.lock().unwrap().unwrap_or(StatusCode::OK);
        async move { Ok::<_, Infallible>(Response::builder().status(status).body(Full::new(&b"well"[..])).unwrap()) }
    });
    // How it ends is the client's to say.
    let _ = if h2 {
        hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await
    } else {
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await
    };
}

/// A file that holds this.
pub(crate) fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}
