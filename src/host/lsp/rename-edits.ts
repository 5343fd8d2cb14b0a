// Converts the workspace edit of a rename. An edit that is not certainly valid is refused as a whole.
import type { TextDocumentEdit, WorkspaceEdit } from 'vscode-languageserver-protocol'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../workspace.ts'
import type { DocumentTextProvider } from './document-text-provider.ts'
import type { RenamedFile } from './language-service.ts'
import type { LspSession } from './lsp-session.ts'
import { fileUriToPath, relativePathWithin } from './wire/file-uris.ts'
import { PositionConverter } from './wire/position-converter.ts'

interface PlannedEdits {
  edits: TextDocumentEdit['edits']
  version: number | undefined
  movedTo: string | undefined
}

export async function toRenamedFiles(
  edit: WorkspaceEdit,
  workspace: Workspace,
  sources: DocumentTextProvider,
  session: LspSession
): Promise<RenamedFile[]> {
  const files: RenamedFile[] = []
  for (const [path, { edits, version, movedTo }] of planEdits(edit, workspace)) {
    const source = session.documents.get(path) ?? (await sources.read(path))
    if (version !== undefined && session.documents.get(path)?.version !== version)
      throw new ToolError('STALE_FILE', `${path} changed while the server worked the rename out.`, { path })
    const positions = new PositionConverter(source.text, session.encoding)
    files.push({
      path,
      ...(movedTo !== undefined && { movedTo }),
      hash: source.hash,
      edits: sortEdits(path, edits, positions)
    })
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function planEdits({ changes = {}, documentChanges }: WorkspaceEdit, workspace: Workspace): Map<string, PlannedEdits> {
  const files = new Map<string, PlannedEdits>()
  const at = (uri: string) => {
    const path = pathWithin(uri, workspace)
    const known = files.get(path) ?? { edits: [], version: undefined, movedTo: undefined }
    files.set(path, known)
    return known
  }
  const all =
    documentChanges ?? Object.entries(changes).map(([uri, edits]) => ({ textDocument: { uri, version: null }, edits }))
  for (const change of all)
    if ('edits' in change) {
      const file = at(change.textDocument.uri)
      file.edits.push(...change.edits)
      file.version = change.textDocument.version ?? file.version
    } else if (change.kind === 'rename') at(change.oldUri).movedTo = pathWithin(change.newUri, workspace)
    else
      throw new ToolError('EXECUTION_ERROR', `The server would ${change.kind} a file to rename this: that is not done.`)
  return files
}

function pathWithin(uri: string, { root }: Workspace): string {
  const absolute = fileUriToPath(uri)
  const path = absolute && relativePathWithin(root, absolute)
  if (path) return path
  throw new ToolError('INVALID_PATH', `The rename would change ${absolute ?? uri}, which is outside the workspace.`, {
    path: absolute ?? uri
  })
}

function sortEdits(path: string, edits: TextDocumentEdit['edits'], positions: PositionConverter): RenamedFile['edits'] {
  const wrong = (what: string) =>
    new ToolError('EXECUTION_ERROR', `What the server would change in ${path} ${what}: nothing is changed.`, { path })
  const placed = edits
    .map(edit => {
      const { range } = edit
      // A snippet has no text, nor is it for a client without the snippet capability.
      const text = 'newText' in edit ? edit.newText : undefined
      if (typeof text !== 'string') throw wrong('is no plain text')
      if (!positions.isValid(range.start) || !positions.isValid(range.end)) throw wrong('is not in the file')
      return { from: positions.offsetAt(range.start), to: positions.offsetAt(range.end), text }
    })
    .sort((a, b) => a.from - b.from || a.to - b.to)
  for (const [i, { from, to }] of placed.entries())
    if (to < from || from < (placed[i - 1]?.to ?? 0)) throw wrong('overlaps')
  return placed.map(({ from, to, text }) => ({
    start: positions.positionAt(from),
    end: positions.positionAt(to),
    text
  }))
}
