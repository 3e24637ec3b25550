use super::*;

#[test]
fn a_host_is_a_name_and_a_command() {
    let host: Host = "cache=ssh -J bastion -o User=root 10.0.0.9 ".parse().unwrap();
    assert_eq!(host, Host { name: "cache".into(), command: "ssh -J bastion -o User=root 10.0.0.9".into() });
    assert_eq!(host.to_string(), "cache");
    assert_eq!(host.told_command(), host.command);
}

#[test]
fn what_is_no_host_is_told_with_what_is_expected() {
    let told = |text: &str| text.parse::<Host>().unwrap_err().to_string();
    assert_eq!(told("ssh db1"), "`ssh db1` is not a host: expected NAME='COMMAND', such as db='ssh db1'");
    assert!(told("ssh -o A=b db1").contains("cannot be a host's name"));
    assert!(told("=ssh db1").contains("cannot be a host's name"));
    assert!(told("db/1=ssh db1").contains("cannot be a host's name"));
    assert!(told(&format!("{}=env", "a".repeat(65))).contains("cannot be a host's name"));
    assert_eq!(told("db= "), "host db has no command: expected NAME='COMMAND', such as db='ssh db'");
}
