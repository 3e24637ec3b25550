use super::*;

const DATA: [u8; 7] = [23, 3, 3, 0, 2, 9, 9];

fn hello() -> Vec<u8> {
    let mut hello = vec![22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3];
    hello.extend_from_slice(&[7; 32]);
    hello.extend_from_slice(&[0, 0, 2, 0x13, 0x01, 1, 0, 0, 0]);
    hello
}

fn begun() -> Handshake {
    let mut handshake = Handshake::default();
    assert_eq!(handshake.sent(&hello(), 1_000, 1_100), Sent::Hello { server_name: None });
    handshake
}

#[test]
fn what_was_asked_over_tls_1_2_was_taken_for_the_end_of_its_handshake() {
    let mut handshake = begun();
    let end = [[22, 3, 3, 0, 1, 16].as_slice(), CHANGE_CIPHER_SPEC, &[22, 3, 3, 0, 2, 9, 9]].concat();
    assert_eq!(handshake.sent(&end, 2_000, 2_100), Sent::Handshake);
    assert_eq!(handshake.sent(&DATA, 4_000, 4_100), Sent::Done { took_ns: 3_000, with_data: true });
    assert_eq!(handshake.sent(&DATA, 5_000, 5_100), Sent::Data);
}

#[test]
fn tls_1_3_ends_its_handshake_by_what_looks_like_data() {
    let mut handshake = begun();
    let end = [CHANGE_CIPHER_SPEC, &DATA].concat();
    assert_eq!(handshake.sent(&end, 4_000, 4_100), Sent::Done { took_ns: 3_100, with_data: false });
    assert_eq!(handshake.sent(&DATA, 5_000, 5_100), Sent::Data);
    // Some send the end and the first data at once.
    let end = [CHANGE_CIPHER_SPEC, &DATA, &DATA].concat();
    assert_eq!(begun().sent(&end, 4_000, 4_100), Sent::Done { took_ns: 3_100, with_data: true });
}

#[test]
fn a_second_hello_is_of_the_same_handshake() {
    let mut handshake = begun();
    let again = [CHANGE_CIPHER_SPEC, &hello()].concat();
    assert_eq!(handshake.sent(&again, 2_000, 2_100), Sent::Handshake);
    assert_eq!(handshake.sent(&DATA, 4_000, 4_100), Sent::Done { took_ns: 3_100, with_data: false });
}
