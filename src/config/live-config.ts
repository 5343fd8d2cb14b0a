// Live configuration of a running server. Contributions are reloaded when a file or its trust changes; changes of other settings
// apply from the next start and are logged.
import { isDeepStrictEqual } from 'node:util'
import type { LiveTrustStore } from '../host/trust/trust-store.ts'
import { watchFiles } from '../host/watch-files.ts'
import type { Contribution, ContributionSource } from './contributions.ts'
import { type ConfigInputs, globalConfigFiles, type LoadedConfig, loadConfig, workspaceConfigFile } from './load.ts'
import type { Settings } from './settings.ts'
import { ConfigError } from './validation.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export class LiveConfig implements ContributionSource {
  readonly #inputs: ConfigInputs & { trust: LiveTrustStore }
  readonly #listeners = new Set<() => void>()
  readonly #disposers: (() => void)[] = []
  readonly #initialSettings: Settings
  #lastLoaded: LoadedConfig
  #contributions: readonly Contribution[]
  /** Serializes reads. */
  #pendingRead: Promise<void> = Promise.resolve()

  /** `loaded` is the configuration at startup. */
  constructor(inputs: ConfigInputs & { trust: LiveTrustStore }, loaded: LoadedConfig) {
    this.#inputs = inputs
    this.#initialSettings = loaded.settings
    this.#lastLoaded = loaded
    this.#contributions = loaded.settings.brought
  }

  current(): readonly Contribution[] {
    return this.#contributions
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Watches for changes, applies and logs them. */
  watch(log: Log) {
    const { env, trust } = this.#inputs
    const read = () => {
      this.#pendingRead = this.#pendingRead.then(() => this.#reload(log))
    }
    const files = [
      ...Object.values(globalConfigFiles(env)),
      ...this.#initialSettings.roots.map(({ path: root }) => workspaceConfigFile(root))
    ]
    this.#disposers.push(watchFiles(files, read), trust.onChange(read), () => trust.close())
    trust.watch()
  }

  async close() {
    for (const end of this.#disposers) end()
    await this.#pendingRead
  }

  async #reload(log: Log) {
    try {
      const loaded = await loadConfig(this.#inputs)
      const last = this.#lastLoaded
      this.#lastLoaded = loaded
      for (const warning of loaded.warnings) if (!last.warnings.includes(warning)) log.warn({}, warning)
      this.#warnRestartRequired(loaded.settings, last.settings, log)
      this.#applyContributions(loaded.settings.brought, log)
    } catch (error) {
      if (!(error instanceof ConfigError)) return log.error({ err: error }, 'failed to reload the configuration')
      log.error(
        { faults: error.issues },
        'the new configuration is invalid; the previous configuration remains in effect'
      )
      // Revoked trust must take effect despite errors elsewhere.
      this.#applyContributions(this.#contributions.map(this.#refreshTrust), log)
    }
  }

  #refreshTrust = (brought: Contribution): Contribution => {
    const { file, sha256, workspace } = brought
    if (workspace === undefined || file === undefined || sha256 === undefined) return brought
    return { ...brought, trusted: this.#inputs.trust.isTrusted(file, sha256) }
  }

  #applyContributions(brought: readonly Contribution[], log: Log) {
    if (isDeepStrictEqual(brought, this.#contributions)) return
    this.#contributions = brought
    log.info(
      { files: brought.map(({ file, trusted }) => ({ file, trusted })) },
      'the configuration starts other programs than before'
    )
    for (const listener of this.#listeners) listener()
  }

  #warnRestartRequired(now: Settings, last: Settings, log: Log) {
    if (changedSettings(now, last).length === 0) return
    const settings = changedSettings(now, this.#initialSettings)
    if (settings.length > 0) log.warn({ settings }, 'some changed settings take effect only after a restart')
  }
}

/** Keys that are reloaded at run time. */
const RELOADABLE_KEYS: readonly string[] = ['brought', 'trust']

const changedSettings = (some: Settings, others: Settings) =>
  (Object.keys({ ...others, ...some }) as (keyof Settings)[]).filter(
    key => !RELOADABLE_KEYS.includes(key) && !isDeepStrictEqual(some[key], others[key])
  )
