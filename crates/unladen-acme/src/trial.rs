//! [`try_directory`]: whether an authority answers, without an account.

use crate::client::Client;
use crate::error::AcmeError;
use crate::wanted::Authority;

use bytes::Bytes;
use http::Request;
use instant_acme::{BodyWrapper, HttpClient};

/// Required members of a directory (RFC 8555, section 7.1.1).
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Directory {
    #[serde(rename = "newOrder")]
    _new_order: String,
    #[serde(rename = "newAccount")]
    _new_account: String,
}

/// Asks an authority for its directory, and nothing else.
///
/// # Errors
/// If there is none at its URL, or it cannot be reached.
pub async fn try_directory(authority: &Authority) -> Result<(), AcmeError> {
    let client = Client::new(authority).map_err(AcmeError::Setup)?;
    let doing = "reading its directory";
    let failed = AcmeError::of(doing, None);
    let request = Request::get(&authority.directory).body(BodyWrapper::<Bytes>::default());
    let request = request.map_err(|error| failed(error.into()))?;
    let mut response = client.request(request).await.map_err(&failed)?;
    let body = response.body.into_bytes().await.map_err(|error| failed(instant_acme::Error::Other(error)))?;
    match serde_json::from_slice::<Directory>(&body) {
        Ok(_) => Ok(()),
        Err(error) => {
            let cause = format!("{} is not an ACME directory: {error}", authority.directory);
            Err(AcmeError::Unreachable { doing, cause, retry_after: None })
        }
    }
}
