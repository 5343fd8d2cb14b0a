// Requests to tsserver through its LSP wrapper: the diagnostics of a file, and a reload of all projects. By itself the wrapper
// publishes diagnostics in pieces, without a version, and not at all if nothing has changed.
import type { DiagnosticSeverity, Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { CustomDiagnosticRequests, ProjectReload } from './server-definition.ts'

const TSSERVER_COMMAND = 'typescript.tsserverRequest'

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
      params: { command: TSSERVER_COMMAND, arguments: [command, { file: uri }] }
    })),
  parseResponses: answers =>
    answers.flatMap(answer => (answer as { body?: readonly TsDiagnostic[] } | null)?.body ?? []).map(toLspDiagnostic)
}

/**
 * tsserver watches files itself. It resolves imports of created files again once its watcher reports them, which may be up to a
 * second after later requests, and never if the file was opened by then.
 */
export const TSSERVER_RELOAD: ProjectReload = {
  request: {
    method: 'workspace/executeCommand',
    // Before version 5.6 tsserver does not respond, and the wrapper would hold back all later requests.
    params: { command: TSSERVER_COMMAND, arguments: ['reloadProjects', null, { expectsResult: false }] }
  },
  dependsOn: ['.json']
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
