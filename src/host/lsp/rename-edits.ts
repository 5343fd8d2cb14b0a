// Converts the workspace edit of a rename. An edit that is not certainly valid is refused as a whole. Servers read files that are
// not open as UTF-8: in other encodings they count other columns, except after ASCII.
import type { Range, TextDocumentEdit, WorkspaceEdit } from 'vscode-languageserver-protocol'
import { ToolError } from '../../errors.ts'
import { relativeToRoot } from '../../text/root-path.ts'
import type { Workspace } from '../workspace.ts'
import type { DocumentText, DocumentTextProvider } from './document-text-provider.ts'
import type { RenamedFile } from './language-service.ts'
import type { LspSession } from './lsp-session.ts'
import { fileUriToPath } from './wire/file-uris.ts'
import { PositionConverter } from './wire/position-converter.ts'

interface PlannedEdits {
  edits: TextDocumentEdit['edits']
  version: number | undefined
  movedTo: string | undefined
}

interface ConvertedRename {
  files: RenamedFile[]
  /** Files of which the server read another text: once they are open, it counts as we do. */
  misread: string[]
}

export async function convertRename(
  edit: WorkspaceEdit,
  workspace: Workspace,
  sources: DocumentTextProvider,
  session: LspSession
): Promise<ConvertedRename> {
  const files: RenamedFile[] = []
  const misread: string[] = []
  for (const [path, { edits, version, movedTo }] of planEdits(edit, workspace)) {
    const open = session.documents.get(path)
    const source = open ?? (await sources.read(path))
    if (version !== undefined && session.documents.get(path)?.version !== version)
      throw new ToolError('STALE_FILE', `${path} changed while the rename was computed.`, { path })
    const positions = new PositionConverter(source.text, session.encoding)
    if (!open && source.foreign && !edits.every(({ range }) => isCertain(range, source, positions))) {
      misread.push(path)
      continue
    }
    files.push({
      path,
      ...(movedTo !== undefined && { movedTo }),
      hash: source.hash,
      edits: sortEdits(path, edits, positions)
    })
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), misread }
}

/** Checks if a range is the same however the bytes of its lines are read: nothing but ASCII precedes its end. */
function isCertain({ start, end }: Range, { text, foreign }: DocumentText, positions: PositionConverter): boolean {
  if (foreign?.startsWith('utf-16') || !positions.isValid(start) || !positions.isValid(end)) return false
  const from = text.lastIndexOf('\n', positions.offsetAt(start) - 1) + 1
  return /^[\0-\x7f]*$/.test(text.slice(from, positions.offsetAt(end)))
}

export const misreadError = (server: string, paths: readonly string[]): ToolError =>
  new ToolError(
    'EXECUTION_ERROR',
    `${server} reads files as UTF-8, but these files have another encoding: ${paths.slice(0, MAX_PATHS_SHOWN).join(', ')}${paths.length > MAX_PATHS_SHOWN ? ' …' : ''}. ` +
      'The positions of the changes are uncertain, so nothing was changed. Save the files in UTF-8, or edit them without ' +
      'rename_symbol.',
    { paths: paths.slice(0, MAX_PATHS_REPORTED) }
  )

const MAX_PATHS_SHOWN = 10
const MAX_PATHS_REPORTED = 100

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
      throw new ToolError(
        'EXECUTION_ERROR',
        `The language server would ${change.kind} a file for this rename, which is not supported.`
      )
  return files
}

function pathWithin(uri: string, workspace: Workspace): string {
  const absolute = fileUriToPath(uri)
  const path = absolute && relativeToRoot(workspace, absolute)
  if (path) return path
  throw new ToolError('INVALID_PATH', `The rename would change ${absolute ?? uri}, which is outside the workspace.`, {
    path: absolute ?? uri
  })
}

function sortEdits(path: string, edits: TextDocumentEdit['edits'], positions: PositionConverter): RenamedFile['edits'] {
  const wrong = (what: string) =>
    new ToolError('EXECUTION_ERROR', `The language server's change of ${path} ${what}. Nothing was changed.`, { path })
  const placed = edits
    .map(edit => {
      const { range } = edit
      // A snippet has no text, nor is it for a client without the snippet capability.
      const text = 'newText' in edit ? edit.newText : undefined
      if (typeof text !== 'string') throw wrong('is not plain text')
      if (!positions.isValid(range.start) || !positions.isValid(range.end)) throw wrong('is outside the file')
      return { from: positions.offsetAt(range.start), to: positions.offsetAt(range.end), text }
    })
    .sort((a, b) => a.from - b.from || a.to - b.to)
  for (const [i, { from, to }] of placed.entries())
    if (to < from || from < (placed[i - 1]?.to ?? 0)) throw wrong('overlaps another change of the file')
  return placed.map(({ from, to, text }) => ({
    start: positions.positionAt(from),
    end: positions.positionAt(to),
    text
  }))
}
