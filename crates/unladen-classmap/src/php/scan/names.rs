//! The aliases of a file whose names hang on its `namespace`, `use`, `const` and `define`. The principal type is
//! [`Names`].
//!
//! Few files have any: this reads them once more, word by word.

use std::collections::HashMap;

use bstr::BString;

use super::alias;
use crate::php::token::{Tokens, What};

mod statement;

/// What names stand for at a place in a file.
#[derive(Debug, Default)]
struct Names {
    /// Without a `\` at its end.
    namespace: Vec<u8>,
    /// By the name, in small letters.
    classes: HashMap<Vec<u8>, Vec<u8>>,
    /// By the name, as it is written.
    constants_used: HashMap<Vec<u8>, Vec<u8>>,
    /// By the whole name; nothing if it is not known or not the same everywhere.
    constants: HashMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Names {
    /// The whole name of a class.
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

    /// The value of a constant.
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
            // A constant that is not in the namespace is looked for outside of all.
            if self.constants.contains_key(&here) { here } else { written.to_vec() }
        };
        self.constants.get(&whole)?.clone()
    }

    /// A name in the namespace.
    fn here(&self, name: &[u8]) -> Vec<u8> {
        if self.namespace.is_empty() { name.to_vec() } else { [&self.namespace, &br"\"[..], name].concat() }
    }

    /// A constant is given a value.
    fn define(&mut self, whole: Vec<u8>, value: Option<Vec<u8>>) {
        self.constants.entry(whole).and_modify(|known| *known = None).or_insert(value);
    }
}

/// The first part of a name, and what is behind it.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    name.split_at(memchr::memchr(b'\\', name).unwrap_or(name.len()))
}

/// The second names of all calls of `class_alias` outside of strings, in their order; nothing for one that cannot be
/// known.
pub(super) fn aliases(source: &[u8]) -> Vec<Option<BString>> {
    let mut names = Names::default();
    let mut tokens = Tokens::new(source);
    let mut found = Vec::new();
    // How many braces are open, and how many of them are a namespace's.
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
