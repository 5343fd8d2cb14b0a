// The log on its way out. It is written by many hands, so what must not be in it is taken out at the end, once for all.
import type { SecretMasker } from './secret-masker.ts'

interface LineSink {
  write(line: string): unknown
}

/** Takes lines of JSON and hands them on without secrets, still JSON. */
export const maskLogLines = (out: LineSink, masking: Pick<SecretMasker, 'maskText' | 'maskValue'>): LineSink => ({
  write: line =>
    out.write(masking.maskText(line) === line ? line : `${JSON.stringify(masking.maskValue(JSON.parse(line)))}\n`)
})
