// Diff of diagnostics: finds the errors and warnings that are new. Those of a line that was only shifted are not.
import type { Diagnostic } from '../../host/lsp/language-service.ts'

export interface DiagnosticsDiff {
  fresh: Diagnostic[]
  /** Number of diagnostics that disappeared. */
  gone: number
}

/** Compares diagnostics. `shift`: number of lines by which the file has grown. */
export function diffDiagnostics(before: readonly Diagnostic[], now: readonly Diagnostic[], shift = 0): DiagnosticsDiff {
  const left = Map.groupBy(before, diagnosticKey)
  const unmatched: Diagnostic[] = []
  // Match unmoved diagnostics, and those shifted with all that follows an edit, before the rest.
  for (const each of now) {
    const same = left.get(diagnosticKey(each)) ?? []
    const { line } = each.start
    const at = same.findIndex(({ start }) => start.line === line || start.line + shift === line)
    if (at >= 0) same.splice(at, 1)
    else unmatched.push(each)
  }
  const fresh = unmatched.filter(each => left.get(diagnosticKey(each))?.shift() === undefined)
  const gone = [...left.values()].reduce((sum, same) => sum + same.length, 0)
  return { fresh, gone }
}

const diagnosticKey = ({ severity, source = '', code = '', message }: Diagnostic) =>
  [severity, source, code, message].join('\0')
