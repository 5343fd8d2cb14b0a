// Effects that the server can request for a call: showing files, diagnostics, proposals, changes of unsaved text. None takes the focus.
import { createHash } from 'node:crypto'
import * as vscode from 'vscode'
import type { Delegation } from '../../../../src/client/client.ts'
import type { EffectHandlers } from '../../../../src/client/delegation-handling.ts'
import type { Session } from '../model/session.ts'
import { findChange } from '../model/text-change.ts'
import { toAbsolutePath } from '../model/workspace-paths.ts'
import type { ActiveTab } from './active-tab.ts'
import { listDiagnostics } from './diagnostics.ts'
import type { Proposals } from './proposals.ts'
import type { UnsavedText } from './unsaved-text.ts'

interface EffectOptions {
  readonly session: Session
  readonly activeTab: ActiveTab
  readonly proposals: Proposals
  readonly unsavedText: UnsavedText
}

export function createEffectHandlers({ session, activeTab, proposals, unsavedText }: EffectOptions): EffectHandlers {
  const uriOf = ({ workspace }: Delegation, path: string) =>
    vscode.Uri.file(toAbsolutePath({ workspace, path }, session.workspaces))

  return {
    'editor.open': ({ path, line = 1, column = 1 }, { delegation }) =>
      openFile(uriOf(delegation, path), { line, column }),

    'editor.diagnostics': ({ path }, { delegation }) => ({
      diagnostics: listDiagnostics(session.workspaces, delegation.workspace, path)
    }),

    'editor.apply_edit': async ({ path, before_hash, content }, { delegation }) => {
      const document = findUnsaved(uriOf(delegation, path))
      if (hash(document.getText()) !== before_hash) throw new Error('The unsaved text of the file has changed.')
      await replaceText(document, content)
      await unsavedText.report()
      return { content_hash: hash(document.getText()) }
    },

    'editor.show_diff': (params, { delegation, signal }) => proposals.propose(delegation.delegation_id, params, signal),

    // The notification and the tree show that the call waits. The view ends when the person closes it, or the call is decided.
    'preview.open': async (_params, { delegation, signal }) => {
      await activeTab.opened(delegation.tool_call_id, signal)
      await activeTab.closed(delegation.tool_call_id, signal)
    }
  }
}

/** Shows a file at a position, in an editor that shows it already or beside the active one. */
async function openFile(uri: vscode.Uri, { line, column }: { line: number; column: number }) {
  const shown = vscode.window.visibleTextEditors.find(editor => editor.document.uri.toString() === uri.toString())
  const active = vscode.window.activeTextEditor
  const viewColumn = shown?.viewColumn ?? (active ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active)
  const editor = await vscode.window.showTextDocument(uri, { preserveFocus: true, preview: true, viewColumn })
  const { document } = editor
  const row = Math.min(line, document.lineCount) - 1
  // Columns are counted in characters, positions in UTF-16 units.
  const before = [...document.lineAt(row).text].slice(0, column - 1).join('')
  const position = new vscode.Position(row, before.length)
  // The selection of the active editor belongs to the person.
  if (editor !== active) editor.selection = new vscode.Selection(position, position)
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport)
}

function findUnsaved(uri: vscode.Uri): vscode.TextDocument {
  const document = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString())
  if (!document?.isDirty) throw new Error('This editor has no unsaved changes of the file.')
  return document
}

/** Changes the part of the text that differs, so that cursors elsewhere stay. */
async function replaceText(document: vscode.TextDocument, text: string) {
  const { start, end, inserted } = findChange(document.getText(), text)
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end))
  const edit = new vscode.WorkspaceEdit()
  edit.replace(document.uri, range, inserted)
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error('The editor did not apply the change.')
}

const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
