use std::io::Write;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::PrivateKeyDer;
use tempfile::NamedTempFile;
use tokio::net::TcpListener;
use tokio::sync::Barrier;
use tokio_rustls::TlsAcceptor;
use unladen_tls::TlsFault;

use super::server::{HELLO, Server, hang};
use super::*;
use crate::http_version::HttpVersion;
use crate::tls::{Roots, TlsOptions};

/// An authority of its own, and its certificate in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: NamedTempFile,
}

impl Authority {
    fn new() -> Self {
        Self::named("Internal authority")
    }

    fn named(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(issuer.pem().as_bytes()).unwrap();
        Self { issuer, file }
    }

    /// A server with a certificate from this authority, for localhost unless changed.
    fn server(&self, alpn: &[&str], change: impl FnOnce(&mut CertificateParams)) -> u16 {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = alpn.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        serve(config)
    }

    fn trusted(&self) -> TlsOptions {
        TlsOptions { roots: Roots::Only(self.file.path().to_owned()), ..TlsOptions::default() }
    }
}

/// A server that answers in the version that was agreed on; gives its port.
fn serve(config: ServerConfig) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            let acceptor = TlsAcceptor::from(Arc::new(config));
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        super::http2::serve(stream, Arc::new(Barrier::new(1))).await;
                    } else {
                        use tokio::io::{AsyncReadExt, AsyncWriteExt};
                        let mut request = [0; 4096];
                        while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                            let _ = stream.write_all(HELLO.as_bytes()).await;
                        }
                    }
                });
            }
        });
    });
    port
}

fn localhost(port: u16, tls: TlsOptions) -> DriverConfig {
    DriverConfig { tls, ..config(Request::get(&format!("https://localhost:{port}/")).unwrap()) }
}

fn fault(config: DriverConfig) -> TlsFault {
    let error = sample(&mut start(config)).unwrap_err();
    match error {
        LoadError::Tls { fault, .. } => fault,
        _ => panic!("{error:?}"),
    }
}

#[test]
fn trusts_a_named_authority() {
    let authority = Authority::new();
    let port = authority.server(&[], |_| {});
    let mut driver = start(localhost(port, authority.trusted()));
    let sample = sample(&mut driver).unwrap();
    assert!(sample.exchange.connect.unwrap().tls.is_some());
    let tally = run(&mut driver, 10).unwrap();
    assert_eq!((tally.requests, tally.connections_opened, tally.changed), (10, 0, 0));
}

#[test]
fn opens_a_connection_for_each_request() {
    let authority = Authority::new();
    let port = authority.server(&[], |_| {});
    for resume in [false, true] {
        let tls = TlsOptions { resume, ..authority.trusted() };
        let mut driver = start(DriverConfig { keep_alive: false, ..localhost(port, tls) });
        let tally = run(&mut driver, 5).unwrap();
        assert_eq!((tally.requests, tally.connections_opened), (5, 5));
    }
}

#[test]
fn agrees_on_the_version() {
    let authority = Authority::new();
    let both = authority.server(&["h2", "http/1.1"], |_| {});
    let old = authority.server(&["http/1.1"], |_| {});
    let version = |port, http| {
        let mut driver = start(DriverConfig { http, concurrency: 4, ..localhost(port, authority.trusted()) });
        let tally = run(&mut driver, 20).unwrap();
        assert_eq!(tally.requests, 20);
        (sample(&mut driver).unwrap().version, tally.connections_opened)
    };
    assert_eq!(version(both, HttpVersion::Auto), (http::Version::HTTP_2, 1));
    assert_eq!(version(both, HttpVersion::Http2), (http::Version::HTTP_2, 1));
    assert_eq!(version(both, HttpVersion::Http1).0, http::Version::HTTP_11);
    assert_eq!(version(old, HttpVersion::Auto).0, http::Version::HTTP_11);
    let without = authority.server(&[], |_| {});
    for port in [old, without] {
        let config = DriverConfig { http: HttpVersion::Http2, ..localhost(port, authority.trusted()) };
        assert_eq!(fault(config), TlsFault::NoSuchHttp);
    }
}

#[test]
fn unknown_issuer() {
    let port = Authority::new().server(&[], |_| {});
    assert_eq!(fault(localhost(port, Authority::named("Other").trusted())), TlsFault::UnknownIssuer);
    assert_eq!(fault(localhost(port, Authority::new().trusted())), TlsFault::UnknownIssuer, "made anew");
    let error = sample(&mut start(localhost(port, Authority::new().trusted()))).unwrap_err().to_string();
    assert!(error.contains("--cacert") && error.contains("--insecure"), "{error}");
    let insecure = TlsOptions { insecure: true, ..TlsOptions::default() };
    assert_eq!(run(&mut start(localhost(port, insecure)), 3).unwrap().requests, 3);
}

#[test]
fn wrong_name() {
    let authority = Authority::new();
    let port = authority.server(&[], |params| *params = CertificateParams::new(["wiki.example".to_owned()]).unwrap());
    let TlsFault::WrongName { presented, .. } = fault(localhost(port, authority.trusted())) else { panic!() };
    assert!(presented.iter().any(|name| name.contains("wiki.example")), "{presented:?}");
    // By address, the certificate is for a name still.
    let by_address = config(Request::get(&format!("https://127.0.0.1:{port}/")).unwrap());
    let by_address = DriverConfig { tls: authority.trusted(), ..by_address };
    assert!(matches!(fault(by_address), TlsFault::WrongName { .. }));
}

#[test]
fn out_of_date() {
    let authority = Authority::new();
    let expired = authority.server(&[], |params| params.not_after = date_time_ymd(2001, 1, 1));
    assert!(matches!(fault(localhost(expired, authority.trusted())), TlsFault::Expired(Some(_))));
    let early = authority.server(&[], |params| params.not_before = date_time_ymd(3000, 1, 1));
    assert!(matches!(fault(localhost(early, authority.trusted())), TlsFault::NotYetValid(Some(_))));
}

#[test]
fn an_authority_as_server() {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap();
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(certificate.pem().as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let tls = TlsOptions { roots: Roots::Only(file.path().to_owned()), ..TlsOptions::default() };
    assert_eq!(fault(localhost(serve(config), tls)), TlsFault::AuthorityAsServer);
}

#[test]
fn not_tls_at_all() {
    let plain = Server::answering(HELLO);
    let insecure = TlsOptions { insecure: true, ..TlsOptions::default() };
    let chatty = Server::new(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
        hang(&mut stream);
    });
    assert_eq!(fault(localhost(chatty.address.port(), insecure.clone())), TlsFault::NotTls);
    let closing = Server::new(|_, stream| drop(stream));
    assert_eq!(fault(localhost(closing.address.port(), insecure.clone())), TlsFault::Closed);
    // A server that waits for the rest of a line that never ends.
    let config =
        DriverConfig { connect_timeout: Duration::from_millis(50), ..localhost(plain.address.port(), insecure) };
    let error = sample(&mut start(config)).unwrap_err();
    assert!(matches!(error, LoadError::ConnectTimeout { .. }), "{error:?}");
}

#[test]
fn files_that_hold_no_authority() {
    let refused = |roots| {
        let tls = TlsOptions { roots, ..TlsOptions::default() };
        Driver::start(localhost(1, tls)).unwrap_err().to_string()
    };
    let missing = refused(Roots::Only("/nowhere/ca.pem".into()));
    assert!(missing.contains("/nowhere/ca.pem"), "{missing}");
    let empty = NamedTempFile::new().unwrap();
    let empty = refused(Roots::Only(empty.path().to_owned()));
    assert!(empty.contains("BEGIN CERTIFICATE"), "{empty}");
    let mut broken = NamedTempFile::new().unwrap();
    broken.write_all(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    let broken = refused(Roots::Only(broken.path().to_owned()));
    assert!(broken.contains("cannot be used as an authority"), "{broken}");
}
