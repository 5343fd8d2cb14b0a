// Which secrets are known here, and how they are kept out of what is shown: the server's own tokens, variables of its
// environment, and the files of secrets of the workspaces. The values themselves are told to nobody.
import type { Config } from '../../config/schema.ts'
import { SecretMatcher } from '../../text/secrets/secret-matcher.ts'
import { redactSecrets, SecretRedactor } from '../../text/secrets/secret-redactor.ts'
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import type { Environment } from '../processes/environment.ts'
import type { Workspace } from '../workspace.ts'
import { SecretFiles } from './secret-files.ts'
import { SecretVariableClassifier } from './secret-variables.ts'

/** More would make looking for them slow. */
const MAX_VALUES = 1_024
const SERVER_TOKEN_NAME = 'token of this server'

interface SecretSources {
  /** The server's tokens as they are right now. */
  tokens: () => readonly string[]
  environment: Environment
}

export class SecretMasker {
  readonly #settings: Config['secrets']
  readonly #tokens: () => readonly string[]
  readonly #classifier: SecretVariableClassifier
  readonly #environmentSecrets: readonly KnownSecret[]
  readonly #files: SecretFiles[] = []
  #cacheKey: readonly unknown[] = []
  #secrets: SecretMatcher | undefined
  #serverSecrets: { tokens: string; secrets: SecretMatcher } | undefined

  constructor(settings: Config['secrets'], { tokens, environment }: SecretSources) {
    this.#settings = settings
    this.#tokens = tokens
    this.#classifier = new SecretVariableClassifier(settings.env)
    this.#environmentSecrets = Object.entries(environment).flatMap(([name, value = '']) =>
      this.#classifier.fromEnvironment(name, value)
    )
  }

  /** Knows what the files of secrets of this workspace hold, as of each time it is asked. */
  addWorkspace(workspace: Workspace) {
    this.#files.push(new SecretFiles(workspace, this.#settings.files, this.#classifier))
  }

  /** For one stream of bytes, with what is secret as it begins. */
  createStreamMasker(): SecretRedactor {
    return new SecretRedactor(this.#currentSecrets())
  }

  /** A text without its secrets. */
  maskText(text: string): string {
    return redactSecrets(text, this.#currentSecrets())
  }

  /** The same, of every text in a value such as JSON holds, names too. */
  maskValue<T>(value: T): T {
    return maskDeep(value, this.#currentSecrets()) as T
  }

  /** A text to decide on, without the values that whoever runs the server gave it. Nobody else's are taken out: a file in
   * the workspace could name a command as its secret, and so hide it from the approver. */
  maskForDecision(text: string): string {
    const own = this.#serverTokens()
    const tokens = this.#tokens().join('\n')
    if (this.#serverSecrets?.tokens !== tokens) {
      const known = this.#settings.mask ? [...own, ...this.#environmentSecrets] : own
      this.#serverSecrets = { tokens, secrets: new SecretMatcher(known.slice(0, MAX_VALUES), []) }
    }
    return redactSecrets(text, this.#serverSecrets.secrets)
  }

  #currentSecrets(): SecretMatcher {
    const parts: readonly unknown[] = [
      this.#tokens().join('\n'),
      ...(this.#settings.mask ? this.#files.map(files => files.values()) : [])
    ]
    if (this.#secrets && parts.every((part, i) => part === this.#cacheKey[i])) return this.#secrets
    this.#cacheKey = parts
    this.#secrets = this.#buildSecrets()
    return this.#secrets
  }

  #buildSecrets(): SecretMatcher {
    const own = this.#serverTokens()
    // Whoever switches masking off does not give away the server.
    if (!this.#settings.mask) return new SecretMatcher(own, [])
    const known = [...own, ...this.#environmentSecrets, ...this.#files.flatMap(files => files.values())]
    return new SecretMatcher(known.slice(0, MAX_VALUES))
  }

  #serverTokens(): KnownSecret[] {
    return this.#tokens().map(value => ({ name: SERVER_TOKEN_NAME, value }))
  }
}

function maskDeep(value: unknown, secrets: SecretMatcher): unknown {
  if (typeof value === 'string') return redactSecrets(value, secrets)
  if (Array.isArray(value)) return value.map(one => maskDeep(one, secrets))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([name, one]) => [redactSecrets(name, secrets), maskDeep(one, secrets)]))
}
