//! Aliases whose names depend on the file's `namespace`, `use`, `const` and `define`. The principal type is [`Names`].
//!
//! Few files have any: they are read once more, word by word.

use std::collections::HashMap;

use bstr::BString;

use super::alias;
use crate::php::token::{Tokens, What};

mod statement;

#[derive(Debug, Default)]
struct Names {
    /// Without a trailing `\`.
    namespace: Vec<u8>,
    /// By name, in lower case.
    classes: HashMap<Vec<u8>, Vec<u8>>,
    /// By name as written.
    constants_used: HashMap<Vec<u8>, Vec<u8>>,
    /// By qualified name; `None` if unknown or not the same everywhere.
    constants: HashMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Names {
    fn class(&self, written: &[u8]) -> Option<Vec<u8>> {
        if let Some(whole) = written.strip_prefix(br"\") {
            return Some(whole.to_vec());
        }
        let (first, rest) = split(written);
        match first.to_ascii_lowercase().as_slice() {
            b"self" | b"static" | b"parent" => None,
            b"namespace" if !rest.is_empty() => Some(self.here(&rest[1..])),
            first => Some(match self.classes.get(first) {
                Some(used) => [used, rest].concat(),
                None => self.here(written),
            }),
        }
    }

    fn constant(&self, written: &[u8]) -> Option<Vec<u8>> {
        if written.eq_ignore_ascii_case(b"__NAMESPACE__") {
            return Some(self.namespace.clone());
        }
        let (first, rest) = split(written);
        let whole = if let Some(whole) = written.strip_prefix(br"\") {
            whole.to_vec()
        } else if !rest.is_empty() {
            self.class(written)?
        } else if let Some(used) = self.constants_used.get(first) {
            used.clone()
        } else {
            let here = self.here(written);
            // Constants outside of the namespace fall back to global ones.
            if self.constants.contains_key(&here) { here } else { written.to_vec() }
        };
        self.constants.get(&whole)?.clone()
    }

    fn here(&self, name: &[u8]) -> Vec<u8> {
        if self.namespace.is_empty() { name.to_vec() } else { [&self.namespace, &br"\"[..], name].concat() }
    }

    fn define(&mut self, whole: Vec<u8>, value: Option<Vec<u8>>) {
        self.constants.entry(whole).and_modify(|known| *known = None).or_insert(value);
    }
}

fn split(name: &[u8]) -> (&[u8], &[u8]) {
    name.split_at(memchr::memchr(b'\\', name).unwrap_or(name.len()))
}

/// The second names of all `class_alias` calls outside of strings, in order; `None` for an unknown one.
pub(super) fn aliases(source: &[u8]) -> Vec<Option<BString>> {
    let mut names = Names::default();
    let mut tokens = Tokens::new(source);
    let mut found = Vec::new();
    // Open braces, and how many of them are a namespace's.
    let (mut depth, mut outside) = (0_usize, 0);
    let mut before = What::Mark(b";");
    loop {
        let token = tokens.next();
        let starts = matches!(before, What::Mark(b";" | b"{" | b"}"));
        let member = matches!(before, What::Mark(b"->" | b"?->" | b"::"));
        let called = match before {
            What::Name(before) => ![&b"function"[..], b"fn", b"new"].iter().any(|no| no.eq_ignore_ascii_case(before)),
            _ => !member,
        };
        match &token.what {
            What::End | What::Broken(_) => return found,
            What::Mark(b"{") => depth += 1,
            What::Mark(b"}") => depth = depth.saturating_sub(1),
            What::Name(word) => match word.to_ascii_lowercase().as_slice() {
                b"namespace" if starts => {
                    if let Some(braces) = names.enter(&mut tokens) {
                        (depth, outside) = (usize::from(braces), usize::from(braces));
                        before = What::Mark(b";");
                        continue;
                    }
                }
                b"use" if starts && depth == outside => names.import(&mut tokens),
                b"const" if starts && depth == outside => names.constants(&mut tokens),
                b"define" | br"\define" if starts && depth == outside => names.defined(&mut tokens),
                b"class_alias" | br"\class_alias" if called && matches!(tokens.peek().what, What::Mark(b"(")) => {
                    found.push(names.call(&mut tokens).and_then(|text| alias::name(&text)));
                }
                _ => {}
            },
            _ => {}
        }
        before = token.what;
    }
}
