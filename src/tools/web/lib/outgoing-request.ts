// What a request sends besides its address: what is never taken from a caller, what an approver must see, and what is
// told to nobody else.
import { invalidParam } from '../../../errors.ts'
import { Secrets } from '../../../text/secrets/secret-matcher.ts'
import { masked } from '../../../text/secrets/secret-redactor.ts'

export interface Sending {
  url: string
  headers?: Record<string, string>
  body?: string
}

/** These are for the connection, say who we are, or open doors that only a service inside may open. */
const NEVER =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|via|forwarded|metadata|metadata-flavor|proxy-.*|sec-.*|x-forwarded-.*|x-real-ip|x-aws-.*|x-google-.*|x-metadata-.*|x-identity-.*)$/
const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
/** No visible text, or what ends a header. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/
const MOST_HEADERS = 50

/** They say nothing of whoever asks. */
const HARMLESS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'cache-control', 'pragma', 'range'])

/** Header names in small letters; throws INVALID_PARAMS for what is never sent. */
export function sendable(headers: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  if (entries.length > MOST_HEADERS)
    throw invalidParam('headers', `has ${entries.length}; the most are ${MOST_HEADERS}.`)
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) throw invalidParam('headers', `${JSON.stringify(name)} is no name of a header.`)
    if (NEVER.test(name)) throw invalidParam('headers', `${name} is never taken from a caller.`)
    if (UNSENDABLE.test(value)) throw invalidParam('headers', `the value of ${name} holds what no header may.`)
  }
  const names = entries.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw invalidParam('headers', `${twice} stands twice.`)
  return Object.fromEntries(entries)
}

/** What policy is told of it, in words. */
export const partsOf = ({ headers = {}, body }: Sending): string[] => [
  ...Object.keys(headers)
    .filter(name => !HARMLESS.has(name.toLowerCase()))
    .map(name => `the header ${name}`),
  ...(body === undefined ? [] : ['a body'])
]

const SECRET_NAME =
  /token|secret|passw|passphrase|api[-_]?key|(?:^|[-_])(?:key|auth|sig)(?:$|[-_])|signature|credential|authorization|cookie|session/i
const shapes = () => new Secrets([])

/** What an approver must know: that it may send somebody's credentials. */
export function secretNotes({ url, headers = {}, body }: Sending): string[] {
  const known = shapes()
  const holds = (text: string) => masked(text, known) !== text
  const params = URL.canParse(url) ? [...new URL(url).searchParams.keys()].filter(name => SECRET_NAME.test(name)) : []
  const names = Object.keys(headers).filter(name => SECRET_NAME.test(name) || holds(headers[name]!))
  return [
    ...(params.length > 0 || holds(url)
      ? [`The address may hold a secret${params.length > 0 ? `: ${params.join(', ')}` : ''}.`]
      : []),
    ...(names.length > 0 ? [`It sends what may be a credential: ${names.join(', ')}.`] : []),
    ...(body !== undefined && holds(body) ? ['The body may hold a secret.'] : [])
  ]
}

/** As a URL may hold it. */
const HIDDEN = '***'
const hidden = (value: string) => `[masked: ${value.length} characters]`

/** The same without what may be a secret: what is shown and told of it goes to more than who decides. */
export function told<T extends Sending>(sending: T): T {
  const known = shapes()
  const { headers, body } = sending
  return {
    ...sending,
    url: masked(withoutSecrets(sending.url), known),
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          SECRET_NAME.test(name) ? hidden(value) : masked(value, known)
        ])
      )
    }),
    ...(body !== undefined && { body: masked(body, known) })
  }
}

function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  const secret = [...url.searchParams].filter(([name]) => SECRET_NAME.test(name))
  if (secret.length === 0 && url.password === '') return text
  for (const [name] of secret) url.searchParams.set(name, HIDDEN)
  if (url.password !== '') url.password = HIDDEN
  return url.href
}
