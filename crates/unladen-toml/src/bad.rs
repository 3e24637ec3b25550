//! The principal type is [`Bad`]: a problem, and its place in the text.

use std::ops::Range;

use crate::problem::Problem;

/// A problem, and its place in the text.
#[derive(Debug)]
pub struct Bad {
    /// In bytes.
    pub span: Range<usize>,
    pub problem: Box<Problem>,
}

impl Problem {
    /// Places the problem at these bytes of the text.
    pub fn at(self, span: Range<usize>) -> Bad {
        Bad { span, problem: Box::new(self) }
    }
}
