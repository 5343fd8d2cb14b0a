// Runs one group of test files in a process and parses its TAP output.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Parser, type Result } from 'tap-parser'

const OWN_COVERAGE = path.resolve('test/support/own-coverage.ts')
/** Limit of a test process's stderr; the rest is dropped. */
const MAX_STDERR = 100_000
/** A process that prints nothing for this long is stuck: the limits of its files should end them before. */
const SILENCE_MS = 180_000 * Number(process.env.TEST_LIMIT_FACTOR ?? 1)

export interface Failure {
  /** File, tests and assertion, joined by ` > `. */
  name: string
  details?: unknown
}

export interface FileResult {
  file: string
  passed: number
  failures: Failure[]
  ms: number
  /** Processor time of the file and its child processes. */
  processorMs: number
  /** The parts of the machine that its tests needed and that are missing. */
  missing: string[]
}

export interface GroupResult {
  files: FileResult[]
  /** The reasons of skipped tests, once per test. */
  skips: string[]
  /** Stderr of the process; only of a group in which something failed. */
  stderr: string
}

/**
 * Runs these files sequentially in a process; `onFile` is called as each ends. A file that the process is stuck in, or that ends
 * it, fails; the files after it run in another process. Never rejects.
 */
export async function runGroup(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  onFile: (file: FileResult) => void
): Promise<GroupResult> {
  const preloads = env.COVERAGE_DIR === undefined ? [] : ['--import', OWN_COVERAGE]
  const child = spawn(process.execPath, [...preloads, 'test/support/run-files.ts'], {
    env: { ...env, TEST_FILES: JSON.stringify(files) },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    if (stderr.length < MAX_STDERR) stderr += text
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>

  const results: FileResult[] = []
  const skips: string[] = []
  const parser = new Parser()
  let current = newFile(files[0]!)
  /** The innermost test that has begun, for the report of a process that is stuck. */
  let running = ''
  let begun = 0
  parser.on('child', test => {
    begun++
    watch(test)
  })
  parser.on('pass', () => current.passed++)
  parser.on('fail', result => current.failures.push(failureOf(result)))
  parser.on('skip', result => skips.push(typeof result.skip === 'string' ? result.skip : ''))
  parser.on('comment', comment => {
    current.processorMs = Number(/^# processor ms: (\d+)/.exec(comment)?.[1] ?? current.processorMs)
    current.missing = /^# missing: (.+)/.exec(comment)?.[1]?.trim().split(', ') ?? current.missing
  })
  parser.on('assert', result => {
    current.file = result.name
    current.ms = result.time ?? 0
    if (!result.ok && current.failures.length === 0) current.failures.push(failureOf(result))
    results.push(current)
    onFile(current)
    const next = files[results.length]
    if (next) current = newFile(next)
  })

  let isStuck = false
  const silence = setTimeout(() => {
    isStuck = true
    child.kill('SIGKILL')
  }, SILENCE_MS)
  child.stdout.on('data', chunk => {
    silence.refresh()
    parser.write(chunk)
  })
  const [code, signal] = await ended
  clearTimeout(silence)
  parser.end()

  const unfinished = files[results.length]
  if (unfinished !== undefined && (begun > results.length || results.length === 0)) {
    const how = isStuck ? `was stuck in ${running} and killed` : `ended with ${signal ?? `exit code ${code}`}`
    const name = `${unfinished} > the process ${how} before the file had ended`
    const lost = { ...newFile(unfinished), failures: [{ name }] }
    results.push(lost)
    onFile(lost)
  }
  const failed = code !== 0 || results.some(({ failures }) => failures.length > 0)
  if (failed && results.every(({ failures }) => failures.length === 0))
    results
      .at(-1)!
      .failures.push({ name: `${files.join(' ')} > the process ended with ${signal ?? `exit code ${code}`}` })
  const group = { files: results, skips, stderr: failed ? stderr : '' }
  const left = files.slice(results.length)
  if (left.length === 0) return group
  const rest = await runGroup(left, env, onFile)
  return {
    files: [...results, ...rest.files],
    skips: [...skips, ...rest.skips],
    stderr: group.stderr + rest.stderr
  }

  function watch(test: Parser) {
    running = test.fullname
    test.on('child', watch)
  }
}

const newFile = (file: string): FileResult => ({ file, passed: 0, failures: [], ms: 0, processorMs: 0, missing: [] })

const failureOf = ({ fullname, diag }: Result): Failure => ({ name: fullname, ...(diag && { details: diag }) })
