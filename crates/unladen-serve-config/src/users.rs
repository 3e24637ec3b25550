//! The principal type is [`Users`]: names and password hashes, from a file.

const MOST: usize = 10_000;
/// Cost of bcrypt hashes: 2^14 rounds take about a second.
const BCRYPT: std::ops::RangeInclusive<u32> = 4..=14;
/// Argon2id: memory in KiB, passes, lanes.
const MEMORY: u32 = 256 * 1024;
const PASSES: u32 = 16;
const LANES: u32 = 16;
/// RFC 7617 has no bound; a password file has.
const LONGEST_NAME: usize = 255;
const LONGEST_HASH: usize = 512;

/// Names and password hashes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Users {
    /// A name and its hash: `$2y$…`, `$2b$…`, `$2a$…` (bcrypt) or `$argon2id$…`.
    pub entries: Vec<(String, String)>,
}

/// A mistake in a file of names and hashes.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct UsersError {
    /// Counted from 1.
    pub line: usize,
    pub why: &'static str,
}

// === impl Users ===

impl Users {
    /// Reads lines `name:hash`; empty ones and those that begin with `#` are skipped, and further fields behind a colon
    /// ignored.
    ///
    /// # Errors
    /// The first wrong line.
    pub fn parse(bytes: &[u8]) -> Result<Self, UsersError> {
        let mut users = Self::default();
        for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let wrong = |why| UsersError { line: at + 1, why };
            let line = std::str::from_utf8(line).map_err(|_| wrong("it is not UTF-8"))?.trim_end_matches('\r');
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, rest) = line.split_once(':').ok_or_else(|| wrong("expected a name, a colon and a hash"))?;
            let hash = rest.split(':').next().unwrap_or_default();
            if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
                return Err(wrong("expected a name of 1 to 255 characters before the colon"));
            }
            check(hash).map_err(wrong)?;
            if users.find(name).is_some() {
                return Err(wrong("this name has an earlier line; remove one of the two"));
            }
            if users.entries.len() >= MOST {
                return Err(wrong("expected at most 10000 users"));
            }
            users.entries.push((name.to_owned(), hash.to_owned()));
        }
        Ok(users)
    }

    /// A user's hash.
    pub fn find(&self, name: &str) -> Option<&str> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, hash)| &**hash)
    }
}

impl std::fmt::Debug for Users {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Hashes are secrets, too.
        f.debug_struct("Users").field("count", &self.entries.len()).finish_non_exhaustive()
    }
}

/// Whether a hash can be verified, at a bounded cost.
fn check(hash: &str) -> Result<(), &'static str> {
    const OTHER: &str =
        "expected a bcrypt ($2y$, $2b$, $2a$) or Argon2id ($argon2id$) hash; `htpasswd -B FILE NAME` writes one";
    if hash.len() > LONGEST_HASH {
        return Err("expected a hash of at most 512 characters");
    }
    let mut parts = hash.strip_prefix('$').ok_or(OTHER)?.split('$');
    match parts.next() {
        Some("2y" | "2b" | "2a") => {
            // Two digits: what verifies passwords reads no others.
            let is_cost = |cost: &&str| cost.len() == 2 && cost.bytes().all(|byte| byte.is_ascii_digit());
            let cost = parts.next().filter(is_cost).and_then(|cost| cost.parse().ok()).ok_or(OTHER)?;
            let rest = parts.next().unwrap_or_default();
            let is_base64 = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./".contains(&byte));
            if rest.len() != 53 || !is_base64 || parts.next().is_some() {
                return Err("expected 53 characters after the cost of a bcrypt hash: it is cut off or too long");
            }
            if !BCRYPT.contains(&cost) {
                return Err("expected a cost from 4 to 14: each password attempt would take too long");
            }
            Ok(())
        }
        Some("argon2id") => argon2id(parts)
            .ok_or("expected $argon2id$v=19$m=…,t=…,p=…$salt$hash with m up to 262144 KiB, t up to 16 and p up to 16"),
        _ => Err(OTHER),
    }
}

fn argon2id<'h>(mut parts: impl Iterator<Item = &'h str>) -> Option<()> {
    if parts.next()? != "v=19" {
        return None;
    }
    let mut costs = parts.next()?.split(',');
    let mut cost = |name, most: u32| {
        let digits = costs.next()?.strip_prefix(name)?;
        // No sign and no leading zero, as the PHC string format requires.
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
        digits.parse().ok().filter(|cost: &u32| is_plain && *cost <= most)
    };
    let (memory, _, lanes) = (cost("m=", MEMORY)?, cost("t=", PASSES)?, cost("p=", LANES)?);
    // RFC 9106, section 3.1.
    if memory < 8 * lanes {
        return None;
    }
    let is_base64 =
        |text: &str| text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte));
    let (salt, hash) = (parts.next()?, parts.next()?);
    (costs.next().is_none() && parts.next().is_none() && is_base64(salt) && is_base64(hash)).then_some(())
}

#[cfg(test)]
mod tests;
