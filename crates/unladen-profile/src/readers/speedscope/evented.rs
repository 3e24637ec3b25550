//! The function is [`add`]: a profile of calls with beginnings and ends.

use super::document::Part;
use super::made::Made;
use super::scale::Scale;
use crate::reader::MAX_DEPTH;
use crate::readers::json::Number;

/// Adds it as a cluster: each stack weighs the time during which it was the whole one. Time without calls has no
/// weight.
pub(super) fn add(part: &Part, scale: Scale, made: &mut Made<'_>) -> Result<(), String> {
    let cluster = made.profile.begin_request();
    let mut last = scale.weight(part.start_value.unwrap_or(Number::Whole(0)))?;
    let mut called = Vec::new();
    let mut stack = made.profile.stacks.root();
    for (at, event) in part.events.iter().enumerate() {
        let wrong = |what| format!("events[{at}]: {what}");
        let now = scale.weight(event.at).map_err(wrong)?;
        let passed = now.checked_sub(last).ok_or_else(|| wrong(format!("{} is before the event before", event.at)))?;
        if passed > 0 && !called.is_empty() {
            made.profile.add(cluster, stack, made.sum.add(passed).map_err(wrong)?);
        }
        last = now;
        let frame = made.frame(event.frame).map_err(wrong)?;
        match event.kind.as_str() {
            "O" if called.len() == MAX_DEPTH => return Err(wrong(format!("more than {MAX_DEPTH} calls are open"))),
            "O" => {
                called.push(stack);
                stack = made.profile.stacks.push(stack, frame);
            }
            "C" if made.profile.stacks.frame(stack) != Some(frame) => {
                return Err(wrong(format!("frame {} ends, which is not the one that began last", event.frame)));
            }
            "C" => stack = called.pop().ok_or_else(|| wrong("more ends than begins".to_owned()))?,
            other => return Err(wrong(format!("the type is `{other}`, which is neither O nor C"))),
        }
    }
    if called.is_empty() { Ok(()) } else { Err(format!("{} calls never end", called.len())) }
}
