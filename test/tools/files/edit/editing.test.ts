// tier: quick
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ToolError } from '../../../../src/errors.ts'
import type { ComputePool } from '../../../../src/host/compute/compute-pool.ts'
import type { RunContext } from '../../../../src/tool/contexts.ts'
import editFile from '../../../../src/tools/files/edit_file.ts'
import multiEdit from '../../../../src/tools/files/multi_edit.ts'
import {
  catchToolError,
  createToolFixture,
  planOf,
  previewOf,
  reviewOf,
  runPlanned,
  runTool,
  snapshotTree
} from '../../fixture.ts'

/** Returns the context with the host's compute pool replaced. */
const computing = (ctx: RunContext, run: ComputePool['run']): RunContext => ({
  ...ctx,
  host: { ...ctx.host, compute: { run } as ComputePool }
})

t.test('multi_edit applies its preview', async t => {
  const { ctx, root, reported } = createToolFixture(t, { 'a.py': 'def f():\n    return 1\n\nprint("x")\n' })
  const input = {
    path: 'a.py',
    edits: [
      { old: 'def f():\n  return 1', new: 'def g():\n  return 2' },
      { old: 'g()', new: 'h()' },
      { old: 'print(\\"x\\")', new: 'print(\\"y\\")' }
    ]
  }
  const before = snapshotTree(root)
  const preview = await previewOf(multiEdit, input, ctx)
  const reason = await reviewOf(multiEdit, input, ctx)
  t.match(reason, /^Edit 3: The old text was found only after its escape sequences were changed/)
  t.equal(snapshotTree(root), before)
  const output = await runTool(multiEdit, input, ctx)
  t.equal(preview.diff, output.diff)
  t.same(
    output.edits.map(({ match }) => match),
    ['indentation', 'exact', 'escapes']
  )
  t.equal(readFileSync(join(root, 'a.py'), 'utf8'), 'def h():\n    return 2\n\nprint("y")\n')
  t.match(reported, ['committed', { path: 'a.py', operation: 'modified', added: 3, removed: 3 }])
  t.match(multiEdit.present(output, input), {
    title: 'a.py',
    content: /^Applied 3 edits to a.py.\nEdit 1: .*\nEdit 3: .*\n--- a/
  })
})

t.test('names a failed edit, and writes nothing', async t => {
  const { ctx, root, reported } = createToolFixture(t, { 'a.txt': 'one\ntwo\ntwo\n' })
  const before = snapshotTree(root)
  const failed = async (...edits: { old: string; new: string }[]) => {
    const { code, details = {} } = await catchToolError(() => runTool(multiEdit, { path: 'a.txt', edits }, ctx))
    const [first] = (details.errors ?? [details]) as { pointer: string }[]
    return { code, pointer: first?.pointer }
  }
  const fine = { old: 'one', new: '1' }
  t.same(await failed(fine, { old: 'two', new: '2' }), { code: 'AMBIGUOUS_MATCH', pointer: '/params/edits/1/old' })
  t.same(await failed(fine, { old: 'seven', new: '7' }), { code: 'OLD_TEXT_NOT_FOUND', pointer: '/params/edits/1/old' })
  t.same(await failed(fine, { old: 'a', new: 'a' }), { code: 'INVALID_PARAMS', pointer: '/params/edits/1/new' })
  t.same(await failed(fine, { old: '1', new: '\ud800' }), { code: 'INVALID_PARAMS', pointer: '/params/edits/1/new' })
  t.equal(snapshotTree(root), before)
  t.same(reported, [])
})

t.test('an edit is computed once for its review, its preview and its run', async t => {
  const { ctx } = createToolFixture(t, { 'a.txt': 'zero\nthe quick brown fox\n' })
  const computed: string[] = []
  const counting = computing(ctx, (name, input, terms) => {
    computed.push(name)
    return ctx.host.compute.run(name, input, terms)
  })
  const input = { path: 'a.txt', old: 'the quikc brown fox', new: 'gone' }
  const plan = await planOf(editFile, input, counting)
  t.match(plan.reasons, { ask: /similar/ })
  t.match(await plan.preview!(), { diff: /\+gone/ })
  await runPlanned(editFile, input, counting, plan)
  t.strictSame(computed, ['edits'])
})

t.test('a slow search finds nothing, and a cancelled one ends', async t => {
  const { ctx, abort } = createToolFixture(t, { 'a.txt': 'one\n' })
  const input = { path: 'a.txt', old: 'two', new: '2' }
  const late = computing(ctx, async () => {
    throw new ToolError('TIMEOUT', 'too late')
  })
  t.match(await catchToolError(() => runTool(editFile, input, late)), {
    code: 'OLD_TEXT_NOT_FOUND',
    message: /took too long/,
    details: { path: 'a.txt', search_complete: false }
  })
  abort.abort(new ToolError('CANCELLED', 'no longer wanted'))
  t.match(await catchToolError(() => runTool(editFile, input, ctx)), { code: 'CANCELLED' })
})
