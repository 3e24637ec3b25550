//! The principal function is [`members`]: texts and numbers of a JSON object by path. Varlink's messages need no more.

const MAX_DEPTH: usize = 8;
const MAX_MEMBERS: usize = 64;
/// Longest key or text, in bytes.
const MAX_STRING: usize = 1024;

/// Texts and numbers of an object and of nested ones: keys joined by dots, and the text. Ends at invalid or truncated
/// input.
pub(super) fn members(text: &[u8]) -> Vec<(String, String)> {
    let mut scan = Scan { text, at: 0 };
    let mut path: Vec<String> = Vec::new();
    let mut found = Vec::new();
    if scan.token() != Some(b'{') {
        return found;
    }
    while found.len() < MAX_MEMBERS && path.len() < MAX_DEPTH {
        match scan.token() {
            Some(b',') => {}
            Some(b'}') => {
                if path.pop().is_none() {
                    break;
                }
            }
            Some(b'"') => {
                let Some(key) = scan.string() else { break };
                if scan.token() != Some(b':') {
                    break;
                }
                match scan.token() {
                    Some(b'{') => path.push(key),
                    Some(b'"') => {
                        let Some(value) = scan.string() else { break };
                        found.push((join(&path, &key), value));
                    }
                    Some(byte) if byte.is_ascii_alphanumeric() || byte == b'-' => {
                        let value = scan.bare();
                        found.push((join(&path, &key), value));
                    }
                    Some(b'[') => {
                        if scan.skip_list().is_none() {
                            break;
                        }
                    }
                    _ => break,
                }
            }
            _ => break,
        }
    }
    found
}

fn join(path: &[String], key: &str) -> String {
    let mut joined = path.join(".");
    if !joined.is_empty() {
        joined.push('.');
    }
    joined + key
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn token(&mut self) -> Option<u8> {
        while self.peek()?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.at += 1;
        self.text.get(self.at - 1).copied()
    }

    /// After a string's first quote.
    fn string(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            let byte = match byte {
                b'"' => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                b'\\' => {
                    let escaped = self.peek()?;
                    self.at += 1;
                    match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'b' => 8,
                        b'f' => 12,
                        b'u' => {
                            let digits = self.text.get(self.at..self.at + 4)?;
                            self.at += 4;
                            let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                            let read = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                            bytes.extend_from_slice(read.encode_utf8(&mut [0; 4]).as_bytes());
                            continue;
                        }
                        other => other,
                    }
                }
                other => other,
            };
            if bytes.len() >= MAX_STRING {
                return None;
            }
            bytes.push(byte);
        }
    }

    /// A number or a word, after its first character.
    fn bare(&mut self) -> String {
        let from = self.at - 1;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+')) {
            self.at += 1;
        }
        let bytes = self.text.get(from..self.at).unwrap_or_default();
        String::from_utf8_lossy(bytes.get(..MAX_STRING).unwrap_or(bytes)).into_owned()
    }

    /// Skips a list after its first bracket.
    fn skip_list(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.token()? {
                b'[' => depth += 1,
                b']' => depth -= 1,
                b'"' => {
                    self.string()?;
                }
                _ => {}
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
