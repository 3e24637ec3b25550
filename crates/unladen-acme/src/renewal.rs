//! [`ask`]: the authority's suggested renewal time (RFC 9773).

use std::borrow::Cow;

use instant_acme::{CertificateIdentifier, Error};

use crate::client::Client;
use crate::error::AcmeError;
use crate::event::Event;
use crate::state::Folder;
use crate::wanted::Wanted;

/// A window, in seconds since 1970, and after how many seconds to ask again.
pub(crate) type Suggested = ((u64, u64), u64);

/// `None` if this authority suggests nothing.
pub(crate) async fn ask(
    wanted: &Wanted,
    folder: &Folder,
    (key, serial): (&str, &str),
    tell: impl Fn(&Event<'_>),
) -> Result<Option<Suggested>, AcmeError> {
    let client = Client::new(wanted.authority()).map_err(AcmeError::Setup)?;
    let account = crate::account::open(wanted, folder, &client, tell).await?;
    let id = CertificateIdentifier { authority_key_identifier: Cow::Borrowed(key), serial: Cow::Borrowed(serial) };
    match account.renewal_info(&id).await {
        Ok((info, again)) => {
            let window = info.suggested_window;
            let seconds = |time: i64| u64::try_from(time).unwrap_or(0);
            let window = (seconds(window.start.unix_timestamp()), seconds(window.end.unix_timestamp()));
            Ok(Some((window, again.as_secs())))
        }
        Err(Error::Unsupported(_)) => Ok(None),
        Err(error) => Err(AcmeError::of("asking when to renew", client.retry_after())(error)),
    }
}
