//! The function is [`add`]: a profile of samples, each with its whole stack.

use super::document::Part;
use super::made::Made;
use super::scale::Scale;
use crate::reader::MAX_DEPTH;

pub(super) fn add(part: &Part, scale: Scale, made: &mut Made<'_>) -> Result<(), String> {
    if part.samples.len() != part.weights.len() {
        return Err(format!("there are {} samples and {} weights", part.samples.len(), part.weights.len()));
    }
    let cluster = made.profile.begin_request();
    for (at, (frames, weight)) in part.samples.iter().zip(&part.weights).enumerate() {
        let weight = scale.weight(*weight).and_then(|weight| made.sum.add(weight));
        let weight = weight.map_err(|what| format!("weights[{at}]: {what}"))?;
        if frames.len() > MAX_DEPTH {
            return Err(format!("samples[{at}]: {} frames are more than {MAX_DEPTH}", frames.len()));
        }
        let mut stack = made.profile.stacks.root();
        for index in frames {
            let frame = made.frame(*index).map_err(|what| format!("samples[{at}]: {what}"))?;
            stack = made.profile.stacks.push(stack, frame);
        }
        made.profile.add(cluster, stack, weight);
    }
    Ok(())
}
