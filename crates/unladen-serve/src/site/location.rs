//! The principal type is [`Location`]: where a route's redirect leads.

use unladen_http1::Request;

use super::hosts::Name;

#[derive(Debug)]
pub(crate) struct Location {
    pieces: Vec<Piece>,
    pub(crate) status: u16,
}

#[derive(Debug)]
enum Piece {
    Text(Box<[u8]>),
    Uri,
    Path,
    /// Without its `?`.
    Query,
    /// Without its port.
    Host,
}

impl Location {
    pub(crate) fn new(text: &str, status: u16) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, behind)) = after.split_once('}') else { break };
            if !before.is_empty() {
                pieces.push(Piece::Text(before.as_bytes().into()));
            }
            pieces.push(match name {
                "uri" => Piece::Uri,
                "path" => Piece::Path,
                "query" => Piece::Query,
                "host" => Piece::Host,
                // The configuration has refused all others.
                other => Piece::Text(format!("{{{other}}}").as_bytes().into()),
            });
            rest = behind;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.as_bytes().into()));
        }
        Self { pieces, status }
    }

    /// `None` if the request names no host, which is needed.
    pub(crate) fn of(&self, request: &Request) -> Option<Vec<u8>> {
        let target: &[u8] = if request.target.first() == Some(&b'/') { &request.target } else { b"/" };
        let mut split = target.splitn(2, |byte| *byte == b'?');
        let (path, query) = (split.next().unwrap_or_default(), split.next().unwrap_or_default());
        let mut to = Vec::with_capacity(target.len() + 64);
        for piece in &self.pieces {
            // A leading part could name another host.
            let own = |part| if to.is_empty() { one_slash(part) } else { part };
            let part = match piece {
                Piece::Text(text) => text,
                Piece::Uri => own(target),
                Piece::Path => own(path),
                Piece::Query => query,
                Piece::Host => {
                    let name = Name::of(&request.authority).filter(is_host)?;
                    to.extend_from_slice(name.bytes());
                    continue;
                }
            };
            to.extend_from_slice(part);
        }
        Some(to)
    }
}

/// A path that is not taken for a host: browsers read `//x`, `/\x` and `\x` as one.
fn one_slash(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    path.get(slashes.saturating_sub(1)..).filter(|path| path.first() == Some(&b'/')).unwrap_or(b"/")
}

fn is_host(name: &Name) -> bool {
    name.bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(byte))
}

#[cfg(test)]
mod tests;
