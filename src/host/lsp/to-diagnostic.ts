// Converts LSP diagnostics.
import type { Diagnostic as ServerDiagnostic } from 'vscode-languageserver-protocol'
import type { Diagnostic, Severity, SourceLocation } from './language-service.ts'

/** In the protocol's order, from 1. A missing severity counts as the worst. */
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'information', 'hint']
const MAX_MESSAGE_CHARACTERS = 10_000

export function toDiagnostic(
  { severity = 1, code, source, message }: ServerDiagnostic,
  place: SourceLocation
): Diagnostic {
  const text = typeof message === 'string' ? message : message.value
  return {
    ...place,
    severity: SEVERITIES[severity - 1] ?? 'error',
    message: text.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(),
    ...(code !== undefined && { code: String(code) }),
    ...(source !== undefined && { source })
  }
}
