//! Values that are nobody else's business: [`Evidence::leave_out_values`].

use super::Evidence;
use crate::secrets::without_secrets;
use crate::sql::without_values;

/// What stands in the place of a value.
const LEFT_OUT: &str = "…";

impl Evidence {
    /// Leaves out what statements and log lines say of data: literals of SQL, in log lines numbers, what stands in quotes,
    /// and [secrets](crate::without_secrets). So it is told to another machine.
    pub fn leave_out_values(&mut self) {
        for seen in &mut self.queries {
            // An older agent's may have some; told again it is the same.
            seen.example = without_values(&seen.example, &seen.fingerprint, seen.protocol);
        }
        for example in self.logs.iter_mut().flat_map(|seen| &mut seen.examples) {
            *example = line_without_values(&without_secrets(example));
        }
    }
}

/// `<30>shop[12]: user "ann" has 3` → `<30>shop[…]: user "…" has …`
fn line_without_values(line: &str) -> String {
    // The priority of syslog is none.
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

/// Goes on behind the end of a quotation; tells whether there is one. A quote behind a backslash is none.
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
mod tests {
    use super::*;
    use crate::evidence::{LogSeen, QueryProtocol, QuerySeen};
    use crate::sql::has_placeholder;

    /// Lines of JSON in lines of JSON: each quotation ended at the first quote within, and the rest was told.
    #[test]
    fn a_quotation_ended_at_an_escaped_quote() {
        for line in [
            r#"{"msg": "user \"ann\" paid", "ip": "10.1.1.1"}"#,
            r#"{"log": "{\"user\": \"ann\", \"say\": \"\\\"ann\\\"\"}"}"#,
            r"said 'it\'s ann' to 'ann\\'",
            r#"cut at "x\"#,
        ] {
            let told = line_without_values(line);
            assert!(!told.contains("ann") && !told.contains("10.1"), "{line} -> {told}");
        }
        assert_eq!(line_without_values(r#"a "b\"c" d"#), "a \"…\" d");
    }

    #[test]
    fn a_statement_is_told_without_its_values() {
        let seen = |protocol, example: &str, fingerprint: &str| QuerySeen {
            protocol,
            example: example.into(),
            fingerprint: fingerprint.into(),
            ..QuerySeen::default()
        };
        let log = LogSeen {
            examples: vec!["<30>shop[12]: user 'ann o' paid 3.50 by 4d1f, don't tell \"cutlery".into()],
            ..LogSeen::default()
        };
        let mut evidence = Evidence {
            queries: vec![
                seen(QueryProtocol::Mysql, "SELECT a FROM t WHERE mail = 'ann@x'", "SELECT a FROM t WHERE mail = ?"),
                seen(QueryProtocol::Sqlite, "SELECT a FROM t WHERE mail = 'ann@x'", "SELECT a FROM t WHERE mail = ?"),
                seen(QueryProtocol::Sqlite, "SELECT a FROM t WHERE mail = :m", "SELECT a FROM t WHERE mail = ?"),
            ],
            logs: vec![log],
            ..Evidence::default()
        };
        evidence.leave_out_values();
        let text = serde_json::to_string(&evidence).unwrap();
        for secret in ["ann", "3.50", "4d1f", "cutlery"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        let told: Vec<&str> = evidence.queries.iter().map(|seen| seen.example.as_str()).collect();
        assert_eq!(told[0], "SELECT a FROM t WHERE mail = ?");
        assert!(!has_placeholder(told[1]) && has_placeholder(told[2]), "{told:?}");
        assert_eq!(evidence.logs[0].examples[0], "<30>shop[…]: user '…' paid … by …, don't tell \"…");
    }
}
