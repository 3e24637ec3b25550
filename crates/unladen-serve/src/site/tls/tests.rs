use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair, SanType};
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, HandshakeKind, ProtocolVersion};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use unladen_pool::Half;

use super::*;

/// A certificate for names, and its key, in files of this name.
fn certificate(folder: &Path, file: &str, names: &[&str]) -> (PathBuf, PathBuf) {
    made(folder, file, CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap())
}

fn made(folder: &Path, file: &str, params: CertificateParams) -> (PathBuf, PathBuf) {
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let (cert_path, key_path) = (folder.join(format!("{file}.pem")), folder.join(format!("{file}.key")));
    fs::write(&cert_path, certificate.pem()).unwrap();
    fs::write(&key_path, key.serialize_pem()).unwrap();
    (cert_path, key_path)
}

fn settings(certificates: &[(PathBuf, PathBuf)]) -> ServerTlsSettings {
    ServerTlsSettings { certificates: certificates.to_vec(), tls12: true }
}

fn client(protocols: &[&str], versions: &[&'static rustls::SupportedProtocolVersion]) -> Arc<ClientConfig> {
    let mut config = ClientConfig::builder_with_provider(unladen_tls::provider())
        .with_protocol_versions(versions)
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(unladen_tls::Verifier(unladen_tls::Anyone)))
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    config.resumption = Resumption::in_memory_sessions(16);
    Arc::new(config)
}

/// A handshake, and a byte each way: tickets of TLS 1.3 come behind it.
async fn shake(
    acceptor: &Acceptor,
    config: &Arc<ClientConfig>,
    name: &str,
) -> Result<(TlsStream<TcpStream>, Transport), String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let socket = Socket::Tcp(listener.accept().await.unwrap().0);
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let connector = TlsConnector::from(config.clone());
    let (ours, theirs) = tokio::join!(acceptor.accept(socket), connector.connect(name, stream));
    let (mut ours, mut theirs) = (ours.map_err(|error| error.to_string())?, theirs.map_err(|error| error.to_string())?);
    send(&mut ours, b"x").await;
    let mut byte = [0];
    read_some(&mut theirs, &mut byte).await;
    Ok((theirs, ours))
}

async fn send(transport: &mut (impl tokio::io::AsyncWrite + Unpin), bytes: &[u8]) {
    let count = std::future::poll_fn(|cx| std::pin::Pin::new(&mut *transport).poll_write(cx, bytes)).await.unwrap();
    assert_eq!(count, bytes.len());
    std::future::poll_fn(|cx| std::pin::Pin::new(&mut *transport).poll_flush(cx)).await.unwrap();
}

async fn read_some(from: &mut (impl tokio::io::AsyncRead + Unpin), into: &mut [u8]) -> usize {
    let mut into = tokio::io::ReadBuf::new(into);
    std::future::poll_fn(|cx| std::pin::Pin::new(&mut *from).poll_read(cx, &mut into)).await.unwrap();
    into.filled().len()
}

/// The certificate that a client is shown.
fn shown(stream: &TlsStream<TcpStream>) -> Vec<u8> {
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

#[tokio::test(flavor = "current_thread")]
async fn the_certificate_is_the_one_for_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = [
        certificate(folder.path(), "first", &["example.org", "www.example.org"]),
        certificate(folder.path(), "wild", &["*.example.org"]),
        certificate(folder.path(), "other", &["Other.Example", "www.example.org"]),
    ];
    let acceptor = Acceptor::new(&settings(&pairs), true, None, None).unwrap();
    assert_eq!(acceptor.warnings, Vec::<String>::new());
    let ders: Vec<Vec<u8>> =
        pairs.iter().map(|(cert, _)| unladen_tls::certificates(cert).unwrap()[0].to_vec()).collect();
    let cases = [
        ("example.org", 0),
        ("www.example.org", 0),
        ("shop.example.org", 1),
        ("SHOP.EXAMPLE.ORG", 1),
        ("a.shop.example.org", 0),
        ("other.example", 2),
        ("OTHER.example", 2),
        ("unknown.example", 0),
        // No name: of an address there is no SNI.
        ("127.0.0.1", 0),
    ];
    for (name, which) in cases {
        let (stream, _) = shake(&acceptor, &client(&[], &[&TLS13]), name).await.unwrap();
        assert!(shown(&stream) == ders[which], "{name}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn versions_and_protocols_are_those_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = [certificate(folder.path(), "site", &["example.org"])];
    let both = settings(&pairs);
    let acceptor = Acceptor::new(&both, true, None, None).unwrap();
    let cases: [(&[&str], Option<&str>); 4] = [
        (&["h2", "http/1.1"], Some("h2")),
        (&["http/1.1", "h2"], Some("h2")),
        (&["http/1.1"], Some("http/1.1")),
        (&[], None),
    ];
    for (offered, agreed) in cases {
        let (stream, transport) = shake(&acceptor, &client(offered, &[&TLS13]), "example.org").await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), agreed.map(str::as_bytes));
        assert_eq!(is_h2(&transport), agreed == Some("h2"));
    }
    assert!(shake(&acceptor, &client(&["acme-tls/1"], &[&TLS13]), "example.org").await.is_err());
    let old = client(&["h2"], &[&TLS12]);
    let (stream, transport) = shake(&acceptor, &old, "example.org").await.unwrap();
    assert_eq!(stream.get_ref().1.protocol_version(), Some(ProtocolVersion::TLSv1_2));
    assert!(is_h2(&transport));

    let strict = ServerTlsSettings { tls12: false, ..both };
    let acceptor = Acceptor::new(&strict, false, None, None).unwrap();
    assert!(shake(&acceptor, &old, "example.org").await.is_err());
    let (stream, transport) = shake(&acceptor, &client(&["h2", "http/1.1"], &[&TLS13]), "example.org").await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    assert!(!is_h2(&transport));
}

/// Also after a reload with another certificate; not by one that knows nothing of the tickets.
#[tokio::test(flavor = "current_thread")]
async fn sessions_are_resumed_over_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    let one =
        Acceptor::new(&settings(&[certificate(folder.path(), "one", &["example.org"])]), true, None, None).unwrap();
    let changed = settings(&[certificate(folder.path(), "two", &["example.org"])]);
    let reloaded = Acceptor::new(&changed, true, None, Some(&one)).unwrap();
    let stranger = Acceptor::new(&changed, true, None, None).unwrap();
    for version in [&TLS13, &TLS12] {
        let config = client(&[], &[version]);
        let kind = |stream: &TlsStream<TcpStream>| stream.get_ref().1.handshake_kind();
        let (first, _) = shake(&one, &config, "example.org").await.unwrap();
        assert_eq!(kind(&first), Some(HandshakeKind::Full));
        let (again, _) = shake(&one, &config, "example.org").await.unwrap();
        assert_eq!(kind(&again), Some(HandshakeKind::Resumed), "{version:?}");
        let (after, _) = shake(&reloaded, &config, "example.org").await.unwrap();
        assert_eq!(kind(&after), Some(HandshakeKind::Resumed), "{version:?}");
        let (strange, _) = shake(&stranger, &config, "example.org").await.unwrap();
        assert_eq!(kind(&strange), Some(HandshakeKind::Full), "{version:?}");
    }
}

#[test]
fn what_is_wrong_with_files_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (one_cert, one_key) = certificate(folder.path(), "one", &["example.org"]);
    let (_, two_key) = certificate(folder.path(), "two", &["example.org"]);
    let said = |cert: &Path, key: &Path| {
        Acceptor::new(&settings(&[(cert.to_owned(), key.to_owned())]), true, None, None)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let pair = said(&one_cert, &two_key);
    assert!(pair.contains("two.key does not match the certificate") && pair.contains("one.pem"), "{pair}");
    assert!(said(&folder.path().join("none.pem"), &one_key).contains("none.pem"));
    assert!(said(&one_key, &one_key).contains("cannot read certificates"));
    let junk = folder.path().join("junk.pem");
    fs::write(&junk, "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n").unwrap();
    assert!(said(&junk, &one_key).contains("junk.pem cannot be read"), "{}", said(&junk, &one_key));
}

/// They are used all the same: an expired certificate is no reason to be without all sites.
#[test]
fn what_is_doubtful_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let mut old = CertificateParams::new(vec!["old.example".to_owned()]).unwrap();
    (old.not_before, old.not_after) = (rcgen::date_time_ymd(2001, 1, 1), rcgen::date_time_ymd(2002, 1, 1));
    let mut early = CertificateParams::new(vec!["early.example".to_owned()]).unwrap();
    (early.not_before, early.not_after) = (rcgen::date_time_ymd(3001, 1, 1), rcgen::date_time_ymd(3002, 1, 1));
    let nameless = CertificateParams::default();
    let mut address = CertificateParams::default();
    address.subject_alt_names = vec![SanType::IpAddress("127.0.0.1".parse().unwrap())];
    let pairs = [("old", old), ("early", early), ("nameless", nameless), ("address", address)]
        .map(|(name, params)| made(folder.path(), name, params));
    let warnings = Acceptor::new(&settings(&pairs), true, None, None).unwrap().warnings;
    let [old, early, nameless] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(old.contains("old.pem has expired: "), "{old}");
    assert!(early.contains("early.pem is not valid before: "), "{early}");
    assert!(nameless.contains("nameless.pem has no name"), "{nameless}");
}

/// What TLS has taken from the socket already is readable, though the socket says nothing of it.
#[tokio::test(flavor = "current_thread")]
async fn what_is_decrypted_already_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let acceptor =
        Acceptor::new(&settings(&[certificate(folder.path(), "site", &["example.org"])]), true, None, None).unwrap();
    let (mut theirs, mut ours) = shake(&acceptor, &client(&[], &[&TLS13]), "example.org").await.unwrap();
    assert!(ours.is_quiet());
    send(&mut theirs, b"ab").await;
    soon(&mut ours).await;
    let mut byte = [0];
    assert_eq!(read_some(&mut ours, &mut byte).await, 1);
    // The other one is in rustls.
    soon(&mut ours).await;
    assert_eq!(read_some(&mut ours, &mut byte).await, 1);
    assert_eq!(byte, *b"b");
    assert!(ours.is_quiet());

    // Several pieces at once, and the end in order.
    let cell = std::cell::RefCell::new(ours);
    let half = Half(&cell);
    let pieces = [io::IoSlice::new(b"one "), io::IoSlice::new(b"two")];
    let count = std::future::poll_fn(|cx| half.poll_write(cx, &pieces)).await.unwrap();
    assert_eq!(count, 7);
    std::future::poll_fn(|cx| half.poll_flush(cx)).await.unwrap();
    let mut text = [0; 16];
    let count = read_some(&mut theirs, &mut text).await;
    assert_eq!(&text[..count], b"one two");
    std::future::poll_fn(|cx| half.poll_shutdown(cx)).await.unwrap();
    assert_eq!(read_some(&mut theirs, &mut text).await, 0);
}

async fn soon(ours: &mut Transport) {
    let ready = std::future::poll_fn(|cx| ours.poll_readable(cx));
    tokio::time::timeout(Duration::from_secs(10), ready).await.expect("readable").unwrap();
}

/// Whether HTTP/2 was agreed on (RFC 7301).
fn is_h2(transport: &Transport) -> bool {
    matches!(transport, Transport::TlsServer(stream) if stream.get_ref().1.alpn_protocol() == Some(b"h2"))
}
