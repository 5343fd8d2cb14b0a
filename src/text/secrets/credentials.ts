// Redacts credentials by where they stand: in addresses, headers, options and variables. Token formats are known besides.
import { SecretMatcher } from './secret-matcher.ts'
import { redactSecrets } from './secret-redactor.ts'

/** Names of parameters, headers and variables whose values are secrets. */
export const SECRET_NAME =
  /token|secret|passw|passphrase|api[-_]?key|(?:^|[-_])(?:key|auth|sig)(?:$|[-_])|signature|credential|authorization|cookie|session/i

const MARKER_START = '[masked: '
const MARKER = `${MARKER_START}credentials]`
const TOKENS = new SecretMatcher([])

/** Returns true if some text in a JSON value is masked, so that it is no longer what was given. */
export const isMasked = (value: unknown): boolean => JSON.stringify(value)?.includes(MARKER_START) ?? false

type Redaction = (text: string) => string

/**
 * Creates the redaction of credentials in addresses, headers, options and variables. `user` and `value` are sets of characters;
 * `user` has no colon, so that matching takes time linear in the text.
 */
function createRedaction(user: string, value: string): Redaction {
  const userInfo = new RegExp(`(\\bhttps?://)(?:${user}|:)+(?=@)`, 'gi')
  const password = new RegExp(`(://)${user}*:(?:${user}|:)+(?=@)`, 'g')
  const cookies = new RegExp(
    String.raw`\bcookie["']?\s{0,8}:\s{0,8}[\w.-]+=${value}+(?:;\s{0,8}[\w.-]+=${value}*)*`,
    'gi'
  )
  const cookieValue = new RegExp(`(?<==)${value}+`, 'g')
  const header = new RegExp(
    String.raw`(\b(?:(?:proxy-)?authorization|x-api-key|x-auth-token|private-token)["']?\s{0,8}[:=]\s{0,8}["']?)` +
      String.raw`(?:((?:bearer|basic|token|digest|negotiate|apikey)\s{1,8})${value}{6,}|(?=${value}*\d)${value}{8,})`,
    'gi'
  )
  const parameter = new RegExp(String.raw`([?&]([\w.-]{1,64})=)${value}+`, 'g')
  // Fewer names than in an address: other options and variables may decide what runs.
  const option = new RegExp(
    String.raw`(--[\w-]{0,64}(?:token|secret|passw(?:or)?d|passphrase|(?:api|access|secret)[-_]?key)=)${value}+`,
    'gi'
  )
  const variable = new RegExp(
    String.raw`(\b[A-Z][A-Z0-9_]{0,64}(?:TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|(?:API|ACCESS|SECRET)_?KEY)=)${value}+`,
    'g'
  )
  return text =>
    text
      .replace(userInfo, `$1${MARKER}`)
      .replace(password, `$1${MARKER}`)
      .replace(cookies, found => found.replace(cookieValue, MARKER))
      .replace(header, (_, name: string, scheme: string = '') => `${name}${scheme}${MARKER}`)
      .replace(parameter, (whole, before: string, name: string) => (SECRET_NAME.test(name) ? before + MARKER : whole))
      .replace(option, `$1${MARKER}`)
      .replace(variable, `$1${MARKER}`)
}

/**
 * Redacts credentials in a text that a decision is based on. Replaces only characters that mean nothing to a shell, so that no part
 * of a command line can be hidden in the form of a credential.
 */
export const redactForDecision = createRedaction(String.raw`[\w.~%+=,-]`, String.raw`[\w.~%+=,:/-]`)
const redactAddresses = createRedaction(String.raw`[^\s/?#@:"'<>\\[\]]`, String.raw`[^\s&#;"'<>\\[\]]`)

/** Objects whose names are those of headers, parameters of an address or variables. */
const NAMED_MAPS: ReadonlySet<string> = new Set(['headers', 'env', 'query'])
/** Fields of any object that hold a secret. */
const SECRET_FIELD =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|password|passwd|passphrase|secret|client_secret|api_?key|(?:access|refresh|auth)_token)$/i

/** Redacts credentials and tokens in a JSON value, such as the params of a call. Returns the same value if it has none. */
export const redactCredentials = <T>(value: T): T => redactIn(value, '', redactText) as T

/** Does the same but for tokens, which are found by their format: that takes the longest. */
export const redactNamedCredentials = <T>(value: T): T => redactIn(value, '', redactAddresses) as T

/** Redacts credentials in params that a decision is based on; see `redactForDecision`. */
export const redactParamsForDecision = <T>(params: T): T => redactIn(params, '', redactForDecision) as T

const redactText = (text: string) => redactSecrets(redactAddresses(text), TOKENS)

/** `field` is the name of the object's own field. */
function redactIn(value: unknown, field: string, redactString: Redaction): unknown {
  if (typeof value === 'string') return redactString(value)
  if (Array.isArray(value)) {
    const redacted = value.map(one => redactIn(one, field, redactString))
    return redacted.every((one, i) => one === value[i]) ? value : redacted
  }
  if (value === null || typeof value !== 'object') return value
  const isNamed = NAMED_MAPS.has(field.toLowerCase())
  let hasChanged = false
  const entries = Object.entries(value).map(([name, one]) => {
    const isSecret = typeof one === 'string' && one !== '' && (isNamed ? SECRET_NAME : SECRET_FIELD).test(name)
    const redacted = isSecret ? MARKER : redactIn(one, name, redactString)
    hasChanged ||= redacted !== one
    return [name, redacted]
  })
  return hasChanged ? Object.fromEntries(entries) : value
}

/**
 * Returns edited values with what was redacted in them restored, where the text is unchanged since. Throws the error that `refuse`
 * makes for a field that was edited but still holds a mark in place of a secret.
 */
export function restoreRedacted(
  edited: unknown,
  { original, redacted }: { original: unknown; redacted: unknown },
  refuse: (pointer: string) => Error,
  pointer = ''
): unknown {
  if (typeof edited === 'string') {
    if (typeof original !== 'string' || original === redacted) return edited
    if (edited === redacted) return original
    if (edited.includes(MARKER_START)) throw refuse(pointer)
    return edited
  }
  if (edited === null || typeof edited !== 'object' || original === null || typeof original !== 'object') return edited
  const restore = (name: string, one: unknown) =>
    restoreRedacted(
      one,
      { original: field(original, name), redacted: field(redacted, name) },
      refuse,
      `${pointer}/${name}`
    )
  if (Array.isArray(edited)) return edited.map((one, i) => restore(String(i), one))
  return Object.fromEntries(Object.entries(edited).map(([name, one]) => [name, restore(name, one)]))
}

const field = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined
