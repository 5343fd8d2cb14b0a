// Detects secret values of variables.
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { COMMON_VALUES, NON_SECRET_VARIABLES, SECRET_VARIABLES } from './secret-names.ts'

/** Longer than any key; a larger value is data, and matching it would cost more than it is worth. */
const MAX_VALUE_CHARACTERS = 65_536
/** So many letters and digits in a row are no word. */
const TOKEN_RUN = /[A-Za-z0-9]{16,}/g
const PATH = /^(?:~|\.{1,2})?\/[\w.@/-]*$/
/** A URL with a password in it. */
const URL_PASSWORD = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/?#@:]{0,256}:([^/?#@]{1,1024})@/i

export class SecretVariableClassifier {
  readonly #secretNames: NamePatterns
  readonly #nonSecretNames = new NamePatterns(NON_SECRET_VARIABLES)
  readonly #configuredNames: NamePatterns

  /** Values of `names` are always secrets. */
  constructor(names: readonly string[]) {
    this.#secretNames = new NamePatterns(SECRET_VARIABLES)
    this.#configuredNames = new NamePatterns(names)
  }

  /** Detects secrets in an environment variable, by name: most are none. */
  fromEnvironment(name: string, value: string): KnownSecret[] {
    return this.#isSecretName(name)
      ? [...wholeValue(name, value), ...urlPassword(name, value)]
      : urlPassword(name, value)
  }

  /** Detects secrets in a line of a secret file: also random-looking values under neutral names. */
  fromFile(name: string, value: string): KnownSecret[] {
    if (this.#isSecretName(name) || !looksRandom(value)) return this.fromEnvironment(name, value)
    return [...wholeValue(name, value), ...urlPassword(name, value)]
  }

  #isSecretName(name: string) {
    const names = [foldPath(name)]
    return (
      this.#configuredNames.covers(names) || (this.#secretNames.covers(names) && !this.#nonSecretNames.covers(names))
    )
  }
}

function wholeValue(name: string, value: string): KnownSecret[] {
  const text = value.trim()
  if (COMMON_VALUES.has(text.toLowerCase()) || isPath(text) || text.length > MAX_VALUE_CHARACTERS) return []
  return [{ name, value: text }]
}

function urlPassword(name: string, value: string): KnownSecret[] {
  const password = URL_PASSWORD.exec(value.trim().slice(0, MAX_VALUE_CHARACTERS))?.[1]
  if (password === undefined) return []
  return [...new Set([password, decodeSafely(password)])].flatMap(text => wholeValue(name, text))
}

function decodeSafely(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A key in base64 may begin as a path does. */
const isPath = (text: string) => PATH.test(text) && !looksRandom(text)

const looksRandom = (value: string) =>
  (value.match(TOKEN_RUN) ?? []).some(run => /\d/.test(run) && /[A-Za-z]/.test(run))
