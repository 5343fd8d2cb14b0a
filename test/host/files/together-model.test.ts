// Model-based tests of transactions: random steps on random small trees give the model's result, or change nothing.
// tier: quick
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import type { Files } from '../../../src/host/files/files.ts'
import type { TransactionStep } from '../../../src/host/files/transaction/transaction-step.ts'
import { snapshotFolder } from '../../snapshot-folder.ts'
import { leastOf, runs } from '../../support/property.ts'
import { createToolFixture } from '../../tools/fixture.ts'

/** By path: a folder, a link with its target, or a file with its mode and text (see `snapshotFolder`). */
type Model = Record<string, string>

const FOLDER = 'a folder'
const PATHS = ['a', 'b', 'd', 'd/a', 'd/e', 'd/e/a', 'f', 'f/a', 'f/g']
/** Nothing is ever under these, so that no path leads through a link. */
const LINKS = ['l', 'd/l']

const path = fc.constantFrom(...PATHS)
const entry = fc.constantFrom(...PATHS, ...LINKS)
const text = fc.constantFrom('', 'x', 'two\nlines\n')
const mode = fc.option(fc.constantFrom(0o600, 0o755), { nil: undefined })
const seed = fc.oneof(
  fc.record({ path, text: fc.option(text, { nil: undefined }) }),
  fc.record({ path: fc.constantFrom(...LINKS), target: fc.constant('nowhere') })
)
const wish = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path, text, mode, over: fc.boolean() }),
  fc.record({ do: fc.constant('move' as const), path, to: path, text: fc.option(text, { nil: undefined }), mode }),
  fc.record({ do: fc.constant('remove' as const), path: entry }),
  fc.record({ do: fc.constant('link' as const), path: entry, target: fc.constant('nowhere') }),
  fc.record({ do: fc.constant('folder' as const), path })
)
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never

t.test('transactions match the model, or change nothing', async t => {
  process.umask(0o022)
  const outcomes = { done: 0, refused: 0 }
  const seeds = fc.array(seed, { minLength: 2, maxLength: 8 })
  const wishes = fc.array(wish, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(seeds, wishes, async (seeds, wishes) => {
      const { root, files, reported } = createToolFixture(t)
      for (const one of seeds) sow(root, one)
      const before = snapshotFolder(root)
      const steps = await Promise.all(wishes.map(one => stepOf(one, before, files)))
      const expected = after(before, steps)
      const done = await files.runTransaction(steps).then(
        () => true,
        error => {
          if (!(error instanceof ToolError)) throw error
          return false
        }
      )
      outcomes[done ? 'done' : 'refused'] += 1
      if (!done && reported.some(each => each !== 'committed')) throw new Error('what did not happen was told')
      return done === (expected !== undefined) && isDeepStrictEqual(snapshotFolder(root), expected ?? before)
    }),
    runs(600)
  )
  t.ok(Math.min(...Object.values(outcomes)) > leastOf(600, 1 / 12), `both happen: ${JSON.stringify(outcomes)}`)
})

/** Adds an entry to the tree where possible. */
function sow(root: string, one: Drawn<typeof seed>) {
  const file = join(root, one.path)
  try {
    mkdirSync(dirname(file), { recursive: true })
    if ('target' in one) symlinkSync(one.target, file)
    else if (one.text === undefined) mkdirSync(file)
    else writeFileSync(file, one.text)
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

async function stepOf(one: Drawn<typeof wish>, before: Model, files: Files): Promise<TransactionStep> {
  const isFile = /^\d/.test(before[one.path] ?? '')
  const was = isFile && !(one.do === 'write' && !one.over) ? { was: (await files.snapshot(one.path))! } : {}
  if (one.do === 'link' || one.do === 'folder') return one
  if (one.do === 'remove') return { ...one, ...was }
  const bits = one.mode === undefined ? {} : { mode: one.mode }
  if (one.do === 'write') return { do: 'write', path: one.path, content: Buffer.from(one.text), ...bits, ...was }
  const content = one.text === undefined ? {} : { content: Buffer.from(one.text) }
  return { do: 'move', path: one.path, to: one.to, ...content, ...bits, ...was }
}

/** Applies the steps to a tree; undefined if impossible. */
function after(before: Model, steps: readonly TransactionStep[]): Model | undefined {
  const leaves = steps.filter(step => step.do === 'move' || step.do === 'remove').map(step => step.path)
  const comes = steps.filter(step => step.do !== 'remove' && step.do !== 'chmod')
  const moved = comes.flatMap(step => (step.do === 'move' && !step.was ? [step.path, step.to] : []))
  if (leaves.some(one => before[one] === undefined) || new Set(leaves).size < leaves.length) return undefined
  if (comes.some(step => step.do === 'move' && !step.was && before[step.path] !== FOLDER)) return undefined
  for (const one of [...leaves, ...comes.map(goal)])
    if (moved.some(folder => one.startsWith(`${folder}/`))) return undefined

  const next = { ...before }
  for (const one of leaves) delete next[one]
  for (const one of leaves)
    for (const inner of Object.keys(next).filter(each => each.startsWith(`${one}/`)))
      if (comes.some(step => step.do === 'move' && step.path === one)) delete next[inner]
      else return undefined

  const put: Model = {}
  for (const step of comes) {
    const to = goal(step)
    if (step.do === 'folder') {
      if (next[to] !== FOLDER && next[to] !== undefined) return undefined
      continue
    }
    if ((next[to] !== undefined && !(step.do === 'write' && step.was)) || put[to] !== undefined) return undefined
    if (step.do === 'write' && step.was && next[to] === undefined) return undefined
    put[to] = shownAs(step, before)
    if (moved.includes(step.path) && step.do === 'move')
      for (const inner of Object.keys(before))
        if (inner.startsWith(`${step.path}/`)) put[to + inner.slice(step.path.length)] = before[inner]!
  }
  for (const step of comes) {
    const to = goal(step)
    const parents = to.split('/').map((_, i, names) => names.slice(0, i + 1).join('/'))
    for (const folder of step.do === 'folder' ? parents : parents.slice(0, -1)) {
      if (put[folder] !== undefined || (next[folder] !== undefined && next[folder] !== FOLDER)) return undefined
      next[folder] = FOLDER
    }
  }
  return Object.fromEntries(Object.entries({ ...next, ...put }).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const goal = (step: TransactionStep) => (step.do === 'move' ? step.to : step.path)

function shownAs(step: Exclude<TransactionStep, { do: 'remove' | 'folder' | 'chmod' }>, before: Model): string {
  if (step.do === 'link') return `a link to ${step.target}`
  const old = step.was && before[step.path]!
  if (step.do === 'move' && old === undefined) return FOLDER
  const [bits, text] = [old?.slice(0, old.indexOf(' ')), old?.slice(old.indexOf(' ') + 1)]
  return `${step.mode?.toString(8) ?? bits ?? '644'} ${step.content ? Buffer.from(step.content as Uint8Array) : text}`
}
