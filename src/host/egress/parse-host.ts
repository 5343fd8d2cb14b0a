// Parses hosts of requests; unparsable ones are refused.
import { ToolError } from '../../errors.ts'
import { type HostName, readHost } from '../../text/url/hosts.ts'

/** Parses a host as written in a URL, a CONNECT or a list. Throws URL_BLOCKED for an invalid one. */
export function parseHostName(text: string): HostName {
  const host = readHost(text)
  if (host) return host
  throw new ToolError('URL_BLOCKED', 'The host name is not valid.')
}

/** Parses a host with a port, such as `[::1]:443`; `fallback` is the default port. */
export function parseAuthority(text: string, fallback?: number): { host: HostName; port: number } {
  const { host = text, digits } = /^(?<host>.*?)(?::(?<digits>[0-9]{1,5}))?$/s.exec(text)?.groups ?? {}
  const port = digits === undefined ? fallback : Number(digits)
  if (port === undefined || port < 1 || port > 65_535)
    throw new ToolError('URL_BLOCKED', 'The port of the host is missing.')
  return { host: parseHostName(host), port }
}
