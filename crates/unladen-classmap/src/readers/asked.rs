//! Any application, by what its own loaders answered to `unladen classmap --ask`.

use std::path::Path;

use super::{Options, Reader};
use crate::{Answers, Application, Loader, Problem, Rule};

const NAMED: usize = 3;

#[derive(Debug)]
pub(super) struct AnswersOfLoaders;

impl Reader for AnswersOfLoaders {
    fn name(&self) -> &'static str {
        "asked"
    }

    fn about(&self) -> &'static str {
        "any application: --ask SCRIPT runs that script in PHP and asks the loaders that it has registered"
    }

    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem> {
        let Some(file) = &options.answers else {
            return Err(Problem::of(
                root,
                "its loaders have not been asked: use --ask SCRIPT, such as --ask index.php",
            ));
        };
        let answers = Answers::read(file, root)?;
        let problems = left_out(file, &answers).into_iter().collect();
        let switch_on = switch_on(&answers);
        let name = format!("the answers of its own loaders ({})", names(&answers).join(", "));
        let rule = Rule::List { origin: file.clone(), classes: answers.classes.into_iter().collect() };
        let loader = Loader { name, rules: vec![rule], ..Loader::default() };
        Ok(Application { loaders: vec![loader], inputs: vec![file.clone()], problems, switch_on })
    }
}

fn names(answers: &Answers) -> Vec<String> {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for loader in &answers.loaders {
        match names.iter_mut().find(|(name, _)| *name == loader.name) {
            Some((_, many)) => *many += 1,
            None => names.push((&loader.name, 1)),
        }
    }
    names
        .into_iter()
        .map(|(name, many)| if many == 1 { name.to_owned() } else { format!("{name}, {many} times") })
        .collect()
}

fn left_out(file: &Path, answers: &Answers) -> Option<Problem> {
    let named: Vec<String> =
        answers.left_out.iter().take(NAMED).map(|(class, why)| format!("{class} ({why})")).collect();
    let more = match answers.left_out.len().checked_sub(NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more, listed there"),
    };
    (!named.is_empty())
        .then(|| Problem::of(file, format!("left to the application's own loaders: {}{more}", named.join(", "))))
}

fn switch_on(answers: &Answers) -> Vec<String> {
    let front: Vec<String> = answers.loaders.iter().filter(|one| one.front).map(super::super::Asked::words).collect();
    if front.is_empty() {
        return vec![
            "for a PHP-FPM pool that serves only this application: php_admin_value[auto_prepend_file] = \
             …/unladen-classmap.php"
                .to_owned(),
            "or at the top of its scripts, after <?php: require '…/unladen-classmap.php';".to_owned(),
        ];
    }
    vec![
        format!(
            "right after the application has registered {}: require '…/unladen-classmap.php';",
            front.join(" and ")
        ),
        "auto_prepend_file would not work: that loader registers itself before existing loaders".to_owned(),
    ]
}
