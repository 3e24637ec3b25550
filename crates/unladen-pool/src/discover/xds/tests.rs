use std::net::SocketAddr;

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::messages::{
    Address as At, Any, Assignment, CLUSTER, Cluster, ClusterType, Endpoint, LbEndpoint, LocalityEndpoints, Place,
    SocketAddress,
};
use super::*;

const LONG: Duration = Duration::from_secs(20);

/// A control plane that says what a test says, and tells what it is asked. One call at a time.
struct Fake {
    address: SocketAddr,
    asked: UnboundedReceiver<DiscoveryRequest>,
    /// None: the call ends.
    says: UnboundedSender<Option<DiscoveryResponse>>,
}

impl Fake {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, asked) = unbounded_channel();
        let (says, mut said) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                call(socket, &tell, &mut said).await;
            }
        });
        Self { address, asked, says }
    }

    async fn asked(&mut self) -> DiscoveryRequest {
        tokio::time::timeout(LONG, self.asked.recv()).await.expect("nothing is asked").unwrap()
    }

    fn say(&self, type_url: &str, version: &str, value: Vec<u8>) {
        let response = DiscoveryResponse {
            version_info: version.to_owned(),
            resources: vec![Any { type_url: type_url.to_owned(), value }],
            type_url: type_url.to_owned(),
            nonce: format!("nonce-{version}"),
        };
        self.says.send(Some(response)).unwrap();
    }

    fn source(&self) -> XdsSource {
        XdsSource {
            tls: false,
            host: self.address.ip().to_string(),
            port: self.address.port(),
            cluster: "app".to_owned(),
            node: "web-1".to_owned(),
        }
    }
}

async fn call(
    socket: tokio::net::TcpStream,
    tell: &UnboundedSender<DiscoveryRequest>,
    said: &mut UnboundedReceiver<Option<DiscoveryResponse>>,
) {
    let mut connection = h2::server::handshake(socket).await.unwrap();
    let (request, mut respond) = connection.accept().await.unwrap().unwrap();
    assert_eq!(
        (request.uri().path(), &request.headers()["content-type"]),
        (METHOD, &"application/grpc+proto".parse().unwrap())
    );
    let driver = tokio::spawn(async move { while connection.accept().await.is_some() {} });
    let mut body = request.into_body();
    let head = http::Response::builder().header("content-type", "application/grpc").body(()).unwrap();
    let mut send = respond.send_response(head, false).unwrap();
    let mut read = BytesMut::new();
    loop {
        tokio::select! {
            data = body.data() => {
                let Some(Ok(data)) = data else { break };
                body.flow_control().release_capacity(data.len()).unwrap();
                read.extend_from_slice(&data);
                while read.len() >= 5 {
                    let length = u32::from_be_bytes(read[1..5].try_into().unwrap()) as usize;
                    if read.len() < 5 + length {
                        break;
                    }
                    let message = read.split_to(5 + length).split_off(5);
                    tell.send(DiscoveryRequest::decode(message).unwrap()).unwrap();
                }
            }
            response = said.recv() => {
                let Some(Some(response)) = response else {
                    let mut trailers = http::HeaderMap::new();
                    trailers.insert("grpc-status", "14".parse().unwrap());
                    trailers.insert("grpc-message", "going away".parse().unwrap());
                    send.send_trailers(trailers).unwrap();
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    break;
                };
                let mut bytes = BytesMut::new();
                bytes.put_u8(0);
                bytes.put_u32(u32::try_from(response.encoded_len()).unwrap());
                response.encode(&mut bytes).unwrap();
                send.send_data(Bytes::from(bytes), false).unwrap();
            }
        }
    }
    driver.abort();
}

fn eds() -> Vec<u8> {
    Cluster { name: "app".to_owned(), kind: Some(ClusterType::Eds.into()), ..Cluster::default() }.encode_to_vec()
}

fn assignment(address: &str) -> Vec<u8> {
    let place = Place::Socket(SocketAddress { protocol: 0, address: address.to_owned(), port: 80 });
    let one =
        LbEndpoint { endpoint: Some(Endpoint { address: Some(At { place: Some(place) }) }), ..Default::default() };
    let group = LocalityEndpoints { endpoints: vec![one], ..Default::default() };
    Assignment { cluster_name: "app".to_owned(), endpoints: vec![group] }.encode_to_vec()
}

fn plane(fake: &Fake) -> ControlPlane {
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    ControlPlane::new(fake.source(), Some("a".to_owned()), resolver, ResolveSettings::default())
}

async fn next(plane: &mut ControlPlane) -> Result<String, XdsError> {
    let found = tokio::time::timeout(LONG, plane.next()).await.expect("nothing is told")?;
    Ok(found.iter().map(|one| one.address.to_string()).collect::<Vec<_>>().join(" "))
}

#[tokio::test]
async fn what_is_told_is_accepted_or_refused_with_the_reason_and_a_call_that_ends_begins_anew() {
    let mut fake = Fake::start().await;
    let mut plane = plane(&fake);
    fake.say(CLUSTER, "1", eds());
    fake.say(messages::ASSIGNMENT, "2", assignment("10.0.0.1"));
    assert_eq!(next(&mut plane).await.unwrap(), "10.0.0.1:80");

    let first = fake.asked().await;
    let node = first.node.unwrap();
    assert_eq!((node.id.as_str(), node.locality.unwrap().zone.as_str()), ("web-1", "a"));
    assert_eq!((first.type_url.as_str(), first.resource_names), (CLUSTER, vec!["app".to_owned()]));
    assert_eq!((first.version_info.as_str(), first.response_nonce.as_str()), ("", ""));
    let accepted = fake.asked().await;
    assert_eq!((accepted.version_info.as_str(), accepted.response_nonce.as_str()), ("1", "nonce-1"));
    assert_eq!((accepted.node, accepted.error_detail), (None, None), "the node is told once");
    let asked = fake.asked().await;
    assert_eq!((asked.type_url.as_str(), asked.version_info.as_str()), (messages::ASSIGNMENT, ""));
    assert_eq!(fake.asked().await.version_info, "2");

    fake.say(messages::ASSIGNMENT, "3", assignment("app.example"));
    let said = next(&mut plane).await.unwrap_err().to_string();
    assert!(said.contains("refused (NACK) version `3`: an endpoint at `app.example`"), "{said}");
    let refusal = fake.asked().await;
    assert_eq!((refusal.version_info.as_str(), refusal.response_nonce.as_str()), ("2", "nonce-3"));
    let detail = refusal.error_detail.unwrap();
    assert!(detail.code == INVALID && detail.message.contains("an endpoint at `app.example`"), "{detail:?}");

    fake.say(messages::ASSIGNMENT, "4", assignment("10.0.0.2"));
    assert_eq!(next(&mut plane).await.unwrap(), "10.0.0.2:80");
    assert_eq!(fake.asked().await.version_info, "4");

    fake.says.send(None).unwrap();
    let said = next(&mut plane).await.unwrap_err().to_string();
    assert!(said.contains("grpc-status `14`: going away"), "{said}");
    fake.say(CLUSTER, "1", eds());
    fake.say(messages::ASSIGNMENT, "5", assignment("10.0.0.3"));
    assert_eq!(next(&mut plane).await.unwrap(), "10.0.0.3:80");
    let again = fake.asked().await;
    assert!(again.node.is_some() && again.version_info.is_empty(), "a new call asks for all");

    // The cluster is gone: what was told of it before stays with whoever has it.
    fake.say(CLUSTER, "6", Cluster { name: "other".to_owned(), ..Cluster::default() }.encode_to_vec());
    let said = next(&mut plane).await.unwrap_err().to_string();
    assert!(said.contains("it has no cluster `app`"), "{said}");
}

#[tokio::test]
async fn whoever_is_no_control_plane_is_told_so() {
    let (address, _) = crate::tests::testing::serve_plain(true).await;
    let source = XdsSource {
        tls: false,
        host: address.ip().to_string(),
        port: address.port(),
        cluster: "app".to_owned(),
        node: "web-1".to_owned(),
    };
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    let mut plane = ControlPlane::new(source.clone(), None, resolver.clone(), ResolveSettings::default());
    let said = next(&mut plane).await.unwrap_err().to_string();
    assert!(
        said.contains("it ended the call") || said.contains("it answered") || said.contains("its connection failed"),
        "{said}"
    );
    // TLS, which nobody speaks there.
    let mut plane = ControlPlane::new(XdsSource { tls: true, ..source }, None, resolver, ResolveSettings::default());
    assert!(next(&mut plane).await.is_err());
}

#[tokio::test]
async fn tls_is_verified() {
    let authority = crate::tests::testing::Authority::new();
    let (address, seen) = authority.site().serve().await;
    let source = XdsSource {
        tls: true,
        host: "localhost".to_owned(),
        port: address.port(),
        cluster: "app".to_owned(),
        node: "web-1".to_owned(),
    };
    let resolver = Arc::new(Resolver::of_files("/nonexistent", "/nonexistent"));
    let mut plane = ControlPlane::new(source.clone(), None, resolver, ResolveSettings::default());
    let said = next(&mut plane).await.unwrap_err();
    assert!(matches!(said, XdsError::Tls(_)), "an authority that nobody trusts: {said}");

    // Trusted, it still has to be called so: the certificate is of another name.
    let settings = TlsSettings { ca: Some(authority.path().to_owned()), ..TlsSettings::default() };
    let trusting = Connector::new(&settings, Protocol::Http2).unwrap();
    plane.connector = Some(trusting.clone());
    let said = next(&mut plane).await.unwrap_err();
    assert!(matches!(said, XdsError::Tls(_)), "{said}");
    assert!(seen.requests.lock().unwrap().is_empty());
}
