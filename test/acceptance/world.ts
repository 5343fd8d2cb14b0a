// The built server as a process on a real git repository, spoken to with curl alone.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { SseParser } from '../../src/client/sse.ts'
import type { Discovery } from '../../src/host/server/discovery.ts'
import { BUILT, place, type Ready } from '../cli/toolgate.ts'

const FOLDERS = 40
const FILES_IN_EACH = 75

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is compared, not typed
export type Json = any

export interface Answer {
  status: number
  type: string
  body: Json
}

/** A home and a project of some thousand files under git, with what the test wants in it besides. */
export function repository(t: Test, files: Record<string, string> = {}) {
  const all: Record<string, string> = { ...files }
  for (let folder = 0; folder < FOLDERS; folder++)
    for (let file = 0; file < FILES_IN_EACH; file++)
      all[`src/part${folder}/file${file}.js`] = `// Part ${folder}.\nexport const value = ${folder * file}\n`
  return project(t, all)
}

/** The same with these files alone. */
export function project(t: Test, files: Record<string, string> = {}) {
  const at = place(t, files, BUILT)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: at.project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: at.home, GIT_CONFIG_NOSYSTEM: '1' }
    })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'All there is')
  return {
    ...at,
    git,
    has: (name: string) => existsSync(path.join(at.project, name)),
    read: (name: string) => readFileSync(path.join(at.project, name), 'utf8'),
    write(name: string, content: string) {
      mkdirSync(path.dirname(path.join(at.project, name)), { recursive: true })
      writeFileSync(path.join(at.project, name), content)
    }
  }
}

/** How a test speaks to a running server. */
export function speak({ url, discovery_file }: Pick<Ready, 'url' | 'discovery_file'>) {
  const { token, call_token } = JSON.parse(readFileSync(discovery_file, 'utf8')) as Discovery
  const bearer = (secret: string) => `header = "Authorization: Bearer ${secret}"\n`

  /** Runs curl; `config` is what it reads from stdin, where the token is seen by nobody. */
  async function curl(target: string, args: readonly string[] = [], config = bearer(token)): Promise<Answer> {
    const [head, body] = await run(['-w', '%{stderr}%{http_code} %{content_type}', ...args, url + target], config)
    const [status, ...type] = head.split(' ')
    const said = type.join(' ')
    return { status: Number(status), type: said, body: /json/.test(said) ? JSON.parse(body) : body }
  }

  const send = (method: string, target: string, body?: unknown, args: readonly string[] = []) =>
    curl(target, [
      ...['-X', method],
      ...(body === undefined ? [] : ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)]),
      ...args
    ])

  return {
    url,
    token,
    call_token,
    bearer,
    curl,
    get: async (target: string) => (await curl(target)).body,
    post: (target: string, body: unknown, args?: readonly string[]) => send('POST', target, body, args),
    send,
    /** Submits a call; the answer is of a call that ended or waits for a decision. */
    call: (tool: string, params: object, more: object = {}) => send('POST', '/calls', { tool, params, ...more }),
    listen: (t: Test, args: readonly string[] = [], query = '') =>
      listen(t, `${url}/events${query}`, args, bearer(token))
  }
}

export type Server = ReturnType<typeof speak>

async function run(args: readonly string[], config: string): Promise<[said: string, body: string]> {
  const child = spawn('curl', ['-sS', '-K', '-', ...args])
  child.stdin.end(config)
  const [said, body] = await Promise.all([text(child.stderr), buffer(child.stdout)])
  return [said, body.toString('utf8')]
}

/** An open `curl -N` on the event stream. */
export interface Listener {
  /** Every event seen so far, each with the id of its frame. */
  seen: Json[]
  /** Reads on to the first event that fits, after those of the last time, and gives all since. */
  until(fits: (event: Json) => boolean): Promise<Json[]>
  /** Reads until the server is gone. */
  rest(): Promise<void>
}

function listen(t: Test, url: string, args: readonly string[], config: string): Listener {
  const child = spawn('curl', ['-sS', '-N', '-K', '-', ...args, url], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end(config)
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const parser = new SseParser()
  const seen: Json[] = []
  const bytes = child.stdout[Symbol.asyncIterator]()
  let taken = 0

  async function more(): Promise<boolean> {
    const { done, value } = await bytes.next()
    if (!done)
      for (const { id, event, data } of parser.push(value as Uint8Array)) seen.push({ id, event, ...JSON.parse(data) })
    return !done
  }
  return {
    seen,
    async until(fits) {
      for (;;) {
        const at = seen.findIndex((event, i) => i >= taken && fits(event))
        if (at >= 0) {
          const since = seen.slice(taken, at + 1)
          taken = at + 1
          return since
        }
        if (!(await more()))
          throw new Error(`the stream ended after ${JSON.stringify(seen.slice(taken)).slice(0, 2_000)}`)
      }
    },
    async rest() {
      while (await more());
    }
  }
}

/** Places in the journal up to `head`, snapshots left out, for a whole comparison. Progress is kept only while it runs. */
export const story = (events: readonly Json[], head: number) =>
  events.filter(({ type, seq }) => !['stream.snapshot', 'tool.progress'].includes(type) && seq <= head)

/** Everything in the journal now, and the number of its newest event. */
export async function journal(t: Test, server: Server): Promise<{ head: number; events: Json[] }> {
  const { head } = await server.get('/state')
  if (head === 0) return { head, events: [] }
  const listener = server.listen(t, [], '?after=0')
  await listener.until(({ type, seq }) => type !== 'stream.snapshot' && seq >= head)
  return { head, events: story(listener.seen, head) }
}

/** Waits until the process is no more. One that ended, but that nobody has collected yet, has no command line. */
export async function gone(pid: string): Promise<void> {
  while (commandLine(pid) !== '') await setTimeout(20)
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
