//! PURGE: purges before it answers.

use std::fmt::Write;

use unladen_cache::{Purge, tags_of, write_key};
use unladen_fleet::{Outcome, Wait, What};
use unladen_http1::Request;
use unladen_observability::{End, Reason};

use super::admit::InboundRequest;
use crate::cache::response_policy::push_status;
use crate::cache::{Cache, what};
use crate::message::compose::not_kept;
use crate::message::downstream::ClientSide;
use crate::request::Finished;

impl InboundRequest<'_> {
    /// Purges a page by target and host, or all with a tag from `Cache-Tag`, `Surrogate-Key` or `xkey`. `X-Purge: soft`
    /// only has it revalidated, `X-Purge: prefix` means all pages beginning so, and `X-Purge: wait=quorum` says which
    /// nodes of a fleet to wait for.
    pub(crate) async fn purge(&self, cache: &Cache, request: &Request, to: &mut ClientSide<'_, '_>) -> Finished {
        // The client as trusted proxies name it: such a proxy is not allowed for being one.
        let may = match self.who.get().address {
            Some(address) => cache.settings.purge.iter().any(|network| network.contains(&address.to_canonical())),
            None => cache.settings.purge_unix,
        };
        if !may {
            return self.send_local_reply(request, to, Reason::PurgeForbidden, None).await;
        }
        let ways = request.fields.find(b"x-purge").unwrap_or_default();
        let has = |word: &[u8]| ways.split(|byte| *byte == b',').any(|way| way.trim_ascii().eq_ignore_ascii_case(word));
        let tags = tags_of(&request.fields);
        let is_soft = has(b"soft");
        // An unknown word waits for all, as the default does: for more, not less.
        let wait = ways.split(|byte| *byte == b',').find_map(|way| {
            let (name, word) = way.trim_ascii().split_at_checked(b"wait=".len())?;
            name.eq_ignore_ascii_case(b"wait=").then_some(word)
        });
        let wait = wait.map(|word| std::str::from_utf8(word).ok().and_then(Wait::of).unwrap_or_default());
        let mut told: Vec<What> = match &cache.fleet {
            None => Vec::new(),
            Some(_) if tags.is_empty() => vec![what(request, None, has(b"prefix"))],
            Some(_) => tags.iter().map(|tag| What::Tag(tag.to_string())).collect(),
        };
        let purged = if tags.is_empty() {
            // Both schemes: a purging application need not know which its pages use.
            [true, false]
                .into_iter()
                .map(|is_https| {
                    to.key.clear();
                    write_key(request, is_https, &cache.policy, to.key);
                    let key = to.key.clone();
                    cache.forget(&if has(b"prefix") { Purge::Prefix(key) } else { Purge::Key(key) }, is_soft)
                })
                .sum::<u64>()
        } else {
            tags.into_iter().map(|tag| cache.forget(&Purge::Tag(tag), is_soft)).sum()
        };
        let mut words = format!("{purged} purged\n");
        let mut status = 200;
        if let Some(fleet) = &cache.fleet {
            // Written in this order: who has read the last has read all.
            let last = told.pop();
            told.into_iter().for_each(|what| fleet.announce(what, is_soft));
            if let Some(last) = last {
                let outcome = fleet.purge(last, is_soft, wait).await;
                if !outcome.is_confirmed {
                    status = 202;
                }
                write_outcome(&outcome, &mut words);
            }
        }
        not_kept(to.response, status, b"text/plain", &words);
        push_status(&mut to.response.fields, &unladen_cache::CacheStatus::default());
        self.send_text(request, to, &words, (End::Answered, "purge")).await
    }
}

fn write_outcome(outcome: &Outcome, words: &mut String) {
    for node in &outcome.nodes {
        let _ = match (node.confirmed_after, node.has_left) {
            (Some(after), _) => {
                writeln!(words, "{} has confirmed it after {:.1} ms", node.node, after.as_secs_f64() * 1e3)
            }
            (None, true) => writeln!(words, "{} is no longer in the fleet: its lease has expired", node.node),
            (None, false) => writeln!(words, "{} has not confirmed it", node.node),
        };
    }
    if let Some(why) = &outcome.why {
        let _ = writeln!(words, "not confirmed: {why}");
    }
}
