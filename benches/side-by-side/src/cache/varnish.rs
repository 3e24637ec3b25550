//! Varnish.

use std::path::Path;
use std::process::Command;

use super::contestant::{Contestant, Place};
use crate::{Result, peers};

/// As Debian packages it.
pub(super) struct Varnish;

/// What it tells of a request in its shared memory: nobody reads it here, so nothing of it is written.
const TOLD: &str = "-Begin,-End,-Link,-SessOpen,-SessClose,-ReqStart,-ReqMethod,-ReqURL,-ReqProtocol,-ReqHeader,-ReqUnset,\
                    -ReqAcct,-RespProtocol,-RespStatus,-RespReason,-RespHeader,-RespUnset,-BereqMethod,-BereqURL,\
                    -BereqProtocol,-BereqHeader,-BereqUnset,-BereqAcct,-BerespProtocol,-BerespStatus,-BerespReason,\
                    -BerespHeader,-BerespUnset,-Timestamp,-Hit,-VCL_call,-VCL_return,-VCL_use,-TTL,-Storage,-Fetch_Body,-Length,\
                    -Filters,-BackendOpen,-BackendClose,-BackendReuse";

impl Varnish {
    pub(super) fn find() -> Option<Self> {
        peers::has("varnish").then_some(Self)
    }
}

impl Contestant for Varnish {
    fn name(&self) -> String {
        "varnish".into()
    }

    fn command(&self, place: &Place<'_>, folder: &Path) -> Result<Command> {
        let mut command = Command::new("/usr/sbin/varnishd");
        command.arg("-F").arg("-n").arg(folder.join("varnish"));
        // Its processes are not told apart by users here, nor asked anything.
        command.args(["-j", "none", "-T", "none"]);
        command.args(["-a", &format!("127.0.0.1:{}", place.listen), "-b", &format!("127.0.0.1:{}", place.origin)]);
        command.args(["-s", &format!("malloc,{}b", place.memory)]);
        // A pool of threads for each processor is its advice; each request has a thread.
        for parameter in
            ["thread_pools=1", "thread_pool_min=100", "thread_pool_max=200", "timeout_idle=3600", "nuke_limit=1000"]
        {
            command.args(["-p", parameter]);
        }
        command.args(["-p", &format!("vsl_mask={TOLD}")]);
        Ok(command)
    }

    fn speaks_tls(&self) -> bool {
        false
    }
}
