//! Against rustls here; against OpenSSL, in nginx, in [`nginx`].

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, SanType, date_time_ymd};
use rustls::pki_types::UnixTime;
use rustls::version::{TLS12, TLS13};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::tests::testing::{Authority, Site, file};

mod nginx;

const LONG: Duration = Duration::from_secs(20);

fn trusting(authority: &Authority) -> TlsSettings {
    TlsSettings { ca: Some(authority.path().to_owned()), ..TlsSettings::default() }
}

fn connector(settings: &TlsSettings) -> Connector {
    Connector::new(settings, Protocol::Auto).unwrap()
}

async fn connect(connector: &Connector, name: &str, to: SocketAddr) -> Result<TlsStream<Socket>, TlsError> {
    let socket = Socket::Tcp(TcpStream::connect(to).await.unwrap());
    tokio::time::timeout(LONG, connector.connect(name, socket)).await.unwrap()
}

async fn fault(connector: &Connector, name: &str, to: SocketAddr) -> TlsFault {
    match connect(connector, name, to).await {
        Err(TlsError::Handshake { fault, .. }) => fault,
        other => panic!("{other:?}"),
    }
}

/// One request and its answer over HTTP/1.1, with which the tickets come.
async fn exchange(stream: &mut TlsStream<Socket>) -> io::Result<String> {
    stream.write_all(b"GET / HTTP/1.1\r\nHost: upstream.example\r\n\r\n").await?;
    stream.flush().await?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"well") {
        if stream.read_buf(&mut answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(String::from_utf8(answer).unwrap())
}

#[tokio::test]
async fn a_named_authority_is_trusted_and_no_other() {
    let (ours, other) = (Authority::new(), Authority::named("Another"));
    let (address, _) = ours.site().serve().await;
    assert!(connect(&connector(&trusting(&ours)), "upstream.example", address).await.is_ok());
    let said = connect(&connector(&trusting(&other)), "upstream.example", address).await.unwrap_err();
    assert!(matches!(said, TlsError::Handshake { fault: TlsFault::UnknownIssuer, .. }), "{said:?}");
    assert!(said.to_string().contains("`ca`"), "{said}");
}

#[tokio::test]
async fn the_systems_authorities_do_not_vouch_for_ours() {
    let (address, _) = Authority::new().site().serve().await;
    assert_eq!(fault(&connector(&TlsSettings::default()), "upstream.example", address).await, TlsFault::UnknownIssuer);
}

#[tokio::test]
async fn a_wrong_name_is_told_with_both() {
    let authority = Authority::new();
    let (address, _) = authority.site().serve().await;
    let connector = connector(&trusting(&authority));
    let error = connect(&connector, "search.example", address).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no TLS with search.example: its certificate is for upstream.example, not for search.example; set \
         `server_name` to one of its names, if that is the right server"
    );
    for name in ["127.0.0.1", "[::1]:443"] {
        assert!(matches!(fault(&connector, name, address).await, TlsFault::WrongName { .. }), "{name}");
    }
}

#[tokio::test]
async fn the_name_set_is_asked_for_and_verified_in_place_of_the_urls() {
    let authority = Authority::new();
    let (address, _) = authority.site().serve().await;
    let named = |name: &str| TlsSettings { server_name: Some(name.to_owned()), ..trusting(&authority) };
    assert!(connect(&connector(&named("upstream.example")), "10.0.0.1", address).await.is_ok());
    assert!(connect(&connector(&named("other.example")), "upstream.example", address).await.is_err());
    let error = Connector::new(&named("no name"), Protocol::Auto).unwrap_err();
    assert!(error.to_string().contains("`no name`"), "{error}");
}

#[tokio::test]
async fn an_address_and_a_port_in_the_name_are_understood() {
    let authority = Authority::new();
    let addresses = |params: &mut CertificateParams| {
        params.subject_alt_names =
            ["127.0.0.1", "::1"].map(|address| SanType::IpAddress(address.parse().unwrap())).into();
    };
    let (address, _) = Site { leaf: authority.leaf(addresses), ..authority.site() }.serve().await;
    let connector = connector(&trusting(&authority));
    for name in ["127.0.0.1", "127.0.0.1:9243", "::1", "[::1]", "[::1]:9243"] {
        assert!(connect(&connector, name, address).await.is_ok(), "{name}");
    }
    let (address, _) = authority.site().serve().await;
    for name in ["upstream.example:443", "upstream.example.", "UPSTREAM.example"] {
        assert!(connect(&connector, name, address).await.is_ok(), "{name}");
    }
    let error = connect(&connector, "", address).await.unwrap_err();
    assert!(matches!(error, TlsError::Name { .. }), "{error}");
}

#[tokio::test]
async fn times_of_a_certificate_are_held_and_told() {
    let authority = Authority::new();
    let now = UnixTime::now().as_secs();
    // An hour later than so many days from now.
    let days = |days: i64| {
        let seconds = now.saturating_add_signed(days * 86_400 + 3_600);
        date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds)
    };
    for (from, until, expected) in [
        (-40, -3, "its certificate expired 2 days ago; renew it"),
        (3, 40, "its certificate is valid only in 3 days; check this machine's clock"),
    ] {
        let leaf = authority.leaf(|params| (params.not_before, params.not_after) = (days(from), days(until)));
        let (address, _) = Site { leaf, ..authority.site() }.serve().await;
        let connector = connector(&trusting(&authority));
        assert_eq!(fault(&connector, "upstream.example", address).await.to_string(), expected);
    }
}

#[tokio::test]
async fn an_authoritys_certificate_is_none_of_a_server() {
    let authority = Authority::new();
    let leaf = authority.leaf(|params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let (address, _) = Site { leaf, ..authority.site() }.serve().await;
    let connector = connector(&trusting(&authority));
    assert_eq!(fault(&connector, "upstream.example", address).await, TlsFault::AuthorityAsServer);
}

#[tokio::test]
async fn insecure_trusts_anyone() {
    let authority = Authority::new();
    let leaf = authority.leaf(|params| params.not_after = date_time_ymd(2020, 1, 1));
    let (address, _) = Site { leaf, ..authority.site() }.serve().await;
    let connector = connector(&TlsSettings { insecure: true, ..TlsSettings::default() });
    let mut stream = connect(&connector, "other.example", address).await.unwrap();
    assert_eq!(stream.get_ref().1.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
    drop(stream.shutdown().await);
}

#[tokio::test]
async fn what_is_spoken_is_agreed_on() {
    let authority = Authority::new();
    let auto = connector(&trusting(&authority));
    for (alpn, protocol, h2) in [
        (&["h2", "http/1.1"][..], Protocol::Auto, true),
        (&["http/1.1"], Protocol::Auto, false),
        (&[], Protocol::Auto, false),
        (&["h2", "http/1.1"], Protocol::Http1, false),
        (&["h2", "http/1.1"], Protocol::Http2, true),
    ] {
        let (address, _) = Site { alpn, ..authority.site() }.serve().await;
        let connector = auto.with_protocol(protocol);
        let stream = connect(&connector, "upstream.example", address).await.unwrap();
        assert_eq!(is_h2(&stream), h2, "{alpn:?} {protocol:?}");
    }
    for (alpn, protocol) in [(&["http/1.1"][..], Protocol::Http2), (&[], Protocol::Http2), (&["h2"], Protocol::Http1)] {
        let (address, _) = Site { alpn, ..authority.site() }.serve().await;
        let connector = auto.with_protocol(protocol);
        let fault = fault(&connector, "upstream.example", address).await;
        assert_eq!(fault, TlsFault::NoSuchHttp, "{alpn:?} {protocol:?}");
    }
}

#[tokio::test]
async fn sessions_are_resumed_in_parallel_too_and_by_another_protocol() {
    let authority = Authority::new();
    for versions in [&[&TLS13][..], &[&TLS12]] {
        let (address, seen) = Site { versions, ..authority.site() }.serve().await;
        let connector = Connector::new(&trusting(&authority), Protocol::Http1).unwrap();
        let mut first = connect(&connector, "upstream.example", address).await.unwrap();
        assert!(!is_resumed(&first));
        exchange(&mut first).await.unwrap();
        // Twenty at a time are more than the eight tickets that rustls itself would keep.
        for round in 0..6 {
            let mut streams = Vec::new();
            for _ in 0..20 {
                streams.push(connect(&connector, "upstream.example", address).await.unwrap());
            }
            let resumed = streams.iter().filter(|stream| is_resumed(stream)).count();
            if versions == [&TLS12] || round > 4 {
                assert_eq!(resumed, 20, "round {round} of {versions:?}");
            }
            for stream in &mut streams {
                exchange(stream).await.unwrap();
            }
        }
        let http2 = connector.with_protocol(Protocol::Http2);
        assert!(is_resumed(&connect(&http2, "upstream.example", address).await.unwrap()));
        assert!(!is_resumed(
            &connect(&self::connector(&trusting(&authority)), "upstream.example", address).await.unwrap()
        ));
        let resumed =
            seen.handshakes.lock().unwrap().iter().filter(|kind| **kind == rustls::HandshakeKind::Resumed).count();
        assert!(resumed > 20, "the server says so too: {resumed}");
    }
}

#[tokio::test]
async fn a_server_that_wants_a_certificate_gets_ours_or_says_so() {
    let (servers, clients) = (Authority::new(), Authority::named("Of clients"));
    let leaf = clients.leaf(|_| {});
    let (chain, key) = leaf.files();
    let own = (chain.path().to_owned(), key.path().to_owned());
    let (other_chain, other_key) = servers.leaf(|_| {}).files();
    let other = (other_chain.path().to_owned(), other_key.path().to_owned());
    for versions in [&[&TLS13][..], &[&TLS12]] {
        let (address, _) = Site { versions, clients: Some(&clients), ..servers.site() }.serve().await;
        let said = async |certificate: Option<(PathBuf, PathBuf)>| {
            let settings = TlsSettings { certificate, ..trusting(&servers) };
            let connector = Connector::new(&settings, Protocol::Http1).unwrap();
            match connect(&connector, "upstream.example", address).await {
                Ok(mut stream) => exchange(&mut stream).await.map_err(|error| TlsFault::of(&error)),
                Err(TlsError::Handshake { fault, .. }) => Err(fault),
                Err(other) => panic!("{other}"),
            }
        };
        assert!(said(Some(own.clone())).await.is_ok());
        // TLS 1.2 has no alert that says it.
        let wants = said(None).await.unwrap_err();
        if versions == [&TLS13] {
            assert_eq!(wants, TlsFault::WantsClientCertificate);
        }
        let refuses = said(Some(other.clone())).await.unwrap_err();
        assert!(matches!(refuses, TlsFault::RefusesClientCertificate(_)), "{refuses:?}");
    }
}

#[tokio::test]
async fn a_peer_without_tls_and_one_that_goes_away_are_told_apart() {
    let authority = Authority::new();
    let connector = connector(&trusting(&authority));
    let (plain, _) = crate::tests::testing::serve_plain(false).await;
    assert_eq!(fault(&connector, "upstream.example", plain).await, TlsFault::NotTls);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 2_000]).await;
        }
    });
    assert_eq!(fault(&connector, "upstream.example", address).await, TlsFault::Closed);
}

#[test]
fn files_that_do_not_hold_what_they_should_are_named() {
    let authority = Authority::new();
    let (chain, key) = authority.leaf(|_| {}).files();
    let (other_chain, other_key) = authority.leaf(|_| {}).files();
    let (empty, junk) = (file(""), file("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
    let says = |settings: TlsSettings| Connector::new(&settings, Protocol::Auto).unwrap_err().to_string();
    let ca = |ca: &std::path::Path| TlsSettings { ca: Some(ca.to_owned()), ..TlsSettings::default() };
    let own = |chain: &std::path::Path, key: &std::path::Path| TlsSettings {
        certificate: Some((chain.to_owned(), key.to_owned())),
        ..TlsSettings::default()
    };
    let name = |path: &std::path::Path| path.display().to_string();

    for (settings, names) in [
        (ca("/nonexistent/ca.pem".as_ref()), vec!["/nonexistent/ca.pem".to_owned(), "certificate".to_owned()]),
        (ca(empty.path()), vec![name(empty.path()), "certificate".to_owned()]),
        (ca(key.path()), vec![name(key.path()), "certificate".to_owned()]),
        (ca(junk.path()), vec![name(junk.path()), "authority".to_owned()]),
        (own(key.path(), key.path()), vec![name(key.path()), "certificate".to_owned()]),
        (own(chain.path(), empty.path()), vec![name(empty.path()), "private key".to_owned()]),
        (own(chain.path(), chain.path()), vec![name(chain.path()), "private key".to_owned()]),
        (own(chain.path(), other_key.path()), vec![name(chain.path()), name(other_key.path())]),
    ] {
        let said = says(settings);
        for name in names {
            assert!(said.contains(&name), "{name}: {said}");
        }
    }
    assert!(Connector::new(&own(other_chain.path(), other_key.path()), Protocol::Auto).is_ok());
}
