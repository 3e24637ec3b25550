//! The principal type is [`Calls`]: the tree of calls, rebuilt from returns only.
//!
//! A return has a depth, a name and the time without inner calls. When it comes, the caller is unknown: it has not
//! returned yet, and the record of a call has no name. So callees wait, by depth, below callers without names, until
//! those return. Calls of a subroutine by the same callers are merged as soon as they have returned, so that memory
//! depends on distinct paths, not on calls.
//!
//! When a program waits for its next request, the tree so far becomes the request's. Its callers that have not returned
//! yet (those with the program's loop) get a number in place of their name, and the name when they return. If they
//! never do, as those in which a process was ended, the summary at the end of the file has their name by the place of a
//! call in them.

use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexSet;

use super::subs::{Call, Callers, Limit, Sub, Subs};
use crate::frame::{Frame, FrameId, Frames};
use crate::profile::{CallCount, Profile};
use crate::stack::StackId;

/// Marks the number of a caller that has not returned.
const UNNAMED: Sub = 1 << 31;
/// No program waits for requests deeper than this.
const MAX_LOOP_DEPTH: usize = 1000;
/// Bound per file.
const MAX_REQUESTS: usize = 1 << 20;
/// Bound over all requests.
const MAX_WEIGHTS: usize = 8 << 20;

pub(super) struct Calls {
    tree: Tree,
    root: NodeId,
    /// Callers that have not returned, by depth, as far as known.
    pending: Vec<Level>,
    /// Places of calls by depth; only with `calls=2`.
    places: Vec<(u32, u32)>,
    paths: Paths,
    unnamed: Vec<Unnamed>,
    unnamed_by_call: HashMap<Option<Call>, Sub>,
    /// What came before the first wait ended, and then each request.
    requests: Vec<Request>,
    weights: usize,
    waits: HashSet<(u32, u32)>,
    waits_again: bool,
    returns: u64,
}

#[derive(Default)]
struct Level {
    node: Option<NodeId>,
    call: Option<Call>,
    /// Its marked number in [`Calls::unnamed`].
    unnamed: Option<Sub>,
}

#[derive(Default)]
struct Unnamed {
    name: Option<Sub>,
    call: Option<Call>,
}

#[derive(Default)]
struct Request {
    weights: Vec<(PathId, f64)>,
    calls: Vec<(Option<Sub>, Sub, u64)>,
}

impl Calls {
    pub(super) fn new() -> Result<Self, Limit> {
        let mut tree = Tree::default();
        let root = tree.add_node()?;
        Ok(Self {
            tree,
            root,
            pending: Vec::new(),
            places: Vec::new(),
            paths: Paths::default(),
            unnamed: Vec::new(),
            unnamed_by_call: HashMap::new(),
            requests: Vec::new(),
            weights: 0,
            waits: HashSet::new(),
            waits_again: false,
            returns: 0,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.returns == 0
    }

    /// A call from a place. `max` bounds the calls under way.
    pub(super) fn entered(&mut self, file: u32, line: u32, max: usize) {
        if self.places.len() < max {
            self.places.push((file, line));
        }
        self.waits_again |= self.waits.contains(&(file, line));
    }

    /// A subroutine returns; `depth` is from 1, and `is_wait` says that it waited for a request.
    pub(super) fn returned(&mut self, depth: usize, sub: Sub, ticks: f64, is_wait: bool) -> Result<(), Limit> {
        self.returns += 1;
        let place = self.places.get(depth - 1).copied();
        self.places.truncate(depth - 1);
        while self.pending.len() > depth {
            self.leave_unnamed()?;
        }
        self.pending.resize_with(depth, Level::default);
        let level = self.pending.pop().unwrap_or_default();
        if let Some(unnamed) = level.unnamed {
            self.unnamed[(unnamed & !UNNAMED) as usize].name = Some(sub);
        }
        let is_wait = is_wait && depth <= MAX_LOOP_DEPTH;
        if is_wait {
            self.waits.extend(place);
            self.lay_down()?;
            self.waits_again = false;
        }
        let caller = self.caller()?;
        // Waiting time belongs to nobody.
        self.tree.add_calls(caller, sub, 1, if is_wait { 0.0 } else { ticks }, level.node)?;
        if let (Some(level), Some((file, line))) = (self.pending.last_mut(), place) {
            level.call.get_or_insert(Call { file, line, callee: sub });
        }
        Ok(())
    }

    fn caller(&mut self) -> Result<NodeId, Limit> {
        let Some(level) = self.pending.last_mut() else { return Ok(self.root) };
        match level.node {
            Some(node) => Ok(node),
            None => {
                let node = self.tree.add_node()?;
                level.node = Some(node);
                Ok(node)
            }
        }
    }

    /// Something further out returned before the innermost, which was left by an exception that the profiler did not
    /// see.
    fn leave_unnamed(&mut self) -> Result<(), Limit> {
        let Some(level) = self.pending.pop() else { return Ok(()) };
        let Some(node) = level.node else { return Ok(()) };
        let sub = level.unnamed.unwrap_or_else(|| {
            *self.unnamed_by_call.entry(level.call).or_insert_with(|| {
                self.unnamed.push(Unnamed { name: None, call: level.call });
                UNNAMED | (self.unnamed.len() as Sub - 1)
            })
        });
        let caller = self.caller()?;
        self.tree.add_calls(caller, sub, 0, 0.0, Some(node))
    }

    fn lay_down(&mut self) -> Result<(), Limit> {
        if self.requests.len() == MAX_REQUESTS {
            return Err(Limit::Paths);
        }
        let deepest = self.pending.iter().rposition(|level| level.node.is_some()).map_or(0, |index| index + 1);
        let mut request = Request::default();
        let mut calls: HashMap<(Option<Sub>, Sub), u64> = HashMap::new();
        let mut path = 0;
        for depth in 0..=deepest {
            let mut node = Some(self.root);
            if depth > 0 {
                let level = &mut self.pending[depth - 1];
                let sub = *level.unnamed.get_or_insert_with(|| {
                    self.unnamed.push(Unnamed::default());
                    UNNAMED | (self.unnamed.len() as Sub - 1)
                });
                let own = &mut self.unnamed[(sub & !UNNAMED) as usize];
                own.call = own.call.or(level.call);
                path = self.paths.push(path, sub)?;
                node = level.node;
            }
            let Some(node) = node else { continue };
            let (paths, weights) = (&mut self.paths, &mut request.weights);
            self.tree.drain(node, path, |path, sub, node| {
                if node.calls > 0 {
                    *calls.entry((paths.sub(path), sub)).or_default() += node.calls;
                }
                let path = paths.push(path, sub)?;
                if node.ticks != 0.0 {
                    weights.push((path, node.ticks));
                }
                Ok(path)
            })?;
        }
        request.calls = calls.into_iter().map(|((caller, callee), calls)| (caller, callee, calls)).collect();
        self.weights += request.weights.len() + request.calls.len();
        if self.weights > MAX_WEIGHTS {
            return Err(Limit::Paths);
        }
        self.requests.push(request);
        Ok(())
    }

    /// Adds everything to the profile: one cluster if the program never waited for requests, else one for each request.
    pub(super) fn finish(
        mut self,
        subs: &Subs,
        callers: &Callers,
        ns_per_tick: f64,
        profile: &mut Profile,
    ) -> Result<(), Limit> {
        self.lay_down()?;
        let mut requests = std::mem::take(&mut self.requests);
        if requests.len() > 1 {
            profile.about.are_requests = true;
            // What came before the first request is the start of the process; nobody waited for it.
            requests.remove(0);
            // A program that does not wait again after a request has left its loop: what it did then is its end, as is
            // a request that it took without doing anything. If it had only this one, it counts as a request.
            let is_end = !self.waits_again || requests.last().is_some_and(|last| last.weights.is_empty());
            if requests.len() > 1 && is_end {
                requests.pop();
            }
        }
        let unnamed: Vec<Option<Sub>> =
            self.unnamed.iter().map(|unnamed| unnamed.name.or_else(|| callers.of(unnamed.call?))).collect();
        drop((self.tree, self.pending, self.unnamed_by_call));
        let frame_of = |sub: Sub, frames: &mut Frames| -> FrameId {
            let name = if sub & UNNAMED == 0 { Some(sub) } else { unnamed[(sub & !UNNAMED) as usize] };
            match name {
                Some(sub) => subs.frame(sub, frames),
                None => frames.intern(Frame::function("(did not return)")),
            }
        };
        // Only those of requests, not the start's.
        let mut is_used = vec![false; self.paths.iter().count() + 1];
        for (path, _) in requests.iter().flat_map(|request| &request.weights) {
            is_used[*path as usize] = true;
        }
        let before: Vec<PathId> = self.paths.iter().map(|(before, _)| before).collect();
        for (index, before) in before.iter().enumerate().rev() {
            if is_used[index + 1] {
                is_used[*before as usize] = true;
            }
        }
        let mut stacks: Vec<StackId> = vec![profile.stacks.root(); is_used.len()];
        for (index, (before, sub)) in self.paths.iter().enumerate() {
            if is_used[index + 1] {
                let frame = frame_of(sub, &mut profile.frames);
                stacks[index + 1] = profile.stacks.push(stacks[before as usize], frame);
            }
        }
        for mut request in requests {
            let cluster = profile.begin_request();
            for (path, ticks) in request.weights {
                // Subtracting the profiler's own cost may leave small negative times.
                let ns = (ticks * ns_per_tick).round().max(0.0) as u64;
                if ns > 0 {
                    profile.add(cluster, stacks[path as usize], ns);
                }
            }
            request.calls.sort_unstable();
            for (caller, callee, calls) in request.calls {
                let callee = frame_of(callee, &mut profile.frames);
                let caller = caller.map(|sub| frame_of(sub, &mut profile.frames));
                profile.add_calls(cluster, CallCount { caller, callee, calls });
            }
        }
        Ok(())
    }
}

/// Distinct call paths in one request.
const MAX_NODES: usize = 2 << 20;

/// Calls, with counts and own times.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
}

type NodeId = u32;

#[derive(Default)]
pub(super) struct Node {
    /// Own time in ticks; whole numbers, of which doubles hold sums exactly.
    pub(super) ticks: f64,
    pub(super) calls: u64,
    pub(super) called: BTreeMap<Sub, NodeId>,
}

impl Tree {
    fn add_node(&mut self) -> Result<NodeId, Limit> {
        if let Some(id) = self.free.pop() {
            return Ok(id);
        }
        if self.nodes.len() == MAX_NODES {
            return Err(Limit::Paths);
        }
        self.nodes.push(Node::default());
        Ok(self.nodes.len() as NodeId - 1)
    }

    /// Adds calls below `caller`, and the callees in `below`, which then is no node of its own.
    pub(super) fn add_calls(
        &mut self,
        caller: NodeId,
        sub: Sub,
        calls: u64,
        ticks: f64,
        below: Option<NodeId>,
    ) -> Result<(), Limit> {
        let known = self.nodes[caller as usize].called.get(&sub).copied();
        let id = match (known, below) {
            (Some(known), Some(below)) => {
                self.merge(known, below);
                known
            }
            (Some(known), None) => known,
            (None, below) => {
                let id = below.map_or_else(|| self.add_node(), Ok)?;
                self.nodes[caller as usize].called.insert(sub, id);
                id
            }
        };
        let node = &mut self.nodes[id as usize];
        node.calls += calls;
        node.ticks += ticks;
        Ok(())
    }

    /// Removes everything below a node, and passes each path's last subroutine and its node to `visit`, with the
    /// latter's result for the path before.
    pub(super) fn drain<P: Copy, E>(
        &mut self,
        root: NodeId,
        path: P,
        mut visit: impl FnMut(P, Sub, &Node) -> Result<P, E>,
    ) -> Result<(), E> {
        let mut rest = vec![(root, path)];
        while let Some((id, path)) = rest.pop() {
            for (sub, below) in std::mem::take(&mut self.nodes[id as usize].called) {
                let path = visit(path, sub, &self.nodes[below as usize])?;
                rest.push((below, path));
            }
            if id != root {
                self.nodes[id as usize] = Node::default();
                self.free.push(id);
            }
        }
        Ok(())
    }

    /// Adds `from`, with everything below it, to `into`. The smaller of two is walked, so that a subtree merged at each
    /// of its depths is not walked as often.
    fn merge(&mut self, into: NodeId, from: NodeId) {
        let mut rest = vec![(into, from)];
        while let Some((into, from)) = rest.pop() {
            let Node { ticks, calls, mut called } = std::mem::take(&mut self.nodes[from as usize]);
            self.free.push(from);
            let node = &mut self.nodes[into as usize];
            node.ticks += ticks;
            node.calls += calls;
            if called.len() > node.called.len() {
                std::mem::swap(&mut called, &mut node.called);
            }
            for (sub, id) in called {
                match node.called.entry(sub) {
                    std::collections::btree_map::Entry::Vacant(vacant) => {
                        vacant.insert(id);
                    }
                    std::collections::btree_map::Entry::Occupied(known) => rest.push((*known.get(), id)),
                }
            }
        }
    }
}

/// Per file.
const MAX_PATHS: usize = 2 << 20;

/// A path: its last callee, and the path before it. 0 is the root.
type PathId = u32;

/// All paths, each once and after its prefix.
#[derive(Default)]
pub(super) struct Paths(IndexSet<(PathId, Sub)>);

impl Paths {
    pub(super) fn push(&mut self, before: PathId, sub: Sub) -> Result<PathId, Limit> {
        if self.0.len() == MAX_PATHS && !self.0.contains(&(before, sub)) {
            return Err(Limit::Paths);
        }
        Ok(self.0.insert_full((before, sub)).0 as PathId + 1)
    }

    pub(super) fn sub(&self, path: PathId) -> Option<Sub> {
        Some(self.0.get_index(path.checked_sub(1)? as usize)?.1)
    }

    /// All except the root, each after its prefix: prefix and last callee.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PathId, Sub)> {
        self.0.iter().copied()
    }
}
