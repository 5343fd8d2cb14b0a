// The log on its way out. It is written by many hands, so what must not be in it is taken out at the end, once for all.
import type { Masking } from './secret-masker.ts'

interface Lines {
  write(line: string): unknown
}

/** Takes lines of JSON and hands them on without secrets, still JSON. */
export const maskedLines = (out: Lines, masking: Pick<Masking, 'masked' | 'maskedAll'>): Lines => ({
  write: line =>
    out.write(masking.masked(line) === line ? line : `${JSON.stringify(masking.maskedAll(JSON.parse(line)))}\n`)
})
