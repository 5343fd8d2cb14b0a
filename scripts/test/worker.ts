// Runs test files in a process, one after the other, and parses its TAP output.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Parser, type Result } from 'tap-parser'
import { NEXT_FILE, type RunnerMessage } from '../../test/support/runner-messages.ts'
import type { MachineSpeed } from './machine-speed.ts'

const OWN_COVERAGE = path.resolve('test/support/own-coverage.ts')
/** Limit of a test process's stderr; the rest is dropped. */
const MAX_STDERR = 100_000
/** A process that prints nothing for this long is stuck, times the limit factor: the limits of its files should end them before. */
const SILENCE_MS = 600_000

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

export interface ProcessResult {
  files: FileResult[]
  /** The reasons of skipped tests, once per test. */
  skips: string[]
  /** Stderr of the process; only of one in which something failed. */
  stderr: string
}

export interface ProcessOptions {
  env: NodeJS.ProcessEnv
  /** The first file to run in the process. */
  first: string
  /** Takes a further file to run in the process; undefined ends it. */
  next(): string | undefined
  /** Called as each file ends. */
  onFile(file: FileResult): void
  speed: MachineSpeed
  /** Kills the process. */
  signal: AbortSignal
}

/**
 * Runs files in a process until there are no more, the process has become large, or a file has ended it: that file fails. Files
 * that are left are for another process. Never rejects.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const { env, first, next, onFile, speed, signal } = options
  const preloads = env.COVERAGE_DIR === undefined ? [] : ['--import', OWN_COVERAGE]
  const child = spawn(process.execPath, [...preloads, 'test/support/run-files.ts'], {
    env: { ...env, TEST_LIMIT_FACTOR: String(speed.limitFactor) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', text => {
    if (stderr.length < MAX_STDERR) stderr += text
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>

  const given = [first]
  let isFirst = true
  // The channel may have been closed by the end of the process.
  const send = (message: RunnerMessage) => child.connected && child.send(message, () => {})
  child.on('message', message => {
    if (message !== NEXT_FILE) return
    const file = isFirst ? first : next()
    if (!isFirst && file !== undefined) given.push(file)
    isFirst = false
    send(file === undefined ? { type: 'end' } : { type: 'file', file })
  })
  const sendFactor = () => send({ type: 'limit-factor', factor: speed.limitFactor })
  speed.addEventListener('change', sendFactor)

  const results: FileResult[] = []
  const skips: string[] = []
  const parser = new Parser()
  let current = newFile()
  /** The innermost test that has begun, for the report of a process that is stuck. */
  let running = ''
  parser.on('child', watch)
  parser.on('pass', () => current.passed++)
  parser.on('fail', result => ownerOf(result).failures.push(failureOf(result)))
  parser.on('skip', result => skips.push(typeof result.skip === 'string' ? result.skip : ''))
  parser.on('comment', comment => {
    current.processorMs = Number(/^# processor ms: (\d+)/.exec(comment)?.[1] ?? current.processorMs)
    current.missing = /^# missing: (.+)/.exec(comment)?.[1]?.trim().split(', ') ?? current.missing
  })
  parser.on('assert', result => {
    if (result.name !== given[results.length]) return
    current.file = result.name
    current.ms = result.time ?? 0
    if (!result.ok && current.failures.length === 0) current.failures.push(failureOf(result))
    results.push(current)
    onFile(current)
    current = newFile()
  })

  let isStuck = false
  const becomeStuck = () => {
    isStuck = true
    kill()
  }
  let silence = setTimeout(becomeStuck, SILENCE_MS * speed.limitFactor)
  child.stdout!.on('data', chunk => {
    clearTimeout(silence)
    silence = setTimeout(becomeStuck, SILENCE_MS * speed.limitFactor)
    parser.write(chunk)
  })
  const [code, endSignal] = await ended
  clearTimeout(silence)
  signal.removeEventListener('abort', kill)
  speed.removeEventListener('change', sendFactor)
  parser.end()

  const how = isStuck ? `was stuck in ${running} and killed` : `ended with ${endSignal ?? `exit code ${code}`}`
  const unfinished = given[results.length]
  if (unfinished !== undefined) {
    const name = `${unfinished} > the process ${how} before the file had ended`
    const lost = { ...newFile(), file: unfinished, failures: [{ name }] }
    results.push(lost)
    onFile(lost)
  }
  const hasFailures = results.some(({ failures }) => failures.length > 0)
  if (code !== 0 && (!hasFailures || (unfinished === undefined && endSignal !== null)))
    results.at(-1)!.failures.push({ name: `${given.join(' ')} > the process ${how}` })
  const failed = code !== 0 || hasFailures
  return { files: results, skips, stderr: failed ? stderr : '' }

  /** Returns the file that an assertion belongs to. A promise of an earlier file may be rejected while a later one runs. */
  function ownerOf({ fullname, diag }: Result): FileResult {
    const expected = given[results.length]
    if (expected !== undefined && fullname.startsWith(expected)) return current
    const ended = results.find(({ file }) => file === diag?.test)
    return ended ?? (expected === undefined ? results.at(-1)! : current)
  }

  function watch(test: Parser) {
    running = test.fullname
    test.on('child', watch)
  }
}

const newFile = (): FileResult => ({ file: '', passed: 0, failures: [], ms: 0, processorMs: 0, missing: [] })

const failureOf = ({ fullname, diag }: Result): Failure => ({ name: fullname, ...(diag && { details: diag }) })
