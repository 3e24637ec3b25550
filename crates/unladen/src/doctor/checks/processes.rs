//! Processes of this machine by what they run: [`of_kind`].

use unladen_profiler::{Application, Kind};

/// All that this process may look at and that are of this kind.
pub(super) fn of_kind(kind: Kind) -> Vec<Application> {
    all().filter_map(|pid| Application::of(pid).ok()).filter(|application| application.kind == kind).collect()
}

fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
