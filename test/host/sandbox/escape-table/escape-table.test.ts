// Tests of the table of attempts to escape: its layouts, and that docs/security.md has the current set of attempts. The attempts
// themselves are made by escapes.test.ts, and in each layout by scripts/escapes.ts.
// tier: quick
import { chownSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import type { BackendName } from '../../../../src/protocol/isolation-levels.ts'
import { needs } from '../../../support/needs.ts'
import { removeFolder } from '../../../support/remove-folder.ts'
import { BACKENDS } from '../backends.ts'
import { ATTEMPTS, type EscapeAttempt } from '../escape-attempts.ts'
import { isRelevant } from '../escape-world.ts'
import { ESCAPE_GROUPS, findGroup, GROUP_NAMES } from './groups.ts'
import { LAYOUTS, ORDINARY_ID, runInLayout } from './layouts.ts'
import { formatEscapeTable, parseEscapeTable, replaceEscapeTable, TABLE_PAGE } from './table.ts'

t.test('every attempt is in one group', async t => {
  const grouped = Object.values(ESCAPE_GROUPS).flat()
  t.strictSame(grouped.toSorted(), ATTEMPTS.map(({ title }) => title).toSorted())
})

t.test('the document has the current attempts in each layout', needs('linux'), async t => {
  const rows = parseEscapeTable(readFileSync(TABLE_PAGE, 'utf8'))
  const expected = LAYOUTS.flatMap(({ name, container }) => [
    { layout: name, level: '`none`', cells: countAttempts(({ harmless }) => harmless === true) },
    ...BACKENDS.filter(backend => backend.name === 'landlock' || container === undefined).flatMap(backend => [
      ...backend.levels.map(level => ({
        layout: name,
        level: `\`${level}\`, ${backend.name}`,
        cells: countAttempts(one => isRelevant(one, backend.name))
      })),
      ...(backend.hasAuto ? [autoRow(name, backend.name)] : [])
    ])
  ])
  const current = rows
    .filter(({ level }) => !level.endsWith('does not hold'))
    .map(({ cells, ...about }) => ({
      ...about,
      cells: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, Number(cell.split('/')[1] ?? 0)]))
    }))
  t.strictSame(current, expected, 'measure again: npx node scripts/escapes.ts --write')
})

t.test('the table counts by group', async t => {
  const [first, second] = [ESCAPE_GROUPS.network[0]!, ESCAPE_GROUPS.network[1]!]
  const table = formatEscapeTable(
    'Measured.',
    new Map([
      [
        'here',
        [
          { level: 'workspace', backend: 'landlock', attempted: [], escaped: [] },
          { level: 'read-only', backend: 'landlock', attempted: [first, second, 'mount'], escaped: [second] }
        ]
      ]
    ])
  )
  const page = replaceEscapeTable('Before\n<!-- escapes -->\nold\n<!-- end of escapes -->\nAfter\n', table)
  t.match(
    page,
    /^Before\n<!-- escapes -->\n\nMeasured\.\n\n\| layout .*\n(?:\|.*\n)+\n<!-- end of escapes -->\nAfter\n$/
  )
  const none = Object.fromEntries(GROUP_NAMES.map(name => [name, '–']))
  t.strictSame(parseEscapeTable(page), [
    {
      layout: 'here',
      level: '`read-only`, landlock',
      cells: { ...none, network: '1/2', 'kernel and rights': '1/1' }
    },
    { layout: 'here', level: '`workspace` does not hold', cells: none }
  ])
})

const REPORT = `id -u
awk '/^CapEff/ { print $2 }' /proc/self/status
unshare --user true 2>/dev/null && echo namespaces
[ ! -e /.dockerenv ] || echo marker
touch /usr/escape-table 2>/dev/null && rm /usr/escape-table && echo writes
touch "$TMPDIR/a" && echo temporary`

t.test('each layout is what its name says', needs('root', 'bwrap', 'linux'), async t => {
  const report = async (name: string) => {
    const layout = LAYOUTS.find(one => one.name === name)!
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'layout-')))
    t.teardown(() => removeFolder(folder))
    if (layout.user === 'ordinary') chownSync(folder, ORDINARY_ID, ORDINARY_ID)
    const env = { ...process.env, TMPDIR: folder }
    return (await runInLayout(layout, folder, ['/bin/sh', '-c', REPORT], env)).trim().split('\n')
  }
  const [noCapabilities, defaults] = ['0000000000000000', '00000000a80425fb']
  const id = String(ORDINARY_ID)
  t.match(await report('host, root'), ['0', /./, 'namespaces'])
  t.match(await report('host, user'), [id, noCapabilities, 'namespaces'])
  t.strictSame(await report('container, root'), ['0', defaults, 'marker', 'writes', 'temporary'])
  t.strictSame(await report('container, user'), [id, noCapabilities, 'marker', 'temporary'])
  t.strictSame(await report('pod, user'), [id, noCapabilities, 'temporary'])
})

const autoRow = (layout: string, backend: BackendName) => ({
  layout,
  level: `\`workspace\`, mode \`auto\`, ${backend}`,
  cells: countAttempts(one => isRelevant(one, backend, 'auto'))
})

/** Counts the attempts of each group that meet a condition. */
function countAttempts(condition: (attempt: EscapeAttempt) => boolean) {
  const titles = ATTEMPTS.filter(condition).map(({ title }) => title)
  return Object.fromEntries(GROUP_NAMES.map(name => [name, titles.filter(title => findGroup(title) === name).length]))
}
