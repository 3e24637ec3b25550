//! [`ListenAddress`], and how it is read.

use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde::Serialize;
use unladen_toml::{Bad, Value};

use super::reading::Reading;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListenAddress {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

const FORM: &str = "an address and a port, such as \"127.0.0.1:6102\" or \"[::1]:6102\", or \"unix:/run/app.sock\"";

/// Longest path of a Unix socket, in bytes: `sun_path` has one more, for the zero byte (unix(7)).
const LONGEST_PATH: usize = 107;

pub(super) fn address(value: &Value<'_>, reading: &Reading<'_>) -> Result<ListenAddress, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(FORM));
    }
    let text = value.one_line()?;
    if let Some(path) = text.strip_prefix("unix:") {
        return socket_path(value, path, reading).map(ListenAddress::Unix);
    }
    match text.parse::<SocketAddr>() {
        Ok(address) if address.port() == 0 => Err(value.refuse(format!("`{text}`"), "a port from 1 to 65535")),
        Ok(address) => Ok(ListenAddress::Tcp(address)),
        Err(_) => {
            let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
            let meant = match (host, port.parse::<u16>()) {
                ("" | "localhost" | "*", Ok(port)) => format!("; did you mean \"127.0.0.1:{port}\"?"),
                (_, Err(_)) if text.parse::<IpAddr>().is_ok() => "; the port is missing".into(),
                (_, Err(_)) if text.starts_with('/') => format!("; did you mean \"unix:{text}\"?"),
                _ => String::new(),
            };
            Err(value.refuse(format!("`{text}`"), format!("{FORM}{meant}")))
        }
    }
}

pub(super) fn socket_path(value: &Value<'_>, text: &str, reading: &Reading<'_>) -> Result<PathBuf, Bad> {
    if text.is_empty() {
        return Err(value.refuse("`unix:`", "a path after `unix:`, such as \"unix:/run/app.sock\""));
    }
    if text.starts_with('@') {
        return Err(value.refuse(
            format!("`unix:{text}`"),
            "a path: an abstract socket has no file mode, so anyone on this machine could open it",
        ));
    }
    let path = reading.path(text);
    let length = path.as_os_str().as_bytes().len();
    if length > LONGEST_PATH {
        let expected =
            format!("a path of at most {LONGEST_PATH} bytes, the limit of the kernel; this path has {length}");
        return Err(value.refuse(format!("`{}`", path.display()), expected));
    }
    Ok(path)
}

/// An address as written in the file.
pub fn text(address: &ListenAddress) -> String {
    match address {
        ListenAddress::Tcp(address) => address.to_string(),
        ListenAddress::Unix(path) => format!("unix:{}", path.display()),
    }
}
