//! Asking whether a stored response is still good, and taking the answer (RFC 9111, sections 4.3 and 3.2).

use unladen_http1::Fields;

use crate::Validators;

/// Makes a request's fields ask about a stored response: the client's own conditions and ranges are taken off. With no validators
/// it asks for a whole new response.
pub fn make_conditional(fields: &mut Fields, validators: &Validators) {
    todo!()
}

/// A stored response's fields after a 304 with these.
pub fn update(stored: &Fields, by: &Fields) -> Fields {
    todo!()
}
