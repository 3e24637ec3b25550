//! [`is_restart`]: whether a text is a command that restarts a container.

use crate::container_path::is_word;

/// The socket of a user's Docker, in a command's environment.
const DOCKER_HOST: &str = "DOCKER_HOST=unix:///run/user/";

/// Whether this is a command that restarts a container, exactly as this crate makes them: program, verb, and one name
/// that is neither an option nor more than a shell word. Agents on other hosts may send anything, and it is copied into
/// a root shell.
pub fn is_restart(command: &str) -> bool {
    let words: Vec<&str> = command.split(' ').collect();
    let (docker, words) = match words.split_first() {
        Some((first, rest)) => match first.strip_prefix(DOCKER_HOST) {
            Some(of_user) => (Some(of_user), rest),
            None => (None, words.as_slice()),
        },
        None => return false,
    };
    if let Some(of_user) = docker {
        let user = of_user.strip_suffix("/docker.sock").unwrap_or_default();
        return is_number(user) && is_of_docker(words);
    }
    match words {
        ["podman", "restart", name] | ["machinectl", "reboot", name] => is_word(name),
        ["sudo", "-iu", account, "podman", "restart", name] => is_word(account) && is_word(name),
        ["systemctl", "restart", unit] => is_service(unit),
        ["systemctl", "--user", "-M", account, "restart", unit] => {
            account.strip_suffix('@').is_some_and(is_word) && is_service(unit)
        }
        words => is_of_docker(words),
    }
}

fn is_of_docker(words: &[&str]) -> bool {
    match words {
        ["docker", "restart", name] => is_word(name),
        ["docker", "compose", "-p", project, "restart", service] => is_word(project) && is_word(service),
        _ => false,
    }
}

fn is_service(unit: &str) -> bool {
    is_word(unit) && unit.ends_with(".service")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
