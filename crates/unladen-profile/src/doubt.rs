//! The function is [`doubt`]: whether a file's content looks like a profile.

use crate::frame::FrameKind;
use crate::profile::Profile;
use crate::text::ends_in_number;

/// Too few names to judge.
const FEW: usize = 3;

/// Reports absurd names: addresses, or names ending in numbers as a column of the file would.
pub(crate) fn doubt(profile: &Profile) -> Option<String> {
    let names: Vec<&str> = (profile.frames.iter())
        .filter(|(_, frame)| frame.kind != FrameKind::Group)
        .map(|(_, frame)| frame.name)
        .collect();
    let found = |looks: fn(&str) -> bool| {
        let count = names.iter().filter(|name| looks(name)).count();
        let example = names.iter().find(|name| looks(name))?;
        (count >= FEW && 2 * count >= names.len())
            .then(|| format!("{count} of {} functions", names.len()) + &format!(" have names like `{example}`"))
    };
    if let Some(found) = found(is_address) {
        return Some(format!(
            "{found}, which begin with an address: the profiler knew no symbols, or wrote another format"
        ));
    }
    let found = found(|name| ends_in_number(name.as_bytes()))?;
    Some(format!("{found}, which end in a number: the file may have more columns than this format has"))
}

/// `0x401136`, `7f1c2a0b4c3d`, `401b97 main`.
fn is_address(name: &str) -> bool {
    let word = name.split_whitespace().next().unwrap_or_default();
    let digits = word.strip_prefix("0x").unwrap_or(word);
    // Words such as `deadbeef` are names.
    digits.len() >= 6
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
