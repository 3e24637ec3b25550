use proptest::prelude::*;

use super::*;
use crate::exposition::{MetricFamily, Sample};

type Described = (Kind, String, Vec<(Vec<String>, f64, Option<i32>)>);

/// Families with samples whose labels' values are any text.
fn families() -> impl Strategy<Value = Vec<Described>> {
    let kind = prop::sample::select(vec![Kind::Counter, Kind::Gauge, Kind::Unknown]);
    let value = prop_oneof![
        any::<f64>().prop_filter("NaN differs from itself", |value| !value.is_nan()),
        Just(1e300),
        Just(0.1)
    ];
    let sample = (prop::collection::vec("[^\r]{0,12}", 0..4), value, any::<Option<i32>>());
    prop::collection::vec((kind, "[^\r]{0,20}", prop::collection::vec(sample, 0..4)), 0..5)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(described in families()) {
        let names: Vec<(String, String)> = (0..described.len()).map(|index| (format!("f{index}"), format!("f{index}_total"))).collect();
        for format in [Format::Text, Format::OpenMetrics] {
            let mut exposition = Exposition::default();
            for (index, (kind, help, samples)) in described.iter().enumerate() {
                let is_open = format == Format::OpenMetrics;
                let sample_name = if *kind == Kind::Counter && is_open { &names[index].1 } else { &names[index].0 };
                let help = help.trim_start_matches([' ', '\t']);
                exposition.families.push(MetricFamily { name: &names[index].0, kind: *kind, help: Some(help.into()), unit: None });
                for (number, (values, value, timestamp)) in samples.iter().enumerate() {
                    let mut labels: Vec<(&str, Cow<'_, str>)> = vec![("n", number.to_string().into())];
                    labels.extend(["a", "b", "c", "d"].into_iter().zip(values).map(|(name, value)| (name, value.as_str().into())));
                    exposition.samples.push(Sample {
                        family: index, name: sample_name, labels, value: *value, timestamp_ms: timestamp.map(i64::from), exemplar: None,
                    });
                }
            }
            let text = exposition.write(format);
            let read = Exposition::parse(text.as_bytes(), format);
            prop_assert_eq!(read.as_ref(), Ok(&exposition), "{}", text);
        }
    }
}
