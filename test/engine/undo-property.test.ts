// Property tests of undo: whatever calls do to a tree, undoing them restores it: all at once, or one by one in any order that is
// possible.
// tier: full
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import type { Json } from '../start-app.ts'
import { runs } from '../support/property.ts'
import { startUndoFixture } from './undo-fixture.ts'

const LINES = Array.from({ length: 12 }, (_, i) => `line ${i}\n`)
const FILES = { a: LINES.join(''), 'd/b': LINES.slice(3).join(''), 'd/e/c': 'c\n', f: '' }
const PATHS = ['a', 'f', 'd', 'd/b', 'd/e', 'd/e/c', 'n', 'n/m', 'd/l']

const path = fc.constantFrom(...PATHS)
const call = fc.oneof(
  fc.record({
    tool: fc.constant('write_file'),
    params: fc.record({ path, content: fc.constantFrom('x\n', 'y', FILES.a) })
  }),
  { weight: 3, arbitrary: fc.record({ tool: fc.constant('edit_file'), params: fc.nat(11).chain(edit) }) },
  fc.record({ tool: fc.constant('move_file'), params: fc.record({ from: path, to: path, overwrite: fc.boolean() }) }),
  fc.record({ tool: fc.constant('delete_file'), params: fc.record({ path, recursive: fc.boolean() }) }),
  fc.record({
    tool: fc.constant('copy_file'),
    params: fc.record({ source: path, dest: path, recursive: fc.boolean(), overwrite: fc.boolean() })
  }),
  fc.record({ tool: fc.constant('create_directory'), params: fc.record({ path }) })
)

function edit(line: number) {
  return fc.record({
    path: fc.constantFrom('a', 'd/b', 'n'),
    old: fc.constant(`line ${line}\n`),
    new: fc.constantFrom('', `changed ${line}\n`, `line ${line}\nand more\n`)
  })
}

t.test('undoes random calls', async t => {
  const rules = [{ effect: 'allow' as const, match: { tool: '*' } }]
  const world = await startUndoFixture(
    t,
    {},
    { settings: { tiers: { administrator: [], user: rules, workspace: [] } } }
  )
  const { tree, post, at, link, write } = world
  let session = 0
  let undone = 0

  function reset() {
    for (const name of readdirSync(world.root)) rmSync(at(name), { recursive: true })
    for (const [name, content] of Object.entries(FILES)) write(name, content)
    link('d/l', 'e/c')
    chmodSync(at('d/e/c'), 0o755)
    chmodSync(at('a'), 0o600)
    return state()
  }
  // Excludes permission bits of folders: a folder recreated by another call keeps its own.
  const state = () => JSON.stringify(tree())

  /** Makes the calls, and returns those that changed something. */
  async function changing(calls: { tool: string; params: object }[]): Promise<Json[]> {
    session += 1
    const made: Json[] = []
    for (const each of calls) {
      const ended = await post('/calls', { ...each, session_id: `${session}` })
      if (ended.error?.code === 'INTERNAL') throw new Error(JSON.stringify(ended))
      if (ended.changes) made.push(ended)
    }
    return made
  }
  const undo = (which: Json, body: object = {}) => post(`/calls/${which.tool_call_id}/undo`, body)
  const mustEndWell = ({ status, error }: Json) => {
    if (status !== 'success') throw new Error(JSON.stringify(error))
  }
  const mustBe = (wanted: string) => {
    if (state() !== wanted) throw new Error(`${state()}\nis not\n${wanted}`)
  }

  const some = fc.array(call, { minLength: 1, maxLength: 7 })
  await fc.assert(
    fc.asyncProperty(some, fc.infiniteStream(fc.nat()), async (calls, dice) => {
      const before = reset()
      const made = await changing(calls)
      if (made.length === 0) return
      const after = state()
      // Undos in any order are ordinary calls: some succeed, some fail, and then nothing changes.
      for (const each of made.slice(1)) {
        if (dice.next().value % 2 === 0) continue
        const was = state()
        const { status, error } = await undo(each)
        if (status === 'success') continue
        if (error.code !== 'UNDO_CONFLICT') throw new Error(JSON.stringify(error))
        mustBe(was)
      }
      const last = state()
      const all = await undo(made[0], { scope: 'since' })
      if (last === before && all.error?.message.startsWith('There is nothing to undo')) return
      mustEndWell(all)
      mustBe(before)
      undone += 1
      mustEndWell(await undo(all))
      mustBe(last)
      if (last === after) return
      mustEndWell(await undo(made[0], { scope: 'since' }))
      mustBe(before)
    }),
    runs(60)
  )
  t.ok(undone > 20, 'there was something to undo')

  const lines = fc.uniqueArray(fc.nat(5), { minLength: 2 })
  const shuffled = lines.chain(places =>
    fc.tuple(fc.constant(places), fc.shuffledSubarray([...places.keys()], { minLength: places.length }))
  )
  await fc.assert(
    fc.asyncProperty(shuffled, async ([places, order]) => {
      const before = reset()
      const edits = places.map(place => ({
        tool: 'edit_file',
        params: { path: 'a', old: `line ${2 * place}\n`, new: place % 2 ? '' : `changed ${place}\nand more\n` }
      }))
      const made = await changing(edits)
      for (const i of order) mustEndWell(await undo(made[i]))
      mustBe(before)
    }),
    runs(20)
  )
})
