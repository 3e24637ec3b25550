//! [`hint`]: advice for errors of Valkey.

use crate::BusError;
use crate::bus::handshake::Handshake;
use crate::plain::plain;

/// Permissions of its user, as in docs/reference/fleet.md.
const PERMISSIONS: &str = "+eval +info +xread +xadd +xrange +hget +hset +hdel +del +time +zadd +zscore +zrem \
     +zrangebyscore +select";

pub(super) fn hint(error: &str) -> String {
    let error = plain(error);
    match advice(&error) {
        Some(does) => format!("{error} ({does})"),
        None => error,
    }
}

/// Advice for an error of AUTH. Repeats only known words: an engine that does not know the command quotes its
/// arguments, which are the password, or its beginning.
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

pub(super) const HANDSHAKE: Handshake = Handshake {
    authority: "name the file that has its authority: `ca`",
    name: "use such a name in the URL, or name a file that has this very certificate: `ca`",
    plain: "write `valkey://`, or its port of TLS",
    certificate: "set `tls-auth-clients no` there",
};

/// An engine that takes a TLS handshake for the beginning of a command waits for its end, as do Valkey and Redis
/// without TLS.
pub(super) fn silent(at: &str) -> BusError {
    BusError::Unreachable(format!(
        "{at}: no answer to the handshake of TLS: if it does not speak TLS there, {}",
        HANDSHAKE.plain
    ))
}

/// Error of the first command. `is_plain`: it was sent without TLS.
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
        // For a command within a script, from Valkey …
        _ if error.contains("ACL failure in script") => "NOPERM",
        // … and from Redis.
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
