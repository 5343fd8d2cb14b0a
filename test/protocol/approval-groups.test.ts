// tier: quick
import t from 'tap'
import {
  describeGroup,
  type GroupableCall,
  groupApprovals,
  MAX_GROUP_CALLS
} from '../../src/protocol/approval-groups.ts'

interface CallOptions {
  group?: string
  level?: 'ask' | 'strict'
  cut?: true
  files?: readonly { path: string; to?: string }[]
  params?: object
  server_name?: string
  session_id?: string
}

const edit = (
  tool_call_id: string,
  path: string,
  { group = 'g', cut, ...options }: CallOptions = {}
): GroupableCall => ({
  tool_call_id,
  session_id: options.session_id ?? 's',
  workspace: 'w',
  ...(options.server_name !== undefined && { server_name: options.server_name }),
  params: options.params ?? { path },
  approval: {
    level: options.level ?? 'ask',
    group,
    matched_rules: [{ effect: 'write' }],
    files: options.files ?? [{ path }],
    preview: { diff: '-a\n+b\n', ...(cut && { cut }) }
  }
})
const command = (tool_call_id: string, group = 'c'): GroupableCall => ({
  tool_call_id,
  session_id: 's',
  workspace: 'w',
  params: { command: 'make' },
  approval: { level: 'ask', group, matched_rules: [{ effect: 'execute' }], preview: {} }
})
const idsOf = (calls: readonly GroupableCall[]) =>
  groupApprovals(calls).map(group => group.calls.map(({ tool_call_id }) => tool_call_id))

t.test('calls with the same key form a group, in order of arrival', async t => {
  t.same(idsOf([edit('1', 'a'), command('2'), edit('3', 'b'), command('4'), edit('5', 'c', { group: 'other' })]), [
    ['1', '3'],
    ['2', '4']
  ])
  t.same(idsOf([edit('1', 'a')]), [], 'one call is not a group')
})

t.test('calls that must be decided alone are in no group', async t => {
  const others = [edit('1', 'a'), edit('2', 'b')]
  const { group: _, ...approval } = edit('3', 'c').approval
  const withoutKey = { ...edit('3', 'c'), approval }
  const ofTwo = { ...edit('3', 'c'), approval: { ...edit('3', 'c').approval, approvals_needed: 2 } }
  for (const alone of [edit('3', 'c', { level: 'strict' }), edit('3', 'c', { cut: true }), withoutKey, ofTwo])
    t.same(idsOf([alone, ...others]), [['1', '2']])
})

t.test('a later call on a file of the group is left out', async t => {
  t.same(idsOf([edit('1', 'a'), edit('2', 'b'), edit('3', 'a'), edit('4', 'c')]), [['1', '2', '4']])
  t.same(idsOf([edit('1', 'a'), edit('2', 'a')]), [])
  const moves = (id: string, from: string, to: string) => edit(id, '', { files: [], params: { from, to } })
  t.same(idsOf([moves('1', 'a', 'b'), moves('2', './b', 'c'), moves('3', 'd', 'e')]), [['1', '3']], 'by its params')
  t.same(idsOf([edit('1', 'x'), moves('2', 'src', 'lib'), edit('3', 'src/a.ts'), edit('4', 'lib/b.ts')]), [['1', '2']])
  t.same(idsOf([edit('1', 'src/a.ts'), moves('2', 'src', 'lib'), edit('3', 'srcs/a.ts')]), [['1', '3']])
  t.same(idsOf([edit('1', 'a', { files: [{ path: 'a', to: 'b' }] }), edit('2', 'b'), edit('3', 'c')]), [['1', '3']])
})

t.test('servers of a hub cannot add calls to the groups of others', async t => {
  const at = (id: string, path: string, server_name: string) => edit(id, path, { server_name })
  t.same(idsOf([at('1', 'a', 'x'), at('2', 'b', 'y'), at('3', 'a', 'y')]), [['2', '3']])
  t.same(idsOf([edit('1', 'a'), edit('2', 'b', { session_id: 'other' })]), [])
})

t.test('a group has a limited number of calls', async t => {
  const calls = Array.from({ length: MAX_GROUP_CALLS + 5 }, (_, index) => edit(`${index}`, `file-${index}`))
  t.equal(groupApprovals(calls)[0]!.calls.length, MAX_GROUP_CALLS)
})

t.test('a group is described by what its calls do', async t => {
  t.equal(
    describeGroup([edit('1', 'a'), edit('2', 'b', { files: [{ path: 'b' }, { path: 'c' }] })]),
    '2 edits in 3 files'
  )
  t.equal(describeGroup([edit('1', 'a')]), '1 edit in 1 file')
  t.equal(describeGroup([command('1'), command('2'), command('3')]), '3 commands')
  t.equal(describeGroup([command('1'), edit('2', 'a')]), '2 calls')
})
