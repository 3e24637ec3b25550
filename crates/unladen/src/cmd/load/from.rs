//! What `--from` names: [`hosts`] that send, or, without a URL, the file of a [`recorded`] load.

use std::path::{Path, PathBuf};

use unladen_agent::{Host, HostError};

use crate::exit::Failure;

/// The most hosts of one load.
const MOST: usize = 32;

/// The hosts; those without a name are `agent-1` and so on, by their places.
pub(super) fn hosts(from: &[String]) -> Result<Vec<Host>, Failure> {
    let usage = |error: HostError| Failure::Usage(format!("--from: {error}"));
    if from.len() > MOST {
        return Err(Failure::Usage(format!("--from: {} hosts are given, and {MOST} is the most", from.len())));
    }
    let mut hosts: Vec<Host> = Vec::new();
    for (index, text) in from.iter().enumerate() {
        if Path::new(text).is_file() {
            return Err(Failure::Usage(format!(
                "--from {text}: this is a file. A recorded load is told without a URL; a host is a command, as in --from 'ssh gen1'"
            )));
        }
        let host = match text.split_once('=') {
            Some((name, command)) if !name.contains([' ', '\t']) => Host::new(name, command).map_err(usage)?,
            _ => Host::new(&format!("agent-{}", index + 1), text).map_err(usage)?,
        };
        if hosts.iter().any(|other| other.name == host.name) {
            return Err(Failure::Usage(format!("--from: two hosts have the name {}", host.name)));
        }
        hosts.push(host);
    }
    Ok(hosts)
}

/// The file, where there is no URL; `also` is another option that was given and means a load.
pub(super) fn recorded(from: &[String], also: Option<&str>) -> Result<Option<PathBuf>, Failure> {
    let [file] = from else {
        return Err(Failure::Usage(
            "--from: there is no URL. With one, hosts send to it; without, --from names the one file of a recorded load".into(),
        ));
    };
    match also {
        Some(also) => Err(Failure::Usage(format!(
            "--from cannot be used with {also} where there is no URL: it then tells a load that was recorded, and sends nothing"
        ))),
        None => Ok(Some(file.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(from: &[&str]) -> Result<Vec<String>, String> {
        let from: Vec<String> = from.iter().map(|text| (*text).to_owned()).collect();
        let hosts = hosts(&from).map_err(|error| error.to_string())?;
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
}
