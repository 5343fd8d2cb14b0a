// Tests of secret redaction: a command prints secrets known to the server in every way; no response, event, page, log or file may
// contain one.
// tier: full
// run: waiting (for a command to print)
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createProject } from '../cli/toolgate.ts'
import { needs } from '../support/needs.ts'
import { connectWithCurl, type Json } from './fixture.ts'

const IN_ENVIRONMENT = 'canary-of-the-environment-7Qx'
const IN_FILE = 'canary-of-the-file-9Zt'
const NEW_IN_FILE = 'canary-of-the-file-changed-3Vb'
const IN_URL = 'canary-of-the-url-5Rp'
const NAMED = 'canary-that-settings-name-1Kd'
const CONFIG = {
  rules: [{ effect: 'allow', match: { effect: 'execute' } }],
  env: { allow: ['DB_PASSWORD', 'DATABASE_URL', 'ODDLY_CALLED'] },
  secrets: { env: ['ODDLY_*'] },
  sandbox: { level: 'none' }
}
/** Prints each secret in one piece, in two pieces with a pause between, byte by byte, on standard error, and among other text. */
const PRINT = `
say() { printf '%s\\n' "$1"; printf '%s' "\${1:0:7}"; sleep 0.3; printf '%s\\n' "\${1:7}"; printf 'err %s' "$1" >&2; }
say "$DB_PASSWORD"; say "$ODDLY_CALLED"; say "$DATABASE_URL"; say "\${DATABASE_URL#*me:}"
while read -r line; do say "$line"; done < .env
while read -r line; do say "$line"; done < "$1"
for i in $(seq 3000); do printf 'line %s of much, pw=%s;' $i "$DB_PASSWORD"; done
`

t.test('redacts secrets in every channel and leaves none behind', async t => {
  const at = createProject(t, {
    '.env': `API_SECRET="${IN_FILE}"\nNODE_ENV=production\n`,
    'print.sh': PRINT,
    'show.sh': 'cat .env'
  })
  const config = path.join(at.home, '.config/toolgate')
  mkdirSync(config, { recursive: true })
  writeFileSync(path.join(config, 'config.jsonc'), JSON.stringify(CONFIG))
  const served = await at.serveIn(
    {
      DB_PASSWORD: IN_ENVIRONMENT,
      ODDLY_CALLED: NAMED,
      DATABASE_URL: `postgres://me:${IN_URL}@db.example/x`
    },
    '--log-level',
    'trace'
  )
  const server = connectWithCurl(served)
  const secrets = () => [IN_ENVIRONMENT, IN_FILE, IN_URL, NAMED, server.token, server.call_token]
  const clean = (what: string, bytes: string | Buffer, also: readonly string[] = []) => {
    for (const secret of [...secrets(), ...also])
      t.notOk(bytes.includes(secret), `${what} has no ${secret.slice(0, 20)}`)
  }
  const listener = server.listen(t)
  writeFileSync(path.join(at.project, 'tokens'), `${server.token}\n${server.call_token}\n`)
  const print = { command: 'bash print.sh tokens' }

  const { body: call } = await server.call('shell_exec', { ...print, separate_streams: true })
  t.equal(call.status, 'success')
  clean('the answer', JSON.stringify(call))
  for (const name of ['DB_PASSWORD', 'ODDLY_CALLED', 'API_SECRET', 'DATABASE_URL', 'token of this server'])
    t.match(call.result.data.stdout, `[masked: ${name}]`)
  t.match(call.result.data.stdout, 'NODE_ENV=production', 'a plain word is none')
  t.match(call.result.data.stderr, '[masked: DB_PASSWORD]')

  const id = call.tool_call_id
  clean('the call', JSON.stringify(await server.get(`/calls/${id}`)))
  let output = ''
  for (let offset = 0, page: Json = {}; !page.ended; offset = page.next_offset) {
    page = await server.get(`/calls/${id}/output?offset=${offset}&limit=10000&wait_ms=60000`)
    output += page.text
  }
  clean('the output', output)
  t.equal(output.match(/pw=\[masked: DB_PASSWORD\];/g)?.length, 3_000, 'all of it is there but for them')
  clean('the metrics', JSON.stringify(await server.get('/metrics')))

  const asking = { command: `echo ${NAMED}`, env: { PAGER: `x ${IN_ENVIRONMENT}` }, description: server.call_token }
  const { body: dry } = await server.call('shell_exec', asking, { dry_run: true })
  t.match(dry.preview.text, 'echo [masked: ODDLY_CALLED]\ncwd: .\nenv: PAGER=x [masked: DB_PASSWORD]')
  clean('a preview', JSON.stringify(dry))

  for (const more of [{}, { pty: { cols: 80, rows: 24 } }]) {
    const { body: started } = await server.call('shell_background', { ...print, ...more })
    const task_id = started.result.data.task_id
    await listener.until(event => event.event === 'job.exited' && event.task_id === task_id)
    const { body: task } = await server.call('get_background_task', { task_id })
    t.match(task.result.data.output, '[masked: DB_PASSWORD]')
    clean('a task', JSON.stringify(task))
    clean('the list of jobs', JSON.stringify(await server.get('/jobs')))
    clean('what a task printed', JSON.stringify(await server.get(`/calls/${task_id}/output?limit=1000000`)))
  }

  writeFileSync(path.join(at.project, '.env'), `API_SECRET=${NEW_IN_FILE}\n`)
  const { body: again } = await server.call('shell_exec', { command: 'bash show.sh' })
  t.equal(again.result.data.stdout, 'API_SECRET=[masked: API_SECRET]\n', 'a file is read again when it changed')

  const { body: failed } = await server.call('read_file', { path: `no-${IN_ENVIRONMENT}.txt` })
  t.equal(failed.status, 'error')
  clean('an error', JSON.stringify(failed.error))
  t.match(failed.error.message, '[masked: DB_PASSWORD]')
  const problem = await server.get(`/calls?status=${IN_ENVIRONMENT}`)
  clean('a problem document', JSON.stringify(problem))
  const named = { calls: [{ tool: `no-${IN_ENVIRONMENT}`, params: {} }] }
  const { body: batch } = await server.post('/calls/batch', named)
  t.match(batch.results[0].problem.detail, '[masked: DB_PASSWORD]')
  clean('a problem in a batch', JSON.stringify(batch))

  await listener.until(event => event.event === 'tool.result' && event.tool_call_id === failed.tool_call_id)
  const told = listener.events.filter(({ tool_call_id }) => tool_call_id !== failed.tool_call_id)
  t.ok(told.some(({ event }) => event === 'tool.progress'))
  clean('the events', JSON.stringify(told), [NEW_IN_FILE])

  served.process.stdin.end()
  const { stderr } = await served.ended
  t.match(stderr, '"listening"', 'there is a log')
  clean('the log', stderr, [NEW_IN_FILE])
  // The params of the failed call belong to its caller and are stored unchanged.
  const asked = `no-${IN_ENVIRONMENT}.txt`
  for (const file of filesIn(path.join(at.home, '.local/state')))
    clean(path.basename(file), readFileSync(file, 'latin1').replaceAll(asked, ''), [NEW_IN_FILE])
})

t.test('the server holds no token where /proc of processes is readable', needs('linux'), async t => {
  const at = createProject(t, { 'a.txt': '' })
  const served = await at.serve()
  const { token, call_token } = connectWithCurl(served)
  for (const file of ['environ', 'cmdline']) {
    const bytes = readFileSync(`/proc/${served.process.pid}/${file}`, 'latin1')
    t.ok(bytes.length > 0)
    for (const secret of [token, call_token]) t.notOk(bytes.includes(secret), file)
  }
})

t.test('a sandboxed command sees neither the server nor its files', needs('linux', 'bwrap'), async t => {
  const at = createProject(t, { '.env': `API_SECRET=${IN_FILE}\n` })
  const config = path.join(at.home, '.config/toolgate')
  mkdirSync(config, { recursive: true })
  writeFileSync(path.join(config, 'config.jsonc'), JSON.stringify({ ...CONFIG, sandbox: { level: 'workspace' } }))
  const served = await at.serveIn({ DB_PASSWORD: IN_ENVIRONMENT })
  const server = connectWithCurl(served)
  const look = [
    "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -v ^DB_PASSWORD=",
    `cat ${served.discovery_file} .env; find ${at.home} -type f | sed 's/^/found /'`,
    `kill -0 ${served.process.pid} && echo reached`
  ]
  writeFileSync(path.join(at.project, 'look.sh'), look.join('\n'))
  const { body: call } = await server.call('shell_exec', { command: 'bash look.sh' })
  t.equal(call.result?.data.isolation, 'workspace', JSON.stringify(call.error))
  const { stdout } = call.result.data
  t.match(stdout, /^HOME=/m, 'it sees itself')
  t.notMatch(stdout, 'masked', 'nothing had to be hidden')
  t.notMatch(stdout, 'serve')
  t.notMatch(stdout, 'reached')
  t.notMatch(stdout, 'found')
})

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
}
