// Configuration of telemetry. It sends data out, so that no workspace can set it.
import { Type } from 'typebox'

export const TelemetrySchema = Type.Object(
  {
    propagate_to: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts to which `web_fetch` hands the trace of its call on, as the headers traceparent and tracestate: names, or *.domain for all its subdomains. None by default.'
    })
  },
  { additionalProperties: false, default: {} }
)
