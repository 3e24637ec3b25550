//! [`page_of`]: a page to profile, from the command line.

use crate::cmd::sending::Sending;
use crate::exit::Failure;
use crate::profile::Page;

/// Fails if the URL or an option of sending is wrong.
pub(super) fn page_of(sending: &Sending, url: &str) -> Result<Page, Failure> {
    let requests = sending.requests(&[url.to_owned()], None)?;
    let driver = sending.driver(requests.into_iter().map(|weighted| weighted.request).collect())?;
    Ok(Page { title: url.to_owned(), driver })
}
