use rustls::pki_types::ServerName;

use super::*;

fn of(error: Error) -> TlsFault {
    TlsFault::of(&io::Error::other(error))
}

#[test]
fn names_are_told_bare() {
    let expected = ServerName::try_from("search.example").unwrap().to_owned();
    let presented = vec![r#"DnsName("wiki.example")"#.to_owned(), "IpAddress(127.0.0.1)".to_owned()];
    let fault = of(CertificateError::NotValidForNameContext { expected, presented }.into());
    assert_eq!(fault.to_string(), "its certificate is for wiki.example, 127.0.0.1, not for search.example");
    let fault = of(CertificateError::NotValidForName.into());
    assert_eq!(fault.to_string(), "its certificate is for other names");
}

#[test]
fn times_are_told_in_their_largest_unit() {
    for (seconds, expected) in
        [(1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (7_199, "1 hour"), (86_400 * 400, "400 days")]
    {
        assert_eq!(long(Duration::from_secs(seconds)), expected);
    }
}

#[test]
fn what_the_other_side_says_is_told_apart() {
    assert_eq!(of(Error::AlertReceived(AlertDescription::NoApplicationProtocol)), TlsFault::NoSuchHttp);
    assert_eq!(of(Error::AlertReceived(AlertDescription::CertificateRequired)), TlsFault::WantsClientCertificate);
    let refused = of(Error::AlertReceived(AlertDescription::UnknownCA)).to_string();
    assert!(refused.contains("UnknownCA"), "{refused}");
    let other = of(Error::AlertReceived(AlertDescription::HandshakeFailure)).to_string();
    assert!(other.contains("HandshakeFailure"), "{other}");
}

#[test]
fn what_is_no_error_of_tls_is_the_connections() {
    for kind in [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset, io::ErrorKind::BrokenPipe] {
        assert_eq!(TlsFault::of(&kind.into()), TlsFault::Closed);
    }
    assert_eq!(TlsFault::of(&io::Error::other("no such thing")), TlsFault::Other("no such thing".to_owned()));
}
