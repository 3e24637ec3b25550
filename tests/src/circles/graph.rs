//! The principal type is [`Graph`]: files, and who uses what of whom.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::circle::{Circle, Use};

/// Files, and the names that one uses of another.
#[derive(Debug, Default)]
pub(super) struct Graph {
    uses: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Graph {
    pub(super) fn add(&mut self, from: &str, name: &str, to: &str) {
        let of_one = self.uses.entry(from.to_owned()).or_default();
        of_one.entry(to.to_owned()).or_default().insert(name.to_owned());
    }

    /// Takes the shortest circle out, and again, until there is none.
    pub(super) fn circles(mut self) -> Vec<Circle> {
        let mut circles = Vec::new();
        while let Some(circle) = self.uses.keys().filter_map(|file| self.around(file)).min_by_key(|way| way.0.len()) {
            for one in &circle.0 {
                if let Some(uses) = self.uses.get_mut(&one.from) {
                    uses.remove(&one.to);
                }
            }
            circles.push(circle);
        }
        circles
    }

    /// The shortest way from a file to itself.
    fn around(&self, begin: &str) -> Option<Circle> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut next = VecDeque::from([begin]);
        while let Some(file) = next.pop_front() {
            for to in self.uses.get(file).into_iter().flat_map(BTreeMap::keys) {
                if to == begin {
                    return Some(self.circle(begin, file, &before));
                }
                if !before.contains_key(to.as_str()) {
                    before.insert(to, file);
                    next.push_back(to);
                }
            }
        }
        None
    }

    fn circle(&self, begin: &str, end: &str, before: &BTreeMap<&str, &str>) -> Circle {
        let mut files = vec![begin, end];
        while let Some(file) = files.last().filter(|file| **file != begin).and_then(|file| before.get(file)) {
            files.push(file);
        }
        files.reverse();
        let names = |from: &str, to: &str| {
            let names = self.uses.get(from).and_then(|uses| uses.get(to));
            names.into_iter().flatten().cloned().collect()
        };
        let uses =
            files.windows(2).map(|two| Use { from: two[0].into(), names: names(two[0], two[1]), to: two[1].into() });
        Circle(uses.collect())
    }
}
