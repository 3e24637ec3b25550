//! The principal type is [`Usable`]: how many of an upstream's endpoints can take requests, as far as is known without
//! asking them.

use std::os::unix::fs::FileTypeExt;
use std::sync::atomic::Ordering;

use crate::endpoint::{Address, Endpoint};
use crate::upstream::Upstream;

/// How many of an upstream's endpoints can take requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usable {
    /// Those that health checks have not taken out, and whose socket is there if they are at one.
    pub usable: usize,
    /// All that may get requests: those that are being drained are not among them.
    pub all: usize,
}

impl Upstream {
    /// How many of its endpoints can take requests. What failed for requests (the breaker, ejected endpoints) does not
    /// count: it is over in a moment, and comes from the requests themselves.
    pub fn usable(&self) -> Usable {
        let balancer = self.endpoints();
        let endpoints = balancer.endpoints();
        Usable { usable: endpoints.iter().filter(|endpoint| can_be_used(endpoint)).count(), all: endpoints.len() }
    }
}

fn can_be_used(endpoint: &Endpoint) -> bool {
    let is_there = match &endpoint.address {
        Address::Tcp(_) => true,
        Address::Unix(path) => std::fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()),
    };
    is_there && endpoint.healthy.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{EndpointAddress, Origin, UpstreamSettings};

    #[test]
    fn a_socket_that_is_not_there_and_an_endpoint_that_is_unwell_cannot_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a.sock", "b.sock"].map(|name| folder.path().join(name));
        let origin = |path: &std::path::Path| Origin {
            at: EndpointAddress::Unix(path.to_owned()),
            tls: false,
            weight: 1,
            authority: "app".to_owned(),
            discovery: None,
        };
        let upstream = Upstream::new(UpstreamSettings::new("app", vec![origin(&first), origin(&second)]), 1).unwrap();
        assert_eq!(upstream.usable(), Usable { usable: 0, all: 2 });
        // A file that is no socket: nobody can listen at it.
        std::fs::write(&second, "").unwrap();
        let _listens = std::os::unix::net::UnixListener::bind(&first).unwrap();
        assert_eq!(upstream.usable(), Usable { usable: 1, all: 2 });
        upstream.endpoints().endpoints()[0].healthy.store(false, Ordering::Relaxed);
        assert_eq!(upstream.usable(), Usable { usable: 0, all: 2 });
    }
}
