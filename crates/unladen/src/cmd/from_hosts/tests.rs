use super::*;

fn names(from: &[&str]) -> Result<Vec<String>, String> {
    let from: Vec<String> = from.iter().map(|text| (*text).to_owned()).collect();
    let hosts = hosts(&from, "--from").map_err(|error| error.to_string())?;
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
    assert!(names(&["env"; 33]).unwrap_err().contains("32 is the most"));
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(names(&[&file.path().display().to_string()]).unwrap_err().contains("this is a file"));
}
