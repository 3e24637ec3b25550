//! Pictures of an experiment: its arms as box plots, and their distributions.

use unladen_document::{Arm, BoxPlot, Change, ProveDocument};
use unladen_quantity::{Area, Kind, Scale, grouped, plain};

use crate::page::picture::{LEFT, Picture, RIGHT, WIDTH, cut, look, wide};
use crate::page::table::{Cell, Table};
use crate::verdict;

/// Height of an arm: its name and result, with the box below.
const ROW: f64 = 46.0;
const HEIGHT: f64 = 250.0;
/// Share at the top of distributions that is left out: one slow request would squeeze all others into one line.
const TAIL: f64 = 0.01;
const MOST_ARMS: usize = 40;

pub(super) fn boxes(document: &ProveDocument, is_cold: bool) -> Option<Picture> {
    let plot_of = |arm: &Arm| if is_cold { arm.cold_box_plot_ns } else { arm.box_plot_ns };
    let rows: Vec<(usize, &Arm, BoxPlot)> = document
        .arms
        .iter()
        .enumerate()
        .filter_map(|(index, arm)| Some((index, arm, plot_of(arm)?)))
        .take(MOST_ARMS)
        .collect();
    let first = document.first_quantile()?;
    let metric = if is_cold { format!("cold.{first}") } else { first.to_owned() };
    let baseline = document.comparisons.iter().find(|comparison| comparison.metric == metric)?.baseline;
    let ends = rows.iter().flat_map(|(_, _, plot)| [plot.p5 as f64, plot.p95 as f64]);
    // The baseline's line may lie beyond all whiskers, as that of p99 does.
    let x = Scale::around(ends.chain(baseline));
    let bottom = 6.0 + ROW * rows.len() as f64;
    let area = Area { left: 14.0, right: RIGHT, top: 6.0, bottom, x, y: Scale::new(0.0, 1.0) };
    let of = if is_cold { "Latency of first requests, arm by arm" } else { "Latency, arm by arm" };
    let what = verdict::title(&metric);
    let title = format!("{of}: whiskers p5 to p95, box p25 to p75, median; right {what} against the baseline");
    let description = format!("The dashed line is the baseline's {what} in both its arms.");
    let mut picture = Picture::new(title, description, bottom + 24.0);
    picture.columns(&area, Kind::Time, 5);
    let mut table = Table::new("Latency, arm by arm", &["arm", "#p5", "#p25", "#p50", "#p75", "#p95", "#requests"]);
    for (row, (index, arm, values)) in rows.iter().enumerate() {
        let top = area.top + row as f64 * ROW;
        let label = label(document, arm, &metric, values, baseline);
        let room = area.right - area.left - 14.0 - wide(&label);
        picture.text(area.left, top + 14.0, "start", "", &cut(&arm.name, room));
        picture.text(area.right, top + 14.0, "end", "tick", &label);
        if let Some(baseline) = baseline {
            // Beside the box only: across the words it would be in their way.
            picture.path("mark", &format!("M{:.1} {:.1}V{:.1}", area.x(baseline), top + 19.0, top + ROW - 2.0));
        }
        draw(&mut picture, &area, values, &class(arm, *index), top + 31.0);
        let time = |ns: u64| Cell::new(plain(Kind::Time, ns as f64));
        let [p5, p25, p50, p75, p95] = [values.p5, values.p25, values.p50, values.p75, values.p95].map(time);
        table.row([
            Cell::new(arm.name.as_str()),
            p5,
            p25,
            p50,
            p75,
            p95,
            Cell::new(grouped(values.requests as f64, 0)),
        ]);
    }
    (!rows.is_empty()).then(|| picture.with_table(table))
}

/// Both baselines are grey, whatever the number of arms.
fn class(arm: &Arm, index: usize) -> String {
    match () {
        () if arm.has("baseline") => "c6".to_owned(),
        () if arm.has("baseline again") => "c6 again".to_owned(),
        () => look(index.saturating_sub(1) % 6),
    }
}

fn draw(picture: &mut Picture, area: &Area, values: &BoxPlot, class: &str, middle: f64) {
    let [p5, p25, p50, p75, p95] =
        [values.p5, values.p25, values.p50, values.p75, values.p95].map(|value| area.x(value as f64));
    let end = middle - 4.0;
    picture.path(
        &format!("whisker {class}"),
        &format!("M{p5:.1} {middle:.1}H{p25:.1}M{p75:.1} {middle:.1}H{p95:.1}M{p5:.1} {end:.1}v8M{p95:.1} {end:.1}v8"),
    );
    picture.rect(&format!("box {class}"), p25, middle - 8.0, p75 - p25, 16.0);
    picture.path("middle", &format!("M{p50:.1} {:.1}v16", middle - 8.0));
}

/// `−13.4 % (−14.6 to −12.2)`; for the baseline, the figure that all are compared with.
fn label(document: &ProveDocument, arm: &Arm, metric: &str, values: &BoxPlot, baseline: Option<f64>) -> String {
    if arm.has("baseline") {
        return plain(Kind::Time, baseline.unwrap_or(values.p50 as f64));
    }
    let compared = document.of_arm(&arm.name).find(|other| other.metric == metric);
    let Some(compared) = compared else { return plain(Kind::Time, values.p50 as f64) };
    match (compared.change(), compared.ratio_span()) {
        (Change::Equal, _) => format!("no measurable difference{}", verdict::margin(compared)),
        (Change::Unclear, _) => "unclear".to_owned(),
        (_, Some(ratio)) => ratio.change_text(),
        (_, None) => plain(Kind::Time, values.p50 as f64),
    }
}

/// Share of requests at or below each latency, per arm.
pub(super) fn distributions(document: &ProveDocument) -> Option<Picture> {
    /// The baseline, and as many arms as there are looks of lines.
    const MOST_LINES: usize = 7;
    let shown = |arm: &Arm| -> Vec<(f64, f64)> {
        let points = arm.distribution.iter().filter(|(_, share)| *share <= 1.0 - TAIL);
        points.map(|(ns, share)| (*ns as f64, *share)).collect()
    };
    let arms: Vec<(usize, &Arm)> =
        document.arms.iter().enumerate().filter(|(_, arm)| shown(arm).len() > 1).take(MOST_LINES).collect();
    if arms.is_empty() {
        return None;
    }
    let values = arms.iter().flat_map(|(_, arm)| shown(arm)).map(|(ns, _)| ns);
    let area = Area {
        left: LEFT,
        right: WIDTH - 14.0,
        top: 14.0,
        bottom: 14.0 + HEIGHT,
        x: Scale::around(values),
        y: Scale::new(0.0, 1.0),
    };
    let description = "One line per arm; further left is faster.";
    let mut picture = Picture::new("Share of requests at or below a latency", description, area.bottom + 26.0);
    for percent in [0.0, 25.0, 50.0, 75.0, 95.0] {
        picture.row(&area, percent / 100.0, &format!("{percent} %"));
    }
    picture.columns(&area, Kind::Time, 4);
    for (index, arm) in &arms {
        let class = class(arm, *index);
        picture.line(&area, &class, shown(arm));
        picture.legend(class, arm.name.clone());
    }
    let left_out = document.arms.len().saturating_sub(arms.len());
    if left_out > 0 {
        picture.note(format!("and {left_out} more, not shown"));
    }
    Some(picture)
}
