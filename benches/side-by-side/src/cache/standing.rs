//! The principal type is [`Standing`]: a cache that runs.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::contestant::{Contestant, Place};
use super::page::Page;
use super::times::WARM_UP;
use super::world::World;
use crate::Result;
use crate::rig::callers::{Amount, Callers, Calls, SETTLE};
use crate::rig::certificates::Certificates;
use crate::rig::listen::Listen;
use crate::rig::process::Processes;
use crate::rig::running::Running;

/// More than all cases but `zipf` need.
pub(super) const MEMORY: u64 = 256 << 20;

/// A running one.
pub(super) struct Standing<'w> {
    world: &'w World,
    name: String,
    pub(super) listen: Listen,
    running: Running,
}

/// What requests took.
pub(super) struct Took {
    pub(super) requests: f64,
    pub(super) cpu: Duration,
    /// Of the others' that were named.
    pub(super) others: Duration,
    pub(super) wall: Duration,
}

impl<'w> Standing<'w> {
    pub(super) fn start(world: &'w World, contestant: &dyn Contestant, memory: u64) -> Result<Self> {
        Self::start_with(world, contestant, memory, None, String::new())
    }

    pub(super) fn start_with(
        world: &'w World,
        contestant: &dyn Contestant,
        memory: u64,
        tls: Option<&Certificates>,
        more: String,
    ) -> Result<Self> {
        let listen = world.ports.borrow_mut().free()?;
        let place = Place { listen, origin: world.origin.port, memory, tls, more };
        let command = |folder: &Path| Ok(world.pinned(&contestant.command(&place, folder)?));
        Self::run(world, contestant.name(), listen, command)
    }

    /// A command that has been made for this port.
    pub(super) fn run(
        world: &'w World,
        name: String,
        listen: u16,
        command: impl FnOnce(&Path) -> Result<Command>,
    ) -> Result<Self> {
        let listen = Listen::Tcp(listen);
        let running = Running::start(&name, &world.scratch, command, std::slice::from_ref(&listen))?;
        Ok(Self { world, name, listen, running })
    }

    pub(super) fn processes(&self) -> Processes {
        self.running.processes()
    }

    /// Asks for each of these until they are stored: those that take it in behind the answer have time to.
    pub(super) fn fill(&self, pages: &[Page]) -> Result<()> {
        let list = self.world.list(pages)?;
        let calls = Calls { list: Some(list), connections: 1, keep: true, ..Calls::default() };
        let mut callers = Callers::start(&self.listen, &calls)?;
        for _ in 0..2 {
            callers.call(Amount::Requests(pages.len() as u64), 1).map_err(|error| self.named(&*error))?;
            std::thread::sleep(SETTLE);
        }
        Ok(())
    }

    /// What so much of this costs; an answer that is not from the cache is an error.
    pub(super) fn measure(
        &self,
        calls: &Calls,
        amount: Amount,
        others: Option<&dyn Fn() -> Processes>,
    ) -> Result<Took> {
        let mut callers = Callers::start(&self.listen, calls)?;
        let mut call = |amount| callers.call(amount, calls.connections).map_err(|error| self.named(&*error));
        call(Amount::Time(WARM_UP))?;
        std::thread::sleep(SETTLE);
        let asked = self.world.origin.requests()?;
        // Threads and processes that came with the load are there now.
        let (processes, others) = (self.processes(), others.map(|others| others()));
        let cpu = || -> Result<[Duration; 2]> {
            let others = others.as_ref().map_or(Ok(Duration::ZERO), Processes::cpu);
            Ok([processes.cpu()?, others?])
        };
        let before = cpu()?;
        let called = call(amount)?;
        std::thread::sleep(SETTLE);
        let [own, others] = cpu()?;
        self.is_from_memory(asked)?;
        Ok(Took {
            requests: called.requests as f64,
            cpu: own.saturating_sub(before[0]),
            others: others.saturating_sub(before[1]),
            wall: called.wall,
        })
    }

    /// Whether the application has not been asked since.
    pub(super) fn is_from_memory(&self, asked: u64) -> Result<()> {
        match self.world.origin.requests()? - asked {
            0 => Ok(()),
            more => Err(format!("{}: {more} answers were the application's", self.name).into()),
        }
    }

    pub(super) fn named(&self, error: &dyn std::error::Error) -> Box<dyn std::error::Error> {
        format!("{}: {error}", self.name).into()
    }
}
