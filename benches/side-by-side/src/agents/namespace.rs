//! The principal type is [`Namespace`]: a network of its own, joined to this one by a pair of virtual interfaces.

use std::net::Ipv4Addr;
use std::process::Command;

use crate::Result;
use crate::program::finish;

/// Of the addresses for benchmarks (RFC 2544), which no network uses.
const HERE: Ipv4Addr = Ipv4Addr::new(198, 18, 77, 1);
const THERE: Ipv4Addr = Ipv4Addr::new(198, 18, 77, 2);

/// A network namespace; it goes when this is dropped.
pub(super) struct Namespace {
    name: String,
    link: String,
}

impl Namespace {
    /// Makes one; it takes root.
    pub(super) fn new() -> Result<Self> {
        let own =
            Self { name: format!("unladen-bench-{}", std::process::id()), link: format!("ub{}", std::process::id()) };
        let (name, link, there) = (own.name.as_str(), own.link.as_str(), format!("{}t", own.link));
        let (of_here, of_there) = (format!("{HERE}/30"), format!("{THERE}/30"));
        let at_name = format!("-n {name}");
        let ip = |words: &str| ip(&words.split(' ').collect::<Vec<_>>());
        ip(&format!("netns add {name}"))?;
        ip(&format!("link add {link} type veth peer name {there} netns {name}"))?;
        ip(&format!("addr add {of_here} dev {link}"))?;
        ip(&format!("link set {link} up"))?;
        ip(&format!("{at_name} addr add {of_there} dev {there}"))?;
        ip(&format!("{at_name} link set {there} up"))?;
        ip(&format!("{at_name} link set lo up"))?;
        Ok(own)
    }

    /// The address of this machine that is reached from there, too.
    pub(super) fn address_here(&self) -> Ipv4Addr {
        HERE
    }

    /// A command that leads there.
    pub(super) fn way(&self) -> String {
        format!("ip netns exec {}", self.name)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Either may never have been made. The pair goes with one of its ends.
        let _ = ip(&["link", "del", &self.link]);
        let _ = ip(&["netns", "del", &self.name]);
    }
}

fn ip(words: &[&str]) -> Result<()> {
    finish(Command::new("ip").args(words)).map_err(|error| format!("ip {}: {error}", words.join(" ")).into())
}
