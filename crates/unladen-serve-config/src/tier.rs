//! [`TierSettings`]: `[tier]`, and how it is read.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use unladen_pool::{EndpointAddress, Origin, OutlierSettings, Protocol, UpstreamSettings};
use unladen_toml::{Bad, Value};

use super::explain::{Showable, Shown};
use super::level::{Level, table};
use super::reading::Reading;
use super::{origins, tls};

/// The peers that a node asks before the application.
#[derive(Clone, Debug, PartialEq)]
pub struct TierSettings {
    pub upstream: UpstreamSettings,
    /// Changes with the authorities' file.
    pub stamp: u64,
    /// The peers' shared secret …
    pub secret: TierSecret,
    /// … and its file.
    pub secret_file: PathBuf,
    /// This node's address among them; `None` if it finds out.
    pub node: Option<SocketAddr>,
    /// How long a peer may take to show that it is at work.
    pub deadline: Duration,
    /// A page is also kept here after this many requests.
    pub hot: u8,
}

/// The shared secret of a tier's nodes: 32 to 256 visible ASCII characters. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct TierSecret(String);

impl TierSecret {
    /// Fewest bytes.
    pub const SHORTEST: usize = 32;
    /// Most bytes.
    pub const LONGEST: usize = 256;

    /// `None` if it is too short, too long, or has characters that a header field may not have.
    pub fn new(text: &str) -> Option<Self> {
        let is_long_enough = (Self::SHORTEST..=Self::LONGEST).contains(&text.len());
        (is_long_enough && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Self(text.to_owned()))
    }

    /// For a peer, and nobody else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TierSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TierSecret(…)")
    }
}

/// By the configuration's keys; the secret is not shown.
impl Serialize for TierSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("TierSettings", 7)?;
        let url = |origin: &Origin| format!("{}://{}", if origin.tls { "https" } else { "http" }, origin.authority);
        table.serialize_field("peers", &self.upstream.origins.iter().map(url).collect::<Vec<_>>())?;
        table.serialize_field("secret_file", &self.secret_file)?;
        table.serialize_field("node", &self.node)?;
        table.serialize_field("deadline", &self.deadline)?;
        table.serialize_field("hot", &self.hot)?;
        table.serialize_field("ca", &self.upstream.tls.ca)?;
        table.serialize_field("server_name", &self.upstream.tls.server_name)?;
        table.end()
    }
}

/// The tier's name as an upstream.
const NAME: &str = "tier";
const DEADLINE: Duration = Duration::from_millis(500);
const DEADLINE_BOUNDS: std::ops::RangeInclusive<Duration> = Duration::from_millis(20)..=Duration::from_secs(30);
const HOT: u8 = 3;
/// Counters are bounded, and another page may be counted in the same one.
const HOT_BOUNDS: std::ops::RangeInclusive<u64> = 1..=100;
/// A failed peer is left out for this long, and longer each time.
const OUT: Duration = Duration::from_secs(1);
const LONGEST_OUT: Duration = Duration::from_secs(30);

pub(super) fn read(top: &Level<'_>, r: &mut Reading<'_>) -> Option<TierSettings> {
    let level = table(top, "tier", "[tier]", r)?;
    let about = "the nodes, such as peers = [\"http://10.0.0.1:8080\", \"http://10.0.0.2:8080\"]";
    let peers = level.require("peers", about, r, peers, |origins| origins::show(origins));
    let about = "a file with the secret of the nodes, such as secret_file = \"/etc/unladen/tier.secret\"";
    let secret = level.require("secret_file", about, r, secret, |(path, _)| path.shown());
    let node = level.optional("node", r, |value, _| node(value), |node| Shown::Text(node.to_string()));
    let deadline = level.duration("deadline", DEADLINE_BOUNDS, DEADLINE, r);
    let hot = level.count("hot", HOT_BOUNDS, HOT, r);
    let mut upstream = UpstreamSettings::new(NAME, peers.unwrap_or_default());
    let (tls, stamp) = tls::of_peers(&level, r);
    upstream.tls = tls;
    let (secret_file, secret) = secret?;
    if upstream.origins.is_empty() {
        return None;
    }
    upstream.is_tier = true;
    // One question is one request on one connection, and the peer says at once what it cannot answer.
    upstream.http = Protocol::Http1;
    upstream.retry.attempts = 0;
    upstream.breaker = None;
    upstream.outlier =
        Some(OutlierSettings { consecutive: 1, ejection: OUT, max_ejection: LONGEST_OUT, max_share: 1.0 });
    upstream.timeouts.connect = deadline / 2;
    upstream.timeouts.first_byte = deadline / 2;
    Some(TierSettings { upstream, stamp, secret, secret_file, node, deadline, hot })
}

/// Like an upstream's, but all are addresses, and alike.
fn peers(value: &Value<'_>, r: &mut Reading<'_>) -> Result<Vec<Origin>, Bad> {
    let origins = origins::all(value, r)?;
    if origins.iter().any(|origin| matches!(origin.at, EndpointAddress::Unix(_))) {
        return Err(
            value.refuse("a Unix socket", "URLs that begin with http:// or https://: other nodes have to reach it")
        );
    }
    if origins.iter().any(|origin| origin.weight != 1) {
        return Err(value.refuse("a weight", "nodes without `weight`: each owns equally many pages"));
    }
    Ok(origins)
}

fn secret(value: &Value<'_>, r: &mut Reading<'_>) -> Result<(PathBuf, TierSecret), Bad> {
    let path = r.path(value.one_line()?);
    let unusable = |source| value.unusable(path.clone(), source);
    let bytes = r.machine.read(&path).map_err(unusable)?;
    let secret = std::str::from_utf8(&bytes).ok().and_then(|text| TierSecret::new(text.trim()));
    let secret = secret.ok_or_else(|| {
        let (least, most) = (TierSecret::SHORTEST, TierSecret::LONGEST);
        unusable(std::io::Error::other(format!(
            "it is not a secret: expected one line of {least} to {most} letters, digits and marks, such as from \
             `openssl rand -hex 32`"
        )))
    })?;
    if tls::is_open(&path, r) {
        r.warn(
            value.span(),
            format!("anyone on this machine may read the secret {0}: run `chmod 0640 {0}`", path.display()),
        );
    }
    Ok((path, secret))
}

fn node(value: &Value<'_>) -> Result<SocketAddr, Bad> {
    let text = value.one_line()?;
    let address =
        text.parse::<SocketAddr>().ok().filter(|address| address.port() > 0 && !address.ip().is_unspecified());
    address.ok_or_else(|| value.refuse(format!("`{text}`"), "an address and a port, such as \"10.0.0.1:8080\""))
}

#[cfg(test)]
mod tests;
