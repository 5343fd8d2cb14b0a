// Buttons above a card, with their keys.
import * as vscode from 'vscode'
import type { Session } from '../model/session.ts'
import { isStrict, type WaitingEntry } from '../model/waiting-calls.ts'
import { parseUri, SCHEME } from './uris.ts'

/** Creates the buttons of the first line of each card. */
export function createCardLenses({ calls }: Session): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>()
  const registration = vscode.languages.registerCodeLensProvider(
    { scheme: SCHEME, language: 'toolgate-card' },
    {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses({ uri }) {
        const ref = parseUri(uri)
        const entry = calls.find(ref?.id)
        const buttons = ref?.part === 'undo' ? UNDO : entry ? listButtons(entry) : []
        const range = new vscode.Range(0, 0, 0, 0)
        return buttons.map(([title, command]) => new vscode.CodeLens(range, { title, command }))
      }
    }
  )
  // VS Code keeps the buttons of the earlier text until it has loaded the new one.
  const loaded = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.uri.scheme === SCHEME) changed.fire()
  })
  const update = () => changed.fire()
  return vscode.Disposable.from(
    registration,
    changed,
    loaded,
    calls.renewed.listen(update),
    calls.settled.listen(update)
  )
}

type Button = readonly [title: string, command: string]

const UNDO: readonly Button[] = [['$(discard) Undo these changes (y)', 'toolgate.undoShown']]

function listButtons(entry: WaitingEntry): Button[] {
  const { call, edited } = entry
  const hasRules = !edited && call.approval.always_options.length > 0
  const hasDiff = !edited && call.approval.preview.diff !== undefined
  return [
    [`$(check) Approve${isStrict(entry) ? '…' : ''} (y)`, 'toolgate.approve'],
    ['$(close) Reject (n)', 'toolgate.reject'],
    ['Reject with a reason… (r)', 'toolgate.rejectWithReason'],
    ...(hasRules ? [['Always… (a)', 'toolgate.always'] as const] : []),
    ['Edit… (e)', 'toolgate.editParams'],
    ...(edited ? [['Restore (u)', 'toolgate.restoreParams'] as const] : []),
    ...(hasDiff ? [['Compare (d)', 'toolgate.compare'] as const] : [])
  ]
}
