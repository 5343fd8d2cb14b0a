// Tests of commands in the mode `auto` that make more than others can bear: folders without number, and files to be quarantined.
// tier: full
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { readTree, startAuto } from './auto-app.ts'

/** Programs, with the number of uppermost folders that they make. */
const FLOODS: readonly [how: string, code: string, count: number][] = [
  [
    'in one new folder',
    `
import os
os.mkdir('many')
for i in range(17_000): os.mkdir(f'many/{i}')`,
    1
  ],
  [
    'beside existing ones, and in them',
    `
import os
for i in range(8_500):
    os.mkdir(f'{i}')
    os.mkdir(f'src/{i}')`,
    17_000
  ],
  [
    'deep, one in the other',
    `
import os
for i in range(170):
    os.makedirs(f'src/{i}/' + '/'.join('x' * 100))`,
    170
  ]
]

t.test('folders beyond the limit are quarantined, and commands go on', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'src/old/c.txt': 'c\n' })
  const before = readTree(app.root)
  for (const [how, code, count] of FLOODS) {
    const done = await app.run(code)
    t.match(done, { status: 'success', approved_by: { mode: 'auto' } }, how)
    const { quarantined, quarantined_omitted = 0, quarantine_folder } = done.result.data
    t.ok(quarantined.length <= 200, how)
    t.match(done.result.content, 'or there are too many folders', how)
    t.ok(existsSync(path.join(quarantine_folder, quarantined[0])), how)
    t.equal(quarantined.length + quarantined_omitted, count, how)
    t.same(readTree(app.root), before, how)
    t.match(await app.call('shell_exec', { command: 'ls' }), { status: 'success' }, how)
  }
})

t.test(
  'in a workspace with more folders than that, new ones stay below the limit of all',
  needs('bwrap', 'python3'),
  async t => {
    const app = await startAuto(t, { 'a.txt': 'a\n' })
    for (let i = 0; i < 16_400; i += 1) mkdirSync(path.join(app.root, `d${i}`))
    const done = await app.run("import os\nos.mkdir('new')")
    t.match(done, { status: 'success', result: { data: { quarantined: undefined } } })
    t.ok(existsSync(path.join(app.root, 'new')))
  }
)
