// Which secrets are known here, and how they are kept out of what is shown: the server's own tokens, variables of its
// environment, and the files of secrets of the workspaces. The values themselves are told to nobody.
import type { Config } from '../../config/schema.ts'
import { Secrets } from '../../text/secrets/secret-matcher.ts'
import { Masker, masked } from '../../text/secrets/secret-redactor.ts'
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import type { Workspace } from '../host.ts'
import type { Environment } from '../processes/environment.ts'
import { SecretFiles } from './secret-files.ts'
import { VariableJudge } from './secret-variables.ts'

/** More would make looking for them slow. */
const MOST_VALUES = 1_024
const OWN = 'token of this server'

interface MaskingSources {
  /** The server's tokens as they are right now. */
  tokens: () => readonly string[]
  environment: Environment
}

export class Masking {
  readonly #settings: Config['secrets']
  readonly #tokens: () => readonly string[]
  readonly #judge: VariableJudge
  readonly #ofEnvironment: readonly KnownSecret[]
  readonly #files: SecretFiles[] = []
  #madeOf: readonly unknown[] = []
  #secrets: Secrets | undefined
  #given: { tokens: string; secrets: Secrets } | undefined

  constructor(settings: Config['secrets'], { tokens, environment }: MaskingSources) {
    this.#settings = settings
    this.#tokens = tokens
    this.#judge = new VariableJudge(settings.env)
    this.#ofEnvironment = Object.entries(environment).flatMap(([name, value = '']) =>
      this.#judge.ofEnvironment(name, value)
    )
  }

  /** Knows what the files of secrets of this workspace hold, as of each time it is asked. */
  follow(workspace: Workspace) {
    this.#files.push(new SecretFiles(workspace, this.#settings.files, this.#judge))
  }

  /** For one stream of bytes, with what is secret as it begins. */
  masker(): Masker {
    return new Masker(this.#current())
  }

  /** A text without its secrets. */
  masked(text: string): string {
    return masked(text, this.#current())
  }

  /** The same, of every text in a value such as JSON holds, names too. */
  maskedAll<T>(value: T): T {
    return maskedValue(value, this.#current()) as T
  }

  /** A text to decide on, without the values that whoever runs the server gave it. Nobody else's are taken out: a file in
   * the workspace could name a command as its secret, and so hide it from the approver. */
  maskedToDecideOn(text: string): string {
    const own = this.#own()
    const tokens = this.#tokens().join('\n')
    if (this.#given?.tokens !== tokens) {
      const known = this.#settings.mask ? [...own, ...this.#ofEnvironment] : own
      this.#given = { tokens, secrets: new Secrets(known.slice(0, MOST_VALUES), []) }
    }
    return masked(text, this.#given.secrets)
  }

  #current(): Secrets {
    const parts: readonly unknown[] = [
      this.#tokens().join('\n'),
      ...(this.#settings.mask ? this.#files.map(files => files.values()) : [])
    ]
    if (this.#secrets && parts.every((part, i) => part === this.#madeOf[i])) return this.#secrets
    this.#madeOf = parts
    this.#secrets = this.#made()
    return this.#secrets
  }

  #made(): Secrets {
    const own = this.#own()
    // Whoever switches masking off does not give away the server.
    if (!this.#settings.mask) return new Secrets(own, [])
    const known = [...own, ...this.#ofEnvironment, ...this.#files.flatMap(files => files.values())]
    return new Secrets(known.slice(0, MOST_VALUES))
  }

  #own(): KnownSecret[] {
    return this.#tokens().map(value => ({ name: OWN, value }))
  }
}

function maskedValue(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return masked(value, secrets)
  if (Array.isArray(value)) return value.map(one => maskedValue(one, secrets))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([name, one]) => [masked(name, secrets), maskedValue(one, secrets)]))
}
