use super::*;

fn wanted(names: &[&str]) -> Result<Wanted, WantedError> {
    let authority = Authority {
        directory: "https://localhost:14000/dir".into(),
        email: None,
        ca: None,
        eab: None,
        state: "/nonexistent".into(),
    };
    Wanted::new(authority, names.iter().map(|name| (*name).to_owned()).collect(), vec![ChallengeKind::Http01])
}

#[test]
fn names_are_kept_once_in_small_letters() {
    let two = wanted(&["Example.ORG", "www.example.org", "example.org"]).unwrap();
    assert_eq!(two.names(), ["example.org", "www.example.org"]);
    assert_eq!(two.name(), "example.org");
}

#[test]
fn what_no_authority_issues_is_refused_with_what_to_do() {
    assert!(wanted(&["*.example.org"]).unwrap_err().to_string().contains("list the names one by one"));
    assert_eq!(wanted(&[]).unwrap_err(), WantedError::NoName);
    for bad in ["192.0.2.1", "::1", "a..b", "-a.org", "under_score.org", "../../etc", "a/b", "", "a b"] {
        assert_eq!(wanted(&[bad]).unwrap_err(), WantedError::Name(bad.into()), "{bad}");
    }
    let many: Vec<String> = (0..=MOST_NAMES).map(|n| format!("n{n}.org")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(wanted(&many).unwrap_err(), WantedError::TooManyNames(101));
}

/// Two sites of one certificate, one of them at :443 and one at :8443, were refused: another way came first.
#[test]
fn the_order_of_challenges_makes_no_other_certificate() {
    let of = |challenges: &[ChallengeKind]| Wanted { challenges: challenges.to_vec(), ..wanted(&["a.org"]).unwrap() };
    let (http, tls) = (ChallengeKind::Http01, ChallengeKind::TlsAlpn01);
    assert_eq!(of(&[http, tls]), of(&[tls, http]));
    assert_ne!(of(&[http, tls]), of(&[http]));
    assert_eq!(std::collections::HashSet::from([of(&[http, tls]), of(&[tls, http])]).len(), 1);
}

#[test]
fn a_directory_is_called_by_https_alone() {
    let of = |directory: &str| {
        let authority = Authority { directory: directory.into(), ..wanted(&["a.org"]).unwrap().authority };
        Wanted::new(authority, vec!["a.org".into()], Vec::new())
    };
    assert!(of("https://acme.example/dir").is_ok());
    for bad in ["http://acme.example/dir", "acme.example", "https://a b/", &format!("https://{}/", "a".repeat(90))] {
        assert_eq!(of(bad).unwrap_err(), WantedError::Directory(bad.into()));
    }
}

#[test]
fn a_key_of_an_external_account_is_not_shown() {
    let mut authority = wanted(&["a.org"]).unwrap().authority;
    authority.eab = Some(ExternalAccount { kid: "kid".into(), key: "c2VjcmV0".into() });
    assert!(!format!("{authority:?}").contains("c2VjcmV0"));
    assert_eq!(authority.eab.as_ref().unwrap().bytes().unwrap(), b"secret");
    authority.eab = Some(ExternalAccount { kid: "kid".into(), key: "not base64!".into() });
    assert_eq!(Wanted::new(authority, vec!["a.org".into()], Vec::new()).unwrap_err(), WantedError::Eab);
}
