// Notes on the content of a change, which the eye misses. Costs about 2 s of processor time.
// tier: quick
import t from 'tap'
import { startApp } from '../../start-app.ts'

const CYRILLIC_A = '\u0430'

const EXPLANATION = 'The characters shown as code points look like Latin letters, but are others.'
const inPath = (path: string) => `Look-alike letters in a path: ${path}. ${EXPLANATION}`
const inText = (word: string) => `Look-alike letters: ${word}. ${EXPLANATION}`

t.test('names letters that look like Latin letters', async t => {
  const copy = `src/p${CYRILLIC_A}yment.js`
  const whole = '\u0441\u043e\u0440\u0443'
  const { call } = await startApp(t, {
    [copy]: 'pay()\n',
    'src/main.js': "import './payment.js'\n",
    'заметки/план.txt': 'Полить\n',
    [`${whole}.txt`]: 'a\n',
    'math.py': 'd = 1\n',
    'run.sh': `echo p${CYRILLIC_A}y\n`
  })
  const notes = async (tool: string, params: object) => {
    const { approval } = await call(tool, params)
    return (approval.preview.notes ?? []).filter((note: string) => note.startsWith('Look-alike'))
  }
  t.same(await notes('edit_file', { path: copy, old: 'pay', new: 'pays' }), [inPath('src/p\\u{430}yment.js')])
  t.same(
    await notes('edit_file', { path: 'src/main.js', old: "'./payment.js'", new: `'./p${CYRILLIC_A}yment.js'` }),
    [inText('p\\u{430}yment in src/main.js')],
    'in an added line'
  )
  t.same(await notes('edit_file', { path: `${whole}.txt`, old: 'a', new: 'b' }), [
    inPath('\\u{441}\\u{43e}\\u{440}\\u{443}.txt')
  ])
  t.same(await notes('shell_exec', { command: `touch ${copy} b` }), [inText('p\\u{430}yment')])
  t.same(await notes('shell_exec', { command: 'sh run.sh' }), [inText('p\\u{430}y')], 'in an executed script')
  t.same(await notes('edit_file', { path: 'заметки/план.txt', old: 'Полить', new: 'Полить сад' }), [], 'Russian')
  t.same(await notes('edit_file', { path: 'math.py', old: 'd = 1', new: 'Δt = σ2 * 3μs' }), [], 'formulas')
})

t.test('names the hosts that a change brings in', async t => {
  const lock = (host: string, n: number) => `"resolved": "https://${host}/lib-${n}.tgz"\n`
  const { call, read } = await startApp(t, {
    'lock.json': lock('registry.example.org', 1) + lock('registry.example.org', 2),
    'main.js': 'start()\n'
  })
  const information = async (tool: string, params: object): Promise<string[]> =>
    (await call(tool, params)).approval.preview.information ?? []
  const changed = lock('registry.example.org', 3) + lock('user:pw@REGISTRY-mirror.example:8443', 4)
  t.same(await information('write_file', { path: 'lock.json', content: read('lock.json').replace(/^.*\n/, changed) }), [
    'New hosts in the added lines: registry-mirror.example in lock.json.'
  ])
  const many = Array.from({ length: 12 }, (_, i) => `fetch('wss://h${String(i).padStart(2, '0')}.example/x')\n`).join(
    ''
  )
  t.match(await information('edit_file', { path: 'main.js', old: 'start()', new: `${many}fetch('http://[::1]/')` }), [
    /^New hosts in the added lines: h00\.example in main\.js, .*h09\.example in main\.js and 3 more\.$/
  ])
  t.same(await information('edit_file', { path: 'main.js', old: 'start()', new: 'start(1)' }), [])
})
