// Configuration of telemetry. It sends data out, so that no workspace can set it.
import { Type } from 'typebox'

export const TelemetrySchema = Type.Object(
  {
    otlp_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^/@?#\\s]+(?:/[^@?#\\s]*)?$',
        description:
          'URL of an OpenTelemetry collector, such as http://127.0.0.1:4318. It receives the spans of calls by OTLP over ' +
          'HTTP. Default: none.'
      })
    ),
    propagate_to: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts to which `web_fetch` sends the trace context of its call, in the headers traceparent and tracestate. A ' +
        'host is a name, or *.domain for all its subdomains. Default: none.'
    })
  },
  { additionalProperties: false, default: {} }
)
