// Errors and warnings that the editor shows, for agents.
import * as vscode from 'vscode'
import type { EditorDiagnostic } from '../../../../src/client/client.ts'
import type { ServedWorkspace } from '../model/session.ts'
import { toWorkspaceFile } from '../model/workspace-paths.ts'

const MAX_DIAGNOSTICS = 1_000
const MAX_MESSAGE_LENGTH = 16_384
const MAX_CODE_LENGTH = 256

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const

/** Returns the diagnostics of the files of a workspace, most severe first. `path` is a file or a folder. */
export function listDiagnostics(
  workspaces: readonly ServedWorkspace[],
  workspace: string,
  path: string | undefined
): EditorDiagnostic[] {
  const isWanted = (file: string) => path === undefined || path === '.' || file === path || file.startsWith(`${path}/`)
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, diagnostics]) => {
      const file = uri.scheme === 'file' ? toWorkspaceFile(uri.fsPath, workspaces) : undefined
      if (file?.workspace !== workspace || !isWanted(file.path)) return []
      const document = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString())
      return diagnostics.map(diagnostic => toEditorDiagnostic(file.path, diagnostic, document))
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
    .slice(0, MAX_DIAGNOSTICS)
}

function toEditorDiagnostic(
  path: string,
  { range, severity, message, code, source }: vscode.Diagnostic,
  document: vscode.TextDocument | undefined
): EditorDiagnostic {
  const value = typeof code === 'object' ? code.value : code
  return {
    path,
    line: range.start.line + 1,
    column: toColumn(document, range.start),
    end_line: range.end.line + 1,
    end_column: toColumn(document, range.end),
    severity: SEVERITIES[severity] ?? 'information',
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    ...(value !== undefined && { code: String(value).slice(0, MAX_CODE_LENGTH) }),
    ...(source !== undefined && { source: source.slice(0, MAX_CODE_LENGTH) })
  }
}

/** Returns the column in characters, from 1. That of a file without a document is in UTF-16 units. */
function toColumn(document: vscode.TextDocument | undefined, { line, character }: vscode.Position): number {
  if (!document || line >= document.lineCount) return character + 1
  return [...document.lineAt(line).text.slice(0, character)].length + 1
}
