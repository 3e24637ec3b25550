//! [`program_of`]: what results say of a command.

/// A command as it may be told: its program, and that there is more. Arguments, and variables before it, may be secrets.
pub fn program_of(command: &str) -> String {
    match command.trim().split_once(char::is_whitespace) {
        _ if command.split_whitespace().next().is_some_and(|first| first.contains('=')) => "…".to_owned(),
        Some((program, _)) => format!("{program} …"),
        None => command.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests;
