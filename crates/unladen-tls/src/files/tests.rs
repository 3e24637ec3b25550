use std::io::Write;

use rcgen::generate_simple_self_signed;
use tempfile::NamedTempFile;

use super::*;

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[test]
fn each_finds_its_own_and_names_the_file_where_it_does_not() {
    let made = generate_simple_self_signed(["wiki.example".to_owned()]).unwrap();
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let both = file(&format!("# a note\n{key}{certificate}{certificate}"));
    assert_eq!(certificates(both.path()).unwrap(), [made.cert.der().clone(), made.cert.der().clone()]);
    assert_eq!(private_key(both.path()).unwrap().secret_der(), made.signing_key.serialize_der());
    assert_eq!(authorities(file(&certificate).path()).unwrap().len(), 1);

    let junk = file("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let (only_key, only_certificate, empty) = (file(&key), file(&certificate), file(""));
    for (said, file, what) in [
        (certificates(only_key.path()).unwrap_err(), only_key.path(), "certificates"),
        (certificates(empty.path()).unwrap_err(), empty.path(), "certificates"),
        (authorities(Path::new("/nonexistent")).unwrap_err(), Path::new("/nonexistent"), "certificates"),
        (authorities(junk.path()).unwrap_err(), junk.path(), "authority"),
        (private_key(only_certificate.path()).unwrap_err(), only_certificate.path(), "private key"),
    ] {
        let said = said.to_string();
        assert!(said.contains(&file.display().to_string()) && said.contains(what), "{said}");
    }
}
