//! [`treemap`]: areas in proportion to shares.

/// `x`, `y`, width and height of an area for each share, in their order, which together fill the whole. Each time the
/// rest is cut across its longer side, in two parts of about the same sum.
pub fn treemap(shares: &[f64], whole: [f64; 4]) -> Vec<[f64; 4]> {
    if shares.len() <= 1 {
        return shares.iter().map(|_| whole).collect();
    }
    let sum: f64 = shares.iter().sum();
    let (mut first, mut at) = (0.0, 0);
    while at + 1 < shares.len() && (at == 0 || first + shares[at] / 2.0 < sum / 2.0) {
        first += shares[at];
        at += 1;
    }
    let part = if sum > 0.0 { first / sum } else { 0.5 };
    let [x, y, width, height] = whole;
    let [one, other] = if width >= height {
        let cut = width * part;
        [[x, y, cut, height], [x + cut, y, width - cut, height]]
    } else {
        let cut = height * part;
        [[x, y, width, cut], [x, y + cut, width, height - cut]]
    };
    let mut all = treemap(&shares[..at], one);
    all.extend(treemap(&shares[at..], other));
    all
}

#[cfg(test)]
mod tests;
