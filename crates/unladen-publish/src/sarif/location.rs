//! A result's location, [`location`], and its URI, [`uri`].

use std::fmt::Write;

use unladen_document::{About, Finding};

use super::log::{ArtifactLocation, Location, LogicalLocation, PhysicalLocation, Region, message};
use crate::place::Place;
use crate::visible::{shortened, visible};

/// The folder of the application's sources, which relative paths start from.
pub(super) const ROOT: &str = "SRCROOT";

/// In characters.
const NAME: usize = 500;

/// A place in a file, or else the page.
pub(super) fn location(place: Option<&Place>, url: &str, group: &str, about: &About) -> Location {
    let logical_locations = [(url, "resource"), (group, "process")]
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, kind)| LogicalLocation { fully_qualified_name: shortened(&visible(name), NAME), kind })
        .collect();
    let (physical_location, remark) = match place {
        Some(place) => (physical(place, about), None),
        None => {
            let artifact_location = ArtifactLocation { uri: page(url), uri_base_id: None };
            let remark = "No file is known: this is the path of the page's URL.";
            (PhysicalLocation { artifact_location, region: None }, Some(message(remark)))
        }
    };
    Location { id: None, physical_location, logical_locations, message: remark }
}

/// Further places, such as the file that a fix changes.
pub(super) fn related(finding: &Finding, first: Option<&Place>, about: &About) -> Vec<Location> {
    let files = finding.fix.file.iter().chain(finding.fix.also.iter().map(|part| &part.file));
    // Paths of another host are no files of the reader.
    let files = files.filter(|file| finding.host.is_none() && file.starts_with('/'));
    let places = files.filter(|file| first.is_none_or(|place| place.file != **file));
    let location = |(index, file): (usize, &String)| {
        at(index + 1, &Place { file: file.clone(), line: None }, "The fix changes this file.", about)
    };
    places.enumerate().map(location).collect()
}

/// `said` is how the place relates to the result.
pub(super) fn at(id: usize, place: &Place, said: &str, about: &About) -> Location {
    Location {
        id: Some(id),
        physical_location: physical(place, about),
        logical_locations: Vec::new(),
        message: Some(message(said)),
    }
}

fn physical(place: &Place, about: &About) -> PhysicalLocation {
    let below = root(about).and_then(|root| place.file.strip_prefix(root)?.strip_prefix('/'));
    let artifact_location = match below {
        Some(path) => ArtifactLocation { uri: uri(path), uri_base_id: Some(ROOT) },
        None => ArtifactLocation { uri: format!("file://{}", uri(&place.file)), uri_base_id: None },
    };
    PhysicalLocation { artifact_location, region: place.line.map(|start_line| Region { start_line }) }
}

/// The folder whose revision is known.
pub(super) fn root(about: &About) -> Option<&str> {
    let folder = about.revision.as_ref()?.folder.as_deref()?.trim_end_matches('/');
    folder.starts_with('/').then_some(folder)
}

/// A path as a part of a URI (RFC 3986, sections 2.3 and 3.3).
pub(super) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A URL's path, without host, port and query, which differ from run to run.
pub(super) fn page(url: &str) -> String {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let path = after.split(['?', '#', ' ']).next().unwrap_or_default();
    // No steps upwards, and no empty ones.
    let steps: Vec<&str> = path.split('/').filter(|step| !matches!(*step, "" | "." | "..")).collect();
    if steps.is_empty() { "index".to_owned() } else { encoded_once(&steps.join("/")) }
}

/// A URL's path is encoded already.
fn encoded_once(path: &str) -> String {
    let parts: Vec<String> = path.split('%').map(uri).collect();
    let is_escape = |part: &str| part.len() >= 2 && part.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    let mut out = parts.first().cloned().unwrap_or_default();
    for part in parts.iter().skip(1) {
        out.push_str(if is_escape(part) { "%" } else { "%25" });
        out.push_str(part);
    }
    out
}
