// The collector that spans are sent to: its address, and the headers that prove who sends them.

/** Variables with headers, as the OpenTelemetry specification names them; the latter is for traces alone. */
export const HEADER_VARIABLES = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/
const TRACES_PATH = '/v1/traces'

export interface Collector {
  url: string
  headers: Record<string, string>
}

/** Returns the headers that the environment sets: `name=value,…`, percent-encoded. Pairs that are none are left out. */
export function readCollectorHeaders(
  environment: Readonly<Record<string, string | undefined>>
): Record<string, string> {
  const pairs = HEADER_VARIABLES.flatMap(name => (environment[name] ?? '').split(','))
  return Object.fromEntries(pairs.flatMap(parsePair))
}

function parsePair(text: string): [name: string, value: string][] {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) return []
  try {
    const decoded = decodeURIComponent(value.trim())
    return /^[\x20-\x7e]*$/.test(decoded) ? [[name.toLowerCase(), decoded]] : []
  } catch {
    return []
  }
}

/** Shorter values are no credentials, and would be redacted wherever they occur. */
const MIN_SECRET_LENGTH = 8

/** Returns the texts that no log may have: each value, and the credential in one such as `Bearer …`. */
export const listHeaderSecrets = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers)
    .flatMap(value => [value, ...value.split(' ').slice(1)])
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)

/** Returns the collector at an address. Throws if credentials would be sent in the clear beyond this machine. */
export function toCollector(text: string, headers: Record<string, string>): Collector {
  const url = new URL(text)
  if (url.protocol === 'http:' && Object.keys(headers).length > 0 && !LOOPBACK.test(url.hostname))
    throw new Error(
      'telemetry.otlp_url: the headers contain credentials, so they are sent to other machines only over https. Use ' +
        `https, or unset ${HEADER_VARIABLES.join(' and ')}.`
    )
  const at = url.pathname.replace(/\/+$/, '')
  url.pathname = at.endsWith(TRACES_PATH) ? at : at + TRACES_PATH
  return { url: url.href, headers }
}
