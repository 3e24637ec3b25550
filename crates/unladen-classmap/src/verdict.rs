//! What an application's loaders decide. The principal type is [`Verdict`].

use crate::claim::Claim;
use crate::{Application, Standing, Tree};

/// What the loaders decide for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// They are led to this file first.
    File(Claim<'a>),
    /// It cannot be told which of several files.
    Open(Vec<Claim<'a>>),
    Nothing,
}

/// Decides for a class from all its claims, in order.
///
/// A loader that may not exist adds nothing; it only leaves undecided what others before or beside it would decide.
pub fn verdict<'a>(application: &Application, tree: &Tree, claims: Vec<Claim<'a>>) -> Verdict<'a> {
    let mut first_of_each = claims;
    first_of_each.dedup_by_key(|claim| claim.loader);
    let standing =
        |claim: &Claim<'_>| application.loaders.get(claim.loader).map(|loader| loader.standing).unwrap_or_default();

    let mut open: Vec<Claim<'a>> = Vec::new();
    let mut rest = first_of_each.into_iter().peekable();
    while let Some(claim) = rest.next() {
        match standing(&claim) {
            Standing::Perhaps => open.push(claim),
            Standing::Sure => {
                open.push(claim);
                return agreed(tree, open);
            }
            Standing::Unordered => {
                let within = group(application, claim.loader);
                open.push(claim);
                while let Some(beside) = rest.next_if(|beside| within.contains(&beside.loader)) {
                    open.push(beside);
                }
                return agreed(tree, open);
            }
        }
    }
    Verdict::Nothing
}

fn group(application: &Application, loader: usize) -> std::ops::Range<usize> {
    let unordered =
        |at: &usize| application.loaders.get(*at).is_some_and(|loader| loader.standing == Standing::Unordered);
    let start = (0..loader).rev().take_while(unordered).last().unwrap_or(loader);
    let end = (loader..application.loaders.len()).take_while(unordered).last().unwrap_or(loader) + 1;
    start..end
}

/// The last claim decides, if no other leads elsewhere.
fn agreed<'a>(tree: &Tree, mut claims: Vec<Claim<'a>>) -> Verdict<'a> {
    let Some(last) = claims.last() else { return Verdict::Nothing };
    if claims.iter().any(|claim| !tree.is_same_file(&claim.path, &last.path)) {
        return Verdict::Open(claims);
    }
    claims.pop().map_or(Verdict::Nothing, Verdict::File)
}
