//! The statements that names depend on.

use super::Names;
use crate::php::token::{Tokens, What};

impl Names {
    /// Reads `namespace …` after its first word. Returns whether it has braces; `None` if it is no such statement.
    pub(super) fn enter(&mut self, tokens: &mut Tokens<'_>) -> Option<bool> {
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
    pub(super) fn import(&mut self, tokens: &mut Tokens<'_>) {
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
    pub(super) fn constants(&mut self, tokens: &mut Tokens<'_>) {
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
    pub(super) fn defined(&mut self, tokens: &mut Tokens<'_>) {
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
    pub(super) fn call(&mut self, tokens: &mut Tokens<'_>) -> Option<Vec<u8>> {
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
