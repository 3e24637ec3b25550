//! Composer's package order: dependencies come first. The principal function is [`sorted`].

use std::cmp::Ordering;
use std::collections::HashMap;

use super::package::Package;

/// Longest chain of dependencies: a longer one is no real project, but would exhaust the stack.
const DEEPEST: usize = 2_000;

pub(super) fn sorted<'a>(packages: &[&'a Package]) -> Vec<&'a Package> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for package in packages {
        for required in &package.requires {
            users.entry(required).or_default().push(&package.name);
        }
    }
    let mut weights = Weights { users, known: HashMap::new() };
    let mut weighed: Vec<(i64, &'a Package)> =
        packages.iter().map(|package| (weights.weight(&package.name, 0), *package)).collect();
    weighed.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| natural(a.name.as_bytes(), b.name.as_bytes())));
    weighed.into_iter().map(|(_, package)| package).collect()
}

struct Weights<'a> {
    users: HashMap<&'a str, Vec<&'a str>>,
    /// `None` for those being weighed: in a cycle, they weigh nothing.
    known: HashMap<&'a str, Option<i64>>,
}

impl<'a> Weights<'a> {
    fn weight(&mut self, name: &'a str, depth: usize) -> i64 {
        if let Some(known) = self.known.get(name) {
            return known.unwrap_or(0);
        }
        if depth == DEEPEST {
            return 0;
        }
        self.known.insert(name, None);
        let users = self.users.get(name).cloned().unwrap_or_default();
        let weight = users
            .into_iter()
            .fold(0i64, |weight, user| weight.saturating_add(self.weight(user, depth + 1)).saturating_sub(1));
        self.known.insert(name, Some(weight));
        weight
    }
}

/// PHP's `strnatcasecmp` for package names: numbers in them compare as numbers.
fn natural(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (mine, theirs) = (digits(one), digits(other));
        let order = if mine > 0 && theirs > 0 {
            let ((a, rest), (b, others)) = (one.split_at(mine), other.split_at(theirs));
            (one, other) = (rest, others);
            if a.first() == Some(&b'0') || b.first() == Some(&b'0') {
                // As fractions.
                a.cmp(b)
            } else {
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
        } else {
            let (Some((a, rest)), Some((b, others))) = (one.split_first(), other.split_first()) else {
                return one.len().cmp(&other.len());
            };
            (one, other) = (rest, others);
            a.to_ascii_uppercase().cmp(&b.to_ascii_uppercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests;
