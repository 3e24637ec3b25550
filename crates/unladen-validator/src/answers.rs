//! The principal type is [`Answers`]: a bounded memory of answers, read without a lock.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::{Question, Version};

/// Places for answers. The hottest pages matter, and there are seldom more of them.
const PLACES: usize = 8192;
const WAYS: usize = 4;
/// Most bytes of a question and its answer: longer ones are asked each time. So all take some 8 MB at most.
const LONGEST: usize = 1024;

/// Remembered answers, with marks that show whether they still hold.
pub(crate) struct Answers<M> {
    places: Box<[ArcSwapOption<Remembered<M>>]>,
    /// Random, so that nobody outside can choose questions that collide.
    hasher: RandomState,
}

struct Remembered<M> {
    question: Question,
    version: Version,
    mark: M,
}

// === impl Answers ===

impl<M> Answers<M> {
    pub(crate) fn new() -> Self {
        let places = (0..PLACES).map(|_| ArcSwapOption::const_empty()).collect();
        Self { places, hasher: RandomState::new() }
    }

    pub(crate) fn find(&self, question: &Question, holds: impl Fn(&M) -> bool) -> Option<Version> {
        let (first, _) = self.places(question);
        first.iter().find_map(|place| {
            let found = place.load();
            let found = found.as_ref().filter(|found| found.question == *question)?;
            holds(&found.mark).then(|| found.version.clone())
        })
    }

    /// Replaces the previous answer, one that no longer holds, or a random one.
    pub(crate) fn remember(&self, question: &Question, version: &Version, mark: M, holds: impl Fn(&M) -> bool) {
        let length = question.parameters.iter().map(String::len).sum::<usize>();
        if length + version.as_ref().map_or(0, |version| version.len()) > LONGEST {
            return;
        }
        let (ways, chance) = self.places(question);
        let is = |wanted: &dyn Fn(&Remembered<M>) -> bool| {
            ways.iter().find(|place| place.load().as_ref().is_some_and(|found| wanted(found)))
        };
        let place = is(&|found| found.question == *question)
            .or_else(|| ways.iter().find(|place| place.load().is_none()))
            .or_else(|| is(&|found| !holds(&found.mark)))
            .or_else(|| ways.get(chance));
        if let Some(place) = place {
            place.store(Some(Arc::new(Remembered { question: question.clone(), version: version.clone(), mark })));
        }
    }

    /// The places of a question's answer, and the one that is replaced if all are taken.
    fn places(&self, question: &Question) -> (&[ArcSwapOption<Remembered<M>>], usize) {
        let hash = self.hasher.hash_one(question);
        let first = hash as usize % (PLACES / WAYS) * WAYS;
        (self.places.get(first..first + WAYS).unwrap_or_default(), (hash >> 61) as usize % WAYS)
    }
}

impl<M> std::fmt::Debug for Answers<M> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let taken = self.places.iter().filter(|place| place.load().is_some()).count();
        formatter.debug_struct("Answers").field("taken", &taken).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
