//! The principal type is [`Tree`]: learns which targets are of one kind, while it counts them.
//!
//! A target leads down a tree: by the segments of its path, then by the keys of its query, in the order of their names,
//! each with its value. Numbers, dates, hashes and UUIDs are placeholders from the beginning. Other texts have nodes of
//! their own as long as they are few; of many only those that a sketch has seen often, and the rest is one placeholder
//! (`{title}`, `{text}`). Whether a text stays is decided by shares of its parent's requests, when the tree is settled: at
//! the end, and whenever it has grown to its limit. Shares stay as they are under more traffic, and so do the kinds.
//!
//! A node that does not stay is merged with what lies below it into the placeholder's, level by level: `/anna/photos` and
//! `/bob/photos` become `/{title}/photos`. Targets that were never found create nothing: scanners ask for thousands.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::kind_list::KindList;
use crate::pattern::Pattern;
use crate::sample::Sampler;
use crate::secrets;
use crate::sketch::Sketch;
use crate::tally::Tally;
use crate::target::Target;
use crate::token;

/// Nodes at which the tree is settled.
const MOST_NODES: usize = 1 << 14;

/// Segments of a path that are looked at.
const DEEPEST: usize = 8;

/// Texts below a node that need not be frequent.
const FREE: u32 = 64;

/// Texts below a node in any case.
const MOST_TEXTS: u32 = 1024;

/// Requests of a text that is to stay, unless texts are few.
const LEAST: u64 = 16;

/// Combinations of keys of a path that need not be frequent; of more, one in so many requests has what stays.
const FEW_COMBINATIONS: usize = 8;
const COMBINATION_SHARE: u64 = 100;

/// One in so many requests is no kind of its own, if there are less than [`LEAST`].
const NEGLIGIBLE: u64 = 5_000;

/// Kinds beyond which the rarest are one.
const MOST_KINDS: usize = 300;

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

pub(crate) const NOT_FOUND: &str = "not found";
/// Requests that failed, which no page costs.
pub(crate) const FAILED: &str = "failed";
const ELSE: &str = "everything else";
const REST: &str = "{rest*}";
const KEYS: &str = "{keys}";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// A kind by its name: of a pattern, of static files.
    Named,
    /// A value of a pattern's `<each>`.
    Each,
    Segment,
    Key,
    Value,
}

struct Node {
    text: Box<str>,
    parent: u32,
    role: Role,
    is_placeholder: bool,
    /// Whether only frequent texts get nodes below it.
    is_full: bool,
    requests: u64,
    texts: u32,
    tally: u32,
}

#[derive(Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: FxHashMap<u64, u32>,
    tallies: Vec<Option<Box<Tally>>>,
    /// Into which tally each was merged.
    merged: Vec<u32>,
    masked: Vec<u8>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let mut tree = Self::default();
        tree.create(NONE, Role::Named, "", false);
        tree
    }

    /// The tally of a target, by the first pattern that it matches, else by what was learned; and whether it is of what
    /// 404 or 410 answered. What failed in another way is apart: it cost something else than the page.
    pub(crate) fn place(
        &mut self,
        target: &Target<'_>,
        status: Option<u16>,
        kinds: &KindList,
        sampler: &mut Sampler,
    ) -> (u32, bool) {
        if self.nodes.len() > MOST_NODES {
            self.settle(sampler);
        }
        let node = if matches!(status, Some(404 | 410)) {
            None
        } else if !matches!(status, Some(200..400)) {
            Some(self.placeholder(ROOT, Role::Named, FAILED))
        } else if let Some((pattern, each)) = kinds.find(target) {
            let pattern = kinds.pattern(pattern);
            let node = self.placeholder(ROOT, Role::Named, &pattern.name);
            Some(if pattern.has_each { self.below(node, Role::Each, each, &mut sampler.sketch) } else { node })
        } else if let Some(name) = target.static_kind() {
            Some(self.placeholder(ROOT, Role::Named, name))
        } else {
            Some(self.learned(target, &mut sampler.sketch))
        };
        let is_unknown = node.is_none();
        let node = node.unwrap_or_else(|| self.placeholder(ROOT, Role::Named, NOT_FOUND));
        let mut at = node;
        while let Some(node) = self.nodes.get_mut(at as usize) {
            node.requests += 1;
            at = node.parent;
        }
        (self.tally_of(node), is_unknown)
    }

    pub(crate) fn tally(&mut self, id: u32) -> &mut Tally {
        self.tallies[id as usize].get_or_insert_default()
    }

    fn tally_of(&mut self, node: u32) -> u32 {
        let node = &mut self.nodes[node as usize];
        if node.tally == NONE {
            node.tally = self.tallies.len() as u32;
            self.tallies.push(Some(Box::default()));
            self.merged.push(node.tally);
        }
        node.tally
    }

    // === The way down ===

    /// The node of a target; `None` if it was not found and is like nothing that was.
    fn learned(&mut self, target: &Target<'_>, sketch: &mut Sketch) -> u32 {
        let mut at = ROOT;
        for segment in target.segments().iter().take(DEEPEST) {
            at = self.below(at, Role::Segment, segment, sketch);
        }
        if target.segments().len() > DEEPEST || target.is_deeper {
            return self.placeholder(at, Role::Segment, REST);
        }
        for (key, value) in target.query() {
            at = self.below(at, Role::Key, key, sketch);
            if self.nodes[at as usize].is_placeholder {
                break;
            }
            at = if secrets::is_secret(key) {
                self.placeholder(at, Role::Value, "{secret}")
            } else {
                self.below(at, Role::Value, value, sketch)
            };
        }
        at
    }

    fn below(&mut self, at: u32, role: Role, text: &[u8], sketch: &mut Sketch) -> u32 {
        let mut masked = std::mem::take(&mut self.masked);
        let child = self.child(at, role, text, &mut masked, sketch);
        self.masked = masked;
        child
    }

    fn child(&mut self, at: u32, role: Role, text: &[u8], masked: &mut Vec<u8>, sketch: &mut Sketch) -> u32 {
        let class = if matches!(role, Role::Segment | Role::Value) { token::class(text) } else { None };
        if let Some(class) = class {
            return self.placeholder(at, role, class);
        }
        let is_masked = role == Role::Segment && token::mask(text, false, masked);
        let name: &[u8] = if is_masked { masked } else { text };
        let hash = edge(at, role, name);
        if let Some(child) = self.edges.get(&hash) {
            return *child;
        }
        let node = &self.nodes[at as usize];
        let is_word = token::is_word(text);
        let is_shown = token::is_plain(text) && (is_word || role != Role::Value) && node.texts < MOST_TEXTS;
        let is_admitted = is_shown && {
            let may_be_free = is_word || is_masked || matches!(role, Role::Each | Role::Key);
            let is_free = may_be_free && !node.is_full && node.texts < FREE || token::is_script(text);
            // What is half as frequent as what stays may yet become so.
            is_free || sketch.add(hash) > LEAST / 2 + node.requests / (2 * staying(role, is_word))
        };
        if is_admitted && let Ok(name) = std::str::from_utf8(name) {
            let child = self.create(at, role, name, false);
            self.nodes[at as usize].texts += 1;
            return child;
        }
        self.placeholder(at, role, placeholder(role, text))
    }

    /// The child of a name that is always there.
    fn placeholder(&mut self, at: u32, role: Role, name: &str) -> u32 {
        match self.edges.get(&edge(at, role, name.as_bytes())) {
            Some(known) => *known,
            None => self.create(at, role, name, true),
        }
    }

    fn create(&mut self, parent: u32, role: Role, text: &str, is_placeholder: bool) -> u32 {
        let id = self.nodes.len() as u32;
        let text: Box<str> = text.into();
        self.edges.insert(edge(parent, role, text.as_bytes()), id);
        let (is_full, requests, texts, tally) = (false, 0, 0, NONE);
        self.nodes.push(Node { text, parent, role, is_placeholder, is_full, requests, texts, tally });
        id
    }

    // === Settling ===

    /// Merges the nodes whose texts do not stay.
    pub(crate) fn settle(&mut self, sampler: &mut Sampler) {
        // Of very many only the larger stay, so that there is room.
        let mut least = self.nodes[ROOT as usize].requests / 50_000;
        self.settle_once(least, sampler);
        while self.nodes.len() > MOST_NODES / 2 {
            least = 4 * least.max(LEAST);
            self.settle_once(least, sampler);
        }
    }

    fn settle_once(&mut self, least: u64, sampler: &mut Sampler) {
        let old = std::mem::take(&mut self.nodes);
        self.edges.clear();
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); old.len()];
        for (id, node) in (0_u32..).zip(&old).skip(1) {
            children[node.parent as usize].push(id);
        }
        let root = self.create(NONE, Role::Named, "", false);
        let mut groups = vec![(vec![ROOT], root)];
        while let Some((mut group, at)) = groups.pop() {
            self.nodes[at as usize].requests = group.iter().map(|id| old[*id as usize].requests).sum();
            let is_end = matches!(&*self.nodes[at as usize].text, REST | KEYS);
            let mut below: Level<'_> = BTreeMap::new();
            let mut next = 0;
            while let Some(&id) = group.get(next) {
                next += 1;
                if is_end {
                    group.extend(&children[id as usize]);
                    continue;
                }
                for &child in &children[id as usize] {
                    let node = &old[child as usize];
                    below.entry((node.role, &node.text)).or_default().push(child);
                }
            }
            for id in group {
                self.merge(at, old[id as usize].tally, sampler);
            }
            let (below, is_full) = staying_of(masked(below), &old, least);
            self.nodes[at as usize].is_full = is_full;
            for ((role, text), nodes) in below {
                let is_placeholder =
                    text == placeholder(role, text.as_bytes()) || old[nodes[0] as usize].is_placeholder;
                self.nodes[at as usize].texts += u32::from(!is_placeholder);
                let child = self.create(at, role, text, is_placeholder);
                groups.push((nodes, child));
            }
        }
    }

    /// Merges a tally into that of a node.
    fn merge(&mut self, node: u32, tally: u32, sampler: &mut Sampler) {
        if tally == NONE {
            return;
        }
        let own = &mut self.nodes[node as usize].tally;
        if *own == NONE {
            *own = tally;
            return;
        }
        let own = *own;
        self.merged[tally as usize] = own;
        if let Some(from) = self.tallies[tally as usize].take() {
            self.tally(own).merge(*from, sampler);
        }
    }

    // === What was learned ===

    /// Names of kinds with their tallies, the most frequent first, and for each number of a tally that of its kind.
    pub(crate) fn kinds(mut self, sampler: &mut Sampler) -> (Vec<(String, Tally)>, Vec<u32>) {
        self.settle(sampler);
        let with_tally = (0_u32..).zip(&self.nodes).filter(|(_, node)| node.tally != NONE);
        let mut named: Vec<(Name, u32, u64)> = with_tally
            .map(|(id, node)| {
                let requests = self.tallies[node.tally as usize].as_ref().map_or(0, |tally| tally.requests);
                (self.name(id), node.tally, requests)
            })
            .collect();
        fold(&mut named);
        // The first of many have no node of their own yet.
        let all = self.nodes[ROOT as usize].requests;
        for (name, ..) in named
            .iter_mut()
            .filter(|(name, _, count)| name.given.is_empty() && *count < LEAST && count * NEGLIGIBLE < all)
        {
            ELSE.clone_into(&mut name.given);
        }
        let mut requests: BTreeMap<String, u64> = BTreeMap::new();
        for (name, _, count) in &named {
            *requests.entry(name.text()).or_default() += count;
        }
        let mut order: Vec<(String, u64)> = requests.into_iter().collect();
        order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        if order.len() > MOST_KINDS {
            order.truncate(MOST_KINDS - 1);
            order.push((ELSE.to_owned(), 0));
        }
        let index: BTreeMap<&str, usize> =
            order.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
        let mut kinds: Vec<(String, Tally)> = order.iter().map(|(name, _)| (name.clone(), Tally::default())).collect();
        let mut of_tally = vec![NONE; self.tallies.len()];
        for (name, id, _) in named {
            let kind = index.get(name.text().as_str()).copied().unwrap_or(order.len() - 1);
            of_tally[id as usize] = kind as u32;
            if let Some(tally) = self.tallies[id as usize].take() {
                kinds[kind].1.merge(*tally, sampler);
            }
        }
        for id in 0..of_tally.len() {
            let mut at = id;
            while self.merged[at] as usize != at {
                at = self.merged[at] as usize;
            }
            of_tally[id] = of_tally[at];
        }
        (kinds, of_tally)
    }

    fn name(&self, id: u32) -> Name {
        let mut way = Vec::new();
        let mut at = id;
        while at != ROOT {
            way.push(&self.nodes[at as usize]);
            at = self.nodes[at as usize].parent;
        }
        let mut name = Name::default();
        for node in way.into_iter().rev() {
            match node.role {
                Role::Named => name.given.push_str(&node.text),
                Role::Each => name.given = Pattern::name_of(&name.given, &node.text),
                Role::Segment => name.path.extend(["/", &node.text]),
                Role::Key => name.query.extend([if name.query.is_empty() { "" } else { "&" }, &node.text]),
                Role::Value if node.text.is_empty() => {}
                Role::Value => name.query.extend(["=", &node.text]),
            }
        }
        name
    }
}

#[derive(Default)]
struct Name {
    given: String,
    path: String,
    query: String,
}

impl Name {
    fn text(&self) -> String {
        let Self { given, path, query } = self;
        match (given.is_empty(), path.is_empty()) {
            (false, _) => given.clone(),
            (true, is_root) => {
                let path = if is_root { "/" } else { path };
                if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
            }
        }
    }
}

/// Makes rare combinations of keys one kind of their path.
fn fold(named: &mut [(Name, u32, u64)]) {
    let mut paths: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    for (name, _, requests) in named.iter().filter(|(name, ..)| name.given.is_empty()) {
        let of_path = paths.entry(name.path.clone()).or_default();
        *of_path = (of_path.0 + 1, of_path.1 + requests);
    }
    for (name, _, requests) in named.iter_mut().filter(|(name, ..)| name.given.is_empty() && !name.query.is_empty()) {
        let (combinations, of_path) = paths[&name.path];
        if combinations > FEW_COMBINATIONS && *requests * COMBINATION_SHARE < of_path {
            KEYS.clone_into(&mut name.query);
        }
    }
}

/// Nodes below a group of nodes, by what they have in common.
type Level<'a> = BTreeMap<(Role, &'a str), Vec<u32>>;

/// Has `page2` be with `page{n}`, where that is.
fn masked(below: Level<'_>) -> Level<'_> {
    let mut mask = Vec::new();
    let names: Vec<&str> = below.keys().map(|(_, text)| *text).filter(|text| text.contains("{n}")).collect();
    let mut level: Level<'_> = BTreeMap::new();
    for ((role, text), nodes) in below {
        let is_masked = role == Role::Segment && !names.is_empty() && token::mask(text.as_bytes(), true, &mut mask);
        let known = names.iter().find(|name| is_masked && name.as_bytes() == mask);
        level.entry((role, known.copied().unwrap_or(text))).or_default().extend(nodes);
    }
    level
}

/// Which texts stay; all others are with their placeholder. Also whether there are more than a few.
fn staying_of<'a>(below: Level<'a>, old: &[Node], least: u64) -> (Level<'a>, bool) {
    let requests = |nodes: &[u32]| nodes.iter().map(|id| old[*id as usize].requests).sum::<u64>();
    // Of each role: how many texts, their requests, and those of what has a placeholder already.
    let mut sums: BTreeMap<Role, (u64, u64, u64)> = BTreeMap::new();
    for ((role, text), nodes) in &below {
        let (texts, all, others) = sums.entry(*role).or_default();
        let is_text = !old[nodes[0] as usize].is_placeholder;
        *texts += u64::from(is_text);
        *all += requests(nodes);
        *others += if !is_text && *text == placeholder(*role, text.as_bytes()) { requests(nodes) } else { 0 };
    }
    let is_few = |role: Role| {
        let (texts, all, others) = sums[&role];
        let (most, recurring) = few(role);
        texts <= most && others * 10 <= all && all >= recurring * texts
    };
    let is_full = sums.keys().any(|role| *role != Role::Named && !is_few(*role));
    let mut level: Level<'a> = BTreeMap::new();
    for ((role, text), nodes) in below {
        let count = requests(&nodes);
        let is_word = token::is_word(text.as_bytes());
        let stays = role == Role::Named
            || old[nodes[0] as usize].is_placeholder
            || token::is_script(text.as_bytes()) && count >= least
            || (is_word || role != Role::Segment || text.contains("{n}")) && is_few(role) && count >= least
            || count * staying(role, is_word) >= sums[&role].1 && count >= least.max(LEAST);
        let text = if stays { text } else { placeholder(role, text.as_bytes()) };
        level.entry((role, text)).or_default().extend(nodes);
    }
    (level, is_full)
}

/// How many texts are few, and how often they recur then.
fn few(role: Role) -> (u64, u64) {
    match role {
        Role::Named | Role::Each => (200, 1),
        Role::Segment => (40, 4),
        Role::Key => (24, 4),
        Role::Value => (24, 8),
    }
}

/// One in how many requests has a text that stays among many. What looks like a title is data, however frequent.
fn staying(role: Role, is_word: bool) -> u64 {
    match role {
        Role::Named | Role::Each => 1000,
        Role::Segment if !is_word => 10,
        Role::Segment | Role::Key => 200,
        Role::Value => 50,
    }
}

fn placeholder(role: Role, text: &[u8]) -> &'static str {
    match role {
        Role::Named => ELSE,
        Role::Each => "{other}",
        Role::Segment => token::placeholder(text),
        Role::Key => KEYS,
        Role::Value => "{text}",
    }
}

fn edge(parent: u32, role: Role, text: &[u8]) -> u64 {
    xxh3_64_with_seed(text, u64::from(parent) << 3 | role as u64)
}

#[cfg(test)]
mod tests;
