//! The keys of `[site.snapshot]`.

use super::key::{DURATION, FILE, Key, key};

pub(super) const KEYS: &[Key] = &[
    key(
        "snapshot",
        "file",
        FILE,
        "the file, which this process's user or root must own, and nobody else may write; `.new` beside it while it is written",
        "`$STATE_DIRECTORY/NAME.snapshot`, with the site's name, if systemd sets `$STATE_DIRECTORY` (`StateDirectory=`); else required",
    ),
    key(
        "snapshot",
        "every",
        DURATION,
        "how often it is written, if anything was stored or purged; it is always written on stop",
        "only a crash needs it, and a disk does not last forever",
    ),
    key(
        "snapshot",
        "trust",
        "`\"fresh\"` or `\"revalidate\"`",
        "after a restart: `fresh` answers with stored pages while they are fresh, but for those with tags; `revalidate` asks the application about each page first. Pages of a validator are never in doubt. After a crash, `revalidate` holds",
        "`revalidate` with `cache.purge`, as a PURGE is lost while the process is down",
    ),
];
