//! The type [`Result`]: a bench that cannot go on says why, and ends.

use std::error::Error;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;
