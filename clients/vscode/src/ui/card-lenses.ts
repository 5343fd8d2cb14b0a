// Buttons above a card, with their keys.
import * as vscode from 'vscode'
import { coalesce } from '../model/coalesce.ts'
import type { Session } from '../model/session.ts'
import { isStrict, type WaitingEntry } from '../model/waiting-calls.ts'
import { parseUri, SCHEME } from './uris.ts'

/** VS Code forgets a change if the editor loses the focus at once, so that it is reported again after this time. */
const REPEAT_MS = 2_000

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
        const buttons = ref?.part === 'undo' ? UNDO : entry ? listButtons(entry) : ENDED
        const range = new vscode.Range(0, 0, 0, 0)
        return buttons.map(([title, command]) => new vscode.CodeLens(range, { title, command }))
      }
    }
  )
  const later = coalesce(REPEAT_MS, async () => changed.fire())
  const update = () => {
    changed.fire()
    later.request()
  }
  // VS Code keeps the buttons of the earlier text until it has loaded the new one.
  const loaded = vscode.workspace.onDidChangeTextDocument(({ document }) => {
    if (document.uri.scheme === SCHEME) update()
  })
  return vscode.Disposable.from(
    registration,
    changed,
    later,
    loaded,
    calls.renewed.listen(update),
    calls.settled.listen(update)
  )
}

type Button = readonly [title: string, command: string]

const UNDO: readonly Button[] = [['$(discard) Undo these changes (y)', 'toolgate.undoShown']]

const ENDED: readonly Button[] = [
  ['Next waiting call (Space)', 'toolgate.review'],
  ['Undo… (u)', 'toolgate.undo']
]

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
