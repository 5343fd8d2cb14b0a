// Finds files that cost more processor time than the quick tier allows.
import { REFERENCE_MS } from './machine-speed.ts'

/**
 * Maximum cost of a file of the quick tier in starts of Node: 8 s of processor time on the machine of the reference. Most files
 * take half as much.
 */
const MAX_QUICK_COST = 120

/** The processor time of a test file, and of a start of Node at that time, both in milliseconds. */
export interface FileCost {
  processorMs: number
  startMs: number
}

/**
 * Describes the files that cost more than the quick tier allows. The same file takes up to three times as much beside others as
 * alone, since they share caches and the clock of the processor: a file is named only if it is too expensive in `measureAgain`,
 * too, which runs it alone.
 */
export async function describeExpensiveFiles(
  files: readonly { file: string; processorMs: number }[],
  startMs: number,
  measureAgain: (file: string) => Promise<FileCost>
): Promise<string[]> {
  const described: string[] = []
  for (const { file, processorMs } of files) {
    if (processorMs / startMs <= MAX_QUICK_COST) continue
    const alone = await measureAgain(file)
    const starts = Math.min(processorMs / startMs, alone.processorMs / alone.startMs)
    if (starts > MAX_QUICK_COST)
      described.push(
        `${file} takes ${toSeconds(starts)} s of processor time where a start of Node takes ${REFERENCE_MS} ms: ` +
          `a file of the quick tier may take ${toSeconds(MAX_QUICK_COST)} s. Split it, or move it to the tier "full".`
      )
  }
  return described
}

const toSeconds = (starts: number) => ((starts * REFERENCE_MS) / 1_000).toFixed(1)
