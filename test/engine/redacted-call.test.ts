// Tests of credentials in calls: they run with them, and no answer, event, preview, rule, log or stored call contains one.
// tier: full
// run: waiting (for calls, and restarts)
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import pino from 'pino'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { defineTool } from '../../src/tool/tool.ts'
import { type Json, type StartOptions, startApp, type TestApp, toApproval } from '../start-app.ts'

const SECRET = 'c4nary-Of-The-Call-7Qx'
const MARKER = '[masked: credentials]'

/** A tool that records the params that it runs with. */
const recorder = (runs: unknown[]) =>
  defineTool({
    name: 'record',
    category: 'custom',
    description: 'Records its params.',
    input: Type.Object({}, { additionalProperties: true }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'network',
    request: (params: Json) => ({ url: { url: params.url ?? 'https://host.test/' } }),
    run: params => {
      runs.push(params)
      return {}
    },
    present: (_, params: Json) => ({ title: `Recorded ${params.url}`, content: 'done' })
  })

async function start(t: Test, options: StartOptions = {}) {
  const runs: unknown[] = []
  const lines: string[] = []
  const app = await startApp(
    t,
    {},
    {
      ...options,
      tools: [recorder(runs)],
      settings: { log: { level: 'trace' }, ...options.settings },
      log: pino({ level: 'trace' }, { write: line => lines.push(line) })
    }
  )
  return { ...app, runs, lines }
}

/** Runs to the end a call that a person approves. */
async function approve(app: TestApp, waiting: Json): Promise<Json> {
  const answer = await app.post('/approve', toApproval(waiting))
  return [answer, await app.get(`/calls/${waiting.tool_call_id}?wait_ms=120000`)]
}

const stateFiles = (folder: string) =>
  readdirSync(path.join(folder, 'state'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))

const CASES: Record<string, { params: Json; redacted: Json }> = {
  'a password in an address': {
    params: { url: `https://ann:${SECRET}@host.test/x` },
    redacted: { url: `https://${MARKER}@host.test/x` }
  },
  'a token as the user of an address': {
    params: { url: `https://${SECRET}@host.test/x` },
    redacted: { url: `https://${MARKER}@host.test/x` }
  },
  'parameters of an address': {
    params: {
      url: `https://host.test/x?page=2&access_token=${SECRET}&X-Amz-Signature=${SECRET}&sig=${SECRET}&key=${SECRET}#top`
    },
    redacted: {
      url: `https://host.test/x?page=2&access_token=${MARKER}&X-Amz-Signature=${MARKER}&sig=${MARKER}&key=${MARKER}#top`
    }
  },
  headers: {
    params: {
      headers: {
        Accept: 'text/plain',
        Authorization: `Bearer ${SECRET}`,
        'Proxy-Authorization': SECRET,
        Cookie: `sid=${SECRET}`,
        'X-Api-Key': SECRET
      }
    },
    redacted: {
      headers: {
        Accept: 'text/plain',
        Authorization: MARKER,
        'Proxy-Authorization': MARKER,
        Cookie: MARKER,
        'X-Api-Key': MARKER
      }
    }
  },
  'headers in a command line': {
    params: {
      line: `curl -H 'Authorization: Bearer ${SECRET}' -H "Cookie: sid=${SECRET}; other=${SECRET}" -H 'X-Api-Key: ${SECRET}' https://host.test`
    },
    redacted: {
      line: `curl -H 'Authorization: Bearer ${MARKER}' -H "Cookie: sid=${MARKER}; other=${MARKER}" -H 'X-Api-Key: ${MARKER}' https://host.test`
    }
  },
  'options and variables': {
    params: { line: `NPM_TOKEN=${SECRET} tool --password=${SECRET} --page=2` },
    redacted: { line: `NPM_TOKEN=${MARKER} tool --password=${MARKER} --page=2` }
  },
  'lists and fields': {
    params: { list: [{ password: SECRET, name: 'ann' }, `https://${SECRET}@host.test`] },
    redacted: { list: [{ password: MARKER, name: 'ann' }, `https://${MARKER}@host.test`] }
  }
}

t.test('a call runs with its credentials, and nothing shows or keeps them', async t => {
  const app = await start(t)
  const stream = await app.events()
  const seen: Json[] = []
  for (const [name, { params, redacted }] of Object.entries(CASES)) {
    const dry = await app.call('record', params, { dry_run: true })
    const waiting = await app.call('record', params)
    t.strictSame(waiting.params, redacted, name)
    if ('url' in params) t.match(waiting.approval.preview.text, 'host.test')
    seen.push(
      dry,
      waiting,
      await app.get('/approvals'),
      await app.get('/calls'),
      await app.post('/explain', { tool: 'record', params })
    )
    const [answer, ended] = await approve(app, waiting)
    t.match(ended, { status: 'success', params: redacted })
    t.strictSame(app.runs.pop(), params, `${name}: it ran with them`)
    seen.push(answer, ended, ...(await stream.type('tool.result')))
  }
  for (const file of stateFiles(app.folder)) t.notOk(readFileSync(file).includes(SECRET), path.basename(file))
  await app.close()
  t.notMatch(JSON.stringify(seen), SECRET)
  t.notMatch(app.lines.join(''), SECRET)
  t.match(app.lines.join(''), 'waiting for approval')
  for (const file of stateFiles(app.folder)) t.notOk(readFileSync(file).includes(SECRET), path.basename(file))
})

t.test('a call that waits runs with its credentials after a restart', async t => {
  const params = { url: `https://${SECRET}@host.test/` }
  const first = await start(t)
  const waiting = await first.call('record', params)
  await first.close()
  const again = await start(t, { folder: first.folder })
  const listed = (await again.get('/approvals')).approvals[0]
  t.match(listed, { tool_call_id: waiting.tool_call_id, params: { url: `https://${MARKER}@host.test/` } })
  const [, ended] = await approve(again, listed)
  t.match(ended, { status: 'success', params: { url: `https://${MARKER}@host.test/` } })
  t.strictSame(again.runs, [params])
  await again.close()
  for (const file of stateFiles(first.folder)) t.notOk(readFileSync(file).includes(SECRET), path.basename(file))
})

t.test('modified params keep the credentials that they show masked', async t => {
  const app = await start(t)
  const waiting = await app.call('record', { url: `https://${SECRET}@host.test/`, page: 1 })
  const { params } = waiting
  const partly = await app.post('/approve', {
    ...toApproval(waiting),
    modified_params: { ...params, url: `${params.url}other` }
  })
  t.match(partly, { code: 'INVALID_PARAMS', errors: [{ pointer: '/params/url' }] })
  const stream = await app.events()
  await app.post('/approve', { ...toApproval(waiting), modified_params: { ...params, page: 2 } })
  const events = await stream.type('tool.result')
  t.strictSame(app.runs, [{ url: `https://${SECRET}@host.test/`, page: 2 }])
  t.match(
    events.find(({ event }) => event === 'tool.decision'),
    { modified_params: { ...params, page: 2 } }
  )
  t.notMatch(JSON.stringify(events), SECRET)
})

t.test('command lines', async t => {
  const app = await startApp(t, {})
  const command = `git ls-remote https://${SECRET}@127.0.0.1:1/x.git`
  const waiting = await app.call('shell_exec', { command })
  t.match(waiting.approval.preview.text, `git ls-remote https://${MARKER}@127.0.0.1:1/x.git`)
  t.strictSame(waiting.approval.always_options, [], 'no rule can be bound to what is masked')
  const other = await app.call('shell_exec', { command: `git ls-remote https://${SECRET}2@127.0.0.1:1/x.git` })
  t.not(other.approval.digest, waiting.approval.digest, 'a decision is bound to the credentials')
  t.notMatch(JSON.stringify([waiting, other]), SECRET)
  const hiding = 'curl https://$(id)@host.test/?token=`id`'
  t.match(
    (await app.call('shell_exec', { command: hiding })).approval.preview.text,
    hiding,
    'only what does nothing is masked'
  )
})

t.test('addresses of remotes in the output of commands', async t => {
  const app = await startApp(t, {})
  const git = (...args: string[]) => execaSync('git', ['-C', app.root, ...args])
  git('init', '-q')
  git('remote', 'add', 'origin', `https://${SECRET}@host.test/x.git?access_token=${SECRET}`)
  const [, call] = await approve(app, await app.call('shell_exec', { command: 'git remote -v' }))
  const address = `https://${MARKER}@host.test/x.git?access_token=${MARKER}`
  t.match(call, { status: 'success' }, JSON.stringify(call))
  t.equal(call.result.data.stdout, `origin\t${address} (fetch)\norigin\t${address} (push)\n`)
})
