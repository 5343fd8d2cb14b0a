// Runs modules for one call: in its workspace, after its intent is durable if they can change something, and with secrets
// redacted from their output.
import { ToolError } from '../../errors.ts'
import type { Effects } from '../effects.ts'
import type { LongLivedProcessExit } from '../processes/long-lived-process.ts'
import type { Isolation } from '../sandbox/sandbox.ts'
import type { SecretMasker } from '../secrets/secret-masker.ts'
import type { Workspace } from '../workspace.ts'
import type { ModulePool, ModuleReference, RunningModule } from './module-pool.ts'
import type { PrintedText } from './module-process.ts'
import type { ModuleProgress } from './module-protocol.ts'

/** Output of a module, redacted for display. */
export type ModuleOutput = ModuleProgress | { printed: string; offset: number }

interface ModuleRunOptions {
  isolation: Isolation
  /** Time limit of the work, once the module is loaded. */
  timeout_ms: number
  onOutput?: (saying: ModuleOutput) => void
}

export type CallModule = (name: string, args: readonly unknown[], context: object) => Promise<unknown>

export class ModuleRunner {
  readonly #pool: ModulePool
  readonly #workspace: Workspace
  readonly #effects: Pick<Effects, 'signal' | 'commitIntent'>
  readonly #masker: SecretMasker

  constructor(
    pool: ModulePool,
    workspace: Workspace,
    effects: Pick<Effects, 'signal' | 'commitIntent'>,
    masking: SecretMasker
  ) {
    this.#pool = pool
    this.#workspace = workspace
    this.#effects = effects
    this.#masker = masking
  }

  /** Returns the strongest isolation available for a module. */
  minimalIsolation(): Promise<Isolation> {
    return this.#pool.minimalIsolation()
  }

  /** Runs work in a process reserved for it. */
  async run<T>(
    module: ModuleReference,
    { isolation, onOutput, timeout_ms }: ModuleRunOptions,
    work: (ask: CallModule) => Promise<T>
  ): Promise<{ value: T; end?: LongLivedProcessExit }> {
    const { signal: call, commitIntent } = this.#effects
    if (isolation.level !== 'read-only') await commitIntent()
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const signal = AbortSignal.any([call, late.signal])
    const printing = onOutput && this.#createPrintMasker(onOutput)
    const hear =
      onOutput &&
      ((one: ModuleProgress | PrintedText) =>
        'printed' in one ? printing!.push(one.printed) : onOutput(this.#mask(one)))
    try {
      return await this.#pool.run(
        module,
        { workspace: this.#workspace, isolation, signal },
        ({ call }: RunningModule) => {
          const tooLate = new ToolError('TIMEOUT', `The module did not answer within ${timeout_ms} ms.`)
          timer = setTimeout(() => late.abort(tooLate), timeout_ms)
          return work(async (name, args, context) => this.#mask(await call(name, args, { context, onOutput: hear })))
        }
      )
    } finally {
      clearTimeout(timer)
      printing?.end()
    }
  }

  #mask<T>(value: T): T {
    return this.#masker.maskValue(value)
  }

  /** Printed output may arrive in chunks that end within a secret, or within a character. */
  #createPrintMasker(onOutput: (saying: ModuleOutput) => void) {
    const masker = this.#masker.createStreamMasker()
    const decoder = new TextDecoder()
    let offset = 0
    const emit = (bytes: Uint8Array, stream: boolean) => {
      const printed = decoder.decode(bytes, { stream })
      if (printed === '') return
      onOutput({ printed, offset })
      offset += Buffer.byteLength(printed)
    }
    return {
      push: (text: string) => emit(masker.push(Buffer.from(text)), true),
      end: () => emit(masker.end(), false)
    }
  }
}
