// Client capabilities sent to a server.
import type { ClientCapabilities, SymbolKind } from 'vscode-languageserver-protocol'
import type { PositionEncoding } from './position-converter.ts'

const ALL_SYMBOL_KINDS = Array.from({ length: 26 }, (_, i) => (i + 1) as SymbolKind)

/** In order of preference: with the first, columns need no conversion. */
const PREFERRED_ENCODINGS: PositionEncoding[] = ['utf-32', 'utf-8', 'utf-16']

export const CLIENT_CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: PREFERRED_ENCODINGS, markdown: { parser: 'none' } },
  window: { workDoneProgress: true, showMessage: {} },
  workspace: {
    applyEdit: false,
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    diagnostics: { refreshSupport: true },
    symbol: { symbolKind: { valueSet: ALL_SYMBOL_KINDS } },
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
    workspaceFolders: true
  },
  textDocument: {
    synchronization: { dynamicRegistration: false, didSave: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: ALL_SYMBOL_KINDS } },
    rename: { prepareSupport: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false }
  }
}
