// Undo of a call: a card with its effect, and the command that does what was shown.
import * as vscode from 'vscode'
import type { Call, UndoPreview } from '../../../../src/client/client.ts'
import { cardText } from '../model/card.ts'
import type { DecisionGuard } from '../model/decision-guard.ts'
import { describeEnd } from '../model/describe-end.ts'
import { Displayed, describeMissing } from '../model/displayed.ts'
import { getCallTitle } from '../model/outcome-card.ts'
import type { Session } from '../model/session.ts'
import { writeUndoCard } from '../model/undo-card.ts'
import type { ActiveTab } from './active-tab.ts'
import type { CallDocuments } from './call-documents.ts'
import { type RegisterCommand, report, showBriefly } from './commands.ts'
import type { DisplayRecorder } from './display-recorder.ts'
import { undoUri } from './uris.ts'

interface ShownUndo {
  readonly call: Call
  readonly preview: UndoPreview
  readonly uri: vscode.Uri
  readonly displayed: Displayed
}

interface UndoOptions {
  readonly session: Session
  readonly documents: CallDocuments
  readonly recorder: DisplayRecorder
  readonly activeTab: ActiveTab
  readonly guard: DecisionGuard
}

const WAIT_MS = 10_000

export class UndoCommands {
  readonly #options: UndoOptions
  readonly #shown = new Map<string, ShownUndo>()

  constructor(options: UndoOptions) {
    this.#options = options
  }

  register(command: RegisterCommand) {
    // From the title of an editor, the argument is its address.
    command('toolgate.undo', (call?: Partial<Call>) =>
      this.#preview(call?.tool_call_id ?? this.#options.activeTab.current?.id)
    )
    command('toolgate.undoShown', () => this.#undo())
    command('toolgate.showNextOfUndo', async () => {
      const shown = this.#findActive()
      if (shown && !(await this.#showMissing(shown))) showBriefly('everything has been displayed')
    })
  }

  /** Shows the effect of the undo. */
  async #preview(id: string | undefined) {
    if (id === undefined) return showBriefly('no call is selected')
    const { session, documents, recorder } = this.#options
    const client = session.requireClient()
    const [call, preview] = [await client.get(id), await client.previewUndo(id)]
    const card = writeUndoCard(call, preview)
    const shown = { call, preview, uri: undoUri(id, getCallTitle(call)), displayed: new Displayed(card) }
    this.#shown.set(id, shown)
    const text = cardText(card)
    documents.set(shown.uri, text)
    recorder.add(shown.uri, { text, see: lines => shown.displayed.seeCard(lines) })
    await vscode.window.showTextDocument(shown.uri, { preview: true })
  }

  /** Undoes the call of the active card. */
  async #undo() {
    const { session, recorder, activeTab, guard } = this.#options
    const shown = this.#findActive()
    if (!shown) return showBriefly('no undo is open')
    const { call, preview, displayed, uri } = shown
    if (!guard.accepts()) return showBriefly('ignored, because something new has just appeared')
    if (!preview.available || preview.digest === undefined) return showBriefly('this call cannot be undone')
    if (await this.#showMissing(shown))
      return showBriefly(`${describeMissing(displayed.missing().length)}; nothing was undone`)
    const undo = await session.requireClient().undo(call.tool_call_id, { digest: preview.digest, wait_ms: WAIT_MS })
    this.#shown.delete(call.tool_call_id)
    recorder.delete(uri)
    await vscode.window.tabGroups.close(activeTab.tabsOf(call.tool_call_id), true)
    const level = undo.status === 'success' ? 'information' : 'warning'
    report({ level, text: `undo: ${describeEnd(undo)}` })
  }

  /** Returns the undo that the active tab shows. */
  #findActive(): ShownUndo | undefined {
    const { current } = this.#options.activeTab
    return current?.part === 'undo' ? this.#shown.get(current.id) : undefined
  }

  /** Shows the next part that was not displayed. Returns false if everything was. */
  async #showMissing({ displayed, uri }: ShownUndo): Promise<boolean> {
    this.#options.recorder.recordAll()
    const [line] = displayed.missing()
    if (line === undefined) return false
    const visible = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString())
    const editor = visible ?? (await vscode.window.showTextDocument(uri, { preview: true }))
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop)
    return true
  }
}
