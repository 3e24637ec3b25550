//! What all pictures are drawn with.

pub(super) const WIDTH: f64 = 900.0;
pub(super) const MARGIN: f64 = 24.0;

pub(super) fn text(x: f64, y: f64, anchor: &str, fill: &str, content: &str, body: &mut String) {
    let escaped = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    // Control characters are not allowed in XML 1.0, not even escaped.
    let allowed: String = escaped.chars().filter(|c| !c.is_control()).collect();
    body.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{allowed}</text>\n"
    ));
}
