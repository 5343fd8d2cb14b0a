// Putting a waiting call to the person at the terminal: all of it is shown, then one key decides. What is decided on is what
// was shown; whoever decides elsewhere first, or changes what would happen, ends the question.
import { isDeepStrictEqual } from 'node:util'
import type { Approve } from '../../client/api-types.ts'
import { type Approval, type Call, type Client, ToolgateError } from '../../client/client.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { CallChanged, type Waiting, WatchedCall } from './call-watcher.ts'
import { approvalText, asChangedText, whatBecame } from './format.ts'
import { Keys } from './key-reader.ts'
import { page } from './pager.ts'
import { paintDiff, safe, safeJson } from './terminal.ts'

/** What goes with an approval from the start. */
export type Preset = Pick<Approve, 'always' | 'reason' | 'modified_params' | 'modified_digest'>

/** What came of the question. `left`: the call waits on. */
export type Outcome = { did: 'approved' | 'rejected'; call: Call } | { did: 'elsewhere'; call: Call } | { did: 'left' }

export async function putToPerson(context: Context, client: Client, call: Waiting, preset: Preset): Promise<Outcome> {
  const { terminal, signal } = context
  const watched = new WatchedCall(call, {
    client,
    signal,
    onDisconnect: () => terminal.say('Connection lost. Reconnecting…')
  })
  const following = watched.follow().catch(() => {})
  try {
    return await new Question(context, client, watched, preset).put()
  } finally {
    watched.close()
    await following
  }
}

class Question {
  readonly #context: Context
  readonly #client: Client
  readonly #watched: WatchedCall
  readonly #keys: Keys
  #preset: Preset
  #isFirst = true
  /** What stands on the screen. */
  #shown: Approval['preview'] | undefined
  /** Whether the params as they were edited are strict, whatever the call was. */
  #editedIsStrict = false
  /** What the editor was left with, to go on from. */
  #draft: string | undefined

  constructor(context: Context, client: Client, watched: WatchedCall, preset: Preset) {
    this.#context = context
    this.#client = client
    this.#watched = watched
    this.#preset = preset
    this.#keys = new Keys(context.world)
  }

  async put(): Promise<Outcome> {
    for (;;) {
      const { call, changed } = this.#watched
      if (call.status !== 'awaiting_approval') {
        this.#context.terminal.say(`\n${whatBecame(call)}`)
        return { did: 'elsewhere', call }
      }
      try {
        await this.#show(call, changed)
        if (this.#preset.modified_params !== undefined) await this.#showEdited(call, changed)
        return await this.#decided(call, changed)
      } catch (error) {
        if (!(error instanceof CallChanged)) throw error
        // Where only files have changed, what the person made of the params still holds, and is shown once more.
        if (isDeepStrictEqual(call.params, this.#watched.call.params)) continue
        this.#preset = {}
        this.#editedIsStrict = false
      }
    }
  }

  /** All of it, unless that stands on the screen already. */
  async #show(call: Waiting, changed: AbortSignal) {
    const { terminal } = this.#context
    const { fault } = this.#watched
    const before = this.#shown
    this.#shown = fault === undefined ? call.approval.preview : undefined
    const warn = (text: string) => terminal.say(terminal.paint('yellow', `\n${text}`))
    if (fault !== undefined)
      return warn(`Would fail now: ${safe(fault)} Press n to reject it, or e to edit its parameters.`)
    if (isDeepStrictEqual(before, call.approval.preview))
      return warn('Files have changed; the preview is still the same.')
    if (!this.#isFirst) warn('The preview has changed:')
    this.#isFirst = false
    await page(this.#context, approvalText(terminal, call), changed)
  }

  /** Asks until a key decides. What goes wrong is told, and asked again. */
  async #decided(call: Waiting, changed: AbortSignal): Promise<Outcome> {
    for (;;) {
      const key = await this.#key(call, changed)
      try {
        const outcome = await KEYS[key]?.does(this, call, changed)
        if (outcome) return outcome
      } catch (error) {
        await this.#mended(error)
      }
    }
  }

  async #key(call: Waiting, changed: AbortSignal): Promise<string> {
    const { terminal } = this.#context
    this.#keys.open()
    try {
      await this.#keys.awake(changed)
      const question = `${terminal.paint('bold', safe(call.approval.preview.title))}? ${menuOf(call)} `
      terminal.ask(question)
      for (;;) {
        const key = await this.#keys.next(changed)
        if (offered(call).includes(key)) {
          terminal.say(key)
          return key
        }
        this.#keys.ring()
        // Keys such as the arrows send an escape sequence.
        if (key.length === 1 || key.startsWith('\u001b')) continue
        terminal.say('\nIgnored: several characters came at once. Press a single key.')
        terminal.ask(question)
      }
    } finally {
      this.#keys.close()
    }
  }

  /** Told, unless it is that the question is another one now. */
  async #mended(error: unknown) {
    if (error instanceof ToolgateError && ['PREVIEW_CHANGED', 'CONFLICT'].includes(error.code)) {
      const { changed } = this.#watched
      await this.#watched.look()
      if (changed.aborted) throw changed.reason
    }
    if (!(error instanceof ToolgateError || error instanceof CliError)) throw error
    this.#context.terminal.say(this.#context.terminal.paint('red', safe(error.message)))
  }

  async approve(call: Waiting, changed: AbortSignal, more: Preset = {}): Promise<Outcome | undefined> {
    const { digest, level } = call.approval
    const strict = level === 'strict' || this.#editedIsStrict
    if (strict && (await this.line('Strict approval: type yes to approve (Esc to go back): ', changed)) !== 'yes')
      return undefined
    const { signal } = this.#context
    const decision = { digest, ...(strict && { confirm: true }), ...this.#preset, ...more, signal }
    return { did: 'approved', call: await this.#approveAsShown(call, decision) }
  }

  /** Where the server had not yet seen what was shown here, it has now: what is approved has the same digest. A rule may be
   * another one now: with one, it is shown again. */
  async #approveAsShown(
    { tool_call_id, approval }: Waiting,
    decision: Approve & { signal: AbortSignal }
  ): Promise<Call> {
    try {
      return await this.#client.approve(tool_call_id, decision)
    } catch (error) {
      if (!(error instanceof ToolgateError && error.code === 'PREVIEW_CHANGED')) throw error
      if (decision.always !== undefined) throw error
      const { signal } = decision
      const now = await this.#client.get(tool_call_id, { signal })
      if (now.status !== 'awaiting_approval' || now.approval.digest !== approval.digest) throw error
      return await this.#client.approve(tool_call_id, decision)
    }
  }

  async reject(call: Waiting, reason?: string): Promise<Outcome> {
    const { signal } = this.#context
    const { tool_call_id } = call
    return { did: 'rejected', call: await this.#client.reject(tool_call_id, { signal, ...(reason && { reason }) }) }
  }

  line = (question: string, changed: AbortSignal) => this.#context.ask(question, changed)

  /** By the number of the rule, shown as it would be remembered. */
  async always(call: Waiting, changed: AbortSignal): Promise<Outcome | undefined> {
    const { terminal } = this.#context
    const options = call.approval.always_options
    for (const [index, { label, scope, rule, rules }] of options.entries())
      terminal.say(
        `  ${terminal.paint('bold', String(index + 1))}  ${safe(label)}  (${scope})\n     ${safeJson(rules ?? rule)}`
      )
    const number = await this.line('Number of the rule (Esc to go back): ', changed)
    const option = options[Number(number) - 1]
    if (option) return this.approve(call, changed, { always: option.id })
    if (number !== '') terminal.say('No rule has this number.')
    return undefined
  }

  /** Nothing is decided by it: what the edited call would do is shown, then asked about. */
  async edit(call: Waiting, changed: AbortSignal): Promise<undefined> {
    const { edited } = await import('./editor.ts')
    const { terminal } = this.#context
    const before = this.#draft ?? `${safeJson(this.#preset.modified_params ?? call.params, 2)}\n`
    const text = await edited(this.#context, before)
    if (text === before && this.#draft === undefined) return void terminal.say('The parameters are unchanged.')
    const params = paramsIn(text)
    if (params === undefined) {
      this.#draft = text
      return void terminal.say('Not a JSON object: press e to edit it again, any other key to discard it.')
    }
    this.#draft = undefined
    const { always: _, ...kept } = this.#preset
    this.#preset = { ...kept, modified_params: params }
    await this.#showEdited(call, changed)
  }

  async #showEdited({ tool, session_id, workspace, agent }: Waiting, changed: AbortSignal) {
    const { terminal, signal } = this.#context
    const params = this.#preset.modified_params ?? {}
    const options = { session_id, workspace, ...(agent !== undefined && { agent }), signal }
    try {
      const told = await this.#client.dryRun(tool, params, options)
      const { verdict, digest } = told
      this.#editedIsStrict = verdict.decision === 'strict'
      const { modified_digest: _, ...kept } = this.#preset
      this.#preset = { ...kept, ...(digest !== undefined && { modified_digest: digest }) }
      await page(this.#context, asChangedText(terminal, { tool, params, told }), changed)
    } catch (error) {
      const { modified_params: _, modified_digest: __, ...kept } = this.#preset
      this.#preset = kept
      this.#editedIsStrict = false
      throw error
    }
  }

  async details({ approval }: Waiting, changed: AbortSignal) {
    const { terminal } = this.#context
    const { text, diff } = approval.preview
    const whole = [...(text ? [safe(text)] : []), ...(diff ? [paintDiff(terminal, diff.trimEnd())] : [])].join('\n\n')
    await page(this.#context, whole, changed, { always: true })
    return undefined
  }

  help(call: Waiting) {
    const { terminal } = this.#context
    for (const key of offered(call)) terminal.say(`  ${terminal.paint('bold', key)}  ${KEYS[key]!.means}`)
    return undefined
  }
}

interface Key {
  word: string
  means: string
  /** Only where there is something to do. */
  offered?: (call: Waiting) => boolean
  does: (question: Question, call: Waiting, changed: AbortSignal) => Promise<Outcome | undefined> | Outcome | undefined
}

const KEYS: Readonly<Record<string, Key>> = {
  y: {
    word: 'yes',
    means: 'approve exactly what is shown',
    does: (question, call, changed) => question.approve(call, changed)
  },
  n: { word: 'no', means: 'reject the call', does: (question, call) => question.reject(call) },
  a: {
    word: 'always',
    means: 'approve, and save a rule that allows such calls; the rules are listed first',
    offered: ({ approval }) => approval.always_options.length > 0,
    does: (question, call, changed) => question.always(call, changed)
  },
  e: {
    word: 'edit',
    means: 'edit the parameters in your editor (VISUAL, EDITOR); the new preview is shown before you decide',
    does: (question, call, changed) => question.edit(call, changed)
  },
  r: {
    word: 'reject…',
    means: 'reject with a reason for the caller',
    async does(question, call, changed) {
      const reason = await question.line('Reason (Esc to go back): ', changed)
      return reason === '' ? undefined : question.reject(call, reason)
    }
  },
  d: {
    word: 'details',
    means: 'show the whole diff or command in your pager',
    offered: ({ approval: { preview } }) => preview.diff !== undefined || preview.text !== undefined,
    does: (question, call, changed) => question.details(call, changed)
  },
  '?': { word: 'help', means: 'explain the keys', does: (question, call) => question.help(call) },
  q: { word: 'quit', means: 'quit; the call keeps waiting', does: () => ({ did: 'left' }) }
}

const offered = (call: Waiting) => Object.keys(KEYS).filter(key => KEYS[key]!.offered?.(call) ?? true)

const menuOf = (call: Waiting) =>
  `[${offered(call)
    .map(key => `${key} ${KEYS[key]!.word}`)
    .join(' · ')}]`

function paramsIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
