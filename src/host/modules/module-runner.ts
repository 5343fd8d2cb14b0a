// What one call may have of modules: they run for it in its workspace, after its intent is durable where they can change
// something, and what they say comes without secrets.
import { ToolError } from '../../errors.ts'
import type { Effects, Workspace } from '../host.ts'
import type { ResidentEnd } from '../processes/long-lived-process.ts'
import type { Isolation } from '../sandbox/sandbox.ts'
import type { Masking } from '../secrets/secret-masker.ts'
import type { Asked, Module, ModulePool } from './module-pool.ts'
import type { Printed } from './module-process.ts'
import type { Told } from './module-protocol.ts'

/** What a module tells, as a call may show it. */
export type Saying = Told | { printed: string; offset: number }

export interface UseOptions {
  isolation: Isolation
  /** How long the work may take, once the module is loaded. */
  timeout_ms: number
  told?: (saying: Saying) => void
}

export type Ask = (name: string, args: readonly unknown[], context: object) => Promise<unknown>

export class ModuleRuns {
  readonly #pool: ModulePool
  readonly #workspace: Workspace
  readonly #effects: Pick<Effects, 'signal' | 'committed'>
  readonly #masking: Masking

  constructor(
    pool: ModulePool,
    workspace: Workspace,
    effects: Pick<Effects, 'signal' | 'committed'>,
    masking: Masking
  ) {
    this.#pool = pool
    this.#workspace = workspace
    this.#effects = effects
    this.#masking = masking
  }

  /** The least rights that a module can be given here. */
  least(): Promise<Isolation> {
    return this.#pool.least()
  }

  /** Has a module do something, in a process that nobody else uses meanwhile. */
  async use<T>(
    module: Module,
    { isolation, told, timeout_ms }: UseOptions,
    work: (ask: Ask) => Promise<T>
  ): Promise<{ value: T; end?: ResidentEnd }> {
    const { signal: call, committed } = this.#effects
    if (isolation.level !== 'strict') await committed()
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const signal = AbortSignal.any([call, late.signal])
    const printing = told && this.#printing(told)
    const hear =
      told && ((one: Told | Printed) => ('printed' in one ? printing!.push(one.printed) : told(this.#masked(one))))
    try {
      return await this.#pool.use(module, { workspace: this.#workspace, isolation, signal }, ({ call }: Asked) => {
        const tooLate = new ToolError('TIMEOUT', `No answer within ${timeout_ms} ms.`)
        timer = setTimeout(() => late.abort(tooLate), timeout_ms)
        return work(async (name, args, context) => this.#masked(await call(name, args, { context, told: hear })))
      })
    } finally {
      clearTimeout(timer)
      printing?.end()
    }
  }

  #masked<T>(value: T): T {
    return this.#masking.maskedAll(value)
  }

  /** What is printed may come in pieces that end within a secret, or within a character. */
  #printing(told: (saying: Saying) => void) {
    const masker = this.#masking.masker()
    const decoder = new TextDecoder()
    let offset = 0
    const tell = (bytes: Uint8Array, stream: boolean) => {
      const printed = decoder.decode(bytes, { stream })
      if (printed === '') return
      told({ printed, offset })
      offset += Buffer.byteLength(printed)
    }
    return {
      push: (text: string) => tell(masker.push(Buffer.from(text)), true),
      end: () => tell(masker.end(), false)
    }
  }
}
