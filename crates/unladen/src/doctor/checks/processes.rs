//! Processes of this machine by kind: [`of_kind`].

use unladen_profiler::{Application, Kind};

/// All of this kind that this process may look at.
pub(super) fn of_kind(kind: Kind) -> Vec<Application> {
    all().filter_map(|pid| Application::of(pid).ok()).filter(|application| application.kind == kind).collect()
}

fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
