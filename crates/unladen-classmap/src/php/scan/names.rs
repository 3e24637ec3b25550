//! Aliases whose names depend on the file's `namespace`, `use`, `const` and `define`. The principal type is [`Names`].
//!
//! Few files have any: they are read once more, word by word.

use std::collections::HashMap;

use bstr::BString;

use crate::php::skip::{self, begins_comment, is_label};
use crate::php::token::{Tokens, What};

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
                    found.push(names.call(&mut tokens).and_then(|text| name(&text)));
                }
                _ => {}
            },
            _ => {}
        }
        before = token.what;
    }
}

// The statements that names depend on.
impl Names {
    /// Reads `namespace …` after its first word. Returns whether it has braces; `None` if it is no such statement.
    fn enter(&mut self, tokens: &mut Tokens<'_>) -> Option<bool> {
        let place = tokens.position();
        let mut name = Vec::new();
        loop {
            match tokens.next().what {
                What::Name(part) if matches!(name.last(), None | Some(b'\\')) => name.extend_from_slice(part),
                // Before PHP 8, white space was allowed around it: it is then a token of its own, or one with the name.
                What::Name(part) if part.starts_with(br"\") && !name.is_empty() => name.extend_from_slice(part),
                What::Mark(br"\") if !name.is_empty() => name.push(b'\\'),
                What::Mark(sign @ (b";" | b"{")) if sign == b"{" || !name.is_empty() => {
                    *self = Self { namespace: name, constants: std::mem::take(&mut self.constants), ..Self::default() };
                    return Some(sign == b"{");
                }
                _ => {
                    tokens.go_back(place);
                    return None;
                }
            }
        }
    }

    /// Reads `use …;` after its first word.
    fn import(&mut self, tokens: &mut Tokens<'_>) {
        let mut kind = Kind::Class;
        let mut prefix: &[u8] = b"";
        let mut own = None;
        loop {
            let What::Name(word) = tokens.peek().what else { return };
            tokens.next();
            // `use function a;` and `use A\{function b, const C};`
            let follows = matches!(tokens.peek().what, What::Name(_));
            let of = if follows { Kind::of(word) } else { None };
            if let Some(of) = of {
                if prefix.is_empty() {
                    kind = of;
                } else {
                    own = Some(of);
                }
                continue;
            }
            if matches!(tokens.peek().what, What::Mark(br"\")) && prefix.is_empty() {
                tokens.next();
                if !matches!(tokens.next().what, What::Mark(b"{")) {
                    return;
                }
                prefix = word.strip_prefix(br"\").unwrap_or(word);
                continue;
            }
            let mut name = word.rsplit(|&byte| byte == b'\\').next().unwrap_or(word);
            if matches!(tokens.peek().what, What::Name(word) if word.eq_ignore_ascii_case(b"as")) {
                tokens.next();
                let What::Name(alias) = tokens.next().what else { return };
                name = alias;
            }
            let whole = if prefix.is_empty() {
                word.strip_prefix(br"\").unwrap_or(word).to_vec()
            } else {
                [prefix, br"\", word].concat()
            };
            match own.take().unwrap_or(kind) {
                Kind::Class => drop(self.classes.insert(name.to_ascii_lowercase(), whole)),
                Kind::Constant => drop(self.constants_used.insert(name.to_vec(), whole)),
                Kind::Function => {}
            }
            match tokens.peek().what {
                What::Mark(b",") => drop(tokens.next()),
                // Another `use` of the same statement follows, or its end.
                What::Mark(b"}") => {
                    tokens.next();
                    prefix = b"";
                    if !matches!(tokens.peek().what, What::Mark(b",")) {
                        return;
                    }
                    tokens.next();
                }
                _ => return,
            }
            // A trailing comma is allowed in braces.
            if matches!(tokens.peek().what, What::Mark(b"}")) {
                tokens.next();
                return;
            }
        }
    }

    /// Reads `const NAME = value, …;` after its first word.
    fn constants(&mut self, tokens: &mut Tokens<'_>) {
        loop {
            let What::Name(name) = tokens.next().what else { return };
            if !matches!(tokens.next().what, What::Mark(b"=")) {
                return;
            }
            let value = self.value(tokens);
            self.define(self.here(name), value);
            if !matches!(tokens.peek().what, What::Mark(b",")) {
                return;
            }
            tokens.next();
        }
    }

    /// Reads `define('NAME', value)` after its first word.
    fn defined(&mut self, tokens: &mut Tokens<'_>) {
        if !matches!(tokens.peek().what, What::Mark(b"(")) {
            return;
        }
        tokens.next();
        let name = self.value(tokens);
        if !matches!(tokens.peek().what, What::Mark(b",")) {
            return;
        }
        tokens.next();
        let value = self.value(tokens);
        if let Some(name) = name {
            self.define(name.strip_prefix(br"\").unwrap_or(&name).to_vec(), value);
        }
    }

    /// The second argument of `class_alias(…)`, or the one named `alias`, after the first word, if a `(` follows.
    fn call(&mut self, tokens: &mut Tokens<'_>) -> Option<Vec<u8>> {
        tokens.next();
        let mut alias = None;
        for index in 0_usize.. {
            let place = tokens.position();
            let named = match tokens.next().what {
                What::Name(name) if matches!(tokens.peek().what, What::Mark(b":")) => {
                    tokens.next();
                    Some(name)
                }
                _ => {
                    tokens.go_back(place);
                    None
                }
            };
            let value = self.value(tokens);
            if named.map_or(index == 1, |name| name == b"alias") {
                alias = value;
            }
            if !matches!(tokens.peek().what, What::Mark(b",")) {
                break;
            }
            tokens.next();
        }
        alias
    }

    /// Reads a constant expression, up to the `,`, `;` or bracket after it; also skips other expressions.
    fn value(&self, tokens: &mut Tokens<'_>) -> Option<Vec<u8>> {
        let mut value = Some(Vec::new());
        let mut append = |part: Option<Vec<u8>>| match (&mut value, part) {
            (Some(value), Some(part)) => value.extend_from_slice(&part),
            (value, _) => *value = None,
        };
        let mut depth = 0_usize;
        // Whether a string is due, and not the dot after one.
        let mut due = true;
        loop {
            match tokens.peek().what.clone() {
                What::Mark(b"," | b";" | b")" | b"]" | b"}") | What::End | What::Broken(_) if depth == 0 => break,
                What::End | What::Broken(_) => return None,
                What::Mark(b"(" | b"[" | b"{" | b"#[") => {
                    depth += 1;
                    append(None);
                }
                What::Mark(b")" | b"]" | b"}") => depth -= 1,
                What::Text(text) if due => append(Some(text.into_owned())),
                What::Mark(b".") if !due => {}
                What::Name(name) if due => {
                    tokens.next();
                    let part = self.named(name, tokens);
                    append(part);
                    due = false;
                    continue;
                }
                _ => append(None),
            }
            due = !due;
            tokens.next();
        }
        value.filter(|_| !due)
    }

    fn named(&self, name: &[u8], tokens: &mut Tokens<'_>) -> Option<Vec<u8>> {
        if !matches!(tokens.peek().what, What::Mark(b"::")) {
            return self.constant(name);
        }
        tokens.next();
        match tokens.next().what {
            What::Name(member) if member.eq_ignore_ascii_case(b"class") => self.class(name),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Class,
    Function,
    Constant,
}

impl Kind {
    fn of(word: &[u8]) -> Option<Self> {
        match word.to_ascii_lowercase().as_slice() {
            b"function" => Some(Self::Function),
            b"const" => Some(Self::Constant),
            _ => None,
        }
    }
}

/// The second argument of `class_alias`, if one look tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Second {
    Known(BString),
    /// Perhaps a constant expression: it takes more of the file to know it.
    Unclear,
    /// None, or known only as the file runs.
    None,
    NoCall,
}

/// Limit of the look for the end of the first argument: arguments can be calls, which would all be scanned again.
const NEAR: usize = 1000;

/// The second argument of the call whose `(` is the first sign at `at`.
pub(super) fn second(source: &[u8], at: usize) -> Second {
    let Some(open) = skip::blank(source, at).filter(|&at| source.get(at) == Some(&b'(')) else { return Second::NoCall };
    let near = &source[..source.len().min(open + NEAR)];
    let Some(comma) = first(near, open + 1) else {
        return if near.len() < source.len() { Second::Unclear } else { Second::None };
    };
    let Some(at) = skip::blank(source, comma + 1) else { return Second::None };
    let (end, plain) = match source.get(at) {
        Some(b'\'') => (skip::single_quoted(source, at), true),
        Some(b'"') => (skip::double_quoted(source, at), false),
        Some(b'$') | None => return Second::None,
        Some(_) => return Second::Unclear,
    };
    let Some(end) = end else { return Second::None };
    let text = &source[at + 1..end - 1];
    let closed = skip::blank(source, end).is_some_and(|at| matches!(source.get(at), Some(b',' | b')')));
    if !closed || named(source, open + 1) || (!plain && memchr::memchr2(b'\\', b'$', text).is_some()) {
        return Second::Unclear;
    }
    // In single quotes, `\\` and `\` before a letter are the same.
    name(&bstr::ByteSlice::replace(text, br"\\", br"\")).map_or(Second::None, Second::Known)
}

/// The name that PHP registers for `text`; `None` if PHP would not autoload it.
pub(super) fn name(text: &[u8]) -> Option<BString> {
    let name = text.strip_prefix(br"\").unwrap_or(text);
    let valid =
        name.split(|&byte| byte == b'\\').all(|label| !label.is_empty() && skip::label(label, 0) == label.len());
    valid.then(|| name.into())
}

/// The comma after the first argument, which begins at `at`.
fn first(source: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = at;
    loop {
        match *source.get(at)? {
            b',' if depth == 0 => return Some(at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b'\'' => at = skip::single_quoted(source, at)? - 1,
            b'"' => at = skip::double_quoted(source, at)? - 1,
            b';' if depth == 0 => return None,
            b'/' | b'#' if begins_comment(source, at) => {
                at = skip::comment(source, at)?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

fn named(source: &[u8], at: usize) -> bool {
    let Some(at) = skip::blank(source, at) else { return false };
    let Some(colon) = skip::blank(source, skip::label(source, at)) else { return false };
    is_label(source.get(at).copied().unwrap_or_default())
        && source.get(colon) == Some(&b':')
        && source.get(colon + 1) != Some(&b':')
}
