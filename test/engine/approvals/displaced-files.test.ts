// Tests that calls which need no approval never add up to one that does: what a session did not create stays in its place unless
// a person decides otherwise.
// tier: full
import { rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'
import { leastOf, runs } from '../../support/property.ts'

const FILES = {
  'package.json': '{\n  "name": "x"\n}\n',
  'src/a.ts': 'export const a = 1\n',
  'src/deep/b.ts': 'b\n'
}

/** Starts a server with an agent whose token may only call, and a person. */
async function start(t: Test, options: StartOptions = {}, files: Record<string, string> = FILES) {
  const app = await startApp(t, files, options)
  const headers = { authorization: `Bearer ${CALL_TOKEN}` }
  const agent = (tool: string, params: object, more?: object): Promise<Json> =>
    app.callAs(CALL_TOKEN, tool, params, more)
  const approve = async ({ tool_call_id, approval }: Json): Promise<Json> =>
    app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest, confirm: true })
  return { ...app, agent, approve, headers }
}

const asks = (reason: string) => ({ status: 'awaiting_approval', approval: { level: 'ask', reason } })

t.test('moving a file away that the session did not create asks, and shows it', async t => {
  const { agent, read, approve } = await start(t)
  const moved = await agent('move_file', { from: 'package.json', to: 'p.bak' })
  t.match(moved, asks('Moves package.json, which this session did not create.'))
  t.equal(moved.approval.preview.diff, 'diff --git a/package.json b/p.bak\nrename from package.json\nrename to p.bak\n')
  t.equal(read('package.json'), FILES['package.json'])

  const tree = await agent('move_file', { from: 'src', to: 'dist/gone' })
  t.match(tree, asks('Moves src, which this session did not create.'))
  t.equal(tree.approval.preview.text, 'src/a.ts → dist/gone/a.ts\nsrc/deep/b.ts → dist/gone/deep/b.ts')
  t.match(await approve(tree), { status: 'success' })
})

t.test('what the session created may be moved and replaced without asking', async t => {
  const { agent, write, read, request } = await start(t)
  t.match(await agent('write_file', { path: 'new/x.txt', content: 'x\n' }), { status: 'success' })
  t.match(await agent('write_file', { path: 'new/y.txt', content: 'y\n' }), { status: 'success' })
  t.match(await agent('move_file', { from: 'new', to: 'newer' }), { status: 'success' })
  t.match(await agent('move_file', { from: 'newer/x.txt', to: 'z.txt' }), { status: 'success' })
  t.match(await agent('write_file', { path: 'new/x.txt', content: 'again\n' }), { status: 'success' })
  t.match(await agent('write_file', { path: 'newer/x.txt', content: 'again\n' }), { status: 'success' })

  const reason = 'Moves z.txt, which this session did not create.'
  t.match(await agent('move_file', { from: 'z.txt', to: 'q.txt' }, { session_id: 'another' }), asks(reason))
  t.match(
    (await request('POST', '/calls', { tool: 'move_file', params: { from: 'z.txt', to: 'q.txt' } })).body,
    asks(reason),
    'the same session, client and agent, but another token'
  )
  t.match(await agent('move_file', { from: 'z.txt', to: 'q.txt' }), { status: 'success' })
  write('q.txt', 'changed by a person\n')
  t.match(await agent('move_file', { from: 'q.txt', to: 'r.txt' }), { status: 'awaiting_approval' })
  write('newer/person.txt', '')
  t.match(await agent('move_file', { from: 'newer', to: 'newest' }), { status: 'awaiting_approval' })
  t.equal(read('q.txt'), 'changed by a person\n')
})

t.test('a committed file belongs to the repository', async t => {
  const { agent, root } = await start(t)
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: root, stdio: 'ignore' })
  git('init')
  t.match(await agent('write_file', { path: 'x.txt', content: 'x\n' }), { status: 'success' })
  git('add', 'x.txt')
  git('commit', '-m', 'Add x')
  t.match(
    await agent('move_file', { from: 'x.txt', to: 'y.txt' }),
    asks('Moves x.txt, which this session did not create.')
  )
  t.match(await agent('write_file', { path: 'z.txt', content: 'z\n' }), { status: 'success' })
  t.match(await agent('move_file', { from: 'z.txt', to: 'w.txt' }), { status: 'success' })
})

t.test('a file that was committed to a nested repository belongs to that', async t => {
  const { agent, root, read } = await start(t)
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: path.join(root, 'nested/deep'),
      stdio: 'ignore'
    })
  t.match(await agent('write_file', { path: 'nested/deep/x.txt', content: 'x\n' }), { status: 'success' })
  git('init')
  git('add', 'x.txt')
  git('commit', '-m', 'Add x')
  const gone = await agent('move_file', { from: 'nested/deep/x.txt', to: 'gone.txt' })
  t.match(gone, asks('Moves nested/deep/x.txt, which this session did not create.'))
  t.not((await agent('move_file', { from: 'nested', to: 'gone' })).status, 'success')
  t.equal(read('nested/deep/x.txt'), 'x\n')
})

t.test('writing where a file was deleted or moved away asks, with a diff against it', async t => {
  const { agent, approve, close, folder, settings } = await start(t)
  const deleted = await agent('delete_file', { path: 'package.json' })
  await approve(deleted)
  const written = { path: 'package.json', content: '{\n  "name": "evil"\n}\n' }
  const diff = ' {\n-  "name": "x"\n+  "name": "evil"\n }\n'
  const reason = `Replaces package.json, which an earlier call deleted (${deleted.tool_call_id}).`
  const asked = await agent('write_file', written)
  t.match(asked, asks(reason))
  t.match(asked.approval.preview, {
    title: 'Create package.json',
    notes: [`Replaces package.json, which an earlier call deleted (${deleted.tool_call_id}).`]
  })
  t.equal(asked.approval.preview.diff.split('@@\n')[1], diff)
  t.match(await agent('write_file', written, { session_id: 'another' }), asks(reason), 'whichever session asks')

  const patch = '*** Begin Patch\n*** Add File: package.json\n+{\n+  "name": "evil"\n+}\n*** End Patch\n'
  const patched = await agent('apply_patch', { patch })
  t.match(patched, asks(reason))
  t.equal(patched.approval.preview.diff.split('@@\n')[1], diff)

  t.match(await agent('write_file', { path: 'own.json', content: '{}\n' }), { status: 'success' })
  const renamed = await agent('move_file', { from: 'own.json', to: 'package.json' })
  t.match(renamed, asks(reason))
  t.match(renamed.approval.preview.diff, '-{\n-  "name": "x"\n-}\n+{}\n')

  await approve(await agent('move_file', { from: 'src', to: 'lib' }))
  await close()
  const again = await start(t, { folder, settings }, {})
  const inside = await again.agent('write_file', { path: 'src/a.ts', content: 'export const a = 2\n' })
  t.match(inside, {
    status: 'awaiting_approval',
    approval: { reason: /^Replaces src\/a.ts in src, which an earlier call moved to lib/ }
  })
  t.equal(inside.approval.preview.diff.split('@@\n')[1], '-export const a = 1\n+export const a = 2\n')
  t.match(await again.agent('write_file', written), asks(reason), 'also after a restart')
  t.match(await again.approve(inside), { status: 'success' })
  t.match(await again.approve(await again.agent('write_file', written)), { status: 'success' })
  t.match(await again.agent('write_file', { path: 'elsewhere.ts', content: '' }), { status: 'success' })
})

t.test("a file that a person let take the place of another is not the session's", async t => {
  const { agent, approve } = await start(t)
  await approve(await agent('delete_file', { path: 'package.json' }))
  const written = await approve(await agent('write_file', { path: 'package.json', content: '{}\n' }))
  t.match(written, { status: 'success', approved_by: { source: 'user' } })
  const reason = 'Moves package.json, which this session did not create.'
  t.match(await agent('move_file', { from: 'package.json', to: 'p.bak' }), asks(reason))
})

t.test('the steps of a batch do not add up either', async t => {
  const { request, read, headers } = await start(t)
  const calls = [
    { tool: 'move_file', params: { from: 'package.json', to: 'p.bak' } },
    { tool: 'write_file', params: { path: 'package.json', content: 'evil' } }
  ]
  const { body } = await request('POST', '/calls/batch', { calls }, headers)
  t.match(body.results, [{ status: 'awaiting_approval' }, { status: 'awaiting_approval' }])
  t.equal(read('package.json'), FILES['package.json'])
})

const TREE = { a: 'a\n', 'd/b': 'b\n', 'd/e/c': 'c\n', f: '' }
const name = fc.constantFrom('a', 'f', 'd', 'd/b', 'd/e', 'd/e/c', 'n', 'n/m', 'node_modules/x', 'p', 'q', 'q/r', 's')
const step = fc.record({
  session_id: fc.constantFrom('one', 'two'),
  call: fc.oneof(
    fc.record({
      tool: fc.constant('write_file'),
      params: fc.record({ path: name, content: fc.constantFrom('x\n', 'a\n', '') })
    }),
    {
      weight: 3,
      arbitrary: fc.record({
        tool: fc.constant('move_file'),
        params: fc.record({ from: name, to: name, overwrite: fc.boolean() })
      })
    },
    fc.record({ tool: fc.constant('delete_file'), params: fc.record({ path: name, recursive: fc.boolean() }) }),
    fc.record({
      tool: fc.constant('copy_file'),
      params: fc.record({ source: name, dest: name, overwrite: fc.boolean() })
    }),
    fc.record({ tool: fc.constant('create_directory'), params: fc.record({ path: name }) }),
    fc.record({
      tool: fc.constant('edit_file'),
      params: fc.record({ path: name, old: fc.constantFrom('a\n', 'x\n'), new: fc.constant('z\n') })
    }),
    fc.record({
      tool: fc.constant('undo'),
      params: fc.record({ tool_call_id: fc.nat(9).map(String), scope: fc.constantFrom('call', 'since') })
    }),
    fc.record({
      tool: fc.constant('apply_patch'),
      params: fc.record({
        patch: fc
          .tuple(name, fc.option(name))
          .map(([one, to]) =>
            to === null
              ? `*** Begin Patch\n*** Add File: ${one}\n+new\n*** End Patch\n`
              : `*** Begin Patch\n*** Update File: ${one}\n*** Move to: ${to}\n@@\n-a\n+b\n*** End Patch\n`
          )
      })
    })
  )
})

t.test('random calls of agents leave what was there unchanged, unless a person decides', async t => {
  const { agent, root, write } = await start(t, {}, {})
  let ran = 0
  let asked = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async steps => {
      for (const entry of Object.keys(snapshotFolder(root)))
        rmSync(path.join(root, entry), { recursive: true, force: true })
      for (const [file, content] of Object.entries(TREE)) write(file, content)
      const before = snapshotFolder(root)
      const ids: string[] = []
      for (const { session_id, call } of steps) {
        const { tool } = call
        const params =
          tool === 'undo' ? { ...call.params, tool_call_id: ids[Number(call.params.tool_call_id)] ?? '' } : call.params
        const { status, tool_call_id } = await agent(tool, params, { session_id })
        ids.push(tool_call_id)
        if (status === 'success') ran += 1
        if (status === 'awaiting_approval') asked += 1
      }
      const after = snapshotFolder(root)
      for (const [entry, content] of Object.entries(before))
        if (after[entry] !== content) t.fail(`${entry} changed`, { steps })
    }),
    runs(200)
  )
  t.ok(Math.min(ran, asked) >= leastOf(200, 0.2), `${ran} ran, ${asked} asked`)
})
