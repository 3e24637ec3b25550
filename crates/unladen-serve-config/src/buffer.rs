//! Reads `[outbound.buffer]` and `[site.buffer]`.

use std::path::PathBuf;

use unladen_toml::{Bad, Value};

use super::explain::Shown;
use super::level::Level;
use super::reading::Reading;
use crate::settings::BufferSettings;

const PATHS: &str = "a list of path prefixes, such as [\"/upload/\"]";

pub(super) fn read(level: &Level<'_>, usual: BufferSettings, r: &mut Reading<'_>) -> BufferSettings {
    let buffer = BufferSettings {
        requests: level.flag("requests", usual.requests, r),
        answers: level.flag("answers", usual.answers, r),
        streamed: level.take(
            "streamed",
            usual.streamed,
            r,
            |value, _| value.list(PATHS)?.iter().map(path).collect(),
            |paths| Shown::List(paths.iter().cloned().map(Shown::Text).collect()),
        ),
        memory: level.bytes("memory", 0..=64 << 20, usual.memory, r),
        all_memory: level.bytes("all_memory", 0..=1 << 40, usual.all_memory, r),
        disk: level.bytes("disk", 0..=1 << 50, usual.disk, r),
        folder: level.take(
            "folder",
            usual.folder,
            r,
            |value, r| Ok(r.path(value.one_line()?)),
            |folder: &PathBuf| Shown::Text(folder.display().to_string()),
        ),
    };
    if !buffer.requests && !buffer.streamed.is_empty() {
        r.warn(
            level.at(&["streamed"]),
            "`buffer.streamed` has no effect: `buffer.requests` is false, so all requests are streamed",
        );
    }
    buffer
}

fn path(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.one_line()?;
    let is_path = text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#*".contains(&byte));
    let expected = "a path prefix such as \"/upload/\"; it covers all paths that begin so";
    if is_path { Ok(text.to_owned()) } else { Err(value.refuse(format!("`{text}`"), expected)) }
}
