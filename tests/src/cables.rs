//! The principal type is [`Cables`]: networks of their own, each with a cable that can be pulled.

use std::net::Ipv4Addr;

use crate::bed::{Started, run};

/// Networks of their own (Linux's namespaces), joined by a switch. Beside that, what runs in them shares this machine's
/// files and processes; so whoever is outside reaches it by Unix sockets.
///
/// All of it ends when this is dropped, and with the thread that made it. Addresses are of a private range that exists
/// among them alone.
#[derive(Debug)]
pub struct Cables {
    switch: Started,
    ends: Vec<Started>,
}

impl Cables {
    /// So many.
    ///
    /// # Panics
    /// With what was said, if it is not permitted: see [`Ability::Hosts`](crate::Ability::Hosts).
    pub fn new(count: u8) -> Self {
        let script = "ip link add name br0 type bridge && ip link set br0 up && echo ready && exec sleep infinity";
        let switch = Started::ready("the switch", ["unshare", "--net", "sh", "-c", script]);
        let mut cables = Self { switch, ends: Vec::new() };
        for number in 0..count {
            let script = "ip link set lo up && echo ready && exec sleep infinity";
            let end = Started::ready("a network", ["unshare", "--net", "sh", "-c", script]);
            cables.in_switch(&format!(
                "ip link add name c{number} type veth peer name eth0 netns {} && ip link set c{number} master br0 up",
                end.id()
            ));
            let address = Self::address(number);
            let up = format!("ip addr add {address}/24 dev eth0 && ip link set eth0 up");
            run(&["nsenter", "-t", &end.id().to_string(), "-n", "--", "sh", "-ec", &up]);
            cables.ends.push(end);
        }
        cables
    }

    /// Of one of them, by its number.
    pub fn address(number: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 218, 0, number + 1)
    }

    /// The words that a program's words follow to run in one of them.
    pub fn inside(&self, number: u8) -> String {
        format!("nsenter -t {} -n --", self.ends[usize::from(number)].id())
    }

    /// Pulls one's cable: nobody is told.
    pub fn pull(&self, number: u8) {
        self.in_switch(&format!("ip link set c{number} down"));
    }

    /// Plugs it in again.
    pub fn plug(&self, number: u8) {
        self.in_switch(&format!("ip link set c{number} up"));
    }

    fn in_switch(&self, command: &str) {
        run(&["nsenter", "-t", &self.switch.id().to_string(), "-n", "--", "sh", "-ec", command]);
    }
}
