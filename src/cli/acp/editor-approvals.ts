// Shows the waiting calls of a session in the editor. The first decision applies, there or in another front end.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { RequestPermissionResponse, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { ToolgateError } from '../../client/client.ts'
import { formatApprovalCount } from '../../protocol/format-approval-count.ts'
import type { EndedCall } from '../ended-call.ts'
import { CallChangedError, CallWatcher, type PendingCall } from '../ui/call-watcher.ts'
import { buildPrompt, sendDecision } from './editor-prompt.ts'
import type { AcpPeer } from './peer.ts'
import type { AcpSession } from './session.ts'

const MAX_GRANTED = 100
const RETRY_MS = 1_000
const RETRIED: ReadonlySet<string> = new Set(['PREVIEW_CHANGED', 'UNREACHABLE'])
const APPROVED: RequestPermissionResponse = { outcome: { outcome: 'selected', optionId: 'approve' } }

interface EditorApprovalsOptions {
  session: AcpSession
  editor: AcpPeer
  /** Ends everything. */
  signal: AbortSignal
  log: (text: string) => void
}

export class EditorApprovals {
  readonly #options: EditorApprovalsOptions
  /** Calls that are shown, by id. */
  readonly #shown = new Set<string>()
  /** Tool calls that the agent asked for, by the id of their call. */
  readonly #toolCalls = new Map<string, ToolCallUpdate>()
  /** Diffs of edits that a person approved in this turn, and that were not written yet. */
  #grantedDiffs: string[] = []

  constructor(options: EditorApprovalsOptions) {
    this.#options = options
  }

  /** Shows a call as this tool call of the agent. */
  bind(tool_call_id: string, toolCall: ToolCallUpdate): void {
    this.#toolCalls.set(tool_call_id, toolCall)
  }

  unbind(tool_call_id: string): void {
    this.#toolCalls.delete(tool_call_id)
  }

  /**
   * Approves the write that follows an edit which a person has approved, if it makes exactly the same change in the same turn: agents ask
   * for permission first, and then write by the editor.
   */
  grantWrite(call: EndedCall): void {
    const diff = call.approval?.preview.diff
    if (diff === undefined || call.approval?.preview.cut) return
    this.#grantedDiffs.push(diff)
    if (this.#grantedDiffs.length > MAX_GRANTED) this.#grantedDiffs.shift()
  }

  /** Ends what `grantWrite` has granted: a new turn begins. */
  endGrants(): void {
    this.#grantedDiffs = []
  }

  /** Follows the session until the signal aborts. */
  async follow(): Promise<void> {
    const { session, signal, log } = this.#options
    const { decisions, session_id } = session
    const onDisconnect = () => log('Connection to the server lost. Reconnecting…')
    for await (const _ of decisions.events({ types: ['tool.call'], session_id, signal, onDisconnect })) {
      const waiting = await decisions.approvals({ signal }).catch(() => [])
      for (const call of waiting) if (call.session_id === session_id) this.#show(call)
    }
  }

  #show(call: PendingCall): void {
    const { tool_call_id } = call
    if (this.#shown.has(tool_call_id)) return
    this.#shown.add(tool_call_id)
    const { signal, log } = this.#options
    void this.#ask(call)
      .catch(error => signal.aborted || log(`${tool_call_id} waits for another front end: ${(error as Error).message}`))
      .then(() => this.#shown.delete(tool_call_id))
  }

  /** Asks until the call is decided. If its preview changes, the request is cancelled and another one sent. */
  async #ask(call: PendingCall): Promise<void> {
    const { session, signal, log } = this.#options
    const client = session.decisions
    const watcher = new CallWatcher(call, { client, signal, onDisconnect: () => {} })
    watcher.follow().catch(error => signal.aborted || log((error as Error).message))
    try {
      while (watcher.call.status === 'awaiting_approval') await this.#askOnce(watcher, watcher.call)
    } finally {
      watcher.close()
    }
  }

  /** Returns true if a person has approved the same change of the same file before. */
  #takeGrant({ tool, approval: { level, preview } }: PendingCall): boolean {
    if (tool !== 'write_file' || level === 'strict' || preview.cut || preview.diff === undefined) return false
    const at = this.#grantedDiffs.indexOf(preview.diff)
    if (at !== -1) this.#grantedDiffs.splice(at, 1)
    return at !== -1
  }

  async #askOnce(watcher: CallWatcher, call: PendingCall): Promise<void> {
    const { session, editor } = this.#options
    const { changed } = watcher
    try {
      const toolCall = this.#toolCalls.get(call.tool_call_id)
      const prompt = await buildPrompt(session, call, { toolCall, signal: changed })
      const answer = this.#takeGrant(call)
        ? APPROVED
        : await editor.request<RequestPermissionResponse>('session/request_permission', prompt.request, changed)
      const decided = await sendDecision(session.decisions, call, prompt, answer)
      if (decided.status === 'awaiting_approval') await this.#waitForOthers(watcher, decided)
    } catch (error) {
      if (changed.aborted && changed.reason instanceof CallChangedError) return
      // Another front end was faster, a file has changed, or the server restarts: look again.
      await watcher.refresh().catch(() => {})
      if (watcher.call !== call) return
      if (!(error instanceof ToolgateError && RETRIED.has(error.code))) throw error
      await pause(RETRY_MS, undefined, { signal: changed }).catch(() => {})
      return
    }
    await watcher.refresh().catch(() => {})
  }

  /** Waits until other persons decide on a call that was approved here, or its preview changes. */
  async #waitForOthers(watcher: CallWatcher, { tool_call_id, approval }: PendingCall): Promise<void> {
    this.#options.log(`${tool_call_id} was approved in the editor: ${formatApprovalCount(approval)}`)
    await watcher.refresh().catch(() => {})
    const { digest } = approval
    const isSame = ({ call }: CallWatcher) => call.status === 'awaiting_approval' && call.approval.digest === digest
    while (isSame(watcher)) {
      const { changed } = watcher
      if (!changed.aborted) await once(changed, 'abort')
      this.#options.signal.throwIfAborted()
    }
  }
}
