//! The principal type is [`Author`]: marks clients that have just changed something.
//!
//! A validator that is not asked each time may not know of a change yet; its author does, and looks for it. So the
//! answer to a possibly changing request sets a cookie for as long as that may last, and requests with it are
//! revalidated. It says nothing of client or page: it is removed before anything is looked up, and the application
//! never gets it. Forging it only has validators asked, as without this mechanism.

use std::sync::Arc;
use std::time::Duration;

use unladen_http1::Fields;
use unladen_validator::Validator;

const NAME: &[u8] = b"__unladen_fresh";

#[derive(Debug)]
pub(crate) struct Author {
    /// How long a validator may not know of a change.
    seconds: u64,
}

impl Author {
    /// `None` if all validators know of changes at once.
    pub(crate) fn new(validators: &[Arc<Validator>]) -> Option<Self> {
        validators.iter().filter_map(|validator| validator.bound()).max().map(Self::within)
    }

    fn within(bound: Duration) -> Self {
        // Max-Age is in whole seconds.
        Self { seconds: bound.as_secs() + u64::from(bound.subsec_nanos() > 0) }
    }

    pub(crate) fn mark(&self, more: &mut Fields, is_https: bool) {
        let name = String::from_utf8_lossy(NAME);
        let secure = if is_https { "; Secure" } else { "" };
        let value = format!("{name}=1; Max-Age={}; Path=/; HttpOnly; SameSite=Lax{secure}", self.seconds);
        more.push(b"set-cookie", value.as_bytes());
    }

    /// Removes the cookie; whether it was there.
    pub(crate) fn take_off(&self, fields: &mut Fields) -> bool {
        let is_cookie = |name: &[u8]| name.eq_ignore_ascii_case(b"cookie");
        let is_there =
            fields.iter().any(|field| is_cookie(field.name) && pairs(field.value).any(|(_, is_ours)| is_ours));
        if !is_there {
            return false;
        }
        let mut left = Vec::new();
        fields.retain(|field| {
            if !is_cookie(field.name) {
                return true;
            }
            let others = pairs(field.value).filter(|(_, is_ours)| !is_ours).map(|(pair, _)| pair);
            left.push(others.collect::<Vec<_>>().join(&b"; "[..]));
            false
        });
        for value in left.iter().filter(|value| !value.is_empty()) {
            fields.push(b"cookie", value);
        }
        true
    }
}

fn pairs(value: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    value.split(|byte| *byte == b';').map(<[u8]>::trim_ascii).filter(|pair| !pair.is_empty()).map(|pair| {
        let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default();
        (pair, name.trim_ascii_end() == NAME)
    })
}

#[cfg(test)]
mod tests;
