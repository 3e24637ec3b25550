//! The function is [`render`]: a text with values put in, in the form of Mustache.

use serde_json::Value;

use crate::Result;

/// Puts values into a text: `{{name}}`, `{{#name}} … {{/name}}` for each of a list, or if there is something, `{{^name}}
/// … {{/name}}` if there is nothing, `{{> file}}`, which `file` finds. A name is looked for in the innermost value first.
pub(crate) fn render(text: &str, values: &Value, file: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let mut out = String::new();
    part(text, &[values], file, &mut out)?;
    Ok(out)
}

fn part(mut text: &str, values: &[&Value], file: &dyn Fn(&str) -> Result<String>, out: &mut String) -> Result<()> {
    while let Some((before, rest)) = text.split_once("{{") {
        out.push_str(before);
        let (tag, after) = rest.split_once("}}").ok_or_else(|| format!("a tag without an end: {rest}"))?;
        text = after;
        let (kind, name) = tag.split_at(usize::from(tag.starts_with(['#', '^', '>'])));
        let value = values.iter().rev().find_map(|value| value.get(name));
        match (kind, value) {
            (">", _) => part(&file(name.trim())?, values, file, out)?,
            ("#" | "^", value) => {
                let end = format!("{{{{/{name}}}}}");
                let (inside, after) = text.split_once(&end).ok_or_else(|| format!("{{{{{tag}}}}} has no end"))?;
                text = after;
                match value {
                    None | Some(Value::Null | Value::Bool(false)) if kind == "^" => part(inside, values, file, out)?,
                    None | Some(Value::Null | Value::Bool(false)) => {}
                    Some(_) if kind == "^" => {}
                    Some(Value::Array(all)) => {
                        for each in all {
                            part(inside, &[values, &[each]].concat(), file, out)?;
                        }
                    }
                    Some(_) => part(inside, values, file, out)?,
                }
            }
            (_, Some(Value::String(value))) => out.push_str(value),
            (_, Some(value)) => out.push_str(&value.to_string()),
            (_, None) => return Err(format!("{{{{{tag}}}}} has no value").into()),
        }
    }
    out.push_str(text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_lists_and_conditions_are_put_in() {
        let values = json!({ "a": 1, "list": [{ "b": "x" }, { "b": "y", "a": 2 }], "none": null });
        let of = |text: &str| render(text, &values, &|name| Ok(format!("[{name} {{{{a}}}}]"))).unwrap();
        assert_eq!(of("{{#list}}{{b}}{{a}},{{/list}}"), "x1,y2,");
        assert_eq!(of("{{#none}}no{{/none}}{{^none}}yes{{/none}}{{#a}}{{a}}{{/a}}{ b }"), "yes1{ b }");
        assert_eq!(of("{{> head}}"), "[head 1]");
        assert!(render("{{c}}", &values, &|_| Ok(String::new())).is_err());
    }
}
