// Finds the tokens of texts in a worker, which is loaded when the first text needs it. Without an answer in time, texts stay plain.
import type { Language } from './languages.ts'
import { type HighlightAnswer, type HighlightRequest, type LineTokens, splitTokens } from './tokens.ts'

/** Longer lines stay plain, in characters. */
const MAX_LINE_LENGTH = 1_000
/** Longer texts stay plain, in characters. */
const MAX_TEXT_LENGTH = 200_000
/** Time for one text. */
const TEXT_TIMEOUT_MS = 2_000
/** Time for the worker to load. */
const LOAD_TIMEOUT_MS = 20_000
/** After so many texts without an answer in time, the highlighter is off until the page is loaded again. */
const MAX_TIMEOUTS = 3
/** Maximum number of remembered texts. */
const MAX_REMEMBERED = 100

interface Task {
  request: HighlightRequest
  lines: readonly string[]
  resolve: (tokens: readonly LineTokens[] | undefined) => void
}

const remembered = new Map<string, Promise<readonly LineTokens[] | undefined>>()
const queue: Task[] = []
let current: Task | undefined
let worker: { thread: Worker; isReady: boolean } | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let timeouts = 0

/** Returns the tokens of each line, or undefined if the lines stay plain. */
export function highlightLines(
  language: Language,
  lines: readonly string[]
): Promise<readonly LineTokens[] | undefined> {
  const sent = lines.map(line => (line.length > MAX_LINE_LENGTH ? '' : line))
  const text = sent.join('\n')
  if (text.length > MAX_TEXT_LENGTH || text.trim() === '') return Promise.resolve(undefined)
  const key = `${language}\n${text}`
  const known = remembered.get(key)
  if (known) return known
  const tokens = new Promise<readonly LineTokens[] | undefined>(resolve => {
    queue.push({ request: { language, text }, lines: sent, resolve })
  })
  remembered.set(key, tokens)
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
  sendNext()
  return tokens
}

/** Sends one text at a time, so that each has its own time limit. */
function sendNext() {
  if (current || queue.length === 0) return
  if (timeouts >= MAX_TIMEOUTS) {
    for (const { resolve } of queue.splice(0)) resolve(undefined)
    return
  }
  worker ??= startWorker()
  if (!worker.isReady) return
  current = queue.shift()!
  timer = setTimeout(() => stopWorker(1), TEXT_TIMEOUT_MS)
  worker.thread.postMessage(current.request)
}

function startWorker() {
  const thread = new Worker(new URL('./highlight-worker.js', import.meta.url), { name: 'highlighter' })
  const started = { thread, isReady: false }
  timer = setTimeout(() => stopWorker(MAX_TIMEOUTS), LOAD_TIMEOUT_MS)
  thread.addEventListener('error', event => {
    event.preventDefault()
    if (worker === started) stopWorker(MAX_TIMEOUTS)
  })
  thread.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    if (worker !== started) return
    clearTimeout(timer)
    if (data.state === 'ready') started.isReady = true
    else settle(data.state === 'done' ? splitTokens(data.tokens, current?.lines ?? []) : undefined)
    sendNext()
  })
  return started
}

/** Ends the worker, and leaves plain the text that it has not answered. */
function stopWorker(failures: number) {
  clearTimeout(timer)
  worker?.thread.terminate()
  worker = undefined
  timeouts += failures
  settle(undefined)
  sendNext()
}

function settle(tokens: readonly LineTokens[] | undefined) {
  current?.resolve(tokens)
  current = undefined
}
