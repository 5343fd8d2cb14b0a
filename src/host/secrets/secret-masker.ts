// Collects known secrets and redacts them from output: the server's own tokens, variables of its environment, and the secret
// files of the workspaces. The values themselves are never shown.
import type { Config } from '../../config/schema.ts'
import { SecretMatcher } from '../../text/secrets/secret-matcher.ts'
import { redactSecrets, SecretRedactor } from '../../text/secrets/secret-redactor.ts'
import type { KnownSecret } from '../../text/secrets/secret-variants.ts'
import type { Environment } from '../processes/environment.ts'
import type { Workspace } from '../workspace.ts'
import { SecretFiles } from './secret-files.ts'
import { SecretVariableClassifier } from './secret-variables.ts'

/** Maximum number of values; more would make matching slow. */
const MAX_VALUES = 1_024
const SERVER_TOKEN_NAME = 'token of this server'

interface SecretSources {
  /** Returns the server's current tokens. */
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

  /** Includes the secret files of this workspace, in their current state. */
  addWorkspace(workspace: Workspace) {
    this.#files.push(new SecretFiles(workspace, this.#settings.files, this.#classifier))
  }

  /** Creates a redactor for one stream of bytes, with the secrets known at its beginning. */
  createStreamMasker(): SecretRedactor {
    return new SecretRedactor(this.#currentSecrets())
  }

  /** Redacts a text. */
  maskText(text: string): string {
    return redactSecrets(text, this.#currentSecrets())
  }

  /** Redacts every text in a JSON value, including names. */
  maskValue<T>(value: T): T {
    return maskDeep(value, this.#currentSecrets()) as T
  }

  /**
   * Redacts only the operator's values in a text that a decision is based on: a file in the workspace could otherwise declare a
   * command as its secret, and so hide it from the approver.
   */
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
    // The server's own tokens are redacted even if masking is disabled.
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
