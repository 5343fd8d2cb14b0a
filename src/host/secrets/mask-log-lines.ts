// Redacts secrets from the log. Many parts of the server write to it, so it is redacted centrally, at the end.
import type { SecretMasker } from './secret-masker.ts'

interface LineSink {
  write(line: string): unknown
}

/** Takes lines of JSON and passes them on redacted, still JSON. */
export const maskLogLines = (out: LineSink, masking: Pick<SecretMasker, 'maskText' | 'maskValue'>): LineSink => ({
  write: line =>
    out.write(masking.maskText(line) === line ? line : `${JSON.stringify(masking.maskValue(JSON.parse(line)))}\n`)
})
