// Commands that decide about waiting calls. They act on the entry of a tree, or on the call of the active editor.
import * as vscode from 'vscode'
import { ALWAYS_LIMITS_SYNTAX, parseAlwaysLimits } from '../../../../src/protocol/always-limits.ts'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'
import { formatRules } from '../model/always-options.ts'
import { getShownPreview } from '../model/call-card.ts'
import { approve, type DecisionReport, reject } from '../model/decide.ts'
import type { DecisionGuard } from '../model/decision-guard.ts'
import { describeMissing } from '../model/displayed.ts'
import { formatCommentCount } from '../model/review-comments.ts'
import type { Session } from '../model/session.ts'
import { isStrict, type WaitingEntry } from '../model/waiting-calls.ts'
import type { ActiveTab } from './active-tab.ts'
import type { CallEditors } from './call-editors.ts'
import { type RegisterCommand, report, showBriefly, toEntry } from './commands.ts'
import type { LineComments } from './line-comments.ts'

interface DecisionOptions {
  readonly session: Session
  readonly editors: CallEditors
  readonly activeTab: ActiveTab
  readonly guard: DecisionGuard
  readonly comments: LineComments
}

export class DecisionCommands {
  readonly #session: Session
  readonly #editors: CallEditors
  readonly #activeTab: ActiveTab
  readonly #guard: DecisionGuard
  readonly #comments: LineComments
  #hasOfferedWrapping = false

  constructor({ session, editors, activeTab, guard, comments }: DecisionOptions) {
    this.#session = session
    this.#editors = editors
    this.#activeTab = activeTab
    this.#guard = guard
    this.#comments = comments
  }

  register(command: RegisterCommand) {
    command('toolgate.review', argument => this.#review(toEntry(argument)))
    command(
      'toolgate.showCard',
      this.#withEntry(entry => this.#editors.showCard(entry))
    )
    command(
      'toolgate.compare',
      this.#withEntry(entry => this.#compare(entry))
    )
    command(
      'toolgate.showNext',
      this.#withEntry(entry => this.#showNext(entry))
    )
    command('toolgate.nextCall', () => this.#step(1))
    command('toolgate.previousCall', () => this.#step(-1))
    command(
      'toolgate.approve',
      this.#deciding(entry => this.#approve(entry))
    )
    command(
      'toolgate.reject',
      this.#deciding(entry => this.#reject(entry))
    )
    command(
      'toolgate.rejectWithReason',
      this.#deciding(entry => this.#rejectWithReason(entry))
    )
    command(
      'toolgate.always',
      this.#deciding(entry => this.#always(entry))
    )
    command(
      'toolgate.restoreParams',
      this.#withEntry(entry => this.#session.calls.edit(entry, undefined))
    )
  }

  /** Returns the current state of the call that a command is about. */
  find(entry: WaitingEntry | undefined): WaitingEntry | undefined {
    return this.#session.calls.find(entry?.call.tool_call_id ?? this.#activeTab.current?.id)
  }

  #withEntry(act: (entry: WaitingEntry) => unknown) {
    return async (argument?: unknown) => {
      const entry = this.find(toEntry(argument))
      if (entry) await act(entry)
      else showBriefly('no waiting call is open')
    }
  }

  /** Ignores the command for a moment after something else has appeared. */
  #deciding(act: (entry: WaitingEntry) => unknown) {
    return this.#withEntry(entry =>
      this.#guard.accepts() ? act(entry) : showBriefly('ignored, because something new has just appeared')
    )
  }

  /** Shows a call, by default the one that has waited longest. */
  async #review(given: WaitingEntry | undefined) {
    const entry = given ? this.#session.calls.find(given.call.tool_call_id) : this.#session.calls.entries[0]
    if (entry) await this.#editors.show(entry)
    else {
      await vscode.commands.executeCommand('toolgate.waiting.focus')
      showBriefly('no call is waiting')
    }
  }

  async #compare(entry: WaitingEntry) {
    if (entry.edited) showBriefly('only the original call can be compared: restore its parameters first')
    else if (this.#activeTab.current?.part === 'side' || this.#activeTab.current?.part === 'multi-diff')
      await this.#editors.showCard(entry)
    else if (!(await this.#editors.compare(entry))) showBriefly('the call changes no files that can be compared')
  }

  async #showNext(entry: WaitingEntry) {
    if (!(await this.#editors.showMissing(entry))) showBriefly('everything has been displayed')
  }

  async #step(by: number) {
    const { entries } = this.#session.calls
    const at = entries.findIndex(({ call }) => call.tool_call_id === this.#activeTab.current?.id)
    const next = entries.at((at + by) % Math.max(1, entries.length))
    if (next && entries.indexOf(next) !== at) await this.#editors.show(next)
    else showBriefly('no other call is waiting')
  }

  async #approve(entry: WaitingEntry) {
    if (this.#hasComments(entry) || !(await this.#isDisplayed(entry))) return
    if (!isStrict(entry))
      return this.#send(entry, now => approve(this.#session.requireClient(), this.#session.calls, now))
    const title = escapeLine(getShownPreview(entry).title)
    const prompt = `${title} is strict: ${escapeLine((entry.edited?.approval ?? entry.call.approval).reason)} Type yes to approve.`
    const answer = await vscode.window.showInputBox({ prompt, placeHolder: 'yes' })
    if (answer !== 'yes') return showBriefly('you have not decided; the call still waits')
    await this.#send(entry, now => approve(this.#session.requireClient(), this.#session.calls, now, { confirm: true }))
  }

  #reject(entry: WaitingEntry) {
    const comments = this.#comments.of(entry)
    return this.#send(entry, now => reject(this.#session.requireClient(), this.#session.calls, now, { comments }))
  }

  async #rejectWithReason(entry: WaitingEntry) {
    const { length: count } = this.#comments.of(entry)
    const sent = count === 0 ? 'It is' : `It is, with ${formatCommentCount(count)},`
    const prompt = `Reason for rejecting ${escapeLine(entry.call.approval.preview.title)}. ${sent} sent to the caller.`
    const reason = await vscode.window.showInputBox({ prompt, ignoreFocusOut: true })
    if (!reason) return showBriefly('you have not decided; the call still waits')
    // A new preview does not change the reason.
    const now = this.find(entry)
    if (!now) return
    const comments = this.#comments.of(now)
    report(await reject(this.#session.requireClient(), this.#session.calls, now, { reason, comments }))
  }

  async #always(entry: WaitingEntry) {
    if (entry.edited) return showBriefly('rules cannot be saved for edited parameters')
    const options = entry.call.approval.always_options
    if (options.length === 0) return showBriefly('no rule can be saved: this call always needs approval')
    if (this.#hasComments(entry) || !(await this.#isDisplayed(entry))) return
    const picked = await vscode.window.showQuickPick(
      options.map(option => ({ label: escapeLine(option.label), detail: formatRules(option), id: option.id })),
      { title: 'Approve, and save a rule', placeHolder: 'The rules that will be saved are below each choice' }
    )
    const limits =
      picked &&
      (await vscode.window.showInputBox({
        title: 'End of the rule',
        prompt: `Limits ${ALWAYS_LIMITS_SYNTAX}. Empty: the rule applies until it is revoked.`,
        validateInput: text => (parseAlwaysLimits(text) ? undefined : `Write limits ${ALWAYS_LIMITS_SYNTAX}.`)
      }))
    const always_limits = limits === undefined ? undefined : parseAlwaysLimits(limits)
    if (!picked || !always_limits) return showBriefly('you have not decided; the call still waits')
    await this.#send(entry, now =>
      approve(this.#session.requireClient(), this.#session.calls, now, { always: picked.id, always_limits })
    )
  }

  /** Returns true if the call has comments, which an approval would not send, and reports that. */
  #hasComments(entry: WaitingEntry): boolean {
    const { length: count } = this.#comments.of(entry)
    if (count > 0)
      showBriefly(`nothing was approved: ${formatCommentCount(count)} can only be sent with a rejection, or removed`)
    return count > 0
  }

  /** Returns true if everything that the decision needs was displayed. Otherwise shows the next part. */
  async #isDisplayed(entry: WaitingEntry): Promise<boolean> {
    const missing = await this.#editors.findMissing(entry)
    if (missing.length === 0) return true
    if (getShownPreview(entry).cut) {
      report({ level: 'warning', text: 'The preview is too large to be displayed: it cannot be approved here.' })
      return false
    }
    const text = `${describeMissing(missing.length)}; nothing was approved`
    showBriefly(text)
    if (this.#editors.needsWrapping(entry, missing)) void this.#offerWrapping()
    await this.#editors.showMissing(entry)
    return false
  }

  /** Offers once to wrap lines in diff editors: otherwise the end of a long line may be outside the window. */
  async #offerWrapping() {
    if (this.#hasOfferedWrapping) return
    this.#hasOfferedWrapping = true
    const text = 'Toolgate: lines of this change may be longer than the diff editor is wide, so the card shows them.'
    const picked = await vscode.window.showInformationMessage(text, WRAP)
    if (picked === WRAP)
      await vscode.workspace.getConfiguration('diffEditor').update('wordWrap', 'on', vscode.ConfigurationTarget.Global)
  }

  /** Sends a decision if the call is still the one that was shown. */
  async #send(entry: WaitingEntry, send: (now: WaitingEntry) => Promise<DecisionReport | undefined>) {
    const now = this.find(entry)
    if (!now) return
    if (now !== entry && (now.call !== entry.call || now.edited !== entry.edited))
      return showBriefly('the preview has changed; nothing was decided')
    report(await send(now))
  }
}

const WRAP = 'Wrap Lines in Diff Editors'
