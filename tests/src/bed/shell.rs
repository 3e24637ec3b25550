//! Commands to their end: [`run`] and [`output`].

use std::process::{Command, Stdio};

/// What these words write, or what they say as they fail.
pub(super) fn output<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Result<String, String> {
    let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
    let done = Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("{words:?}: {error}"))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    Err(format!("{words:?}: {}: {}", done.status, String::from_utf8_lossy(&done.stderr)))
}

/// The same of what has to go well.
#[track_caller]
pub(crate) fn run<S: AsRef<str>>(words: &[S]) -> String {
    output(words).unwrap_or_else(|said| panic!("{said}"))
}
