//! The chain of sources of an error: [`find`], [`innermost`].

use std::error::Error;
use std::io;

pub(crate) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An io::Error hides the error inside it, and gives that one's source as its own.
        if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            return find(inner);
        }
        next = error.source();
    }
    None
}

/// Message of the last error in the chain of sources: the most specific one.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
