//! Skips the parts of statements that give no value.

use super::{Expression, Failure, Value, Walk, What};

impl<'a> Walk<'_, 'a> {
    /// Returns the value if the statement, or this part of it, ends here.
    pub(super) fn ends(&mut self, value: Value) -> Result<Value, Failure> {
        let token = self.tokens.peek();
        match &token.what {
            What::Mark(b";" | b",") | What::End => Ok(value),
            other => Err(Failure::expected("`;` was expected behind a constant value", other, token.line)),
        }
    }

    pub(super) fn taken(&mut self, mark: &[u8]) -> bool {
        Expression::new(&mut self.tokens, &mut self.scope).taken(mark)
    }

    /// A variable met elsewhere than in a constant value may have changed.
    pub(super) fn changed(&mut self, name: &[u8]) {
        self.scope.forget_variable(name);
    }

    pub(super) fn skip_brackets_if(&mut self, opening: &[u8]) -> bool {
        let comes = self.taken(opening);
        if comes {
            self.skip_brackets();
        }
        comes
    }

    /// Skips to the closing bracket of the one just opened.
    pub(super) fn skip_brackets(&mut self) {
        self.skip_until(|_| false);
        if !matches!(self.tokens.peek().what, What::End | What::Broken(_)) {
            self.tokens.next();
        }
    }

    /// Skips to the first wanted mark outside of further brackets, or to the end of the enclosing bracket.
    pub(super) fn skip_until(&mut self, is_end: impl Fn(&[u8]) -> bool) {
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

    pub(super) fn skip_statement(&mut self) {
        while !matches!(self.tokens.peek().what, What::End | What::Broken(_) | What::Mark(b";" | b"{" | b"}")) {
            self.tokens.next();
        }
    }

    /// Skips a property's type: `?array`, `int|string`. A name followed by anything else is none.
    pub(super) fn skip_type(&mut self) {
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
    pub(super) fn namespace(&mut self) {
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
    pub(super) fn imports(&mut self) {
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
