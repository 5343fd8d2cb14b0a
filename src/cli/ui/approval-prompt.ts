// Approval prompt at the terminal: shows the full call page by page, then one key decides. Only what was on the screen can be
// approved; a decision elsewhere or changed effects end the prompt.
import { isDeepStrictEqual } from 'node:util'
import type { ApproveRequest } from '../../client/api-types.ts'
import { type Approval, type Call, type Client, ToolgateError } from '../../client/client.ts'
import { ALWAYS_LIMITS_SYNTAX, parseAlwaysLimits } from '../../protocol/always-limits.ts'
import { describeApprovals } from '../../protocol/format-approval-count.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { findInexactNumbers } from '../../text/json-numbers.ts'
import { parseObject } from '../../text/json-object.ts'
import { toJsonPointer } from '../../text/json-pointer.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../exit.ts'
import { CallChangedError, CallWatcher, type PendingCall } from './call-watcher.ts'
import { formatApproval, formatDecision, formatEditedCall } from './format.ts'
import { KeyReader } from './key-reader.ts'
import { PagedText } from './paged-text.ts'
import { showInPager } from './pager.ts'
import { colorizeDiff, toSafeJson } from './terminal.ts'
import { loadWholePreview } from './whole-preview.ts'

/** Presets of an approval. */
export type ApprovalPreset = Pick<
  ApproveRequest,
  'always' | 'always_limits' | 'reason' | 'modified_params' | 'modified_digest'
>

/** The outcome of the prompt. `left`: the call keeps waiting. */
type PromptOutcome =
  | { kind: 'approved' | 'rejected'; call: Call }
  | { kind: 'elsewhere'; call: Call }
  | { kind: 'left' }

export async function promptForApproval(
  context: CliContext,
  client: Client,
  call: PendingCall,
  preset: ApprovalPreset
): Promise<PromptOutcome> {
  const { terminal, signal } = context
  const watched = new CallWatcher(call, {
    client,
    signal,
    onDisconnect: () => terminal.info('Connection lost. Reconnecting…')
  })
  const following = watched.follow().catch(() => {})
  try {
    return await new ApprovalPrompt(context, client, watched, preset).run()
  } finally {
    watched.close()
    await following
  }
}

class ApprovalPrompt {
  readonly #context: CliContext
  readonly #client: Client
  readonly #watched: CallWatcher
  readonly #keys: KeyReader
  #preset: ApprovalPreset
  /** The approvals of other persons that are on the screen. */
  #approvals: string | undefined
  #isFirst = true
  /** The preview on the screen. */
  #shown: Approval['preview'] | undefined
  /** The text of which every page must have been on the screen. */
  #pages: PagedText | undefined
  /** The previous prompt was for a page of the same preview. */
  #isPaging = false
  /** Digest of the whole preview, if the one in the call is cut. */
  #wholeDigest: string | undefined
  /** The edited params need strict approval, whatever the original ones did. */
  #editedIsStrict = false
  /** Last text in the editor, as the start of the next edit. */
  #draft: string | undefined

  constructor(context: CliContext, client: Client, watched: CallWatcher, preset: ApprovalPreset) {
    this.#context = context
    this.#client = client
    this.#watched = watched
    this.#preset = preset
    this.#keys = new KeyReader(context.runtime)
  }

  async run(): Promise<PromptOutcome> {
    for (;;) {
      const { call, changed } = this.#watched
      if (call.status !== 'awaiting_approval') {
        this.#context.terminal.info(`\n${formatDecision(call)}`)
        return { kind: 'elsewhere', call }
      }
      try {
        await this.#show(call)
        if (this.#preset.modified_params !== undefined) await this.#showEdited(call)
        return await this.#waitForDecision(call, changed)
      } catch (error) {
        if (!(error instanceof CallChangedError)) throw error
        // If only files have changed, the edited params remain valid and are previewed again.
        if (isDeepStrictEqual(call.params, this.#watched.call.params)) continue
        this.#preset = {}
        this.#editedIsStrict = false
      }
    }
  }

  /** Shows the first page of the preview, unless it is already on the screen. */
  async #show(call: PendingCall) {
    const { terminal } = this.#context
    const { error } = this.#watched
    const before = this.#shown
    this.#shown = error === undefined ? call.approval.preview : undefined
    const warn = (text: string) => terminal.info(terminal.paint('yellow', `\n${text}`))
    if (error !== undefined)
      return warn(
        `The call would fail now: ${escapeInvisible(error)} Press n to reject it, or e to edit its parameters.`
      )
    const approvals = describeApprovals(call.approval)
    const isJoined = approvals !== this.#approvals
    this.#approvals = approvals
    if (!this.#isFirst && isJoined && approvals !== undefined) warn(`The call ${escapeInvisible(approvals)}.`)
    // Of a preview that is cut, the rest may differ.
    const isSame = !call.approval.preview.cut && isDeepStrictEqual(before, call.approval.preview)
    if (isSame && isJoined) return
    if (isSame) return warn('Files have changed, but the preview is still the same.')
    if (!this.#isFirst) warn('The preview has changed:')
    this.#isFirst = false
    this.#showPages(formatApproval(terminal, await this.#withWholePreview(call)))
  }

  /** Returns the call with all of its preview, and keeps the digest that an approval must name then. */
  async #withWholePreview(call: PendingCall): Promise<PendingCall> {
    this.#wholeDigest = undefined
    const whole = await loadWholePreview(this.#client, call, this.#context.signal)
    this.#wholeDigest = whole.whole_digest
    return whole.call
  }

  #showPages(text: string) {
    this.#pages = new PagedText(text)
    this.#isPaging = false
    this.showNextPage()
  }

  showNextPage(): undefined {
    const { terminal, runtime } = this.#context
    const { rows = 24, columns = 80 } = runtime.stderr
    if (this.#pages) terminal.info(this.#pages.takePage({ rows, columns }))
  }

  /** Returns true if all of what would be approved has been on the screen. */
  get isReviewed(): boolean {
    return this.#pages?.isComplete ?? true
  }

  /** Prompts until a key decides. Errors are reported, and the prompt is repeated. */
  async #waitForDecision(call: PendingCall, changed: AbortSignal): Promise<PromptOutcome> {
    for (;;) {
      const key = await this.#readKey(call, changed)
      try {
        const outcome = await KEY_BINDINGS[key]?.run(this, call, changed)
        if (outcome) return outcome
      } catch (error) {
        await this.#handleError(error)
      }
    }
  }

  async #readKey(call: PendingCall, changed: AbortSignal): Promise<string> {
    const { terminal } = this.#context
    // No key decides anything before the last page, so that paging need not pause.
    if (this.isReviewed || !this.#isPaging) this.#keys.guard()
    this.#isPaging = !this.isReviewed
    this.#keys.open()
    try {
      await this.#keys.waitUntilReady(changed)
      const keys = availableKeys(call, this.isReviewed)
      const asks = this.isReviewed
        ? `${escapeInvisible(call.approval.preview.title)}?`
        : `-- ${this.#pages?.position} --`
      const question = `${terminal.paint('bold', asks)} ${formatMenu(keys)} `
      terminal.writePrompt(question)
      for (;;) {
        const key = await this.#keys.next(changed)
        if (keys.includes(key)) {
          terminal.info(key.trim())
          return key
        }
        this.#keys.bell()
        // Keys such as the arrows send an escape sequence.
        if (key.length === 1 || key.startsWith('\u001b')) continue
        terminal.info('\nThe input was ignored, because several characters came at once. Press a single key.')
        terminal.writePrompt(question)
      }
    } finally {
      this.#keys.close()
    }
  }

  /** Reports the error, unless the prompt has merely been replaced. */
  async #handleError(error: unknown) {
    if (error instanceof ToolgateError && ['PREVIEW_CHANGED', 'CONFLICT'].includes(error.code)) {
      const { changed } = this.#watched
      await this.#watched.refresh()
      if (changed.aborted) throw changed.reason
    }
    if (!(error instanceof ToolgateError || error instanceof CliError)) throw error
    this.#context.terminal.info(this.#context.terminal.paint('red', escapeInvisible(error.message)))
  }

  async approve(
    call: PendingCall,
    changed: AbortSignal,
    more: ApprovalPreset = {}
  ): Promise<PromptOutcome | undefined> {
    const { digest, level } = call.approval
    const strict = level === 'strict' || this.#editedIsStrict
    if (strict && (await this.promptLine('Strict approval: type yes to approve (Esc to go back): ', changed)) !== 'yes')
      return undefined
    const { signal } = this.#context
    const decision = {
      digest,
      ...(this.#wholeDigest !== undefined && { whole_digest: this.#wholeDigest }),
      ...(strict && { confirm: true }),
      ...this.#preset,
      ...more,
      signal
    }
    return { kind: 'approved', call: await this.#approveAsShown(call, decision) }
  }

  /**
   * The server may have had an older preview; it has now been updated, and the digest is the same. The rules may differ: with
   * one, the call is shown again.
   */
  async #approveAsShown(
    { tool_call_id, approval }: PendingCall,
    decision: ApproveRequest & { signal: AbortSignal }
  ): Promise<Call> {
    try {
      return await this.#client.approve(tool_call_id, decision)
    } catch (error) {
      if (!(error instanceof ToolgateError && error.code === 'PREVIEW_CHANGED')) throw error
      if (decision.always !== undefined) throw error
      const { signal } = decision
      const now = await this.#client.get(tool_call_id, { signal })
      if (now.status !== 'awaiting_approval' || now.approval.digest !== approval.digest) throw error
      // What was shown was whole; only in the call it may be cut.
      const { call: _, ...whole } = await loadWholePreview(this.#client, now, signal)
      return await this.#client.approve(tool_call_id, { ...decision, ...whole })
    }
  }

  async reject(call: PendingCall, reason?: string): Promise<PromptOutcome> {
    const { signal } = this.#context
    const { tool_call_id } = call
    return { kind: 'rejected', call: await this.#client.reject(tool_call_id, { signal, ...(reason && { reason }) }) }
  }

  promptLine = (question: string, changed: AbortSignal) => this.#context.prompt(question, changed)

  /** Chooses a rule by its number, shown as it would be saved. */
  async chooseRule(call: PendingCall, changed: AbortSignal): Promise<PromptOutcome | undefined> {
    const { terminal } = this.#context
    const options = call.approval.always_options
    for (const [index, { label, scope, rule, rules }] of options.entries())
      terminal.info(
        `  ${terminal.paint('bold', String(index + 1))}  ${escapeInvisible(label)}  (${scope})\n     ${toSafeJson(rules ?? rule)}`
      )
    const asks = `Number of the rule, also with limits ${ALWAYS_LIMITS_SYNTAX} (Esc to go back): `
    const answer = await this.promptLine(asks, changed)
    const [, number, limits = ''] = /^\s*(\d+)(?:\s+(.*))?$/.exec(answer) ?? []
    const option = options[Number(number) - 1]
    const always_limits = parseAlwaysLimits(limits)
    if (option && always_limits) return this.approve(call, changed, { always: option.id, always_limits })
    if (option) terminal.info(`These limits are invalid. Write the number and limits ${ALWAYS_LIMITS_SYNTAX}: 1 2h`)
    else if (answer !== '') terminal.info('No rule has this number.')
    return undefined
  }

  /** Decides nothing: previews the edited call, then prompts again. */
  async editParams(call: PendingCall): Promise<undefined> {
    const { editInEditor } = await import('./editor.ts')
    const { terminal } = this.#context
    const before = this.#draft ?? `${toSafeJson(this.#preset.modified_params ?? call.params, 2)}\n`
    const text = await editInEditor(this.#context, before)
    if (text === before && this.#draft === undefined) return void terminal.info('The parameters are unchanged.')
    const params = parseObject(text)
    const [inexact] = params ? findInexactNumbers(text) : []
    if (params === undefined || inexact) {
      this.#draft = text
      const problem = inexact
        ? `${toJsonPointer(inexact.path)} cannot be represented exactly as a number, write it as a string`
        : 'Not a JSON object'
      return void terminal.info(`${problem}: press e to edit the parameters again, any other key to discard them.`)
    }
    this.#draft = undefined
    const { always: _, always_limits: __, ...rest } = this.#preset
    this.#preset = { ...rest, modified_params: params }
    await this.#showEdited(call)
  }

  async #showEdited(call: PendingCall) {
    const { terminal, signal } = this.#context
    const params = this.#preset.modified_params ?? {}
    try {
      const dryRun = await this.#client.dryRunModified(call, params, { signal })
      const { verdict, digest } = dryRun
      this.#editedIsStrict = verdict.decision === 'strict'
      const { modified_digest: _, ...rest } = this.#preset
      this.#preset = { ...rest, ...(digest !== undefined && { modified_digest: digest }) }
      this.#showPages(formatEditedCall(terminal, { tool: call.tool, params, dryRun }))
    } catch (error) {
      const { modified_params: _, modified_digest: __, ...rest } = this.#preset
      this.#preset = rest
      this.#editedIsStrict = false
      throw error
    }
  }

  async showDetails(call: PendingCall, changed: AbortSignal) {
    const { terminal } = this.#context
    const { text, diff } = (await this.#withWholePreview(call)).approval.preview
    const whole = [
      ...(text ? [escapeInvisible(text)] : []),
      ...(diff ? [colorizeDiff(terminal, diff.trimEnd())] : [])
    ].join('\n\n')
    await showInPager(this.#context, whole, changed)
    return undefined
  }

  showHelp(call: PendingCall) {
    const { terminal } = this.#context
    for (const key of availableKeys(call, this.isReviewed))
      terminal.info(`  ${terminal.paint('bold', formatKey(key))}  ${KEY_BINDINGS[key]!.description}`)
    return undefined
  }
}

interface KeyBinding {
  label: string
  description: string
  /** Returns true if the action is available; `isReviewed`: all of the preview has been on the screen. */
  isAvailable?: (call: PendingCall, isReviewed: boolean) => boolean
  run: (
    question: ApprovalPrompt,
    call: PendingCall,
    changed: AbortSignal
  ) => Promise<PromptOutcome | undefined> | PromptOutcome | undefined
}

const KEY_BINDINGS: Readonly<Record<string, KeyBinding>> = {
  ' ': {
    label: 'next page',
    description: 'show the next page; to approve, you must see all pages',
    isAvailable: (_, isReviewed) => !isReviewed,
    run: question => question.showNextPage()
  },
  y: {
    label: 'yes',
    description: 'approve exactly what is shown',
    isAvailable: (_, isReviewed) => isReviewed,
    run: (question, call, changed) => question.approve(call, changed)
  },
  n: { label: 'no', description: 'reject the call', run: (question, call) => question.reject(call) },
  a: {
    label: 'always',
    description: 'approve, and save a rule that allows such calls; you select the rule from a list',
    isAvailable: ({ approval }, isReviewed) => isReviewed && approval.always_options.length > 0,
    run: (question, call, changed) => question.chooseRule(call, changed)
  },
  e: {
    label: 'edit',
    description: 'edit the parameters in your editor (VISUAL, EDITOR); you see the new preview before you decide',
    run: (question, call) => question.editParams(call)
  },
  r: {
    label: 'reject…',
    description: 'reject with a reason for the caller',
    async run(question, call, changed) {
      const reason = await question.promptLine('Reason (Esc to go back): ', changed)
      return reason === '' ? undefined : question.reject(call, reason)
    }
  },
  d: {
    label: 'details',
    description: 'show the whole diff or command in your pager',
    isAvailable: ({ approval: { preview } }) => preview.diff !== undefined || preview.text !== undefined,
    run: (question, call, changed) => question.showDetails(call, changed)
  },
  '?': { label: 'help', description: 'explain the keys', run: (question, call) => question.showHelp(call) },
  q: { label: 'quit', description: 'quit; the call continues to wait', run: () => ({ kind: 'left' }) }
}

const availableKeys = (call: PendingCall, isReviewed: boolean) =>
  Object.keys(KEY_BINDINGS).filter(key => KEY_BINDINGS[key]!.isAvailable?.(call, isReviewed) ?? true)

const formatKey = (key: string) => (key === ' ' ? 'space' : key)
const formatMenu = (keys: readonly string[]) =>
  `[${keys.map(key => `${formatKey(key)} ${KEY_BINDINGS[key]!.label}`).join(' · ')}]`
