//! [`hint`]: what to do about what Valkey says.

/// What to do about what an engine says.
pub(super) fn hint(error: &str) -> String {
    let does = match error.split(' ').next().unwrap_or_default() {
        "NOAUTH" | "WRONGPASS" => "give user and password in the URL: `valkey://user:password@host`",
        "NOPERM" => {
            "the user needs: +eval +xread +xadd +xrange +hget +hset +hincrby +z* +del +time +info, and ~unladen:*"
        }
        "READONLY" => "it is a replica: give the address of the primary",
        "OOM" => "its memory is full: raise maxmemory, or lower `keep`",
        "LOADING" => "it loads its data, and will be there soon",
        "MOVED" => "another node of the cluster has this fleet's keys: give that one's address",
        _ => return error.to_owned(),
    };
    format!("{error} ({does})")
}
