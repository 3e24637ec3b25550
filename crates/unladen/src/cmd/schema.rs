//! `unladen schema`: the schemas of `--json`, for other programs.

use clap::builder::PossibleValuesParser;
use unladen_document::Schema;

use crate::exit::Failure;
use crate::output;

/// Print the JSON Schema of a document that --json writes, or list the documents
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  unladen schema
  unladen schema weigh > weigh.schema.json

Each document names its schema in `schema`: unladen.weigh/1. As long as the number stays the same, no field is removed \
and none changes its meaning or its type; fields are added, so a reader has to ignore those that it does not know.")]
pub(super) struct Args {
    /// The document
    #[arg(value_name = "DOCUMENT", value_parser = names(), hide_possible_values = true)]
    document: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let text = match args.document.as_deref().and_then(Schema::named) {
        Some(schema) => format!("{:#}", schema.json()),
        None => list(),
    };
    Ok(output::line(text.trim_end())?)
}

fn list() -> String {
    let width = Schema::ALL.iter().map(|schema| schema.name.len()).max().unwrap_or(0);
    Schema::ALL.iter().map(|schema| format!("{:width$}  {}\n", schema.name, schema.title())).collect()
}

/// For completions, too.
fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Schema::ALL.iter().map(|schema| schema.name))
}

#[cfg(test)]
mod tests;
