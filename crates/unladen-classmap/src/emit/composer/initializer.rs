//! Replaces the list in autoload_static.php. The principal function is [`with_list`].

use std::ops::Range;

use bstr::ByteSlice;

use crate::php::token::{Tokens, What};

/// The text with this value of `$classMap`, passed to the loader; or what was not found.
pub(super) fn with_list(source: &[u8], array: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut text = match value(source, b"classMap") {
        Some(range) => [before(source, range.start), array, source.get(range.end..).unwrap_or_default()].concat(),
        None => {
            let at = source.find("    public static function getInitializer(").ok_or("`getInitializer`")?;
            let property = [b"    public static $classMap = ", array, b";\n\n"].concat();
            [before(source, at), &property, source.get(at..).unwrap_or_default()].concat()
        }
    };
    if !text.contains_str("$loader->classMap = ") {
        let class = class(&text).ok_or("`class ComposerStaticInit…`")?;
        let line = [b"            $loader->classMap = ", class.as_slice(), b"::$classMap;\n"].concat();
        // After the last of such lines, or where the first would be.
        let last = text.rfind("\n            $loader->").map(|at| at + 1);
        let at = last.or_else(|| text.find("use ($loader) {\n")).ok_or("`use ($loader) {`")?;
        let end = at + text.get(at..).and_then(|rest| rest.find_byte(b'\n')).ok_or("the end of a line")? + 1;
        text.splice(end..end, line);
    }
    Ok(text)
}

fn value(source: &[u8], property: &[u8]) -> Option<Range<usize>> {
    let mut tokens = Tokens::new(source);
    let mut is_static = false;
    loop {
        match tokens.next().what {
            What::End | What::Broken(_) => return None,
            What::Variable(name) if is_static && name == property => break,
            What::Name(name) => is_static = name.eq_ignore_ascii_case(b"static"),
            _ => is_static = false,
        }
    }
    if !matches!(tokens.next().what, What::Mark(b"=")) {
        return None;
    }
    tokens.peek();
    let start = tokens.word_start()?;
    loop {
        match tokens.peek().what {
            What::End | What::Broken(_) => return None,
            // It has only strings and arrays.
            What::Mark(b";") => return Some(start..tokens.word_start()?),
            _ => tokens.next(),
        };
    }
}

fn class(text: &[u8]) -> Option<Vec<u8>> {
    let mut tokens = Tokens::new(text);
    loop {
        match tokens.next().what {
            What::End | What::Broken(_) => return None,
            What::Name(b"class") => match tokens.next().what {
                What::Name(name) => return Some(name.to_vec()),
                _ => return None,
            },
            _ => {}
        }
    }
}

fn before(source: &[u8], end: usize) -> &[u8] {
    source.get(..end).unwrap_or_default()
}
