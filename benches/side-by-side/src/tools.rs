//! The tools that there are: [`all`], [`all_and_the_library`], [`paced`].

mod ab;
mod k6;
mod library;
mod metronome;
mod oha;
mod unladen;
mod vegeta;
mod wrk;

use crate::scratch::ScratchFolder;
use crate::tool::Tool;
use crate::{Result, peers};

pub(crate) use library::be_the_client;
pub(crate) use metronome::be_the_metronome;

/// Those that can be had; says which cannot. Unladen comes first.
pub(crate) fn all(scratch: &ScratchFolder) -> Result<Vec<Box<dyn Tool>>> {
    let mut tools: Vec<Box<dyn Tool>> = Vec::new();
    match unladen::Unladen::new() {
        Ok(unladen) => tools.push(Box::new(unladen)),
        Err(error) => println!("  (without unladen load: {error})"),
    }
    if peers::has("wrk") {
        tools.push(Box::new(wrk::Wrk::new(scratch)?));
    }
    if peers::has("apache2-utils") {
        tools.push(Box::new(ab::Ab));
    }
    if let Some(program) = oha::PROGRAM.path() {
        tools.push(Box::new(oha::Oha { program }));
    }
    if let Some(program) = vegeta::PROGRAM.path() {
        tools.push(Box::new(vegeta::Vegeta::new(program, scratch)));
    }
    if let Some(program) = k6::PROGRAM.path() {
        tools.push(Box::new(k6::K6::new(program, scratch)?));
    }
    Ok(tools)
}

/// All, and before them the crate by itself.
pub(crate) fn all_and_the_library(scratch: &ScratchFolder) -> Result<Vec<Box<dyn Tool>>> {
    let mut tools = all(scratch)?;
    tools.insert(0, Box::new(library::Library));
    Ok(tools)
}

/// Of all, those that can send at a constant rate, and last the floor under them; says which cannot.
pub(crate) fn paced(scratch: &ScratchFolder) -> Result<Vec<Box<dyn Tool>>> {
    let mut tools = all(scratch)?;
    tools.retain(|tool| {
        if let Some(why) = tool.unpaced() {
            println!("  (without {}: {why})", tool.name());
        }
        tool.unpaced().is_none()
    });
    tools.push(Box::new(metronome::Metronome));
    Ok(tools)
}
