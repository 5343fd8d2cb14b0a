// Tests of a server in a container: its namespace forbids new ones, so that bubblewrap cannot be used.
// tier: full
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { LSP_PROJECTS, writeFiles } from '../../e2e/language-servers/projects.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { buildLauncher } from '../../support/launcher.ts'
import { needs } from '../../support/needs.ts'
import { startInContainer } from './container-fixture.ts'

t.test('without a sandbox nothing is auto-approved, and everything says so', needs('bwrap'), async t => {
  const { call, get, approve, logged } = await startInContainer(t, { level: 'auto' })
  const { isolation } = await get('/capabilities')
  t.equal(isolation.default, 'none')
  t.match(isolation.levels, [{ level: 'none', holds: true }, { holds: false }, { holds: false }])
  for (const { level, reason } of isolation.levels.slice(1)) t.match(reason, /./, `why ${level} does not hold`)
  await logged('sandbox not available')
  const { body: asked } = await call('shell_exec', { command: 'cat a.txt' })
  t.match(asked, { status: 'awaiting_approval', approval: { reason: /^The command is not sandboxed: / } })
  t.match(asked.approval.preview.notes.join('\n'), 'Isolation none: the command can access all your files')
  t.match((await approve(asked)).result.data, { stdout: 'a\n', isolation: 'none' })
  const { body: kept } = await call('shell_exec', { command: 'cat a.txt', isolation: 'read-only' })
  t.match(kept, { status: 'error', error: { code: 'SANDBOX_UNAVAILABLE' } })
  const { body: code } = await call('run_code', { language: 'bash', code: 'echo hi' })
  t.match(code, { status: 'error', error: { code: 'SANDBOX_UNAVAILABLE' } })
})

t.test('if the container is the sandbox, no command is auto-approved', needs('bwrap'), async t => {
  const { call, approve } = await startInContainer(t, { level: 'container' })
  for (const command of ['cat a.txt', 'ls', 'echo x | sed s/x/a/', 'git status']) {
    const { body } = await call('shell_exec', { command })
    t.match(
      body,
      {
        status: 'awaiting_approval',
        approval: { level: 'ask', reason: 'Appears to only read, but no sandbox enforces that.' }
      },
      command
    )
  }
  const { body: asked } = await call('shell_exec', { command: 'cat a.txt' })
  t.match((await approve(asked)).result.data, { stdout: 'a\n', isolation: 'container' })
})

t.test('if the container is the sandbox, code requires approval and runs in it', needs('bwrap'), async t => {
  const { call, get, approve } = await startInContainer(t, { level: 'container' })
  const { isolation } = await get('/capabilities')
  t.equal(isolation.default, 'container')
  t.match(isolation.levels.at(-1), { level: 'container', holds: true, lacks: [/./] })
  const { body: asked } = await call('run_code', { language: 'bash', code: 'cat a.txt; echo made >b.txt; cat b.txt' })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: { level: 'ask', reason: /^Not sandboxed: a container cannot restrict the command to read access/ }
  })
  t.match(
    asked.approval.preview.notes.join('\n'),
    "Isolation container: in its container, the command has the server's rights"
  )
  t.match((await approve(asked)).result.data, { stdout: 'a\nmade\n', isolation: 'container' })
  const { body: line } = await call('shell_exec', { command: 'echo x >c.txt; cat c.txt' })
  t.match(line, { status: 'awaiting_approval' })
  t.match((await approve(line)).result.data, { stdout: 'x\n', isolation: 'container' })
})

t.test(
  'with Landlock, commands in a container reach neither files nor the process of the server',
  needs('bwrap', 'landlock'),
  async t => {
    const { call, get, approve, home, project } = await startInContainer(t, {
      level: 'container',
      launcher: buildLauncher(),
      configuration: () => ({ env: { allow: [] } })
    })
    mkdirSync(path.join(home, 'own'))
    const { isolation } = await get('/capabilities')
    t.match(isolation.levels.at(-1), { level: 'container', holds: true, backend: 'landlock' })
    t.match(
      isolation.levels.at(-1).lacks.join(),
      'hidden names: a command can see that files outside the workspace exist'
    )
    t.equal(isolation.default, 'container')

    const { body: read } = await call('shell_exec', { command: 'cat a.txt' })
    t.match(read, { status: 'success', approved_by: { source: 'auto' }, result: { data: { isolation: 'read-only' } } })

    const ask = async (command: string, params = {}) => {
      const { body } = await call('shell_exec', { command, ...params })
      t.match(body, { status: 'awaiting_approval' }, JSON.stringify(body))
      return body
    }
    const written = await ask(
      'echo x >b.txt; cat b.txt; echo y >"$TMPDIR/t"; cat "$TMPDIR/t"; echo z >~/own/c; cat ~/own/c'
    )
    t.match(written.approval.preview.notes.join('\n'), "but not the server's files and process.")
    t.match((await approve(written)).result.data, { stdout: 'x\ny\nz\n', isolation: 'container' })

    const attack = [
      `state=${path.join(home, '.local/state/toolgate')}`,
      'find $state -type f -exec head -c 1 {} +',
      'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep ^TOOLGATE',
      'for process in /proc/[0-9]*; do id=$(basename $process)',
      '[ "$(cat $process/comm)" = bash ] && continue',
      'kill -0 $id 2>/dev/null && echo signalled $id $(cat $process/comm); done',
      'touch $state/new',
      'cat ~/.config/toolgate/config.jsonc >/dev/null || echo no configuration',
      "echo '{}' >~/.config/toolgate/config.jsonc; mv ~/.config/toolgate ~/.config/moved"
    ]
    writeFileSync(path.join(project, 'attack.sh'), attack.join('\n'))
    for (const params of [{}, { isolation: 'none' }]) {
      const { result } = await approve(await ask('bash attack.sh', { ...params, separate_streams: true }))
      t.match(result.data, { stdout: '', isolation: 'container' }, 'nothing less is granted')
      t.match(result.data.stderr, /Permission denied/)
    }
    t.match(await get('/capabilities'), { isolation: { default: 'container' } }, 'the state is still there')
    t.match(readFileSync(path.join(home, '.config/toolgate/config.jsonc'), 'utf8'), 'allow', 'and the configuration')
  }
)

t.test('with Landlock, commands in a workspace with secrets are asked about', needs('bwrap', 'landlock'), async t => {
  const { call, get, post, approve, project } = await startInContainer(t, { level: 'auto', launcher: buildLauncher() })
  t.match((await get('/capabilities')).isolation, {
    default: 'workspace',
    levels: [{}, { level: 'workspace', holds: true, backend: 'landlock', exposes_workspace: true }, {}]
  })
  const { body: asked } = await call('shell_exec', { command: 'touch b.txt' })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: {
      preview: {
        notes: [/^Landlock limits the command to the workspace\. It can read the secrets/],
        information: ['Isolation workspace with Landlock: writes only in the workspace, no network.']
      }
    }
  })
  const { tool_call_id, approval } = asked
  const { body: done } = await post(`/calls/${tool_call_id}/approve?wait_ms=120000`, {
    digest: approval.digest,
    always: 'command:workspace'
  })
  t.match(done.result.data, { exit_code: 0, isolation: 'workspace' }, JSON.stringify(done))
  t.match((await call('shell_exec', { command: 'touch b.txt' })).body, { approved_by: { source: 'rule' } })

  mkdirSync(path.join(project, 'sub'))
  for (const name of ['.env', 'sub/.env.local']) writeFileSync(path.join(project, name), 'KEY=secret\n')
  const { body: again } = await call('shell_exec', { command: 'touch b.txt' })
  t.match(again, {
    status: 'awaiting_approval',
    approval: { reason: 'The sandbox workspace cannot hide .env and 1 more from a command here.', always_options: [] }
  })
  t.match((await approve(again)).result.data, { exit_code: 0, isolation: 'workspace' })
  const { body: read } = await call('shell_exec', { command: 'cat a.txt; cat .env' })
  t.match(read, { status: 'awaiting_approval' }, 'it names a secret')
  const { body: hidden } = await call('shell_exec', { command: 'grep -rh "" . | sort -u' })
  t.match(hidden, { approved_by: { source: 'auto' }, result: { data: { isolation: 'read-only' } } })
  t.notMatch(hidden.result.data.output, 'secret')
  const { body: hosts } = await call('shell_exec', { command: 'curl https://example.com', network: ['example.com'] })
  t.match(hosts, {
    status: 'error',
    error: { code: 'SANDBOX_UNAVAILABLE', message: /cannot limit network access to single hosts/ }
  })
})

const fixture = LSP_PROJECTS.find(({ server }) => server === 'clangd')!

t.test('an unsandboxed language server requires approval', needs('bwrap', 'clangd'), async t => {
  const { call, get, approve, project } = await startInContainer(t, { level: 'auto' })
  writeFiles(fixture, project)
  const before = snapshotFolder(project)
  const { body: asked } = await call('diagnostics', { path: fixture.file })
  t.match(asked, { status: 'awaiting_approval', approval: { reason: /language server, which runs without a sandbox/ } })
  t.same((await get('/capabilities')).language_servers, [], 'none was started to ask that')
  const { status, counts, answered } = (await approve(asked)).result.data
  t.match({ status, counts, answered }, { status: 'complete', counts: { error: 1 }, answered: [{ server: 'clangd' }] })
  const { body: again } = await call('definition', { path: fixture.file, line: 5, symbol: 'shout' })
  t.equal(again.status, 'awaiting_approval', 'whoever asks again is asked again')
  const [place] = (await approve(again)).result.data.places
  t.match(place, { path: 'shout.h', line: 2, column: 5 })
  t.same(snapshotFolder(project), before, 'it wrote nothing into the project')
})
