//! The principal type is [`Bad`]: a problem, and where in the text it is.

use std::ops::Range;

use crate::problem::Problem;

/// A problem, and the bytes of the text where it is.
#[derive(Debug)]
pub struct Bad {
    /// The bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: Box<Problem>,
}

impl Problem {
    /// At these bytes of the text.
    pub fn at(self, span: Range<usize>) -> Bad {
        Bad { span, problem: Box::new(self) }
    }
}
