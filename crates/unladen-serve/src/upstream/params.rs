//! [`write_request`]: a request as CGI parameters (RFC 3875, section 4.1; FastCGI 1.0, section 5.2).

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::ffi::OsStrExt;

use unladen_fastcgi::{ParamTooLong, RequestWriter};
use unladen_files::{RequestPath, Script};
use unladen_http1::{Fault, Field, Fields, Name, Request};
use unladen_observability::Reason;
use unladen_serve_config::{HostRule, ScriptSettings};

use crate::message::compose::{Additions, digits};

const SOFTWARE: &[u8] = concat!("unladen/", env!("CARGO_PKG_VERSION")).as_bytes();

/// Reply to a request that does not fit into FastCGI.
const TOO_LONG: Reason = Reason::Malformed(Fault::HeadTooLong);

pub(crate) struct ParamsOf<'a> {
    pub(crate) request: &'a Request,
    pub(crate) additions: &'a Additions<'a>,
    pub(crate) client: Option<IpAddr>,
    /// The client's port, if it is connected directly.
    pub(crate) port: Option<u16>,
    /// What stands for its path; `None` for the program of `settings`.
    pub(crate) script: Option<&'a Script>,
    pub(crate) settings: &'a ScriptSettings,
    /// Bytes of the body as sent; `None` without one.
    pub(crate) body: Option<u64>,
}

/// Writes a request without its body. Each parameter is written once: those of the settings last, replacing the
/// request's.
///
/// # Errors
/// The reply: a field does not fit into a record, or the path is invalid.
pub(crate) fn write_request(out: &mut Vec<u8>, number: u16, of: &ParamsOf<'_>) -> Result<(), Reason> {
    let mut params = Params { writer: RequestWriter::begin(out, number, of.settings.keep), own: &of.settings.params };
    of.script(&mut params)?;
    of.request(&mut params).map_err(|_| TOO_LONG)?;
    of.fields(&mut params).map_err(|_| TOO_LONG)?;
    for (name, value) in &of.settings.params {
        params.writer.param(name.as_bytes(), value.as_bytes()).map_err(|_| TOO_LONG)?;
    }
    params.writer.end();
    Ok(())
}

struct Params<'a> {
    writer: RequestWriter<'a>,
    own: &'a [(String, String)],
}

impl Params<'_> {
    fn add(&mut self, name: &[u8], value: &[u8]) -> Result<(), ParamTooLong> {
        if self.own.iter().any(|(own, _)| own.as_bytes() == name) {
            return Ok(());
        }
        self.writer.param(name, value)
    }
}

impl ParamsOf<'_> {
    fn script(&self, params: &mut Params<'_>) -> Result<(), Reason> {
        let path;
        let path_info;
        let (filename, name, root) = match (self.script, &self.settings.script) {
            (Some(script), _) => {
                path_info = Cow::Borrowed(&*script.path_info);
                let (filename, root) = (script.filename.as_os_str(), Some(script.root.as_os_str()));
                (filename, &*script.name, root)
            }
            (None, Some(program)) => {
                path = RequestPath::parse(&self.request.target).map_err(|_| Reason::Malformed(Fault::Target))?;
                let name = own_part(path.bytes(), self.settings.name.as_bytes());
                path_info = path.decoded_from(name.len());
                let root = self.settings.folder.as_ref().map(|folder| folder.root.as_os_str());
                (program.as_os_str(), name, root)
            }
            (None, None) => return Err(Reason::Malformed(Fault::Target)),
        };
        let path_info = &*path_info;
        let mut add = |name: &[u8], value: &[u8]| params.add(name, value).map_err(|_| TOO_LONG);
        add(b"SCRIPT_FILENAME", filename.as_bytes())?;
        add(b"SCRIPT_NAME", name)?;
        if path_info.is_empty() {
            add(b"DOCUMENT_URI", name)?;
        } else {
            add(b"DOCUMENT_URI", &[name, path_info].concat())?;
        }
        if let Some(root) = root {
            add(b"DOCUMENT_ROOT", root.as_bytes())?;
        }
        if !path_info.is_empty() {
            add(b"PATH_INFO", path_info)?;
            if let Some(root) = root {
                add(b"PATH_TRANSLATED", &[root.as_bytes(), path_info].concat())?;
            }
        }
        Ok(())
    }

    fn request(&self, params: &mut Params<'_>) -> Result<(), ParamTooLong> {
        let request = self.request;
        let query = request.target.splitn(2, |byte| *byte == b'?').nth(1).unwrap_or_default();
        let is_https = request.fields.get(Name::XForwardedProto) == Some(b"https");
        // Mandatory (RFC 3875, section 4.1.14), also for HTTP/1.0, which may name no host.
        let (named, port) = split_port(&request.authority);
        let name = if named.is_empty() { split_port(self.additions.host(request)).0 } else { named };
        let port = port.unwrap_or(if is_https { b"443" } else { b"80" });
        params.add(b"GATEWAY_INTERFACE", b"CGI/1.1")?;
        params.add(b"SERVER_SOFTWARE", SOFTWARE)?;
        params.add(b"SERVER_PROTOCOL", if request.minor == 0 { b"HTTP/1.0" } else { b"HTTP/1.1" })?;
        params.add(b"SERVER_NAME", name)?;
        params.add(b"SERVER_PORT", port)?;
        params.add(b"REQUEST_METHOD", &request.method)?;
        params.add(b"REQUEST_SCHEME", if is_https { b"https" } else { b"http" })?;
        if is_https {
            params.add(b"HTTPS", b"on")?;
        }
        params.add(b"REQUEST_URI", &request.target)?;
        params.add(b"QUERY_STRING", query)?;
        // PHP built with --enable-force-cgi-redirect runs no script without it.
        params.add(b"REDIRECT_STATUS", b"200")?;
        let client = self.client.or_else(|| asker(&request.fields)).or(self.additions.client);
        if let Some(client) = client {
            match client {
                IpAddr::V4(client) => params.add(b"REMOTE_ADDR", dotted(client, &mut [0; 16]))?,
                IpAddr::V6(client) => params.add(b"REMOTE_ADDR", client.to_string().as_bytes())?,
            }
            if let Some(port) = self.port {
                params.add(b"REMOTE_PORT", digits(u64::from(port), &mut [0; 20]))?;
            }
        }
        let has_meaning = matches!(&*request.method, b"POST" | b"PUT" | b"PATCH");
        if let Some(length) = self.body.or(has_meaning.then_some(0)) {
            params.add(b"CONTENT_LENGTH", digits(length, &mut [0; 20]))?;
        }
        if let Some(kind) = request.fields.find(b"content-type") {
            params.add(b"CONTENT_TYPE", kind)?;
        }
        Ok(())
    }

    /// Writes the fields as `HTTP_*`; equal names become one parameter.
    fn fields(&self, params: &mut Params<'_>) -> Result<(), ParamTooLong> {
        let fields = &self.request.fields;
        // Without a named host there is no `Host`: otherwise the program's own address would get into its links.
        if !self.request.authority.is_empty() || !matches!(self.additions.settings.host, HostRule::Keep) {
            params.add(b"HTTP_HOST", self.additions.host(self.request))?;
        }
        // `prepare` has removed what `Connection` lists.
        let passed = |field: &Field<'_>| is_told(field) && !field.id.is_hop_by_hop() && self.additions.keeps(field);
        let (mut name, mut value) = (Vec::with_capacity(64), Vec::new());
        for (at, field) in fields.iter().enumerate().filter(|(_, field)| passed(field)) {
            if fields.iter().take(at).any(|other| is_alike(other.name, field.name) && passed(&other)) {
                continue;
            }
            name.clear();
            name.extend_from_slice(b"HTTP_");
            name.extend(field.name.iter().map(|byte| if *byte == b'-' { b'_' } else { byte.to_ascii_uppercase() }));
            let mut more = fields.iter().skip(at + 1).filter(|other| is_alike(other.name, field.name) && passed(other));
            let Some(second) = more.next() else {
                params.add(&name, field.value)?;
                continue;
            };
            let separator: &[u8] = if field.name.eq_ignore_ascii_case(b"cookie") { b"; " } else { b", " };
            value.clear();
            value.extend_from_slice(field.value);
            for other in std::iter::once(second).chain(more) {
                value.extend_from_slice(separator);
                value.extend_from_slice(other.value);
            }
            params.add(&name, &value)?;
        }
        if let Some(id) = self.additions.request_id {
            params.add(b"HTTP_X_REQUEST_ID", id)?;
        }
        if let Some(trace) = self.additions.trace {
            let mut value = Vec::with_capacity(unladen_observability::trace_context::LENGTH);
            unladen_observability::trace_context::write(trace, &mut value);
            params.add(b"HTTP_TRACEPARENT", &value)?;
        }
        Ok(())
    }
}

/// Whether a program gets it under its own name. `Proxy` would be `HTTP_PROXY`, which libraries take for their proxy
/// (CVE-2016-5385). `REMOTE_ADDR`, `HTTPS` and `HTTP_HOST` tell of the client. Names with bytes other than letters,
/// digits, `-` and `_` are no variable names.
fn is_told(field: &Field<'_>) -> bool {
    match field.id {
        Name::Host
        | Name::ContentLength
        | Name::Expect
        | Name::Forwarded
        | Name::XForwardedFor
        | Name::XForwardedHost
        | Name::XForwardedProto => false,
        Name::Other => {
            !field.name.eq_ignore_ascii_case(b"proxy")
                && !is_alike(field.name, b"content-type")
                && !is_alike(field.name, b"content-length")
                && field.name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        }
        _ => true,
    }
}

/// Whether two names are the same in CGI.
fn is_alike(one: &[u8], other: &[u8]) -> bool {
    let told = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| told(*one) == told(*other))
}

/// The client of a proxy in front of us: written only by `prepare`, in one field or the other, as `forwarded` says.
fn asker(fields: &Fields) -> Option<IpAddr> {
    let text = |name| fields.get(name).and_then(|value| std::str::from_utf8(value).ok());
    let address = text(Name::XForwardedFor).or_else(|| {
        let (node, _) = text(Name::Forwarded)?.strip_prefix("for=")?.split_once(';')?;
        Some(node.strip_prefix("\"[").and_then(|node| node.strip_suffix("]\"")).unwrap_or(node))
    });
    address?.trim().parse().ok()
}

/// Formats an address, faster than `Display`.
fn dotted(address: Ipv4Addr, into: &mut [u8; 16]) -> &[u8] {
    let mut at = 0;
    for octet in address.octets() {
        let mut of = [0; 20];
        for byte in digits(u64::from(octet), &mut of).iter().chain(b".") {
            into[at] = *byte;
            at += 1;
        }
    }
    &into[..at - 1]
}

/// The path's part that is the program's own.
fn own_part<'p>(path: &'p [u8], name: &[u8]) -> &'p [u8] {
    let is_own = path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.first() == Some(&b'/'));
    if is_own { path.get(..name.len()).unwrap_or_default() } else { &[] }
}

/// A host, and its port if any. IPv6 keeps its brackets (RFC 3875, section 4.1.14).
fn split_port(authority: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(colon) = authority.iter().rposition(|byte| *byte == b':') else { return (authority, None) };
    let (host, port) = (&authority[..colon], &authority[colon + 1..]);
    if port.is_empty() || !port.iter().all(u8::is_ascii_digit) { (authority, None) } else { (host, Some(port)) }
}

#[cfg(test)]
mod tests;
