//! The principal type is [`Author`]: how clients are known that have just changed something.
//!
//! A validator that need not ask each time may not know of a change yet; whoever made it does, and looks for it. So the
//! answer to a request that may have changed something sets a cookie for as long as that may be, and the requests that
//! have it are asked about. It says nothing of the client, and nothing of the page: it is taken off before anything is
//! looked for, and the application never gets it. Whoever forges it has validators ask, as they do without all this.

use std::sync::Arc;
use std::time::Duration;

use unladen_http1::Fields;
use unladen_validator::Validator;

/// The cookie's name.
const NAME: &[u8] = b"__unladen_fresh";

/// How clients are known that have just changed something.
#[derive(Debug)]
pub(crate) struct Author {
    /// For how long a validator may not know of it.
    seconds: u64,
}

impl Author {
    /// None: all validators know of a change at once.
    pub(crate) fn new(validators: &[Arc<Validator>]) -> Option<Self> {
        validators.iter().filter_map(|validator| validator.bound()).max().map(Self::within)
    }

    fn within(bound: Duration) -> Self {
        // The age of a cookie is in whole seconds.
        Self { seconds: bound.as_secs() + u64::from(bound.subsec_nanos() > 0) }
    }

    /// Has the client known.
    pub(crate) fn mark(&self, more: &mut Fields, is_https: bool) {
        let name = String::from_utf8_lossy(NAME);
        let secure = if is_https { "; Secure" } else { "" };
        let value = format!("{name}=1; Max-Age={}; Path=/; HttpOnly; SameSite=Lax{secure}", self.seconds);
        more.push(b"set-cookie", value.as_bytes());
    }

    /// Takes the cookie off: whether it was there.
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

/// Of a field, each cookie, and whether it is ours.
fn pairs(value: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    value.split(|byte| *byte == b';').map(<[u8]>::trim_ascii).filter(|pair| !pair.is_empty()).map(|pair| {
        let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default();
        (pair, name.trim_ascii_end() == NAME)
    })
}

#[cfg(test)]
mod tests;
