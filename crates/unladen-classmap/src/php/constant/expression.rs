//! The value of an expression. The principal type is [`Expression`].

use std::path::Path;

use bstr::BString;

use crate::Problem;
use crate::php::constant::scope::{DEPTH, Elements, Scope, Value, dirname};
use crate::php::string::Piece;
use crate::php::token::{Tokens, What};

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) line: u32,
    pub(super) what: String,
}

impl Failure {
    pub(super) fn expected(expected: &str, found: &What<'_>, line: u32) -> Self {
        let what = match found {
            What::Broken(missing) => (*missing).to_owned(),
            found => format!("{expected}, not {}", found.words()),
        };
        Self { line, what }
    }

    pub(super) fn at(self, path: &Path) -> Problem {
        Problem::at(path, self.line, self.what)
    }
}

pub(super) struct Expression<'s, 't, 'a> {
    pub(super) tokens: &'t mut Tokens<'a>,
    pub(super) scope: &'t mut Scope<'s>,
    depth: usize,
}

impl<'s, 't, 'a> Expression<'s, 't, 'a> {
    pub(super) fn new(tokens: &'t mut Tokens<'a>, scope: &'t mut Scope<'s>) -> Self {
        Self { tokens, scope, depth: 0 }
    }

    pub(super) fn value(&mut self) -> Result<Value, Failure> {
        if self.depth == DEPTH {
            return Err(self.failure(format!("at most {DEPTH} nested arrays or brackets")));
        }
        self.depth += 1;
        let value = self.joined();
        self.depth -= 1;
        value
    }

    fn joined(&mut self) -> Result<Value, Failure> {
        let first = self.operand()?;
        if !self.taken(b".") {
            return Ok(first);
        }
        let mut text = self.text(first)?;
        loop {
            let next = self.operand()?;
            let next = self.text(next)?;
            if !self.scope.take(next.len()) {
                return Err(self.failure("shorter strings"));
            }
            text.extend_from_slice(&next);
            if !self.taken(b".") {
                return Ok(Value::String(text));
            }
        }
    }

    fn operand(&mut self) -> Result<Value, Failure> {
        let token = self.tokens.next();
        match token.what {
            What::Text(text) => Ok(Value::String(text.into_owned().into())),
            What::Template(parts) => {
                let mut text = BString::default();
                for part in parts {
                    match part {
                        Piece::Text(part) => text.extend_from_slice(&part),
                        Piece::Variable(name) => {
                            let value = self.variable(name, token.line)?;
                            text.extend_from_slice(&self.text(value)?);
                        }
                    }
                }
                Ok(Value::String(text))
            }
            What::Int(number) => Ok(Value::Int(number)),
            What::Variable(name) => self.variable(name, token.line),
            What::Name(name) => self.name(name, token.line),
            What::Mark(b"[") => self.array(b"]"),
            What::Mark(b"(") => {
                let value = self.value()?;
                self.expect(b")")?;
                Ok(value)
            }
            What::Mark(b"-") => match self.tokens.next().what {
                What::Int(number) => Ok(Value::Int(number.wrapping_neg())),
                _ => Err(Failure { line: token.line, what: "expected a number after `-`".to_owned() }),
            },
            other => Err(Failure::expected("expected a constant value", &other, token.line)),
        }
    }

    fn variable(&mut self, name: &[u8], line: u32) -> Result<Value, Failure> {
        let name_of = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        self.scope.variable(name).ok_or_else(|| {
            let what = format!("expected a constant value: the value of ${} is not known here", name_of(name));
            Failure { line, what }
        })
    }

    fn name(&mut self, name: &[u8], line: u32) -> Result<Value, Failure> {
        let plain = name.strip_prefix(b"\\").unwrap_or(name);
        if self.taken(b"::") {
            let member = self.tokens.next();
            let own = [&b"self"[..], b"static", b"parent"].iter().any(|own| name.eq_ignore_ascii_case(own));
            let value = match member.what {
                What::Name(member) if member.eq_ignore_ascii_case(b"class") => {
                    (!own).then(|| Value::String(self.scope.class(name)))
                }
                What::Name(member) if own => self.scope.constant(member),
                _ => None,
            };
            return value.ok_or_else(|| unknown(name, line));
        }
        match plain.to_ascii_lowercase().as_slice() {
            b"true" => Ok(Value::Bool(true)),
            b"false" => Ok(Value::Bool(false)),
            b"null" => Ok(Value::Null),
            b"__dir__" => Ok(Value::String(self.scope.directory())),
            b"__file__" => Ok(Value::String(self.scope.file())),
            b"__line__" => Ok(Value::Int(line.into())),
            b"__namespace__" => Ok(Value::String(self.scope.namespace().clone())),
            b"directory_separator" => Ok(Value::String("/".into())),
            b"path_separator" => Ok(Value::String(":".into())),
            b"array" if self.taken(b"(") => self.array(b")"),
            b"dirname" if self.taken(b"(") => self.dirname(line),
            _ => self.scope.constant(plain).ok_or_else(|| unknown(name, line)),
        }
    }

    fn array(&mut self, closing: &[u8]) -> Result<Value, Failure> {
        let mut elements = Elements::default();
        while !self.taken(closing) {
            let line = self.tokens.peek().line;
            let first = self.value()?;
            let (key, value) = if self.taken(b"=>") { (Some(first), self.value()?) } else { (None, first) };
            if !elements.add(key, value) {
                return Err(Failure { line, what: "expected a string or a number as an array key".to_owned() });
            }
            if !self.taken(b",") {
                self.expect(closing)?;
                break;
            }
        }
        Ok(elements.array())
    }

    fn dirname(&mut self, line: u32) -> Result<Value, Failure> {
        let path = self.value()?;
        let path = self.text(path)?;
        let mut levels = 1;
        if self.taken(b",") && !matches!(self.tokens.peek().what, What::Mark(b")")) {
            let given = self.value()?;
            self.taken(b",");
            levels = match given {
                Value::Int(levels @ 1..) => levels,
                _ => return Err(Failure { line, what: "expected a number of levels in dirname()".to_owned() }),
            };
        }
        self.expect(b")")?;
        let mut folder = path.as_slice();
        // Each level takes a byte at least, until nothing changes.
        for _ in 0..levels.min(path.len() as i64 + 1) {
            folder = dirname(folder);
        }
        Ok(Value::String(folder.into()))
    }

    fn text(&self, value: Value) -> Result<BString, Failure> {
        let line = self.tokens.line();
        value.text().ok_or_else(|| Failure { line, what: "expected a string, not an array".to_owned() })
    }

    pub(super) fn taken(&mut self, mark: &[u8]) -> bool {
        let comes = matches!(self.tokens.peek().what, What::Mark(next) if next == mark);
        if comes {
            self.tokens.next();
        }
        comes
    }

    fn expect(&mut self, mark: &[u8]) -> Result<(), Failure> {
        if self.taken(mark) { Ok(()) } else { Err(self.failure(format!("`{}`", mark.escape_ascii()))) }
    }

    fn failure(&mut self, expected: impl std::fmt::Display) -> Failure {
        let token = self.tokens.peek();
        Failure::expected(&format!("expected {expected}"), &token.what, token.line)
    }
}

fn unknown(name: &[u8], line: u32) -> Failure {
    let name = String::from_utf8_lossy(name);
    Failure { line, what: format!("expected a constant value: the value of {name} is not known from this file") }
}
