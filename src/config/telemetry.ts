// Configuration of telemetry. It sends data out, so that no workspace can set it.
import { Type } from 'typebox'

export const TelemetrySchema = Type.Object(
  {
    otlp_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^/@?#\\s]+(?:/[^@?#\\s]*)?$',
        description:
          'Address of an OpenTelemetry collector, such as http://127.0.0.1:4318, to which spans of calls are sent by OTLP over HTTP. None by default.'
      })
    ),
    propagate_to: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts to which `web_fetch` hands the trace of its call on, as the headers traceparent and tracestate: names, or *.domain for all its subdomains. None by default.'
    })
  },
  { additionalProperties: false, default: {} }
)
