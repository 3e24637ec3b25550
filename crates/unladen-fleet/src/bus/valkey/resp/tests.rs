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

/// The page and the hint named other commands: whoever followed the hint was refused SELECT next.
#[test]
fn the_page_and_the_hint_ask_for_the_same() {
    let page = include_str!("../../../../../../docs/reference/fleet.md");
    assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(PERMISSIONS), "{PERMISSIONS}");
}

/// All commands are run by scripts, of which an engine says otherwise that the user may not run them.
#[test]
fn a_command_that_a_script_may_not_run_is_one_that_the_user_needs() {
    for said in [
        "ERR The user executing the script can't run this command or subcommand",
        "ERR ACL failure in script: User purger has no permissions to run the 'get' command script: on @user_script:4.",
    ] {
        assert!(hint(said).contains("+xadd"), "{said}");
    }
}

/// What Valkey says of itself as a part of more than itself.
#[test]
fn a_cluster_and_replicas_are_told_of_with_what_to_do() {
    for (said, does) in [
        ("MOVED 8688 10.0.0.2:6379", "use its address"),
        ("ASK 8688 10.0.0.2:6379", "is moving this fleet's keys"),
        ("CLUSTERDOWN Hash slot not served", "incomplete"),
        ("ERR SELECT is not allowed in cluster mode", "only the database `/0`"),
        ("NOREPLICAS Not enough good replicas to write.", "min-replicas-to-write"),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", "another `name`"),
    ] {
        assert!(hint(said).starts_with(said) && hint(said).contains(does), "{said}: {}", hint(said));
    }
}

#[test]
fn what_an_engine_says_stays_on_one_line() {
    assert_eq!(hint("ERR a\u{1b}[2Jb\rc"), "ERR a [2Jb c");
}
