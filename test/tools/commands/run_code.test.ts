// tier: full
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { createFakeNetwork, listen } from '../../host/egress/fake-network.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const FILES = {
  'a.txt': 'größe\n',
  'dir/b.txt': 'b\n',
  'mod.py': 'x = 5\n',
  'node_modules/five/index.js': 'module.exports = 5'
}

t.test('run_code', needs('sandbox', 'python3'), async t => {
  process.env.SOME_SECRET = 'a-secret-of-the-server'
  t.teardown(() => delete process.env.SOME_SECRET)
  const app = await start(t)

  t.test('code of each language reads the workspace, its arguments and its input', async t => {
    const more = { args: ['a b', '', '\'"$x\\', '-v', 'ü\n'], stdin: 'from stdin ☃\n', env: { NAME: 'välue' } }
    const CODE = {
      python:
        'import mod, os, sys\nprint(open("a.txt").read() + sys.stdin.read() + os.environ["NAME"], mod.x)\nprint("|".join(sys.argv[1:]))',
      bash: 'cat a.txt -; echo "$NAME" 5; (IFS="|"; echo "$*")',
      node: 'const fs = require("fs")\nconsole.log(fs.readFileSync("a.txt", "utf8") + fs.readFileSync(0, "utf8") + process.env.NAME, require("five"))\nconsole.log(process.argv.slice(2).join("|"))'
    }
    for (const [language, code] of Object.entries(CODE)) {
      const { result, approved_by } = await app.run({ language, code, ...more })
      t.match(approved_by, { source: 'auto' }, `${language} runs by itself`)
      t.strictSame(
        { ...result.data, duration_ms: 0 },
        {
          stdout: `größe\nfrom stdin ☃\nvälue 5\na b||'"$x\\|-v|ü\n\n`,
          output: result.data.stdout,
          exit_code: 0,
          signal: null,
          timed_out: false,
          duration_ms: 0,
          survivors: [],
          truncated: false,
          isolation: 'read-only'
        }
      )
    }
  })

  t.test('runs in the requested folder', async t => {
    const { result } = await app.run({ language: 'bash', code: 'cat b.txt', cwd: 'dir' })
    t.equal(result.data.stdout, 'b\n')
  })

  t.test('supports modern Node code: imports, and top-level await', async t => {
    const code = 'import { readFile } from "node:fs/promises"\nconsole.log(await readFile("dir/b.txt", "utf8"))'
    t.equal((await app.run({ language: 'node', code })).result.data.stdout, 'b\n\n')
  })

  t.test('writes only to its temporary folder, which is removed', async t => {
    const before = snapshotFolder(app.root)
    const code =
      'echo x > made.txt; echo y >> a.txt; rm dir/b.txt; touch ~/z /etc/z; echo ok > "$TMPDIR/t" && cat "$TMPDIR/t"'
    const { result } = await app.run({ language: 'bash', code, separate_streams: true })
    t.equal(result.data.stdout, 'ok\n')
    t.strictSame(snapshotFolder(app.root), before)
    t.equal((await app.run({ language: 'bash', code: 'cat "$TMPDIR/t"' })).result.data.exit_code, 1)
  })

  t.test('sees no secret of the server, and only the usual variables', async t => {
    const { result } = await app.run({ language: 'bash', code: 'env; cat /proc/1/environ' })
    const names = [...result.data.stdout.matchAll(/^([A-Za-z_]+)=/gm)].map(([, name]) => name)
    t.notMatch(result.data.stdout, 'a-secret-of-the-server')
    t.notMatch(names.join(' '), /TOOLGATE_|SOME_SECRET/)
  })

  t.test('reports how it ends', async t => {
    t.match((await app.run({ language: 'python', code: 'import sys; sys.exit(7)' })).result, {
      data: { exit_code: 7, signal: null },
      content: '[Exit code 7]',
      title: 'Python: import sys; sys.exit(7)'
    })
    t.match((await app.run({ language: 'python', code: '1/0' })).result.data, {
      exit_code: 1,
      output: /main\.py", line 1[\s\S]*ZeroDivisionError/
    })
    const killed = (await app.run({ language: 'bash', code: 'kill -9 $$' })).result.data
    t.ok(killed.signal === 'SIGKILL' || killed.exit_code === 128 + 9, 'by a signal')
    t.match((await app.run({ language: 'node', code: 'setInterval(() => {}, 9)', timeout_ms: 300 })).result.data, {
      timed_out: true
    })
    t.match((await app.run({ language: 'bash', code: 'sleep 1000 & disown; echo done' })).result.data, {
      stdout: 'done\n',
      exit_code: 0
    })
  })

  t.test('handles a million characters of code and of output', async t => {
    const code = `${'# a comment to fill this file with something that is long\n'.repeat(17_000)}print("é" * 500_000)`
    const { result, tool_call_id } = await app.run({ language: 'python', code })
    t.match(result.data, { exit_code: 0, truncated: true })
    t.ok(result.data.stdout.length < 100_000)
    const rest = await app.get(`/calls/${tool_call_id}/output?offset=999990`)
    t.strictSame(rest, { text: 'ééééé\n', offset: 999_990, next_offset: 1_000_001, ended: true })
  })

  t.test('reports invalid code before approval', async t => {
    const refused = async (more: object) => {
      const { status, body } = await app.request('POST', '/calls', {
        tool: 'run_code',
        params: { language: 'bash', code: ':', ...more }
      })
      return status === 200 ? body.error : body
    }
    t.match(await refused({ cwd: 'missing' }), { code: 'FILE_NOT_FOUND' })
    t.match(await refused({ cwd: '..' }), { code: 'INVALID_PATH' })
    t.match(await refused({ args: ['ok', 'a\0b'] }), { code: 'INVALID_PARAMS', message: /args\/1/ })
    t.match(await refused({ network: ['a.test', '*.com'] }), { code: 'INVALID_PARAMS', message: /network\/1/ })
    t.match(await refused({ network: ['https://a.test'], write: true }), { code: 'INVALID_PARAMS' })
    t.match(await refused({ env: { PATH: '/nowhere' } }), {
      code: 'EXECUTION_ERROR',
      message: /Bash is not installed.*package/
    })
  })

  t.test('with write requires approval, shows the whole code, and writes in the workspace', async t => {
    const code = 'echo new > made.txt\n# \u202e trick'
    const call = await app.call('run_code', { language: 'bash', code, write: true, args: ['x'], stdin: 'in' })
    t.match(call, {
      status: 'awaiting_approval',
      approval: {
        level: 'ask',
        always_options: [],
        preview: {
          title: 'Bash: echo new > made.txt',
          text: 'language: bash\ncwd: .\nargs: ["x"]\nstdin: "in"\nwrite: the workspace\n\necho new > made.txt\n# \\u{202e} trick'
        }
      }
    })
    t.match(call.approval.preview.notes.join('\n'), /invisible/)
    t.match((await app.approve(call)).result.data, { exit_code: 0, isolation: 'workspace' })
    t.equal(app.read('made.txt'), 'new\n')
  })

  t.test('reaches nothing without a network', async t => {
    const code = 'exec 3<>/dev/tcp/1.1.1.1/80'
    t.match((await app.run({ language: 'bash', code })).result.data, { exit_code: 1, output: /unreachable/ })
  })

  t.test('reaches a granted host, reports any other', async t => {
    const code = `
for (const url of ['http://a.test/x', 'http://b.test/', 'http://127.0.0.1.a.test/'])
  console.log(await fetch(url).then(answer => answer.text(), () => 'nothing'))`
    const call = await app.call('run_code', { language: 'node', code, network: ['a.test', '*.a.test'] })
    t.match(call, {
      status: 'awaiting_approval',
      approval: { level: 'ask', always_options: [], preview: { text: /^network: a\.test, \*\.a\.test$/m } }
    })
    const { result } = await app.approve(call)
    t.match(result.data, { exit_code: 0, isolation: 'read-only', stdout: 'GET /x\nnothing\nnothing\n' })
    t.strictSame(
      [result.data.network.allowed, result.data.network.refused].map(rows =>
        rows.map(({ host, port }: Json) => [host, port])
      ),
      [
        [['a.test', 80]],
        [
          ['b.test', 80],
          ['127.0.0.1.a.test', 80]
        ]
      ]
    )
    t.match(result.content, /Network access denied: b\.test:80 \(/)
  })

  t.test("never reaches the server's port, whatever host is granted", async t => {
    const { port } = new URL(app.url)
    const code = `curl -sS --fail http://a.test:${port}/health`
    const network = [`a.test:${port}`]
    const call = await app.call('run_code', { language: 'bash', code, network, separate_streams: true })
    const { result } = await app.approve(call)
    t.match(result.data, {
      stdout: '',
      network: { allowed: [], refused: [{ host: 'a.test', reason: /belongs to the Toolgate server/ }] }
    })
  })

  t.test('a call-only caller may run code, which is harmless', async t => {
    const params = { language: 'bash', code: 'echo hi' }
    const headers = { authorization: `Bearer ${CALL_TOKEN}` }
    const { body } = await app.request('POST', '/calls', { tool: 'run_code', params }, headers)
    t.match(body, { status: 'success', result: { data: { stdout: 'hi\n', isolation: 'read-only' } } })
  })
})

t.test(
  "wherever the temporary and the state folder are, no command finds another's code",
  needs('sandbox'),
  async t => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
    const { TMPDIR } = process.env
    t.teardown(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
      rmSync(folder, { recursive: true, force: true })
    })
    process.env.TMPDIR = path.join(folder, 'ws', 'tmp')
    mkdirSync(process.env.TMPDIR, { recursive: true })
    // Exceeds the maximum length of a socket name.
    const state_dir = path.join(folder, 'ws', 'state', 'x'.repeat(110))
    const app = await start(t, { folder, settings: { state_dir } })
    const code = 'find . -name "main.*" -o -name socket; curl -sS http://a.test/x'
    const { result } = await app.approve(
      await app.call('run_code', { language: 'bash', code, network: ['a.test'], write: true })
    )
    t.match(result.data, { exit_code: 0, isolation: 'workspace', stdout: 'GET /x' })
    t.same(readdirSync(path.join(state_dir, 'temporary')), [])
  }
)

t.test('without a sandbox', async t => {
  const params = { language: 'bash', code: 'echo hi' }
  const sandbox = { ...defaultSettings().sandbox, open_files: 1 }

  t.test('is rejected, with a hint', async t => {
    const app = await start(t, { settings: { sandbox } })
    t.match(await app.call('run_code', params), { status: 'error', error: { code: 'SANDBOX_UNAVAILABLE' } })
  })

  t.test('or requires strict approval, if configured', async t => {
    const app = await start(t, { settings: { sandbox: { ...sandbox, run_code: 'ask' } } })
    const call = await app.call('run_code', params)
    t.match(call, {
      status: 'awaiting_approval',
      approval: { level: 'strict', reason: /The code is not sandboxed/, always_options: [] }
    })
    t.match((await app.approve(call)).result.data, { stdout: 'hi\n', isolation: 'none' })
  })
})

async function start(t: Test, options: StartOptions = {}) {
  const web = await listen(
    t,
    createServer(({ method, url }, response) => response.end(`${method} ${url}`))
  )
  const network = createFakeNetwork(web, { '127.0.0.1.a.test': [['127.0.0.1']] })
  const app = await startApp(t, FILES, { network, ...options })
  return {
    ...app,
    run: (params: object) => app.call('run_code', params),
    approve: ({ tool_call_id, approval: { digest, level } }: Json) =>
      app.post('/approve?wait_ms=120000', { tool_call_id, digest, ...(level === 'strict' && { confirm: true }) })
  }
}
