//! [`hint`]: what to do about what Valkey says.

use crate::BusError;
use crate::bus::handshake::Handshake;
use crate::plain::plain;

/// What its user has to be allowed, as docs/reference/fleet.md has it.
const PERMISSIONS: &str = "+eval +info +xread +xadd +xrange +hget +hset +hdel +del +time +zadd +zscore +zrem \
     +zrangebyscore +select";

/// What to do about what an engine says.
pub(super) fn hint(error: &str) -> String {
    let error = plain(error);
    match advice(&error) {
        Some(does) => format!("{error} ({does})"),
        None => error,
    }
}

/// What to do about what an engine says to AUTH. Nothing of that is repeated but a word that is known: an engine that does
/// not know the command says what came with it, which is the password, or the beginning of it.
pub(super) fn refused_auth(error: &str) -> String {
    const KNOWN: [&str; 9] =
        ["ERR", "NOAUTH", "WRONGPASS", "NOPERM", "READONLY", "OOM", "LOADING", "MOVED", "MASTERDOWN"];
    let said = KNOWN.into_iter().find(|known| error.split(' ').next() == Some(known)).unwrap_or("with other words");
    let does = advice(said).unwrap_or_else(|| {
        "either it has no such user or wants no password, or AUTH has another name there or is not allowed: try the URL \
         without user and password"
            .to_owned()
    });
    format!("AUTH: {said} ({does})")
}

/// What to do where TLS fails.
pub(super) const HANDSHAKE: Handshake = Handshake {
    authority: "name the file that has its authority: `ca`",
    name: "use such a name in the URL, or name a file that has this very certificate: `ca`",
    plain: "write `valkey://`, or its port of TLS",
    certificate: "set `tls-auth-clients no` there",
};

/// An engine that takes what begins a handshake for a part of a command waits for its end: so do Valkey and Redis where
/// they do not speak TLS.
pub(super) fn silent(at: &str) -> BusError {
    BusError::Unreachable(format!(
        "{at}: no answer to the handshake of TLS: if it does not speak TLS there, {}",
        HANDSHAKE.plain
    ))
}

/// What came of the first command. `is_plain`: it was sent without TLS.
pub(super) fn closed(error: BusError, is_plain: bool) -> BusError {
    match error {
        BusError::Unreachable(words) if is_plain => {
            BusError::Unreachable(format!("{words} (if it speaks TLS there, write `valkeys://`)"))
        }
        other => other,
    }
}

fn advice(error: &str) -> Option<String> {
    let word = match error.split(' ').next().unwrap_or_default() {
        // Said of a command within a script, by Valkey …
        _ if error.contains("ACL failure in script") => "NOPERM",
        // … and by Redis.
        _ if error.contains("can't run this command") || error.contains("can't access at least one of the keys") => {
            "NOPERM"
        }
        word => word,
    };
    Some(match word {
        "NOAUTH" | "WRONGPASS" => "give user and password in the URL: `valkey://user:password@host`".to_owned(),
        "NOPERM" => {
            format!("the user needs: {PERMISSIONS}, and ~unladen:*; for validators that share answers, +get +set too")
        }
        "READONLY" => "it is a replica: give the address of the primary".to_owned(),
        "OOM" => "its memory is full: raise maxmemory, or lower `keep`".to_owned(),
        "NOREPLICAS" => "it has fewer replicas than min-replicas-to-write wants".to_owned(),
        "WRONGTYPE" => "something else has keys that begin with `unladen:`: remove them, or give the fleet another \
             database or another `name`"
            .to_owned(),
        "LOADING" => "it loads its data, and will be there soon".to_owned(),
        "MOVED" => "another node of the cluster has this fleet's keys: give that one's address".to_owned(),
        "ASK" | "TRYAGAIN" | "CLUSTERDOWN" => "the cluster moves this fleet's keys, or is not whole".to_owned(),
        _ if error.contains("SELECT is not allowed in cluster") => "a cluster has the database `/0` alone".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
