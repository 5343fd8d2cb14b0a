// Tests of the installed package: its program serves, and its modules run.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { connect } from '../../../src/client/client.ts'
import { once } from '../../support/wait.ts'
import { install, NOT_INSTALLED, ownPlaces, pack, run, serve } from './packed.ts'

t.test('its program and its modules run', async t => {
  const { manifest } = await pack()
  const folder = await install()
  if (folder === undefined) return t.pass('installed', { skip: NOT_INSTALLED })
  writeFileSync(path.join(folder, 'a.txt'), 'hello\n')
  const program = path.join(folder, 'node_modules/.bin/toolgate')
  t.match((await run(program, ['--version'], { cwd: folder, env: ownPlaces(folder) })).stdout, manifest.version)
  const { server, url, token } = await serve(t, folder)
  const { stdout } = await run(process.execPath, ['consumer.ts'], {
    cwd: folder,
    env: { URL: url, TOKEN: token }
  })
  t.strictSame(JSON.parse(stdout), {
    status: 'success',
    content: '     1\thello',
    refused: 'UNKNOWN_TOOL',
    loud: 'HI',
    hook: 'function',
    found: 'none'
  })
  const toolgate = connect({ url, token })
  t.match(await toolgate.call('grep', { pattern: 'private', path: 'package.json' }), {
    status: 'success',
    result: { data: { matches: [{ path: 'package.json', line: 1 }] } }
  })
  const edit = await toolgate.call('edit_file', { path: 'a.txt', old: 'hello', new: 'bye' })
  if (edit.status !== 'awaiting_approval') throw new Error(`the edit did not ask: ${edit.status}`)
  const { digest } = edit.approval
  t.match(await toolgate.approve(edit.tool_call_id, { digest, wait_ms: 120_000 }), { status: 'success' })
  t.equal(readFileSync(path.join(folder, 'a.txt'), 'utf8'), 'bye\n')
  t.match(await (await fetch(url)).text(), '<title>Toolgate')
  server.stdin.end()
  t.same(await once(server, 'exit'), [0, null])
})

t.test('an installed package without its Node reports the required version', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tg-old-node-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  mkdirSync(path.join(folder, 'bin'))
  const program = path.join(folder, 'bin/toolgate.cjs')
  copyFileSync('bin/toolgate.cjs', program)
  mkdirSync(path.join(folder, 'dist'))
  writeFileSync(path.join(folder, 'dist/main.js'), '')
  const old = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } }); require(${JSON.stringify(program)})`
  const failed = await run(process.execPath, ['-e', old], { cwd: folder }).catch(error => error)
  t.equal(failed.exitCode, 1)
  t.match(
    failed.stderr,
    /^toolgate: needs Node 24\.15 or newer, but this is v\S+\. Install the package again with .*newer Node from https:\/\/nodejs\.org\.$/
  )
})
