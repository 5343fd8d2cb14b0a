// Requests the diagnostics of a file from tsserver, through its LSP wrapper. By itself the wrapper publishes them in pieces,
// without a version, and not at all if nothing has changed.
import type { DiagnosticSeverity, Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { CustomDiagnosticRequests } from './server-definition.ts'

const DIAGNOSTIC_COMMANDS = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync', 'suggestionDiagnosticsSync']

interface TsLocation {
  line: number
  offset: number
}

interface TsDiagnostic {
  start: TsLocation
  end: TsLocation
  text: string
  code?: number
  category: string
  source?: string
}

export const TSSERVER_DIAGNOSTIC_REQUESTS: CustomDiagnosticRequests = {
  requests: uri =>
    DIAGNOSTIC_COMMANDS.map(command => ({
      method: 'workspace/executeCommand',
      params: { command: 'typescript.tsserverRequest', arguments: [command, { file: uri }] }
    })),
  parseResponses: answers =>
    answers.flatMap(answer => (answer as { body?: readonly TsDiagnostic[] } | null)?.body ?? []).map(toLspDiagnostic)
}

function toLspDiagnostic({ start, end, text, code, category, source }: TsDiagnostic): ServerDiagnostic {
  return {
    range: { start: toLspPosition(start), end: toLspPosition(end) },
    message: text,
    severity: SEVERITIES[category] ?? 1,
    ...(code !== undefined && { code }),
    source: source ?? 'typescript'
  }
}

const SEVERITIES: Readonly<Record<string, DiagnosticSeverity>> = { error: 1, warning: 2, message: 3, suggestion: 4 }

const toLspPosition = ({ line, offset }: TsLocation) => ({ line: line - 1, character: offset - 1 })
