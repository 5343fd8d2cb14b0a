// Asks TypeScript's older server, through the one around it, what it finds in a file. By itself that one tells it in pieces,
// without saying of which version, and not at all where nothing has changed.
import type { DiagnosticSeverity, Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { Inquiry } from './server-definition.ts'

const KINDS = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync', 'suggestionDiagnosticsSync']

interface Location {
  line: number
  offset: number
}

interface TsDiagnostic {
  start: Location
  end: Location
  text: string
  code?: number
  category: string
  source?: string
}

export const TSSERVER_INQUIRY: Inquiry = {
  asks: uri =>
    KINDS.map(command => ({
      method: 'workspace/executeCommand',
      params: { command: 'typescript.tsserverRequest', arguments: [command, { file: uri }] }
    })),
  found: answers =>
    answers.flatMap(answer => (answer as { body?: readonly TsDiagnostic[] } | null)?.body ?? []).map(diagnosticOf)
}

function diagnosticOf({ start, end, text, code, category, source }: TsDiagnostic): ServerDiagnostic {
  return {
    range: { start: placeOf(start), end: placeOf(end) },
    message: text,
    severity: SEVERITIES[category] ?? 1,
    ...(code !== undefined && { code }),
    source: source ?? 'typescript'
  }
}

const SEVERITIES: Readonly<Record<string, DiagnosticSeverity>> = { error: 1, warning: 2, message: 3, suggestion: 4 }

const placeOf = ({ line, offset }: Location) => ({ line: line - 1, character: offset - 1 })
