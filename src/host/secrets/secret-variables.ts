// Which values of variables are secrets.
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import { fold, NamePatterns } from '../files/policy/name-patterns.ts'
import { HARMLESS_VARIABLES, PLAIN_VALUES, SECRET_VARIABLES } from './secret-names.ts'

/** Longer than any key; a larger value is data, and looking for it would cost more than it is worth. */
const LONGEST_VALUE = 65_536
/** So many letters and digits in a row are no word. */
const TOKEN_RUN = /[A-Za-z0-9]{16,}/g
const PATH = /^(?:~|\.{1,2})?\/[\w.@/-]*$/
/** A URL with a password in it. */
const URL_PASSWORD = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/?#@:]{0,256}:([^/?#@]{1,1024})@/i

export class VariableJudge {
  readonly #secret: NamePatterns
  readonly #harmless = new NamePatterns(HARMLESS_VARIABLES)
  readonly #named: NamePatterns

  /** `names` are secret besides, whatever else they look like. */
  constructor(names: readonly string[]) {
    this.#secret = new NamePatterns(SECRET_VARIABLES)
    this.#named = new NamePatterns(names)
  }

  /** Of a variable of the environment, where most are no secrets: those whose name says so. */
  ofEnvironment(name: string, value: string): KnownSecret[] {
    return this.#isSecretName(name) ? [...whole(name, value), ...passwordOf(name, value)] : passwordOf(name, value)
  }

  /** Of a line in a file of secrets: also what looks random under a name that says nothing. */
  ofFile(name: string, value: string): KnownSecret[] {
    if (this.#isSecretName(name) || !looksRandom(value)) return this.ofEnvironment(name, value)
    return [...whole(name, value), ...passwordOf(name, value)]
  }

  #isSecretName(name: string) {
    const names = [fold(name)]
    return this.#named.covers(names) || (this.#secret.covers(names) && !this.#harmless.covers(names))
  }
}

function whole(name: string, value: string): KnownSecret[] {
  const text = value.trim()
  if (PLAIN_VALUES.has(text.toLowerCase()) || isPath(text) || text.length > LONGEST_VALUE) return []
  return [{ name, value: text }]
}

function passwordOf(name: string, value: string): KnownSecret[] {
  const password = URL_PASSWORD.exec(value.trim().slice(0, LONGEST_VALUE))?.[1]
  if (password === undefined) return []
  return [...new Set([password, decoded(password)])].flatMap(text => whole(name, text))
}

function decoded(text: string) {
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
