//! Constant expressions of PHP, and what is done with them in a file, without running it. The principal type is
//! [`Value`].
//!
//! What is read: strings, numbers, `true`, `false`, `null`, arrays, `.`, brackets, `__DIR__`, `__FILE__`, `dirname()`,
//! `Name::class`, constants of the same file, and variables that got such a value before in the same file, outside of
//! `if` and of functions. `path` is the file as PHP knows it: `__DIR__` has no symbolic links in PHP, so whoever reads
//! a file through one resolves it first.

mod call;
mod expression;
mod scope;
mod value;
mod walk;

use std::ops::ControlFlow;
use std::path::Path;

pub use call::Call;
pub use value::Value;
use walk::{Event, Walk};

use crate::Problem;

/// What a file returns, by the first `return` outside of functions and conditions.
///
/// # Errors
/// If it does not return, if what it returns is not constant, or if PHP could not read the file.
pub fn returned(source: &[u8], path: &Path) -> Result<Value, Problem> {
    let mut returned = None;
    let last = Walk::new(source, path, &[], &[]).run(&mut |event| match event {
        Event::Returned(value) => {
            returned = Some(value);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    match returned {
        Some(value) => value.map_err(|failure| Problem::at(path, failure.line, failure.what)),
        None => {
            let line = last.map_err(|failure| Problem::at(path, failure.line, failure.what))?;
            Err(Problem::at(path, line, "`return` was expected, outside of functions and conditions"))
        }
    }
}

/// What a file gives to `name`: by `const NAME =`, and if the name begins with `$` by `$name =`, as a variable or a
/// property. Outside of braces the last one holds; if there are none, the first one within them. Nothing if it gives it
/// nothing.
///
/// # Errors
/// If what it gives is not constant, or if PHP could not read the file.
pub fn assigned(source: &[u8], path: &Path, name: &str) -> Result<Option<Value>, Problem> {
    Ok(assigned_all(source, path, &[name])?.pop().flatten())
}

/// The same for several names at once, in their order.
///
/// # Errors
/// If what the file gives to one of them is not constant, or if PHP could not read the file.
pub fn assigned_all(source: &[u8], path: &Path, names: &[&str]) -> Result<Vec<Option<Value>>, Problem> {
    let mut assigned: Vec<Option<Result<Value, expression::Failure>>> = names.iter().map(|_| None).collect();
    let last = Walk::new(source, path, &[], &[]).run(&mut |event| {
        if let Event::Assigned { variable, name: to, conditional, value } = event
            && let Some(place) = names.iter().position(|name| {
                name.strip_prefix('$')
                    .map_or(!variable && to == name.as_bytes(), |name| variable && to == name.as_bytes())
            })
            && let Some(assigned) = assigned.get_mut(place)
            && (assigned.is_none() || !conditional)
        {
            // The first one within braces gives way to one outside of them.
            *assigned = Some(value);
        }
        ControlFlow::Continue(())
    });
    let failed = |failure: expression::Failure| Problem::at(path, failure.line, failure.what);
    if assigned.iter().all(Option::is_none) {
        last.map_err(failed)?;
    }
    assigned.into_iter().map(|value| value.transpose().map_err(failed)).collect()
}

/// All constant values that a file gives to `name`, as [`assigned`] has names, in functions and conditions too, in
/// their order.
///
/// # Errors
/// If PHP could not read the file.
pub fn assignments(source: &[u8], path: &Path, name: &str) -> Result<Vec<Value>, Problem> {
    let mut values = Vec::new();
    Walk::new(source, path, &[], &[])
        .run(&mut |event| {
            if let Event::Assigned { variable, name: to, value: Ok(value), .. } = event
                && name
                    .strip_prefix('$')
                    .map_or(!variable && to == name.as_bytes(), |name| variable && to == name.as_bytes())
            {
                values.push(value);
            }
            ControlFlow::Continue(())
        })
        .map_err(|failure| Problem::at(path, failure.line, failure.what))?;
    Ok(values)
}

/// The calls of the functions `names` in a file, where variables may be `known` beforehand, by their names without `$`.
///
/// # Errors
/// If PHP could not read the file.
pub fn calls(source: &[u8], path: &Path, names: &[&str], known: &[(&str, Value)]) -> Result<Vec<Call>, Problem> {
    let mut calls = Vec::new();
    Walk::new(source, path, names, known)
        .run(&mut |event| {
            if let Event::Called(call) = event {
                calls.push(call);
            }
            ControlFlow::Continue(())
        })
        .map_err(|failure| Problem::at(path, failure.line, failure.what))?;
    Ok(calls)
}

#[cfg(test)]
mod tests;
