//! The function is [`text`]: JSON written by hand, so that only the profile itself is in memory.

use std::fmt::{self, Display, Write};

pub(crate) fn text(text: &str) -> impl Display {
    Text(text)
}

struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_char('"')?;
        let mut rest = self.0;
        while let Some(at) = rest.find(|character: char| character < ' ' || matches!(character, '"' | '\\')) {
            let (plain, from) = rest.split_at(at);
            formatter.write_str(plain)?;
            let mut characters = from.chars();
            match characters.next() {
                Some(character @ ('"' | '\\')) => write!(formatter, "\\{character}")?,
                Some('\n') => formatter.write_str("\\n")?,
                Some(character) => write!(formatter, "\\u{:04x}", character as u32)?,
                None => break,
            }
            rest = characters.as_str();
        }
        formatter.write_str(rest)?;
        formatter.write_char('"')
    }
}
