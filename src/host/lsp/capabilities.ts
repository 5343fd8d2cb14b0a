// What we tell a server that we can do, and what we make of what it says that it can.

const KINDS = Array.from({ length: 26 }, (_, i) => i + 1)

/** In the order that we like them: with the first, columns need no counting. */
const ENCODINGS = ['utf-32', 'utf-8', 'utf-16'] as const

export const CLIENT_CAPABILITIES = {
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

/** What a server says of itself, as far as we go by it. */
export interface ServerCapabilities {
  positionEncoding?: string
  textDocumentSync?: number | { save?: boolean | object; openClose?: boolean; change?: number }
  definitionProvider?: unknown
  referencesProvider?: unknown
  hoverProvider?: unknown
  documentSymbolProvider?: unknown
  workspaceSymbolProvider?: unknown
  renameProvider?: boolean | { prepareProvider?: boolean }
  diagnosticProvider?: DiagnosticOptions
}

export interface DiagnosticOptions {
  identifier?: string
  workspaceDiagnostics?: boolean
}

export interface InitializeResult {
  capabilities?: ServerCapabilities
  serverInfo?: { name?: string; version?: string }
}
