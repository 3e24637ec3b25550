//! [`fetch`]: asks the application for what several may wait for. It goes on when whoever asked first has left.

use std::rc::Rc;
use std::time::Instant;

use unladen_cache::{Fill, make_conditional};
use unladen_http1::{Name, Response};

use super::clients::UnderWay;
use super::{Catch, News};
use crate::client::Client;
use crate::context::Context;
use crate::errand::Errand;
use crate::front::catch::Wanted;
use crate::record::Version;
use crate::seeing::UpstreamIndex;
use crate::stream::Source;
use crate::watch::Watch;

/// Asks, on this thread.
pub(crate) fn fetch(
    context: &Rc<Context>,
    index: UpstreamIndex,
    wanted: Wanted,
    fill: Fill<News>,
    place: Option<UnderWay>,
) {
    let context = context.clone();
    tokio::task::spawn_local(Box::pin(async move {
        let front = wanted.front.clone();
        let mut request = wanted.request.clone();
        match &wanted.stored {
            Some(stored) => make_conditional(&mut request.fields, &stored.validators),
            None => make_conditional(&mut request.fields, &unladen_cache::Validators::default()),
        }
        // What must not split what is kept must not change it either.
        if let Some(cache) = &front.cache {
            cache.policy.set_language(&mut request.fields);
            let left = cache.policy.cookies_left(&request.fields);
            request.fields.retain(|field| !field.name.eq_ignore_ascii_case(b"cookie"));
            if let Some(left) = left {
                request.fields.push(b"cookie", &left);
            }
        }
        request.fields.remove(Name::Upgrade);
        let began = Instant::now();
        let mut client = Client::Several(Box::new(Catch::new(wanted, fill)));
        let errand = Errand {
            context: &context,
            beside: &front.app,
            index,
            request: &request,
            version: Version::Http11,
            began,
            now: began,
            cache: None,
        };
        let mut watch = Watch::new();
        let (mut response, mut up, mut id) = (Response::default(), Vec::new(), Vec::new());
        errand.run(&mut watch, &mut Source::Empty, &mut client, &mut response, &mut up, &mut id).await;
        drop(place);
    }));
}
