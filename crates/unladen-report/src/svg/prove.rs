//! An experiment: the arms as box plots, and their distributions.

use super::draw::{GREY, LINE, Look, MARGIN, SIZE, WIDTH, columns, cut, legend, line, lines, look, row, text, wide};
use unladen_document::{Arm, BoxPlot, Change, ProveDocument};
use unladen_quantity::{Area, Kind, Scale, plain};

use crate::text::{equal, title};

/// Height of an arm: its name and result, with the box below.
const ROW: f64 = 50.0;
const HEIGHT: f64 = 320.0;
/// Share at the top of distributions that is left out: one slow request would squeeze all others into one line.
const TAIL: f64 = 0.01;

/// Returns the height.
pub(super) fn prove(result: &ProveDocument, body: &mut String) -> f64 {
    let mut y = lines(MARGIN, MARGIN + 10.0, "#000", &result.title, body);
    let has_cold = result.arms.iter().any(|arm| arm.cold_box_plot_ns.is_some());
    let metric = result.first_quantile().unwrap_or("latency.p50");
    let what = title(metric);
    let note = format!(
        "latency: whiskers from p5 to p95, box from p25 to p75, median; right: {what} against the baseline, 95 % interval; \
         dashed: the baseline's {what} in both its arms, as in the table"
    );
    let heading = if has_cold { format!("warm {note}") } else { note };
    y = boxes(result, &heading, metric, |arm| arm.box_plot_ns, y, body);
    if has_cold {
        y = boxes(result, "the same for cold requests", &format!("cold.{metric}"), |arm| arm.cold_box_plot_ns, y, body);
    }
    distributions(&result.arms, y, body)
}

fn boxes(
    result: &ProveDocument,
    heading: &str,
    metric: &str,
    plot_of: impl Fn(&Arm) -> Option<BoxPlot>,
    y: f64,
    body: &mut String,
) -> f64 {
    let rows: Vec<(usize, &Arm, BoxPlot)> =
        result.arms.iter().enumerate().filter_map(|(index, arm)| Some((index, arm, plot_of(arm)?))).collect();
    if rows.is_empty() {
        return y;
    }
    let top = lines(MARGIN, y + LINE, GREY, heading, body) - 4.0;
    let baseline = result.baseline_of(metric);
    let of_boxes = rows.iter().flat_map(|(_, _, plot)| [plot.p5 as f64, plot.p95 as f64]);
    let plot = Area {
        left: MARGIN,
        right: WIDTH - MARGIN,
        top,
        bottom: top + ROW * rows.len() as f64,
        // The baseline's line may lie beyond all whiskers, as that of p99 does.
        x: Scale::around(of_boxes.chain(baseline)),
        y: Scale::new(0.0, 1.0),
    };
    columns(&plot, body);
    for (row, (index, arm, values)) in rows.iter().enumerate() {
        let top = top + row as f64 * ROW;
        let label = label(result, arm, metric, values);
        let room = plot.right - plot.left - SIZE - wide(&label);
        text(plot.left, top + 18.0, "start", "#000", &cut(&arm.name, room), body);
        text(plot.right, top + 18.0, "end", "#000", &label, body);
        if let Some(baseline) = baseline {
            // Beside the box only: across the words it would be in their way.
            let (x, from, to) = (plot.x(baseline), top + 24.0, top + ROW - 2.0);
            body.push_str(&format!(
                "<path d=\"M{x:.1} {from:.1}V{to:.1}\" stroke=\"{GREY}\" stroke-width=\"1.5\" stroke-dasharray=\"4 4\"/>\n"
            ));
        }
        draw(&plot, values, look_of(arm, *index), top + 36.0, body);
    }
    plot.bottom + 36.0
}

/// Both baselines are grey, whatever the number of arms; the repeated one is dashed.
fn look_of(arm: &Arm, index: usize) -> Look {
    match () {
        () if arm.has("baseline") => (GREY, ""),
        () if arm.has("baseline again") => (GREY, "8 4"),
        () => look(index.saturating_sub(1)),
    }
}

fn draw(plot: &Area, values: &BoxPlot, (colour, dashes): Look, middle: f64, body: &mut String) {
    let [p5, p25, p50, p75, p95] =
        [values.p5, values.p25, values.p50, values.p75, values.p95].map(|value| plot.x(value as f64));
    body.push_str(&format!(
        "<path d=\"M{p5:.1} {middle:.1}H{p25:.1}M{p75:.1} {middle:.1}H{p95:.1}M{p5:.1} {end:.1}v10M{p95:.1} {end:.1}v10\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
         <rect x=\"{p25:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"18\" fill=\"{colour}\" fill-opacity=\"0.3\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\n\
         <path d=\"M{p50:.1} {top:.1}v18\" stroke=\"#000\" stroke-width=\"3\"/>\n",
        end = middle - 5.0,
        top = middle - 9.0,
        width = (p75 - p25).max(0.0),
    ));
}

/// `−13.4 % (−14.6 to −12.2)`; for the baseline, the figure over both its arms, which the table has and all are
/// compared with.
fn label(result: &ProveDocument, arm: &Arm, metric: &str, values: &BoxPlot) -> String {
    if arm.has("baseline") {
        return plain(Kind::Time, result.baseline_of(metric).unwrap_or(values.p50 as f64));
    }
    let compared = result.of_arm(&arm.name).find(|comparison| comparison.metric == metric);
    match compared.map(|comparison| (comparison.change(), comparison.ratio_span())) {
        Some((Change::Equal, _)) => equal(),
        Some((Change::Unclear, _)) => "unclear".to_owned(),
        Some((_, Some(ratio))) => ratio.change_text(),
        _ => plain(Kind::Time, values.p50 as f64),
    }
}

/// Share of requests at or below each latency, per arm.
fn distributions(arms: &[Arm], y: f64, body: &mut String) -> f64 {
    let shown = |arm: &Arm| -> Vec<(f64, f64)> {
        let points = arm.distribution.iter().filter(|(_, share)| *share <= 1.0 - TAIL);
        points.map(|(latency, share)| (*latency as f64, *share)).collect()
    };
    let values: Vec<f64> = arms.iter().flat_map(shown).map(|(latency, _)| latency).collect();
    if values.is_empty() {
        return y;
    }
    let top = lines(MARGIN, y + LINE, GREY, "share of requests at or below a latency", body);
    let plot = Area {
        left: 70.0,
        right: WIDTH - MARGIN,
        top,
        bottom: top + HEIGHT,
        x: Scale::around(values),
        y: Scale::new(0.0, 1.0),
    };
    for percent in [0.0, 25.0, 50.0, 75.0, 95.0] {
        row(&plot, percent / 100.0, &format!("{percent} %"), body);
    }
    columns(&plot, body);
    for (index, arm) in arms.iter().enumerate() {
        line(&plot, shown(arm), look_of(arm, index), body);
    }
    let names: Vec<_> = arms.iter().enumerate().map(|(index, arm)| (arm.name.as_str(), look_of(arm, index))).collect();
    legend(&names, plot.left, plot.bottom + 44.0, body)
}
