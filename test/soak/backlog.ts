// npm run campaign -- backlog [--events N]: a server that was offline comes back with so many events. Prints how long the hub takes to catch
// up, and how soon people there see calls that begin to wait meanwhile.
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '../../bench/measure.ts'
import type { Json } from '../start-app.ts'
import { fillJournal } from '../support/fill-journal.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'
import { waitUntil } from '../support/wait.ts'
import { Process } from './process.ts'

const DEFAULT_EVENTS = 50_000
const CATCH_UP_TARGET_S = 300
const SEEN_TARGET_MS = 2_000
const CALL_INTERVAL_MS = 200
const LOOK_INTERVAL_MS = 25
const TOKEN = 'a-token-of-the-account-of-the-backlog'

const at = process.argv.indexOf('--events')
const count = at === -1 ? DEFAULT_EVENTS : Number(process.argv[at + 1])
if (!Number.isSafeInteger(count) || count < 1) throw new Error('--events takes a number.')
if (findPostgres() === undefined) console.log('Skipped: there is no PostgreSQL (apt-get install postgresql).')
else process.exitCode = (await measure(count)) ? 0 : 1

/** Returns true if the targets were met. */
async function measure(events: number): Promise<boolean> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'hub-backlog-')))
  const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const postgres = await startPostgres({ teardown: end => cleanups.push(end) })
    const tokenFile = path.join(folder, 'token')
    writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 })
    const database = postgres.createDatabase()
    const hub = launch(folder, 'hub', [
      'hub',
      '--json',
      '--port',
      '0',
      '--database',
      database,
      '--token-file',
      tokenFile
    ])
    cleanups.push(() => hub.kill())
    await hub.start()
    const { code } = await ask(hub.ready.url, TOKEN, 'POST', '/enrolments', { name: 'offline' })
    const args = ['serve', '--ready', 'json', '--log-level', 'error', '--hub', hub.ready.url]
    const server = launch(folder, 'server', args)
    cleanups.push(() => server.kill())
    await server.start(['--hub-code', code])
    await server.kill()
    const [journal] = globSync(path.join(folder, 'server/.local/state/toolgate/**/journal.db'))
    await fillJournal(path.dirname(journal!), events)
    const began = performance.now()
    await server.start()
    const { seen, catchUpMs } = await watch(hub.ready.url, server.ready)
    const seconds = (catchUpMs - began) / 1_000
    const [p50, p99] = [percentile(seen, 0.5), percentile(seen, 0.99)]
    console.log(
      `${events} events: the hub has caught up after ${seconds.toFixed(1)} s, ${Math.round(events / seconds)} /s\n` +
        `${seen.length} calls began to wait meanwhile: at the hub after p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms, ` +
        `at most ${Math.round(Math.max(...seen))} ms`
    )
    return seconds < CATCH_UP_TARGET_S && p99 < SEEN_TARGET_MS
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup()
  }
}

function launch(folder: string, name: string, args: readonly string[]): Process {
  const home = path.join(folder, name)
  const project = path.join(home, 'project')
  for (const each of [project, path.join(home, '.config/toolgate')]) mkdirSync(each, { recursive: true })
  writeFileSync(path.join(home, '.config/toolgate/config.jsonc'), '{ "sandbox": { "level": "none" } }')
  return new Process(args, project, { PATH: process.env.PATH, HOME: home })
}

/** Makes calls that wait, one after the other, and sees when each is at the hub, until that has all events. */
async function watch(hub: string, { url, discovery_file }: Json) {
  const { token } = JSON.parse(readFileSync(discovery_file, 'utf8'))
  const seen: number[] = []
  let catchUpMs = 0
  const hasCaughtUp = async () => {
    const { hub: state } = await ask(url, token, 'GET', '/capabilities')
    return state.state === 'connected' && state.behind === 0
  }
  // A new server has nothing to send until it has asked the hub how far that is.
  await waitUntil('the server has asked the hub', async () => {
    const { hub: state } = await ask(url, token, 'GET', '/capabilities')
    return state.behind !== null
  })
  while (catchUpMs === 0) {
    const params = { command: `touch ${seen.length}.txt` }
    const began = performance.now()
    const { tool_call_id } = await ask(url, token, 'POST', '/calls', { tool: 'shell_exec', params })
    await waitUntil('the call is at the hub', async () => {
      const { approvals } = await ask(hub, TOKEN, 'GET', '/approvals')
      const isThere = approvals.some((call: Json) => call.tool_call_id === tool_call_id)
      if (!isThere) await pause(LOOK_INTERVAL_MS)
      return isThere
    })
    seen.push(performance.now() - began)
    if (await hasCaughtUp()) catchUpMs = performance.now()
    else {
      await ask(url, token, 'POST', '/reject', { tool_call_id })
      await pause(CALL_INTERVAL_MS)
    }
  }
  return { seen, catchUpMs }
}

async function ask(url: string, token: string, method: string, target: string, body?: object): Promise<Json> {
  const response = await fetch(url + target, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null
  })
  return response.json()
}
