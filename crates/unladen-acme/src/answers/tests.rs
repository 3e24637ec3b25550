use super::*;
use crate::wanted::ChallengeKind;

const NOW: u64 = 1_790_000_000;

fn put(folder: &Folder, kind: ChallengeKind, token: &str) -> String {
    let page = format!("{token}.thumbprint");
    let answer = Answer::new(kind, "example.org", token, (&page, &[7; 32]), NOW);
    let file = answer.file().unwrap();
    folder.keep_answer(&file, &answer).unwrap();
    file
}

#[test]
fn an_answer_that_one_process_puts_there_another_gives() {
    let state = tempfile::tempdir().unwrap();
    let folder = Folder::new(state.path(), "https://acme.example/dir");
    folder.make().unwrap();
    let (one, other) = (Answers::default(), Answers::default());
    let file = put(&folder, ChallengeKind::Http01, "abc-_1");
    put(&folder, ChallengeKind::TlsAlpn01, "def");
    one.look(&folder, NOW);
    other.look(&folder, NOW);
    let path = b"/.well-known/acme-challenge/abc-_1";
    assert_eq!(one.page(path).as_deref(), Some("abc-_1.thumbprint"));
    assert_eq!(other.page(path), one.page(path));
    assert!(other.certificate("EXAMPLE.org").is_some() && other.certificate("b.org").is_none());
    for none in ["/.well-known/acme-challenge/def", "/.well-known/acme-challenge/", "/abc-_1"] {
        assert_eq!(one.page(none.as_bytes()), None, "{none}");
    }
    folder.forget_answer(&file);
    other.look(&folder, NOW);
    assert_eq!(other.page(path), None);
    assert!(other.certificate("example.org").is_some());
    other.forget(&folder);
    assert!(other.certificate("example.org").is_none());
}

#[test]
fn an_answer_of_yesterday_is_removed_and_a_strange_one_not_given() {
    let state = tempfile::tempdir().unwrap();
    let folder = Folder::new(state.path(), "https://acme.example/dir");
    folder.make().unwrap();
    let file = put(&folder, ChallengeKind::Http01, "old");
    std::fs::write(folder.challenges().join("http-01.torn.json"), "{\"kind\":").unwrap();
    let strange = Answer::new(ChallengeKind::Http01, "a.org", "strange", ("<script>", &[7; 32]), NOW);
    folder.keep_answer("http-01.strange.json", &strange).unwrap();
    let answers = Answers::default();
    answers.look(&folder, NOW + 24 * 3600);
    for token in ["old", "torn", "strange"] {
        assert_eq!(answers.page(format!("/.well-known/acme-challenge/{token}").as_bytes()), None);
    }
    assert!(!folder.challenges().join(file).exists());
}

#[test]
fn a_certificate_that_answers_has_the_digest_as_a_critical_extension() {
    let answer = Answer::new(ChallengeKind::TlsAlpn01, "example.org", "t", ("t.u", &[7; 32]), NOW);
    let certificate = answer.certificate().unwrap();
    let (_, parsed) = x509_parser::parse_x509_certificate(&certificate.cert[0]).unwrap();
    let extension = parsed.iter_extensions().find(|one| one.oid.to_id_string() == "1.3.6.1.5.5.7.1.31").unwrap();
    assert!(extension.critical);
    // An OCTET STRING of 32 bytes (RFC 8737, section 3).
    assert_eq!(extension.value[..2], [4, 32]);
    assert_eq!(extension.value[2..], [7; 32]);
}
