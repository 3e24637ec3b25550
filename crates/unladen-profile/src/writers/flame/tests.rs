use super::*;
use crate::frame::{Frame, FrameKind};
use crate::profile::{About, Unit};

mod big;
mod colours;
mod compared;
mod drawn;
mod names;

/// A small page of PHP: 8 requests.
pub(super) fn page() -> Profile {
    let about = About {
        title: "http://127.0.0.1:8080/index.php/Main_Page".into(),
        profiler: "excimer".into(),
        unit: Unit::Samples,
        period_ns: Some(1_000_000),
        requests: None,
        are_requests: true,
        ..About::default()
    };
    let mut profile = Profile::new(about);
    let mut frame = |name, file, line, kind| profile.frames.intern(Frame { name, file, line, kind });
    let php = frame("www-data php-fpm8.2", "", 0, FrameKind::Group);
    let index = frame("/srv/wiki/index.php", "/srv/wiki/index.php", 1, FrameKind::Include);
    let main = frame("MediaWiki\\MediaWiki::main", "/srv/wiki/includes/MediaWiki.php", 51, FrameKind::Function);
    let find = frame("AutoLoader::find", "/srv/wiki/includes/AutoLoader.php", 120, FrameKind::ClassLookup);
    let read = frame("vfs_read", "[kernel]", 0, FrameKind::Kernel);
    let memcpy = frame("memcpy", "libc.so.6", 0, FrameKind::Native);
    let stacks = [
        (vec![php, index], 1),
        (vec![php, index, main], 4),
        (vec![php, index, main, find], 3),
        (vec![php, index, main, find, memcpy, read], 2),
    ];
    for _ in 0..8 {
        let request = profile.begin_request();
        for (frames, weight) in &stacks {
            let stack = profile.stacks.intern(frames.iter().copied());
            profile.add(request, stack, *weight);
        }
    }
    profile
}

pub(super) fn svg(profile: &Profile, style: &FlameStyle) -> String {
    let mut out = Vec::new();
    flame(profile, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
