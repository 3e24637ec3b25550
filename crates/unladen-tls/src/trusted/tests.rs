//! Tests of [`Trusted`].

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::ServerName;

use super::*;
use crate::TlsFault;

const NOW: u64 = 1_700_000_000;

fn key() -> KeyPair {
    KeyPair::generate().unwrap()
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new([name.to_owned()]).unwrap()
}

fn trusting(pems: &[String]) -> Trusted {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, pems.concat()).unwrap();
    Trusted::read(&file).unwrap()
}

fn verify(trusted: &Trusted, certificate: &CertificateDer<'_>, name: &str) -> Result<(), TlsFault> {
    let name = &ServerName::try_from(name.to_owned()).unwrap();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(NOW));
    let judged = trusted.judge(&Shown { certificate, intermediates: &[], name, ocsp: &[], now });
    judged.map_err(|error| TlsFault::of(&std::io::Error::other(error)))
}

#[test]
fn a_certificate_that_is_named_itself_is_trusted_whatever_it_says_of_names_and_authority() {
    for is_ca in [IsCa::NoCa, IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let mut params = params("a.example");
        params.is_ca = is_ca;
        let certificate = params.self_signed(&key()).unwrap();
        let trusted = trusting(&[certificate.pem()]);
        assert_eq!(verify(&trusted, certificate.der(), "b.example"), Ok(()), "{is_ca:?}");
        // Another of the same names is not it.
        let other = params.self_signed(&key()).unwrap();
        assert!(verify(&trusted, other.der(), "a.example").is_err(), "{is_ca:?}");
    }
}

#[test]
fn a_certificate_that_is_named_itself_signs_for_nobody_unless_it_is_an_authoritys() {
    for (is_ca, signs) in
        [(IsCa::NoCa, false), (IsCa::ExplicitNoCa, false), (IsCa::Ca(BasicConstraints::Unconstrained), true)]
    {
        let mut named = params("a.example");
        named.is_ca = is_ca;
        let named = CertifiedIssuer::self_signed(named, key()).unwrap();
        let trusted = trusting(&[named.pem()]);
        let signed = params("b.example").signed_by(&key(), &named).unwrap();
        let verified = verify(&trusted, signed.der(), "b.example");
        assert_eq!(verified.is_ok(), signs, "{is_ca:?}: {verified:?}");
        if signs {
            // What an authority has signed is for its names.
            assert!(matches!(verify(&trusted, signed.der(), "c.example"), Err(TlsFault::WrongName { .. })));
        } else {
            assert_eq!(verified, Err(TlsFault::UnknownIssuer));
        }
    }
}

#[test]
fn a_certificate_that_is_named_itself_is_refused_beyond_its_dates() {
    let of = |from, until| {
        let mut params = params("a.example");
        (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(until, 1, 1));
        let certificate = params.self_signed(&key()).unwrap();
        verify(&trusting(&[certificate.pem()]), certificate.der(), "a.example")
    };
    assert_eq!(of(2020, 2030), Ok(()));
    assert!(matches!(of(2010, 2020), Err(TlsFault::Expired(Some(_)))));
    assert!(matches!(of(2026, 2030), Err(TlsFault::NotYetValid(Some(_)))));
}

#[test]
fn each_of_several_in_a_file_is_trusted() {
    let (one, other) =
        (params("a.example").self_signed(&key()).unwrap(), params("b.example").self_signed(&key()).unwrap());
    let trusted = trusting(&[one.pem(), other.pem()]);
    assert_eq!(verify(&trusted, one.der(), "a.example"), Ok(()));
    assert_eq!(verify(&trusted, other.der(), "b.example"), Ok(()));
}

#[test]
fn they_are_read_once() {
    let first = system_authorities().unwrap();
    assert!(first.len() > 10, "{}", first.len());
    assert!(Arc::ptr_eq(&first, &system_authorities().unwrap()));
}
