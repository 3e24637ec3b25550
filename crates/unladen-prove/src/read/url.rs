//! Reads a URL that can be requested.

use unladen_load::{RequestBuilder, RequestError};
use unladen_toml::{Bad, Value};
use url::Url;

pub(crate) fn url(value: &Value<'_>) -> Result<Url, Bad> {
    let text = value.text()?;
    let url = Url::parse(text).map_err(|source| value.other(RequestError::url(text, source)))?;
    RequestBuilder::new(http::Method::GET, url.clone())
        .and_then(RequestBuilder::build)
        .map_err(|error| value.other(error))?;
    Ok(url)
}
