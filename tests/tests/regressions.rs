//! What once broke, named after it.

use unladen_tests::{Call, Subject};

/// rustls gives the names of a certificate as it debugs them; the message read `is for DnsName("wrong.example")`.
#[test]
fn a_certificates_names_are_shown_as_one_types_them() {
    let faults = Subject::up("faults");
    let url = faults.at("WRONG_NAME_URL", "/ok");
    let done = Call::weigh(["--cacert", faults.get("CA_FILE"), &url]).run().ended_with(3);
    assert!(!done.stderr.contains("DnsName"), "{done}");
}
