// The editors that show waiting calls: the card, and diff editors for changes of files. When a call no longer waits, they are closed.
import * as vscode from 'vscode'
import type { PreviewFile } from '../../../../src/client/client.ts'
import { writeCallCard } from '../model/call-card.ts'
import { cardText } from '../model/card.ts'
import type { DecisionGuard } from '../model/decision-guard.ts'
import { Displayed } from '../model/displayed.ts'
import { writeSettledCard } from '../model/outcome-card.ts'
import type { Session } from '../model/session.ts'
import type { Settlement, WaitingEntry } from '../model/waiting-calls.ts'
import type { ActiveTab } from './active-tab.ts'
import type { CallDocuments } from './call-documents.ts'
import { type DisplayRecorder, wrapsLinesInDiff } from './display-recorder.ts'
import { cardUri, parseUri, sideUri, toName } from './uris.ts'

/** A call that was opened, and the record of what was displayed of it. */
interface CallView {
  readonly title: string
  readonly card: vscode.Uri
  readonly sides: Map<string, vscode.Uri>
  displayed: Displayed
}

interface ShowOptions {
  readonly preserveFocus?: boolean
  readonly viewColumn?: vscode.ViewColumn
}

interface CallEditorsOptions {
  readonly session: Session
  readonly documents: CallDocuments
  readonly recorder: DisplayRecorder
  readonly activeTab: ActiveTab
  readonly guard: DecisionGuard
}

export class CallEditors implements vscode.Disposable {
  readonly #session: Session
  readonly #documents: CallDocuments
  readonly #recorder: DisplayRecorder
  readonly #activeTab: ActiveTab
  readonly #guard: DecisionGuard
  readonly #views = new Map<string, CallView>()
  readonly #listeners: vscode.Disposable

  constructor({ session, documents, recorder, activeTab, guard }: CallEditorsOptions) {
    this.#session = session
    this.#documents = documents
    this.#recorder = recorder
    this.#activeTab = activeTab
    this.#guard = guard
    this.#listeners = vscode.Disposable.from(
      session.calls.renewed.listen(entry => void this.#renew(entry)),
      session.calls.settled.listen(settlement => void this.#settle(settlement)),
      recorder.onDidLoad(uri => {
        if (parseUri(uri)?.id === activeTab.current?.id) guard.restart()
      })
    )
  }

  /** Shows a call: in a diff editor if that can show everything, otherwise its card, for example with its warnings. */
  async show(entry: WaitingEntry, options: ShowOptions = {}) {
    const files = await this.#load(entry)
    const { card } = this.#viewOf(entry).displayed
    const needsCard = card.some(({ isRequired, shownAt }) => isRequired && !shownAt)
    if (files.length > 0 && !needsCard) await this.#showDiff(entry, files, options)
    else await this.showCard(entry, options)
  }

  /** Shows the card, at a line if one is given. */
  async showCard(entry: WaitingEntry, options: ShowOptions = {}, line?: number) {
    await this.#load(entry)
    const editor = await vscode.window.showTextDocument(this.#viewOf(entry).card, { preview: true, ...options })
    if (line === undefined) return
    const range = new vscode.Range(line, 0, line, 0)
    editor.selection = new vscode.Selection(range.start, range.end)
    editor.revealRange(range, vscode.TextEditorRevealType.AtTop)
  }

  /** Shows the changes in a diff editor. Returns false if there are none to compare. */
  async compare(entry: WaitingEntry): Promise<boolean> {
    const files = await this.#load(entry)
    if (files.length > 0) await this.#showDiff(entry, files, {})
    return files.length > 0
  }

  /** Returns the lines of the card that were not displayed yet. Loads the whole preview first. */
  async findMissing(entry: WaitingEntry): Promise<number[]> {
    await this.#load(entry)
    this.#recorder.recordAll()
    return this.#viewOf(entry).displayed.missing()
  }

  /** Shows the next part that was not displayed. Returns false if everything was. */
  async showMissing(entry: WaitingEntry): Promise<boolean> {
    const missing = await this.findMissing(entry)
    const [first] = missing
    if (first === undefined) return false
    if (!this.#revealInDiff(entry, missing)) await this.showCard(entry, {}, first)
    return true
  }

  /** Returns true if a diff editor that wraps lines would show all missing lines. */
  needsWrapping(entry: WaitingEntry, missing: readonly number[]): boolean {
    const { displayed } = this.#viewOf(entry)
    return missing.every(line => displayed.isShownInDiff(line, true) && !displayed.isShownInDiff(line, false))
  }

  dispose() {
    this.#listeners.dispose()
  }

  /** Loads the preview, and returns the files that can be compared. */
  async #load(entry: WaitingEntry): Promise<PreviewFile[]> {
    const whole = await this.#session.calls.loadPreview(entry, this.#session.requireClient())
    if (!whole) throw new Error('The call has changed or no longer waits.')
    this.#viewOf(entry)
    return whole.files.filter(({ withheld }) => withheld === undefined)
  }

  async #showDiff(entry: WaitingEntry, files: readonly PreviewFile[], options: ShowOptions) {
    const { tool_call_id: id } = entry.call
    const view = this.#viewOf(entry)
    const all = entry.whole?.files ?? []
    const pairs = files.map(file => ({
      before: this.#setSide(view, id, all, all.indexOf(file), 'before'),
      after: this.#setSide(view, id, all, all.indexOf(file), 'after')
    }))
    const [only] = pairs
    if (only && pairs.length === 1) {
      const title = `${view.title} (Toolgate)`
      await vscode.commands.executeCommand('vscode.diff', only.before, only.after, title, { preview: true, ...options })
    } else {
      // The end of the id makes the label unique.
      const title = `${view.title} · ${id.slice(-4)} (Toolgate)`
      this.#activeTab.addMultiDiff(title, id)
      const resources = pairs.map(({ before, after }) => [after, before, after])
      await vscode.commands.executeCommand('vscode.changes', title, resources)
    }
    this.#activeTab.update()
  }

  /** Sets the text of a file before or after the change. Returns its address. */
  #setSide(
    view: CallView,
    id: string,
    files: readonly PreviewFile[],
    file: number,
    side: 'before' | 'after'
  ): vscode.Uri {
    const { path, to, [side]: text = '' } = files[file]!
    const uri = view.sides.get(`${side}-${file}`) ?? sideUri(id, { file, side }, side === 'after' ? (to ?? path) : path)
    view.sides.set(`${side}-${file}`, uri)
    this.#documents.set(uri, text)
    this.#recorder.add(uri, {
      text,
      see: (lines, isWrapped) => view.displayed.seeFile({ file, side }, lines, isWrapped)
    })
    return uri
  }

  /** Returns the view of a call with its current text. */
  #viewOf(entry: WaitingEntry): CallView {
    const { tool_call_id: id, approval } = entry.call
    const card = writeCallCard(entry, new Date())
    const known = this.#views.get(id)
    const view = known ?? {
      title: toName(approval.preview.title),
      card: cardUri(id, approval.preview.title),
      sides: new Map(),
      displayed: new Displayed(card)
    }
    if (known) view.displayed = view.displayed.continueWith(card)
    this.#views.set(id, view)
    const text = cardText(card)
    this.#documents.set(view.card, text)
    this.#recorder.add(view.card, { text, see: lines => view.displayed.seeCard(lines) })
    return view
  }

  /** Reveals a missing line in a diff editor of the call that is visible. */
  #revealInDiff(entry: WaitingEntry, missing: readonly number[]): boolean {
    const { displayed } = this.#viewOf(entry)
    for (const editor of vscode.window.visibleTextEditors) {
      const at = parseUri(editor.document.uri)
      if (at?.part !== 'side' || at.id !== entry.call.tool_call_id) continue
      const isWrapped = wrapsLinesInDiff(editor.document)
      const line = missing
        .filter(index => displayed.isShownInDiff(index, isWrapped))
        .map(index => displayed.card[index]!.shownAt!)
        .find(({ file, side }) => file === at.file && side === at.side)?.line
      if (line === undefined) continue
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenter)
      return true
    }
    return false
  }

  /** Shows the new preview of a call in the editors that show it. */
  async #renew(entry: WaitingEntry) {
    const { tool_call_id: id } = entry.call
    const view = this.#views.get(id)
    if (!view) return
    if (this.#activeTab.current?.id === id) this.#guard.restart()
    const whole = await this.#session.calls.loadPreview(entry, this.#session.requireClient()).catch(() => undefined)
    if (!whole) return
    this.#viewOf(entry)
    for (const uri of view.sides.values()) {
      const at = parseUri(uri)
      if (at?.part === 'side' && whole.files[at.file]) this.#setSide(view, id, whole.files, at.file, at.side)
    }
  }

  /**
   * Closes the editors of a call that no longer waits. If one of them is active, the card with the outcome takes its place: keys that
   * the person types next must not go to another file.
   */
  async #settle({ entry, outcome }: Settlement) {
    const { tool_call_id: id } = entry.call
    this.#guard.restart()
    const view = this.#views.get(id)
    if (!view) return
    this.#views.delete(id)
    for (const uri of [view.card, ...view.sides.values()]) this.#recorder.delete(uri)
    const isActive = this.#activeTab.current?.id === id
    this.#documents.set(view.card, cardText(writeSettledCard(entry, outcome)))
    if (isActive) await vscode.window.showTextDocument(view.card, { preview: true })
    const tabs = this.#activeTab.tabsOf(id).filter(tab => {
      const part = this.#activeTab.refOf(tab)?.part
      return part === 'side' || part === 'multi-diff' || (part === 'card' && !isActive)
    })
    await vscode.window.tabGroups.close(tabs, true)
    this.#activeTab.removeMultiDiff(id)
    for (const uri of view.sides.values()) this.#documents.delete(uri)
  }
}
