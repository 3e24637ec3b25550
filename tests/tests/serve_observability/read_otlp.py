# Reads what was sent to a collector into OpenTelemetry's own messages, which refuse what they do not know, and prints what was
# understood.
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

IDS = {"traceId", "spanId", "parentSpanId"}


# The one difference between OTLP's JSON and that of protobuf: identifiers are hexadecimal.
def with_base64(value):
    if isinstance(value, list):
        return [with_base64(item) for item in value]
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(item)).decode() if key in IDS else with_base64(item)
            for key, item in value.items()
        }
    return value


def attributes(pairs):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


spans, metrics = [], {}
for name in sys.argv[1:]:
    document = with_base64(json.load(open(name)))
    if "/traces-" in name:
        for of in json_format.ParseDict(document, ExportTraceServiceRequest()).resource_spans:
            service = attributes(of.resource.attributes)["service.name"]
            for span in of.scope_spans[0].spans:
                assert len(span.trace_id) == 16 and len(span.span_id) == 8
                assert 0 < span.start_time_unix_nano < span.end_time_unix_nano
                spans.append({
                    "service": service,
                    "kind": Span.SpanKind.Name(span.kind),
                    "trace_id": span.trace_id.hex(),
                    "span_id": span.span_id.hex(),
                    **attributes(span.attributes),
                })
    else:
        # The last tells of all.
        metrics = {}
        read = json_format.ParseDict(document, ExportMetricsServiceRequest())
        for metric in read.resource_metrics[0].scope_metrics[0].metrics:
            kind = metric.WhichOneof("data")
            points = getattr(metric, kind).data_points
            if kind == "histogram":
                for point in points:
                    assert point.count == sum(point.bucket_counts)
                    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
                metrics[metric.name] = {"count": sum(point.count for point in points)}
            else:
                metrics[metric.name] = {"sum": sum(point.as_int or point.as_double for point in points)}
print(json.dumps({"spans": spans, "metrics": metrics}))
