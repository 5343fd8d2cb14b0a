// Edits the parameters of a waiting call as JSON. The server checks them; the card then shows the new preview, which can be approved.
import * as vscode from 'vscode'
import { previewEditedCall } from '../model/edited-call.ts'
import type { Session } from '../model/session.ts'
import type { WaitingEntry } from '../model/waiting-calls.ts'
import type { ActiveTab } from './active-tab.ts'
import type { CallEditors } from './call-editors.ts'
import { type RegisterCommand, report, showBriefly, toEntry } from './commands.ts'
import type { MemoryFiles } from './memory-files.ts'
import { paramsUri, parseUri } from './uris.ts'

interface ParamsEditorOptions {
  readonly session: Session
  readonly files: MemoryFiles
  readonly editors: CallEditors
  readonly activeTab: ActiveTab
}

export class ParamsEditor implements vscode.Disposable {
  readonly #options: ParamsEditorOptions
  readonly #listener: vscode.Disposable

  constructor(options: ParamsEditorOptions) {
    this.#options = options
    this.#listener = options.session.calls.settled.listen(({ entry }) => void this.#close(entry))
  }

  register(command: RegisterCommand) {
    const { session, activeTab } = this.#options
    const find = (entry?: WaitingEntry) => session.calls.find(entry?.call.tool_call_id ?? activeTab.current?.id)
    command('toolgate.editParams', async (argument?: unknown) => {
      const entry = find(toEntry(argument))
      if (entry) await this.#open(entry)
      else showBriefly('no waiting call is open')
    })
    command('toolgate.previewParams', async () => {
      const entry = find()
      if (entry) await this.#preview(entry)
      else showBriefly('this call no longer waits')
    })
  }

  dispose() {
    this.#listener.dispose()
  }

  async #open(entry: WaitingEntry) {
    const { call, edited, editedText } = entry
    const uri = paramsUri(call.tool_call_id, call.tool)
    if (!findDocument(uri)) {
      const text = edited?.text ?? editedText ?? JSON.stringify(call.params, null, 2)
      this.#options.files.set(uri, `${text.trimEnd()}\n`)
    }
    await vscode.window.showTextDocument(uri, { preview: false })
    showBriefly('the check mark above the editor previews the call with these parameters')
  }

  async #preview(entry: WaitingEntry) {
    const { session, editors } = this.#options
    const { call } = entry
    const text = findDocument(paramsUri(call.tool_call_id, call.tool))?.getText()
    if (text === undefined) return showBriefly('the parameters are not open')
    const edited = await previewEditedCall(session.requireClient(), call, text)
    const now = session.calls.find(call.tool_call_id)
    if (now?.call !== call)
      return report({ level: 'warning', text: 'The call has changed or was decided. Preview the parameters again.' })
    session.calls.edit(now, edited)
    await this.#close(now)
    await editors.showCard(session.calls.find(call.tool_call_id)!)
    showBriefly('this is the new preview; nothing was approved yet')
  }

  async #close({ call }: WaitingEntry) {
    const { files, activeTab } = this.#options
    const uri = paramsUri(call.tool_call_id, call.tool)
    const tabs = activeTab
      .tabsOf(call.tool_call_id)
      .filter(({ input }) => input instanceof vscode.TabInputText && parseUri(input.uri)?.part === 'params')
    await files.remove(uri, tabs)
  }
}

const findDocument = (uri: vscode.Uri) =>
  vscode.workspace.textDocuments.find(each => !each.isClosed && each.uri.toString() === uri.toString())
