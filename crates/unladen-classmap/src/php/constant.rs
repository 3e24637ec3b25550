//! Constant expressions of PHP, and their uses in a file, without running it. The principal type is [`Value`].
//!
//! Supported: strings, numbers, `true`, `false`, `null`, arrays, `.`, brackets, `__DIR__`, `__FILE__`, `dirname()`,
//! `Name::class`, constants of the same file, and variables assigned such a value earlier in the file, outside of `if`
//! and of functions. `path` is the file as PHP knows it: `__DIR__` has no symbolic links in PHP, so callers resolve
//! links first.

mod expression;
mod scope;
mod walk;

pub use scope::{Call, Value};

use std::ops::ControlFlow;
use std::path::Path;

use crate::Problem;
use walk::{Event, Walk};

/// The value of the first unconditional `return` outside of functions. Fails if it is missing or not constant.
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
        Some(value) => value.map_err(|failure| failure.at(path)),
        None => {
            let line = last.map_err(|failure| failure.at(path))?;
            Err(Problem::at(path, line, "expected `return`, outside of functions and conditions"))
        }
    }
}

/// The value that a file gives to `name`: by `const NAME =`, or if the name begins with `$` by `$name =`, as a variable
/// or a property. The last one outside of braces holds; if there is none, the first one within them. `None` if it gives
/// it no value. Fails if the value is not constant, or if PHP could not read the file.
pub fn assigned(source: &[u8], path: &Path, name: &str) -> Result<Option<Value>, Problem> {
    Ok(assigned_all(source, path, &[name])?.pop().flatten())
}

/// [`assigned`] for several names at once, in their order.
pub fn assigned_all(source: &[u8], path: &Path, names: &[&str]) -> Result<Vec<Option<Value>>, Problem> {
    let mut assigned: Vec<Option<Result<Value, expression::Failure>>> = names.iter().map(|_| None).collect();
    let last = Walk::new(source, path, &[], &[]).run(&mut |event| {
        if let Event::Assigned { variable, name: to, conditional, value } = event
            && let Some(place) = names.iter().position(|name| is_named(name, variable, to))
            && let Some(assigned) = assigned.get_mut(place)
            && (assigned.is_none() || !conditional)
        {
            // The first one within braces gives way to one outside of them.
            *assigned = Some(value);
        }
        ControlFlow::Continue(())
    });
    if assigned.iter().all(Option::is_none) {
        last.map_err(|failure| failure.at(path))?;
    }
    assigned.into_iter().map(|value| value.transpose().map_err(|failure| failure.at(path))).collect()
}

/// All constant values that a file gives to `name` (see [`assigned`]), in functions and conditions too, in order. Fails
/// if PHP could not read the file.
pub fn assignments(source: &[u8], path: &Path, name: &str) -> Result<Vec<Value>, Problem> {
    let mut values = Vec::new();
    Walk::new(source, path, &[], &[])
        .run(&mut |event| {
            if let Event::Assigned { variable, name: to, value: Ok(value), .. } = event
                && is_named(name, variable, to)
            {
                values.push(value);
            }
            ControlFlow::Continue(())
        })
        .map_err(|failure| failure.at(path))?;
    Ok(values)
}

/// Whether `name`, with `$` if it is a variable's, is that of what a value is given to.
fn is_named(name: &str, variable: bool, to: &[u8]) -> bool {
    let plain = name.strip_prefix('$');
    variable == plain.is_some() && to == plain.unwrap_or(name).as_bytes()
}

/// The calls of functions in a file; `known` are variables without `$`. Fails if PHP could not read the file.
pub fn calls(source: &[u8], path: &Path, names: &[&str], known: &[(&str, Value)]) -> Result<Vec<Call>, Problem> {
    let mut calls = Vec::new();
    Walk::new(source, path, names, known)
        .run(&mut |event| {
            if let Event::Called(call) = event {
                calls.push(call);
            }
            ControlFlow::Continue(())
        })
        .map_err(|failure| failure.at(path))?;
    Ok(calls)
}

#[cfg(test)]
mod tests;
