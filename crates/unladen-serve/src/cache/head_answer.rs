//! The principal type is [`HeadAnswer`]: the application's reply to a site's HEAD about a page.

use std::net::IpAddr;

use unladen_http1::Response;

#[derive(Debug, Default)]
pub(crate) struct HeadAnswer {
    /// Client on whose behalf it is asked.
    pub(crate) address: Option<IpAddr>,
    /// `None` until it has answered.
    pub(crate) said: Option<Said>,
}

#[derive(Debug)]
pub(crate) enum Said {
    Version(Box<[u8]>),
    Nothing,
    Failure,
}

impl HeadAnswer {
    pub(crate) fn answered(&mut self, response: &Response) {
        let version = response.fields.find(b"etag").or_else(|| response.fields.find(b"last-modified"));
        self.said = Some(match version {
            _ if response.status >= 500 => Said::Failure,
            Some(version) if response.status == 200 => Said::Version(version.into()),
            _ => Said::Nothing,
        });
    }
}
