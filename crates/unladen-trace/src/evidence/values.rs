//! Private values: [`Evidence::leave_out_values`].

use super::Evidence;
use crate::secrets::without_secrets;
use crate::sql::without_values;

const LEFT_OUT: &str = "…";

impl Evidence {
    /// Removes data from statements and log lines, before evidence goes to another machine: literals of SQL; in log
    /// lines numbers, quotations, and [secrets](crate::without_secrets).
    pub fn leave_out_values(&mut self) {
        for seen in &mut self.queries {
            // An older agent's may contain some; repeating it changes nothing.
            seen.example = without_values(&seen.example, &seen.fingerprint, seen.protocol);
        }
        for example in self.logs.iter_mut().flat_map(|seen| &mut seen.examples) {
            *example = line_without_values(&without_secrets(example));
        }
    }
}

/// `<30>shop[12]: user "ann" has 3` → `<30>shop[…]: user "…" has …`
fn line_without_values(line: &str) -> String {
    // Syslog's priority is not private.
    let begin = line.strip_prefix('<').and_then(|rest| rest.find('>')).map_or(0, |at| at + 2);
    let (priority, rest) = line.split_at_checked(begin).unwrap_or(("", line));
    let mut told = priority.to_owned();
    let mut letters = rest.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        // `don't` begins no quotation.
        let opens = matches!(letter, '"' | '\'' | '`') && !before.is_alphanumeric();
        if opens {
            told.push(letter);
            told.push_str(LEFT_OUT);
            if skip_quotation(&mut letters, letter) {
                told.push(letter);
            }
        } else if letter.is_numeric() {
            while letters.next_if(|next| next.is_alphanumeric() || matches!(next, '.' | '-')).is_some() {}
            told.push_str(LEFT_OUT);
        } else {
            told.push(letter);
        }
        before = letter;
    }
    told
}

/// Skips to the end of a quotation; returns whether there is one. A quote after a backslash does not count.
fn skip_quotation(letters: &mut impl Iterator<Item = char>, quote: char) -> bool {
    while let Some(letter) = letters.next() {
        if letter == quote {
            return true;
        }
        if letter == '\\' {
            letters.next();
        }
    }
    false
}

#[cfg(test)]
mod tests;
