// Which of the errors and warnings that are there now were not there before. A line that was only pushed up or down keeps
// what was wrong with it.
import type { Diagnostic } from '../../host/lsp/language-service.ts'

export interface DiagnosticsDiff {
  fresh: Diagnostic[]
  /** How many are no longer there. */
  gone: number
}

/** `shift`: how many lines more the file has now. */
export function diffDiagnostics(before: readonly Diagnostic[], now: readonly Diagnostic[], shift = 0): DiagnosticsDiff {
  const left = Map.groupBy(before, diagnosticKey)
  const unmatched: Diagnostic[] = []
  // What stands where it stood, or was moved with all that follows an edit, is matched before the rest may take its place.
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
