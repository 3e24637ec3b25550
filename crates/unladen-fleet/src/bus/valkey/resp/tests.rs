//! Tests of the protocol.

use proptest::prelude::*;

use super::*;

fn parse(mut bytes: &[u8]) -> Result<Reply, BusError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(read(&mut bytes))
}

fn written(reply: &Reply) -> Vec<u8> {
    match reply {
        Reply::Status(text) => format!("+{text}\r\n").into_bytes(),
        Reply::Error(text) => format!("-{text}\r\n").into_bytes(),
        Reply::Integer(number) => format!(":{number}\r\n").into_bytes(),
        Reply::Bulk(bytes) => [format!("${}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat(),
        Reply::Nil => b"$-1\r\n".to_vec(),
        Reply::Array(list) => {
            [format!("*{}\r\n", list.len()).into_bytes(), list.iter().flat_map(written).collect()].concat()
        }
    }
}

fn any_reply() -> impl Strategy<Value = Reply> {
    let leaf = prop_oneof![
        "[a-zA-Z ]{0,20}".prop_map(Reply::Status),
        "[a-zA-Z ]{0,20}".prop_map(Reply::Error),
        any::<i64>().prop_map(Reply::Integer),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Reply::Bulk),
        Just(Reply::Nil),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| proptest::collection::vec(inner, 0..5).prop_map(Reply::Array))
}

proptest! {
    #[test]
    fn replies_are_read_as_they_are(reply in any_reply()) {
        let bytes = written(&reply);
        prop_assert_eq!(parse(&bytes).unwrap(), reply);
        prop_assert!(resp_is_readable(&bytes));
        prop_assert!(!resp_is_readable(&bytes[..bytes.len() - 1]), "not before all of it is there");
    }

    #[test]
    fn whatever_comes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _ = parse(&bytes);
    }
}

#[test]
fn what_is_too_much_is_refused_before_it_is_there() {
    for bytes in [
        "*20101\r\n",
        "$65537\r\n",
        "*99999999999999999999\r\n",
        "$18446744073709551615\r\n",
        "*-2\r\n",
        "$+1\r\na\r\n",
        "$1\r\nabc",
        ":1\n",
        ":x\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
        "\r\n",
    ] {
        assert!(matches!(parse(bytes.as_bytes()), Err(BusError::Answer(_))), "{bytes:?}");
    }
    let long = format!("+{}\r\n", "a".repeat(2000));
    assert!(matches!(parse(long.as_bytes()), Err(BusError::Answer(_))));
    let deep = "*1\r\n".repeat(9);
    assert!(matches!(parse(deep.as_bytes()), Err(BusError::Answer(_))));
}

#[test]
fn a_command_is_an_array_of_strings() {
    let mut out = Vec::new();
    write(&[b"SET", b"a", b"\r\n"], &mut out);
    assert_eq!(out, b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\n\r\n\r\n");
}
