// The configuration of a server that runs. What files bring to be run is taken anew when a file or the trust in it
// changes; all other settings hold until the next start, which is told.
import { isDeepStrictEqual } from 'node:util'
import type { LiveTrust } from '../host/trust/trust-store.ts'
import { watchFiles } from '../host/watch-files.ts'
import type { Brought, BroughtSource } from './contributions.ts'
import { ConfigError, type Inputs, type Loaded, loadConfig, ownFiles, workspaceFile } from './load.ts'
import type { Settings } from './schema.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export class LiveConfig implements BroughtSource {
  readonly #inputs: Inputs & { trust: LiveTrust }
  readonly #listeners = new Set<() => void>()
  readonly #ends: (() => void)[] = []
  readonly #started: Settings
  #last: Loaded
  #brought: readonly Brought[]
  /** One reading after the other. */
  #reading: Promise<void> = Promise.resolve()

  /** `loaded` is what the server starts with. */
  constructor(inputs: Inputs & { trust: LiveTrust }, loaded: Loaded) {
    this.#inputs = inputs
    this.#started = loaded.settings
    this.#last = loaded
    this.#brought = loaded.settings.brought
  }

  current(): readonly Brought[] {
    return this.#brought
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes each change from now on, and tells of it. */
  follow(log: Log) {
    const { env, trust } = this.#inputs
    const read = () => {
      this.#reading = this.#reading.then(() => this.#read(log))
    }
    const files = [...Object.values(ownFiles(env)), ...this.#started.roots.map(({ path: root }) => workspaceFile(root))]
    this.#ends.push(watchFiles(files, read), trust.onChange(read), () => trust.close())
    trust.follow()
  }

  async close() {
    for (const end of this.#ends) end()
    await this.#reading
  }

  async #read(log: Log) {
    try {
      const loaded = await loadConfig(this.#inputs)
      const last = this.#last
      this.#last = loaded
      for (const warning of loaded.warnings) if (!last.warnings.includes(warning)) log.warn({}, warning)
      this.#tellOthers(loaded.settings, last.settings, log)
      this.#take(loaded.settings.brought, log)
    } catch (error) {
      if (!(error instanceof ConfigError)) return log.error({ err: error }, 'the configuration was not read anew')
      log.error({ faults: error.faults }, 'the configuration has faults, so what it was holds on')
      // No fault elsewhere keeps what is not trusted any more.
      this.#take(this.#brought.map(this.#asTrusted), log)
    }
  }

  #asTrusted = (brought: Brought): Brought => {
    const { file, sha256, workspace } = brought
    if (workspace === undefined || file === undefined || sha256 === undefined) return brought
    return { ...brought, trusted: this.#inputs.trust.isTrusted(file, sha256) }
  }

  #take(brought: readonly Brought[], log: Log) {
    if (isDeepStrictEqual(brought, this.#brought)) return
    this.#brought = brought
    log.info({ files: brought.map(({ file, trusted }) => ({ file, trusted })) }, 'other things are brought to be run')
    for (const listener of this.#listeners) listener()
  }

  #tellOthers(now: Settings, last: Settings, log: Log) {
    if (differing(now, last).length === 0) return
    const settings = differing(now, this.#started)
    if (settings.length > 0) log.warn({ settings }, 'settings are other than at the start: they hold from the next one')
  }
}

/** What is taken while the server runs. */
const LIVE: readonly string[] = ['brought', 'trust']

const differing = (some: Settings, others: Settings) =>
  (Object.keys({ ...others, ...some }) as (keyof Settings)[]).filter(
    key => !LIVE.includes(key) && !isDeepStrictEqual(some[key], others[key])
  )
