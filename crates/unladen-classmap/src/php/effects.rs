//! Whether loading a file only declares classes. The principal function is [`only_declares`].

use super::token::{Tokens, What};

/// Whether every top-level statement is a declaration of a class, `namespace`, `use` or `declare`.
pub fn only_declares(source: &[u8]) -> bool {
    // Text before PHP, or between two parts of it, is printed.
    if !source.starts_with(b"<?php") && !source.starts_with(b"\xef\xbb\xbf<?php") {
        return false;
    }
    let mut tokens = Tokens::new(source);
    let mut declares = false;
    while let What::Name(word) = tokens.next().what {
        match word.to_ascii_lowercase().as_slice() {
            // To the `;`, or into the braces, which are skipped below.
            b"namespace" => {
                if !passed(&mut tokens, b";", true) {
                    return false;
                }
            }
            b"use" | b"declare" => {
                if !passed(&mut tokens, b";", false) {
                    return false;
                }
            }
            b"abstract" | b"final" | b"readonly" => {}
            b"class" | b"interface" | b"trait" | b"enum" => {
                if !passed_brackets(&mut tokens, &[b"{"], b"}") {
                    return false;
                }
                declares = true;
                // Skips to its `;` or its namespace's brace; after `?>`, text would be printed.
                loop {
                    let sign = tokens.peek().what.clone();
                    let rest = tokens.word_start().and_then(|at| source.get(at..)).unwrap_or_default();
                    if let Some(printed) = rest.strip_prefix(b"?>") {
                        return printed.trim_ascii().is_empty();
                    }
                    if !matches!(sign, What::Mark(b";" | b"}")) {
                        break;
                    }
                    tokens.next();
                }
            }
            _ => return false,
        }
        while matches!(tokens.peek().what, What::Mark(b"#[")) {
            if !passed_brackets(&mut tokens, &[b"#[", b"["], b"]") {
                return false;
            }
        }
        if matches!(tokens.peek().what, What::End) {
            return declares;
        }
    }
    false
}

/// Skips to that sign, or to a brace if allowed; returns whether it was found.
fn passed(tokens: &mut Tokens<'_>, sign: &[u8], brace: bool) -> bool {
    loop {
        match tokens.next().what {
            What::Mark(found) if found == sign || brace && found == b"{" => return true,
            What::End | What::Broken(_) => return false,
            _ => {}
        }
    }
}

/// Skips to the end of the brackets that open next; returns whether it was found.
fn passed_brackets(tokens: &mut Tokens<'_>, opening: &[&[u8]], closing: &[u8]) -> bool {
    let mut depth = 0_usize;
    loop {
        match tokens.next().what {
            What::Mark(mark) if opening.contains(&mark) => depth += 1,
            What::Mark(mark) if mark == closing && depth <= 1 => return depth == 1,
            What::Mark(mark) if mark == closing => depth -= 1,
            What::End | What::Broken(_) => return false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
