// Prompts once for the calls of a group: shows the preview of each, page by page, and decides on all that were shown.
import type { DecisionOutcome } from '../../client/api-types.ts'
import { type Client, ToolgateError } from '../../client/client.ts'
import { describeGroup } from '../../protocol/approval-groups.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../exit.ts'
import type { PendingCall } from './call-watcher.ts'
import { formatApproval } from './format.ts'
import { KeyReader } from './key-reader.ts'
import { PagedText } from './paged-text.ts'
import type { Terminal } from './terminal.ts'

/** `left`: the calls still wait. `one-by-one`: each call is to be decided separately. */
export type GroupOutcome =
  | { kind: 'decided'; verdict: 'approved' | 'rejected'; results: readonly DecisionOutcome[] }
  | { kind: 'left' | 'one-by-one' }

/** Formats the previews of the calls, in their order. */
export const formatGroup = (terminal: Terminal, calls: readonly PendingCall[]): string =>
  [
    terminal.paint('bold', describeGroup(calls)),
    ...calls.map(
      (call, index) => `${terminal.paint('gray', `${index + 1} of ${calls.length}`)}\n${formatApproval(terminal, call)}`
    )
  ].join('\n\n')

/** Approves the calls, each by the digest of the preview that was shown. */
export const approveShown = (
  client: Client,
  calls: readonly PendingCall[],
  options: { reason?: string; signal: AbortSignal }
): Promise<DecisionOutcome[]> =>
  client.approveAll(
    calls.map(({ tool_call_id, approval: { digest } }) => ({ tool_call_id, digest })),
    options
  )

/** A call that has changed since is not approved, and waits with its new preview. A call that arrives later is not decided. */
export async function promptForGroup(
  context: CliContext,
  client: Client,
  calls: readonly PendingCall[],
  preset: { reason?: string }
): Promise<GroupOutcome> {
  return await new GroupPrompt(context, client, calls, preset).run()
}

class GroupPrompt {
  readonly #context: CliContext
  readonly #client: Client
  readonly #calls: readonly PendingCall[]
  readonly #preset: { reason?: string }
  readonly #keys: KeyReader
  readonly #pages: PagedText

  constructor(context: CliContext, client: Client, calls: readonly PendingCall[], preset: { reason?: string }) {
    this.#context = context
    this.#client = client
    this.#calls = calls
    this.#preset = preset
    this.#keys = new KeyReader(context.runtime)
    this.#pages = new PagedText(formatGroup(context.terminal, calls))
  }

  async run(): Promise<GroupOutcome> {
    this.#showNextPage()
    this.#keys.guard()
    for (;;) {
      const key = await this.#readKey()
      try {
        const outcome = await KEYS[key]?.run(this)
        if (outcome) return outcome
      } catch (error) {
        if (!(error instanceof ToolgateError || error instanceof CliError)) throw error
        this.#context.terminal.info(this.#context.terminal.paint('red', error.message))
      }
    }
  }

  get isReviewed(): boolean {
    return this.#pages.isComplete
  }

  #showNextPage() {
    const { terminal, runtime } = this.#context
    const { rows = 24, columns = 80 } = runtime.stderr
    terminal.info(this.#pages.takePage({ rows, columns }))
  }

  async #readKey(): Promise<string> {
    const { terminal, signal } = this.#context
    this.#keys.open()
    try {
      await this.#keys.waitUntilReady(signal)
      const asks = this.isReviewed ? `${describeGroup(this.#calls)}?` : `-- ${this.#pages.position} --`
      const keys = Object.keys(KEYS).filter(key => KEYS[key]!.isAvailable?.(this) ?? true)
      const menu = keys.map(key => `${key === ' ' ? 'space' : key} ${KEYS[key]!.label}`).join(' · ')
      terminal.writePrompt(`${terminal.paint('bold', asks)} [${menu}] `)
      for (;;) {
        const key = await this.#keys.next(signal)
        if (keys.includes(key)) {
          terminal.info(key.trim())
          return key
        }
        this.#keys.bell()
      }
    } finally {
      this.#keys.close()
    }
  }

  /** Keys rest for a moment after the last page: those before it were meant for paging. */
  showNextPage(): undefined {
    this.#showNextPage()
    if (this.isReviewed) this.#keys.guard()
  }

  async approve(): Promise<GroupOutcome> {
    const { signal } = this.#context
    const results = await approveShown(this.#client, this.#calls, { ...this.#preset, signal })
    return { kind: 'decided', verdict: 'approved', results }
  }

  async reject(reason = this.#preset.reason): Promise<GroupOutcome> {
    const { signal } = this.#context
    const ids = this.#calls.map(({ tool_call_id }) => tool_call_id)
    const results = await this.#client.rejectAll(ids, { signal, ...(reason !== undefined && { reason }) })
    return { kind: 'decided', verdict: 'rejected', results }
  }

  async rejectWithReason(): Promise<GroupOutcome | undefined> {
    const reason = await this.#context.prompt('Reason (Esc to go back): ', this.#context.signal)
    return reason === '' ? undefined : this.reject(reason)
  }
}

interface GroupKey {
  label: string
  isAvailable?: (prompt: GroupPrompt) => boolean
  run: (prompt: GroupPrompt) => Promise<GroupOutcome | undefined> | GroupOutcome | undefined
}

const KEYS: Readonly<Record<string, GroupKey>> = {
  ' ': { label: 'next page', isAvailable: prompt => !prompt.isReviewed, run: prompt => prompt.showNextPage() },
  y: { label: 'approve all', isAvailable: prompt => prompt.isReviewed, run: prompt => prompt.approve() },
  n: { label: 'reject all', run: prompt => prompt.reject() },
  r: { label: 'reject…', run: prompt => prompt.rejectWithReason() },
  o: { label: 'one by one', run: () => ({ kind: 'one-by-one' }) },
  q: { label: 'quit', run: () => ({ kind: 'left' }) }
}
