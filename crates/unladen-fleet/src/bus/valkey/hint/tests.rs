use super::*;

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
        ("MOVED 8688 10.0.0.2:6379", "give that one's address"),
        ("ASK 8688 10.0.0.2:6379", "moves this fleet's keys"),
        ("CLUSTERDOWN Hash slot not served", "not whole"),
        ("ERR SELECT is not allowed in cluster mode", "`/0` alone"),
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
