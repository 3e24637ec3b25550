//! The statements of a file, as far as constant values are assigned, returned or passed to functions. The principal
//! type is [`Walk`].

use std::ops::ControlFlow;
use std::path::Path;

use crate::php::constant::expression::{Expression, Failure};
use crate::php::constant::scope::{Call, Scope, Value};
use crate::php::token::{Tokens, What};

#[derive(Debug)]
pub(super) enum Event<'a> {
    Returned(Result<Value, Failure>),
    Assigned { variable: bool, name: &'a [u8], conditional: bool, value: Result<Value, Failure> },
    Called(Call),
}

type Found<'f, 'a> = &'f mut dyn FnMut(Event<'a>) -> ControlFlow<()>;

pub(super) struct Walk<'s, 'a> {
    tokens: Tokens<'a>,
    scope: Scope<'s>,
    names: &'s [&'s str],
    braces: usize,
    namespaces: usize,
    /// Open `if (…):`.
    colons: usize,
    /// Whether the statement depends on an `if (…)` without braces, or on a `&&` and the like in it.
    hangs: bool,
}

impl<'s, 'a> Walk<'s, 'a> {
    pub(super) fn new(source: &'a [u8], path: &'s Path, names: &'s [&'s str], known: &[(&str, Value)]) -> Self {
        let (tokens, scope) = (Tokens::new(source), Scope::new(path, source.len(), known));
        Self { tokens, scope, names, braces: 0, namespaces: 0, colons: 0, hangs: false }
    }

    /// Reports what it finds until told to stop. Returns the last line on success.
    pub(super) fn run(mut self, found: Found<'_, 'a>) -> Result<u32, Failure> {
        let mut starts = true;
        // Whether the function name that may follow is only declared, or a method's.
        let mut other = false;
        loop {
            let token = self.tokens.next();
            let (was_start, was_other) = (starts, other);
            (starts, other) = (false, false);
            let flow = match token.what {
                What::End => return Ok(token.line),
                What::Broken(what) => return Err(Failure { line: token.line, what: what.to_owned() }),
                What::Mark(mark) => {
                    (starts, other) = self.mark(mark, was_start);
                    ControlFlow::Continue(())
                }
                What::Variable(name) if was_start => self.assignment(name, found),
                What::Variable(name) => {
                    self.changed(name);
                    ControlFlow::Continue(())
                }
                What::Name(name) if !was_other => {
                    let plain = name.strip_prefix(b"\\").unwrap_or(name).to_ascii_lowercase();
                    if was_start && let Some((flow, goes_on)) = self.keyword(&plain, found) {
                        starts = goes_on;
                        flow
                    } else {
                        other = matches!(plain.as_slice(), b"function" | b"new" | b"fn");
                        self.hangs |= matches!(plain.as_slice(), b"and" | b"or" | b"xor");
                        self.call(&plain, token.line, found)
                    }
                }
                _ => ControlFlow::Continue(()),
            };
            if flow.is_break() {
                return Ok(self.tokens.line());
            }
        }
    }

    /// Whether a statement starts after this mark, and whether a name after it is no plain function.
    fn mark(&mut self, mark: &[u8], was_start: bool) -> (bool, bool) {
        match mark {
            b"{" => {
                self.braces += 1;
                self.hangs = false;
            }
            b"}" => {
                self.braces = self.braces.saturating_sub(1);
                self.namespaces = self.namespaces.min(self.braces);
                self.hangs = false;
            }
            b";" => self.hangs = false,
            // An attribute does not affect what it is on.
            b"#[" => {
                self.skip_brackets();
                return (was_start, false);
            }
            b"&&" | b"||" | b"?" | b"??" => self.hangs = true,
            _ => {}
        }
        (matches!(mark, b"{" | b"}" | b";"), matches!(mark, b"->" | b"?->" | b"::"))
    }

    fn conditional(&self) -> bool {
        self.hangs || self.colons > 0 || self.braces > self.namespaces
    }

    /// Handles a keyword at a statement's start; returns also whether a start still follows. `None` for other words.
    fn keyword(&mut self, word: &[u8], found: Found<'_, 'a>) -> Option<(ControlFlow<()>, bool)> {
        let go_on = ControlFlow::Continue(());
        match word {
            b"if" | b"elseif" | b"for" | b"foreach" | b"while" | b"switch" => {
                self.hangs = true;
                if self.skip_brackets_if(b"(") && self.taken(b":") {
                    self.colons += usize::from(word != b"elseif");
                    self.hangs = false;
                }
            }
            b"else" | b"do" | b"try" | b"finally" => {
                self.hangs = true;
                self.taken(b":");
            }
            b"endif" | b"endfor" | b"endforeach" | b"endwhile" | b"endswitch" => {
                self.colons = self.colons.saturating_sub(1);
            }
            b"public" | b"protected" | b"private" | b"static" | b"final" | b"abstract" | b"readonly" | b"var" => {
                // `static::x()`, `static fn`: then no type and no property comes.
                self.skip_type();
            }
            b"const" => return Some((self.constants(found), false)),
            b"global" => {
                self.skip_statement();
            }
            b"return" | b"exit" | b"die" if self.conditional() => return Some((go_on, false)),
            b"return" => {
                let value = Expression::new(&mut self.tokens, &mut self.scope).value();
                let value = value.and_then(|value| self.ends(value));
                let _ = found(Event::Returned(value));
                return Some((ControlFlow::Break(()), false));
            }
            b"exit" | b"die" => return Some((ControlFlow::Break(()), false)),
            b"namespace" => self.namespace(),
            b"use" if self.braces <= self.namespaces => self.imports(),
            _ => return None,
        }
        Some((go_on, true))
    }

    /// Called after a variable at the start of a statement.
    fn assignment(&mut self, name: &'a [u8], found: Found<'_, 'a>) -> ControlFlow<()> {
        if !self.taken(b"=") {
            self.changed(name);
            return ControlFlow::Continue(());
        }
        let place = self.tokens.position();
        let value = Expression::new(&mut self.tokens, &mut self.scope).value();
        let value = value.and_then(|value| self.ends(value));
        let conditional = self.conditional();
        match &value {
            Ok(value) if !conditional => self.scope.set_variable(name, value),
            Ok(_) => self.scope.forget_variable(name),
            Err(_) => {
                self.scope.forget_variable(name);
                // Unsupported values may contain calls.
                self.tokens.go_back(place);
            }
        }
        found(Event::Assigned { variable: true, name, conditional, value })
    }

    /// Called after `const`.
    fn constants(&mut self, found: Found<'_, 'a>) -> ControlFlow<()> {
        let mut name: Option<&'a [u8]> = None;
        loop {
            match self.tokens.peek().what {
                What::Name(next) => name = Some(next),
                What::Mark(b"?" | b"|") => {}
                What::Mark(b"=") => {
                    self.tokens.next();
                    let (Some(name), conditional) = (name.take(), self.conditional()) else { break };
                    let value = Expression::new(&mut self.tokens, &mut self.scope).value();
                    let value = value.and_then(|value| self.ends(value));
                    let (told, more) = (value.is_ok(), matches!(self.tokens.peek().what, What::Mark(b",")));
                    if let Ok(value) = &value {
                        self.scope.set_constant(name, value);
                    }
                    found(Event::Assigned { variable: false, name, conditional, value })?;
                    if !(told && more) {
                        break;
                    }
                }
                _ => break,
            }
            self.tokens.next();
        }
        ControlFlow::Continue(())
    }

    /// Called after the name of a function, if it is one.
    fn call(&mut self, plain: &[u8], line: u32, found: Found<'_, 'a>) -> ControlFlow<()> {
        let asked = self.names.iter().find(|asked| asked.as_bytes().eq_ignore_ascii_case(plain)).copied();
        if (asked.is_none() && plain != b"define") || !self.taken(b"(") {
            return ControlFlow::Continue(());
        }
        let mut args = Vec::new();
        while !self.taken(b")") {
            let place = self.tokens.position();
            let value = Expression::new(&mut self.tokens, &mut self.scope).value().ok();
            let ends = matches!(self.tokens.peek().what, What::Mark(b"," | b")"));
            if !ends {
                self.tokens.go_back(place);
                self.skip_until(|mark| mark == b",");
            }
            args.push(value.filter(|_| ends));
            if !self.taken(b",") && !matches!(self.tokens.peek().what, What::Mark(b")")) {
                // The file ends, or is no PHP: the next token tells.
                break;
            }
        }
        let conditional = self.conditional();
        if let [Some(Value::String(name)), Some(value), ..] = args.as_slice()
            && plain == b"define"
            && !conditional
        {
            self.scope.set_constant(name, value);
        }
        match asked {
            Some(name) => found(Event::Called(Call { name: name.to_owned(), line, args, conditional })),
            None => ControlFlow::Continue(()),
        }
    }
}

// Skips the parts of statements that give no value.
impl<'a> Walk<'_, 'a> {
    /// Returns the value if the statement, or this part of it, ends here.
    fn ends(&mut self, value: Value) -> Result<Value, Failure> {
        let token = self.tokens.peek();
        match &token.what {
            What::Mark(b";" | b",") | What::End => Ok(value),
            other => Err(Failure::expected("expected `;` after a constant value", other, token.line)),
        }
    }

    fn taken(&mut self, mark: &[u8]) -> bool {
        Expression::new(&mut self.tokens, &mut self.scope).taken(mark)
    }

    /// A variable met elsewhere than in a constant value may have changed.
    fn changed(&mut self, name: &[u8]) {
        self.scope.forget_variable(name);
    }

    fn skip_brackets_if(&mut self, opening: &[u8]) -> bool {
        let comes = self.taken(opening);
        if comes {
            self.skip_brackets();
        }
        comes
    }

    /// Skips to the closing bracket of the one just opened.
    fn skip_brackets(&mut self) {
        self.skip_until(|_| false);
        if !matches!(self.tokens.peek().what, What::End | What::Broken(_)) {
            self.tokens.next();
        }
    }

    /// Skips to the first wanted mark outside of further brackets, or to the end of the enclosing bracket.
    fn skip_until(&mut self, is_end: impl Fn(&[u8]) -> bool) {
        let mut open = 0usize;
        loop {
            match self.tokens.peek().what {
                What::End | What::Broken(_) => return,
                What::Mark(mark) if open == 0 && is_end(mark) => return,
                What::Mark(b"(" | b"[" | b"{" | b"#[") => open += 1,
                What::Mark(b")" | b"]" | b"}") => match open.checked_sub(1) {
                    Some(left) => open = left,
                    None => return,
                },
                What::Variable(name) => self.changed(name),
                _ => {}
            }
            self.tokens.next();
        }
    }

    fn skip_statement(&mut self) {
        while !matches!(self.tokens.peek().what, What::End | What::Broken(_) | What::Mark(b";" | b"{" | b"}")) {
            self.tokens.next();
        }
    }

    /// Skips a property's type: `?array`, `int|string`. A name followed by anything else is none.
    fn skip_type(&mut self) {
        loop {
            let place = self.tokens.position();
            let next = self.tokens.next();
            let word = match next.what {
                What::Mark(b"?" | b"|") => continue,
                What::Name(name) => name.to_ascii_lowercase(),
                _ => return self.tokens.go_back(place),
            };
            let of_the_statement = matches!(
                word.as_slice(),
                b"const" | b"static" | b"function" | b"fn" | b"class" | b"public" | b"readonly"
            );
            if of_the_statement || !matches!(self.tokens.peek().what, What::Variable(_) | What::Mark(b"|")) {
                return self.tokens.go_back(place);
            }
        }
    }

    /// Called after `namespace`.
    fn namespace(&mut self) {
        let name = match self.tokens.peek().what {
            What::Name(name) => {
                self.tokens.next();
                name
            }
            _ => &[],
        };
        self.scope.enter(name);
        if self.taken(b"{") {
            self.braces += 1;
            self.namespaces = self.braces;
        }
    }

    /// Called after `use`, outside of classes.
    fn imports(&mut self) {
        let mut prefix = Vec::new();
        let mut last: &'a [u8] = &[];
        loop {
            match self.tokens.peek().what {
                What::Name(word) if word.eq_ignore_ascii_case(b"function") || word.eq_ignore_ascii_case(b"const") => {
                    return self.skip_statement();
                }
                What::Name(word) if word.eq_ignore_ascii_case(b"as") => {
                    self.tokens.next();
                    if let What::Name(name) = self.tokens.peek().what {
                        self.scope.import(name, &[prefix.as_slice(), last].concat());
                    }
                }
                What::Name(name) => {
                    last = name;
                    let short = name.rsplit(|byte| *byte == b'\\').next().unwrap_or(name);
                    self.scope.import(short, &[prefix.as_slice(), last].concat());
                }
                // `use Some\{A, B as C}`
                What::Mark(b"\\") => {
                    prefix = last.to_vec();
                    prefix.push(b'\\');
                }
                What::Mark(b"{" | b"," | b"}") => {}
                _ => return,
            }
            self.tokens.next();
        }
    }
}
