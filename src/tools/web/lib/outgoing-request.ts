// Validates and describes outgoing requests: forbidden headers, and notes for an approver.
import { invalidParam } from '../../../errors.ts'
import { SECRET_NAME } from '../../../text/secrets/credentials.ts'
import { SecretMatcher } from '../../../text/secrets/secret-matcher.ts'
import { redactSecrets } from '../../../text/secrets/secret-redactor.ts'

interface OutgoingRequest {
  url: string
  headers?: Record<string, string>
  body?: string
}

/** Headers of the connection, of the client's identity, and those that only internal services honor. */
const FORBIDDEN_HEADERS =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|via|forwarded|metadata|metadata-flavor|proxy-.*|sec-.*|x-forwarded-.*|x-real-ip|x-aws-.*|x-google-.*|x-metadata-.*|x-identity-.*)$/
const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** Invisible characters, or those that end a header. */
const INVALID_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const MAX_HEADERS = 50

/** Headers that reveal nothing about the caller. */
const HARMLESS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'cache-control', 'pragma', 'range'])

/** Returns headers with lower-case names; throws INVALID_PARAMS for forbidden ones. */
export function sendable(headers: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  if (entries.length > MAX_HEADERS)
    throw invalidParam('headers', `has ${entries.length} headers; the maximum is ${MAX_HEADERS}.`)
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) throw invalidParam('headers', `${JSON.stringify(name)} is not a valid header name.`)
    if (FORBIDDEN_HEADERS.test(name)) throw invalidParam('headers', `${name} cannot be set by callers.`)
    if (INVALID_HEADER_VALUE.test(value))
      throw invalidParam('headers', `the value of ${name} contains invalid characters.`)
  }
  const names = entries.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw invalidParam('headers', `contains the header ${twice} twice.`)
  return Object.fromEntries(entries)
}

/** Describes the request for policy. */
export const describeSentParts = ({ headers = {}, body }: OutgoingRequest): string[] => [
  ...Object.keys(headers)
    .filter(name => !HARMLESS.has(name.toLowerCase()))
    .map(name => `the header ${name}`),
  ...(body === undefined ? [] : ['a body'])
]

const tokenMatcher = () => new SecretMatcher([])

/** Warns an approver of possible credentials in the request. */
export function secretNotes({ url, headers = {}, body }: OutgoingRequest): string[] {
  const known = tokenMatcher()
  const holds = (text: string) => redactSecrets(text, known) !== text
  const params = URL.canParse(url) ? [...new URL(url).searchParams.keys()].filter(name => SECRET_NAME.test(name)) : []
  const names = Object.keys(headers).filter(name => SECRET_NAME.test(name) || holds(headers[name]!))
  return [
    ...(params.length > 0 || holds(url)
      ? [`The URL may contain a secret${params.length > 0 ? `: ${params.join(', ')}` : ''}.`]
      : []),
    ...(names.length > 0 ? [`The request may contain credentials: ${names.join(', ')}.`] : []),
    ...(body !== undefined && holds(body) ? ['The body may contain a secret.'] : [])
  ]
}
