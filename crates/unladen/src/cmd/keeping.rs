//! The principal type is [`KeepArgs`]: options of all measuring commands that say what is kept of a result.

use std::path::PathBuf;

use unladen_store::{LabelError, Location, read_label};

use crate::cmd::values::tolerated;
use crate::exit::Failure;
use crate::output::Destination;
use crate::runs::{Against, Keeper, Keeping, Origin, RunName, Tolerance};

#[derive(Debug, Clone, clap::Args)]
pub(super) struct KeepArgs {
    /// Where to keep the result: a file, or postgres://USER@HOST/DATABASE [default: UNLADEN_STORE, or `store` of
    /// ~/.config/unladen/config.toml, or ~/.local/state/unladen/runs.sqlite]
    #[arg(long, value_name = "STORE", help_heading = "What to keep")]
    store: Option<Location>,
    /// Do not keep the result
    #[arg(long, conflicts_with_all = ["store", "label"], help_heading = "What to keep")]
    no_store: bool,
    /// Keep only the result, without traced data such as the texts of queries
    #[arg(long, help_heading = "What to keep")]
    no_evidence: bool,
    /// A label for the run, such as release=1.43; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = label, help_heading = "What to keep")]
    label: Vec<(String, String)>,
    /// The application's folder, whose git revision is kept with the result [default: the working folder]
    #[arg(long, value_name = "DIR", help_heading = "What to keep")]
    folder: Option<PathBuf>,
    /// Compare the result with a kept run (its number, latest, a label such as release=1.42, commit:4f2a), and exit
    /// with code 8 if something is certainly worse
    #[arg(long, value_name = "RUN", conflicts_with = "no_store", help_heading = "What to compare with")]
    against: Option<RunName>,
    /// With --against: how much worse is acceptable, such as 2% [default: 0%]
    #[arg(long, value_name = "PERCENT", value_parser = tolerated, requires = "against", help_heading = "What to compare with")]
    tolerate: Option<f64>,
    /// With --against: exit with code 5 if a figure could not be judged, because too few earlier runs were kept or the
    /// two runs' machines cannot be compared
    #[arg(long, requires = "against", help_heading = "What to compare with")]
    require_history: bool,
    /// With --against: write the comparison to a file, in the format of its ending: .json, .html, .md, .xml (JUnit),
    /// .sarif; may be repeated
    #[arg(long, value_name = "FILE", requires = "against", help_heading = "What to compare with")]
    compared: Vec<PathBuf>,
}

fn label(text: &str) -> Result<(String, String), LabelError> {
    read_label(text)
}

impl KeepArgs {
    /// Decides what is kept, and where. Fails if a named store cannot be written, or the folder is none.
    pub(super) fn keeper(self, typed: &[String], quiet: bool) -> Result<Keeper, Failure> {
        if let Some(folder) = self.folder.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(Failure::Usage(format!("--folder {}: it is not a folder", folder.display())));
        }
        let origin = Origin::new(typed, &self.label, self.folder.as_deref());
        let tolerance = Tolerance { share: self.tolerate.unwrap_or(0.0), requires_history: self.require_history };
        let files = self.compared;
        files.iter().try_for_each(|file| Destination::of_name(file).check_of_comparison())?;
        let keeping = Keeping {
            store: self.store,
            is_off: self.no_store,
            no_evidence: self.no_evidence,
            quiet,
            against: self.against.map(|run| Against { run, tolerance, files }),
        };
        Keeper::new(keeping, origin)
    }
}
