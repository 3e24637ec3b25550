//! The principal type is [`Processes`]: processes started and source files compiled.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::assembly::table::{Moment, Table};
use crate::event::Language;
use crate::evidence::{CompileSeen, Evidence, ProcessSeen};
use crate::series::Series;

/// Opened files remembered for each thread to tell which one its compiler is at: deep chains of `use` open dozens.
const OPENED: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Processes {
    /// Children that still run their parent's program.
    same: HashMap<u32, (usize, Moment)>,
    /// Children by the program that they became.
    programs: HashMap<u32, (usize, String)>,
    started: BTreeMap<(usize, String), (Series, Series)>,
    opened: HashMap<u32, VecDeque<(u64, String)>>,
    compiles: Table<(usize, Language, String)>,
}

impl Processes {
    pub(super) fn forked(&mut self, group: usize, child: u32, moment: Moment) {
        self.same.insert(child, (group, moment));
    }

    pub(super) fn became(&mut self, pid: u32, group: usize, program: String, moment: Moment) {
        // A process not started by a followed one that becomes another program was seen from its start on.
        let (group, moment) = self.same.remove(&pid).unwrap_or((group, moment));
        self.started.entry((group, program.clone())).or_default().0.add(moment.phase, 1);
        self.programs.insert(pid, (group, program));
    }

    pub(super) fn ended(&mut self, pid: u32, cpu_ns: u64, moment: Moment) {
        if let Some((group, moment)) = self.same.remove(&pid) {
            let (started, cpu) = self.started.entry((group, String::new())).or_default();
            started.add(moment.phase, 1);
            cpu.add(moment.phase, cpu_ns);
        } else if let Some(key) = self.programs.remove(&pid) {
            self.started.entry(key).or_default().1.add(moment.phase, cpu_ns);
        }
    }

    /// A thread opened a file, probably the next one it compiles.
    pub(super) fn opened(&mut self, tid: u32, at_ns: u64, path: &str) {
        let opened = self.opened.entry(tid).or_default();
        if opened.len() == OPENED {
            opened.pop_front();
        }
        opened.push_back((at_ns, path.to_owned()));
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one event, taken apart where it is read")]
    pub(super) fn compiled(
        &mut self,
        group: usize,
        tid: u32,
        at_ns: u64,
        (language, path): (Language, Option<String>),
        took_ns: u64,
        nested: bool,
        moment: Moment,
    ) {
        let begun = at_ns.saturating_sub(took_ns);
        let path = path.or_else(|| {
            let opened = self.opened.get(&tid)?;
            Some(opened.iter().rev().find(|(at, _)| *at <= begun)?.1.clone())
        });
        self.compiles.add((group, language, path.unwrap_or_default()), moment, if nested { 0 } else { took_ns });
    }

    /// Files opened in one phase are not those compiled in the next.
    pub(super) fn end_phase(&mut self) {
        self.opened.clear();
    }

    pub(super) fn finish(mut self, evidence: &mut Evidence) {
        for (group, moment) in self.same.into_values() {
            self.started.entry((group, String::new())).or_default().0.add(moment.phase, 1);
        }
        evidence.processes = self
            .started
            .into_iter()
            .map(|((group, program), (started, cpu_ns))| ProcessSeen { group, program, started, cpu_ns })
            .collect();
        evidence.compiles = self
            .compiles
            .into_sorted()
            .into_iter()
            .map(|((group, language, path), counted)| CompileSeen { group, language, path, counted })
            .collect();
    }
}
