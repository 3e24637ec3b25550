use super::*;

#[test]
fn addresses_are_read_as_curl_has_them_too() {
    assert_eq!(address("127.0.0.1:80"), address("::127.0.0.1:80"));
    assert!(address("[::1]:80").is_ok() && address("localhost").is_err() && address("127.0.0.1").is_err());
}

#[test]
fn admin_addresses_are_of_tcp_or_of_a_unix_socket() {
    for right in ["127.0.0.1:9901", "localhost:9901", "[::1]:9901", "unix:/run/unladen/admin.sock"] {
        assert_eq!(admin_address(right), Ok(right.to_owned()));
    }
    for wrong in ["http://127.0.0.1:9901/", "http://a:1", "foo", "", ":9901", "a:", "a:99999", "::1", "unix:", "unix:a"]
    {
        assert!(admin_address(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn cookies_are_split_as_curl_splits_them() {
    for text in ["a=1; b=2", "a=1;b=2", " a=1 ;; b=2; "] {
        assert_eq!(cookies_of(text).collect::<Vec<_>>(), ["a=1", "b=2"]);
    }
}

#[test]
fn a_bare_number_is_no_latency() {
    assert_eq!(latency("1.5ms"), Ok(Duration::from_micros(1_500)));
    assert!(latency("5").is_err() && latency("soon").is_err());
}

#[test]
fn percentages_and_shares_are_the_same() {
    assert_eq!(percent("2%"), Ok(0.02));
    assert_eq!(percent("0.02"), Ok(0.02));
    for wrong in ["2", "0%", "-1%", "100%", "x", "NaN", ""] {
        assert!(percent(wrong).is_err(), "{wrong}");
    }
}

fn names(from: &[&str]) -> Result<Vec<String>, String> {
    let from: Vec<String> = from.iter().map(|text| (*text).to_owned()).collect();
    let hosts = sending_hosts(&from, "--from").map_err(|error| error.to_string())?;
    Ok(hosts.into_iter().map(|host| format!("{}: {}", host.name, host.command)).collect())
}

#[test]
fn a_command_needs_no_name() {
    let all = names(&["ssh gen1", "db=ssh -o A=b db1", "ssh -o A=b gen3"]).unwrap();
    assert_eq!(all, ["agent-1: ssh gen1", "db: ssh -o A=b db1", "agent-3: ssh -o A=b gen3"]);
}

#[test]
fn what_is_no_host_is_told() {
    assert!(names(&["a=env", "a=env"]).unwrap_err().contains("two hosts have the name a"));
    assert!(names(&["a="]).unwrap_err().contains("has no command"));
    assert!(names(&["a/b=env"]).unwrap_err().contains("cannot be a host's name"));
    assert!(names(&["env"; 33]).unwrap_err().contains("at most 32"));
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(names(&[&file.path().display().to_string()]).unwrap_err().contains("this is a file"));
}
