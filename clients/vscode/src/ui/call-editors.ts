// The editors that show calls: the card, and diff editors for changes of files. It records which lines were displayed, and shows the
// outcome when a call no longer waits.
import * as vscode from 'vscode'
import type { PreviewFile } from '../../../../src/client/client.ts'
import { writeCallCard } from '../model/call-card.ts'
import { cardText } from '../model/card.ts'
import { DecisionGuard } from '../model/decision-guard.ts'
import { Displayed } from '../model/displayed.ts'
import type { Session } from '../model/session.ts'
import { writeSettledCard } from '../model/settled-card.ts'
import type { Settlement, WaitingEntry } from '../model/waiting-calls.ts'
import type { CallDocuments } from './call-documents.ts'
import { type CallTab, findActiveCall, findCallOfTab, findTabs } from './tabs.ts'
import { cardUri, parseUri, sideUri, toName } from './uris.ts'

/** An open call, and the record of what was displayed of it. */
interface CallView {
  readonly title: string
  readonly card: vscode.Uri
  sides: vscode.Uri[]
  displayed: Displayed
}

interface ShowOptions {
  /** Default: false. */
  preserveFocus?: boolean
  viewColumn?: vscode.ViewColumn
}

export class CallEditors implements vscode.Disposable {
  readonly guard = new DecisionGuard()
  readonly #session: Session
  readonly #documents: CallDocuments
  readonly #views = new Map<string, CallView>()
  readonly #multiDiffs = new Map<string, string>()
  readonly #activeChanged = new vscode.EventEmitter<CallTab | undefined>()
  /** The call of the active tab has changed. */
  readonly onDidChangeActive = this.#activeChanged.event
  #active: CallTab | undefined
  readonly #disposables: vscode.Disposable[]

  constructor(session: Session, documents: CallDocuments) {
    this.#session = session
    this.#documents = documents
    const { window, workspace } = vscode
    this.#disposables = [
      this.#activeChanged,
      session.calls.renewed.listen(entry => this.#renew(entry)),
      session.calls.settled.listen(settlement => void this.#settle(settlement)),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#record(textEditor)),
      window.onDidChangeVisibleTextEditors(() => this.#recordAll()),
      workspace.onDidChangeTextDocument(({ document }) => this.#recordChanged(document)),
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.guard.restart()
      }),
      window.tabGroups.onDidChangeTabs(() => this.#updateActive()),
      window.tabGroups.onDidChangeTabGroups(() => this.#updateActive())
    ]
  }

  /** The call of the active tab. */
  get active(): CallTab | undefined {
    return this.#active
  }

  /** Shows a call: its changes in a diff editor, or its card if it has warnings or changes no files. */
  async show(entry: WaitingEntry, options: ShowOptions = {}) {
    const files = await this.#load(entry)
    const hasNotes = (entry.whole?.preview.notes ?? []).length > 0
    if (files.length > 0 && !hasNotes && !entry.edited) await this.#showDiff(entry, files, options)
    else await this.showCard(entry, options)
  }

  /** Shows the card, at a line if one is given. */
  async showCard(entry: WaitingEntry, options: ShowOptions = {}, line?: number) {
    await this.#load(entry)
    const { card } = this.#viewOf(entry)
    const selection = line === undefined ? undefined : new vscode.Range(line, 0, line, 0)
    const editor = await vscode.window.showTextDocument(card, {
      preview: true,
      ...options,
      ...(selection && { selection })
    })
    if (selection) editor.revealRange(selection, vscode.TextEditorRevealType.AtTop)
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
    this.#recordAll()
    return this.#viewOf(entry).displayed.missing()
  }

  /** Shows the next part that was not displayed. Returns false if everything was. */
  async showMissing(entry: WaitingEntry): Promise<boolean> {
    const missing = await this.findMissing(entry)
    const [first] = missing
    if (first === undefined) return false
    const { displayed } = this.#viewOf(entry)
    for (const editor of vscode.window.visibleTextEditors) {
      const at = parseUri(editor.document.uri)
      if (at?.part !== 'side' || at.id !== entry.call.tool_call_id) continue
      const isWrapped = wrapsLines(editor.document)
      const line = missing
        .filter(index => displayed.isShownBy(index, isWrapped))
        .map(index => displayed.card[index]!.shownAt!)
        .find(({ file, side }) => file === at.file && side === at.side)?.line
      if (line === undefined) continue
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenter)
      return true
    }
    await this.showCard(entry, {}, first)
    return true
  }

  /** Returns true if a diff editor would count all missing lines as displayed if it wrapped lines. */
  needsWrapping(entry: WaitingEntry, missing: readonly number[]): boolean {
    const { displayed } = this.#viewOf(entry)
    return missing.every(line => displayed.isShownBy(line, true) && !displayed.isShownBy(line, false))
  }

  /** Resolves when a tab shows the call, or the signal aborts. */
  opened = (id: string, signal: AbortSignal): Promise<void> => this.#tabsFit(() => this.#tabsOf(id).length > 0, signal)

  /** Resolves when no tab shows the call any more, or the signal aborts. */
  closed = (id: string, signal: AbortSignal): Promise<void> =>
    this.#tabsFit(() => this.#tabsOf(id).length === 0, signal)

  dispose() {
    for (const disposable of this.#disposables) disposable.dispose()
  }

  /** Loads the preview, and returns the files that can be compared. */
  async #load(entry: WaitingEntry): Promise<PreviewFile[]> {
    const client = this.#session.requireClient()
    const whole = await this.#session.calls.loadPreview(entry, client)
    if (!whole) throw new Error('The call has changed or no longer waits.')
    this.#viewOf(entry)
    return whole.files.filter(({ withheld }) => withheld === undefined)
  }

  async #showDiff(entry: WaitingEntry, files: readonly PreviewFile[], options: ShowOptions) {
    const { tool_call_id: id } = entry.call
    const view = this.#viewOf(entry)
    const all = entry.whole?.files ?? []
    const pairs = files.map(file => {
      const index = all.indexOf(file)
      const [before, after] = (['before', 'after'] as const).map(side => {
        const uri = sideUri(id, { file: index, side }, side === 'after' ? (file.to ?? file.path) : file.path)
        this.#documents.set(uri, file[side] ?? '')
        view.sides.push(uri)
        return uri
      })
      return { before: before!, after: after! }
    })
    const [only] = pairs
    if (only && pairs.length === 1) {
      const title = `${view.title} (Toolgate)`
      await vscode.commands.executeCommand('vscode.diff', only.before, only.after, title, { preview: true, ...options })
    } else {
      // The end of the id makes the label unique.
      const title = `${view.title} · ${id.slice(-4)} (Toolgate)`
      this.#multiDiffs.set(title, id)
      const resources = pairs.map(({ before, after }) => [after, before, after])
      await vscode.commands.executeCommand('vscode.changes', title, resources)
    }
    this.#updateActive()
  }

  /** Returns the view of a call with its current text. */
  #viewOf(entry: WaitingEntry): CallView {
    const { tool_call_id: id, approval } = entry.call
    const card = writeCallCard(entry, new Date())
    const known = this.#views.get(id)
    const view = known ?? {
      title: toName(approval.preview.title),
      card: cardUri(id, approval.preview.title),
      sides: [],
      displayed: new Displayed(card)
    }
    if (known) view.displayed = view.displayed.continueWith(card)
    this.#views.set(id, view)
    this.#documents.set(view.card, cardText(card))
    return view
  }

  /** Shows the new preview of a call in the editors that show it. */
  #renew(entry: WaitingEntry) {
    const { tool_call_id: id } = entry.call
    const view = this.#views.get(id)
    if (!view) return
    if (this.#active?.id === id) this.guard.restart()
    void this.#reload(entry, view)
  }

  async #reload(entry: WaitingEntry, view: CallView) {
    const whole = await this.#session.calls.loadPreview(entry, this.#session.requireClient()).catch(() => undefined)
    if (!whole) return
    this.#viewOf(entry)
    for (const uri of view.sides) {
      const at = parseUri(uri)
      if (at?.part === 'side') this.#documents.set(uri, whole.files[at.file]?.[at.side] ?? '')
    }
  }

  /**
   * Closes the editors of a call that no longer waits. If one of them is active, the card with the outcome takes its place: keys that
   * the person types next must not go to another file.
   */
  async #settle({ entry, outcome }: Settlement) {
    const { tool_call_id: id } = entry.call
    this.guard.restart()
    const view = this.#views.get(id)
    if (!view) return
    this.#views.delete(id)
    const isActive = this.#active?.id === id
    this.#documents.set(view.card, cardText(writeSettledCard(entry, outcome)))
    if (isActive) await vscode.window.showTextDocument(view.card, { preview: true })
    const tabs = this.#tabsOf(id).filter(tab => !isActive || findCallOfTab(tab, this.#multiDiffs)?.part !== 'card')
    await vscode.window.tabGroups.close(tabs, true)
    for (const uri of view.sides) this.#documents.delete(uri)
    for (const [label, shown] of this.#multiDiffs) if (shown === id) this.#multiDiffs.delete(label)
  }

  async #tabsFit(fits: () => boolean, signal: AbortSignal): Promise<void> {
    if (fits() || signal.aborted) return
    await new Promise<void>(resolve => {
      const end = () => {
        listener.dispose()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const listener = vscode.window.tabGroups.onDidChangeTabs(() => fits() && end())
      signal.addEventListener('abort', end)
    })
  }

  #tabsOf(id: string): vscode.Tab[] {
    return findTabs(tab => findCallOfTab(tab, this.#multiDiffs)?.id === id)
  }

  #updateActive() {
    const active = findActiveCall(this.#multiDiffs)
    if (active?.id === this.#active?.id && active?.part === this.#active?.part) return
    this.#active = active
    this.guard.restart()
    this.#activeChanged.fire(active)
  }

  #recordAll() {
    for (const editor of vscode.window.visibleTextEditors) this.#record(editor)
  }

  #recordChanged(document: vscode.TextDocument) {
    const at = parseUri(document.uri)
    if (!at) return
    if (at.id === this.#active?.id) this.guard.restart()
    for (const editor of vscode.window.visibleTextEditors) if (editor.document === document) this.#record(editor)
  }

  #record({ document, visibleRanges }: vscode.TextEditor) {
    const at = parseUri(document.uri)
    const view = at && this.#views.get(at.id)
    if (!view || !this.#documents.isCurrent(document)) return
    for (const { start, end } of visibleRanges) {
      const lines = { first: start.line, last: end.line }
      if (at.part === 'card') view.displayed.seeCard(lines)
      else if (at.part === 'side') view.displayed.seeFile(at, lines, wrapsLines(document))
    }
  }
}

/** Returns true if diff editors wrap the lines of the document. */
function wrapsLines(document: vscode.TextDocument): boolean {
  const inDiff = vscode.workspace.getConfiguration('diffEditor', document).get<string>('wordWrap')
  if (inDiff !== 'inherit') return inDiff === 'on'
  const inEditor = vscode.workspace.getConfiguration('editor', document).get<string>('wordWrap')
  return inEditor === 'on' || inEditor === 'bounded'
}
