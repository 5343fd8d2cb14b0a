// What we tell a server that we can do.
import type { ClientCapabilities, SymbolKind } from 'vscode-languageserver-protocol'
import type { Units } from './position-converter.ts'

const KINDS = Array.from({ length: 26 }, (_, i) => (i + 1) as SymbolKind)

/** In the order that we like them: with the first, columns need no counting. */
const ENCODINGS: Units[] = ['utf-32', 'utf-8', 'utf-16']

export const CLIENT_CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ENCODINGS, markdown: { parser: 'none' } },
  window: { workDoneProgress: true, showMessage: {} },
  workspace: {
    applyEdit: false,
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    diagnostics: { refreshSupport: true },
    symbol: { symbolKind: { valueSet: KINDS } },
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
    workspaceFolders: true
  },
  textDocument: {
    synchronization: { dynamicRegistration: false, didSave: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: KINDS } },
    rename: { prepareSupport: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false }
  }
}
