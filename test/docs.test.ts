// The documents are true: their examples run and give what they show, their tables are the code's, their links and pictures
// lead somewhere.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { settingsOf } from '../scripts/config-tables.ts'
import { withTables } from '../scripts/doc-tables.ts'
import { asSchema, fieldsOf } from '../scripts/schema-words.ts'
import { settingNames } from '../src/config/text-sources.ts'
import { Config } from '../src/config.ts'
import { EVENTS } from '../src/events/events.ts'
import { isRunning } from '../src/host/processes/running.ts'
import { TOOLS } from '../src/tools/index.ts'
import { bare } from './bare.ts'
import { blocksOf, deadLinks, examplesOf, isAsShown, runExamples } from './documents.ts'
import { skip } from './sandbox/world.ts'

const README = 'README.md'
const PAGES = [README, 'CHANGELOG.md', ...globSync('docs/*.md')].sort()
const read = (file: string) => readFileSync(file, 'utf8')

t.setTimeout(280_000)
/** Pages wait more than they work: for servers to start, and for each other's commands. */
t.jobs = 2

/** Compiled once for all pages. */
const XDG_CACHE_HOME = path.resolve('node_modules/.cache/toolgate-docs')

/** What `git clone` would not bring; builds may come and go meanwhile. And the tests, thousands of files that no reader
 * of the documents looks at. */
const NEVER_COPIED = /^(?:node_modules|\.git|\.tap.*|dist.*|test)$/

/** A clone of the project as `npm ci` leaves it, in a home of its own. */
function clone(t: Test) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-clone-')))
  const home = path.join(folder, 'home')
  const cwd = path.join(folder, 'toolgate')
  mkdirSync(home)
  for (const name of globSync('{*,.*}').filter(name => !NEVER_COPIED.test(name)))
    cpSync(name, path.join(cwd, name), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(cwd, 'node_modules'))
  const TOOLGATE_ADMIN_CONFIG = path.join(folder, 'none')
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', XDG_CACHE_HOME, TOOLGATE_ADMIN_CONFIG }
  t.teardown(() => {
    for (const file of globSync(path.join(home, '.local/state/toolgate/run/*.json'))) {
      const { pid } = JSON.parse(read(file)) as { pid: number }
      if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return { cwd, env }
}

/** Starts a server and waits for its first line. */
async function start(t: Test, program: string, args: string[], options: { cwd: string; env: object }) {
  const child = spawn(...bare(program, args), {
    ...options,
    env: options.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => stop(child))
  const said = text(child.stderr)
  const ended = once(child, 'exit').then(async () => Promise.reject(new Error(`it ended: ${await said}`)))
  ended.catch(() => {})
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

t.test('the commands of the README start it, and its examples do what they say', async t => {
  const readme = read(README)
  const [first] = blocksOf(readme)
  t.equal(first!.text, 'npm ci && npm start')
  const { cwd, env } = clone(t)
  await start(t, 'npm', ['start', '--silent'], { cwd, env })
  await check(t, readme, { cwd, env, before: [] })

  const program = blocksOf(readme).find(({ mark }) => mark === 'program')!.text
  t.ok(program.split('\n').length < 15, 'the client needs few lines')
  const [discovery] = globSync(path.join(env.HOME, '.local/state/toolgate/run/*.json'))
  const { url, token } = JSON.parse(read(discovery!)) as { url: string; token: string }
  writeFileSync(path.join(cwd, 'program.mjs'), program)
  writeFileSync(path.join(cwd, 'hello.txt'), 'Hello, Toolgate\n')
  const { stdout } = await promisify(execFile)(...bare(process.execPath, ['program.mjs']), {
    cwd,
    env: { ...env, TOOLGATE_URL: url, TOKEN: token }
  })
  t.match(stdout, /^-Hello, Toolgate\n\+Hi, Toolgate\n/m, 'the program shows the diff')
  t.equal(read(path.join(cwd, 'hello.txt')), 'Hi, Toolgate\n')
})

/** Or what only runs by itself in one. */
const SHOWS_A_SANDBOX = /"isolation": "(?:workspace|strict)"|"server": "/

const setup = examplesOf(read(README)).filter(({ isSetup }) => isSetup)

for (const page of globSync('docs/*.md').sort()) {
  const markdown = read(page)
  if (examplesOf(markdown).length === 0) continue
  const how = { skip: SHOWS_A_SANDBOX.test(markdown) && skip, buffered: true }
  t.test(`the examples of ${page} do what they say`, how, async t => {
    const { cwd, env } = clone(t)
    symlinkSync(path.resolve('dist'), path.join(cwd, 'dist'))
    await start(t, process.execPath, ['bin/toolgate.cjs', 'serve', '--log-level', 'error'], { cwd, env })
    await check(t, markdown, { cwd, env, before: setup })
  })
}

async function check(
  t: Test,
  markdown: string,
  { before, ...place }: { cwd: string; env: Record<string, string | undefined>; before: typeof setup }
) {
  const examples = examplesOf(markdown)
  const ran = (await runExamples([...before, ...examples], place)).slice(before.length)
  for (const [i, { line, script, gives }] of examples.entries()) {
    const { stdout, stderr, code } = ran[i]!
    if (gives === undefined) t.equal(code, 0, `line ${line}: ${stderr}`)
    else t.ok(isAsShown(gives, stdout), `line ${line}`, { script, shown: gives.text, stdout, stderr })
  }
}

t.test('a document that shows something else is found out', async t => {
  const json = (text: string) => ({ language: 'json', text })
  t.ok(isAsShown(json('{"a": "tc_…", "…": "…"}'), '{"a":"tc_1","b":2}'))
  t.notOk(isAsShown(json('{"a": "tc_…"}'), '{"a":"tc_1","b":2}'))
  t.notOk(isAsShown(json('{"a": 1, "b": 2}'), '{"a":1}'))
  t.ok(isAsShown(json('[1, "…"]'), '[1,2,3]'))
  t.notOk(isAsShown(json('[1, 2]'), '[1,2,3]'))
  t.notOk(isAsShown({ language: 'text', text: 'a … c' }, 'a b\nc'))
  t.ok(isAsShown({ language: 'text', text: 'a\n…\nd' }, 'a\nb\nc\nd'))
})

t.test('every table is what the code says', async t => {
  for (const page of PAGES) t.equal(withTables(read(page)), read(page), `${page}: node scripts/docs.ts makes it anew`)
})

t.test('nothing that can be said is left out', async t => {
  const api = read('docs/api.md')
  const routes = [...api.matchAll(/^\| `([A-Z]+ \S+)` \|/gm)].map(([, route]) => route!)
  t.ok(routes.length > 20)
  for (const route of routes) t.ok(api.includes(`### ${route}\n`), `${route} has an example`)

  const run = promisify(execFile)
  const toolgate = async (...args: string[]) => (await run(process.execPath, ['src/main.ts', ...args])).stdout
  const configuration = read('docs/configuration.md')
  for (const [flag] of (await toolgate('serve', '--help')).matchAll(/(?<=^ +)--[a-z-]+/gm))
    if (!EVERY_VERB_TAKES.includes(flag)) t.ok(configuration.includes(`\`${flag}`), `${flag} is explained`)

  const verbs = (await toolgate('--help')).split('Verbs:\n')[1]!.split('\n\n')[0]!
  for (const [, verb] of verbs.matchAll(/^ +(\w+) /gm)) t.match(read(README), new RegExp(`\`(toolgate )?${verb}\\b`))
})
const EVERY_VERB_TAKES = ['--json', '--quiet', '--no-color', '--no-input', '--help']

t.test('every field of the reference says what it means', t => {
  const silent = (of: string, schema: object) =>
    fieldsOf(asSchema(schema))
      .filter(({ path, schema: { description } }) => path !== 'type' && description === undefined)
      .map(({ path }) => `${of} ${path}`)
  t.same(
    [
      ...Object.entries(EVENTS).flatMap(([type, schema]) => silent(type, schema)),
      ...TOOLS.flatMap(({ name, input, output }) => [...silent(name, input), ...silent(name, output)]),
      ...settingsOf(asSchema(Config)).flatMap(({ at, schema }) => (schema.description ? [] : [at.join('.')]))
    ],
    []
  )
  t.end()
})

t.test('every variable that is named is one', async t => {
  const named = new Set(PAGES.flatMap(page => read(page).match(/\bTOOLGATE_[A-Z_]*[A-Z]\b/g) ?? []))
  const others = ['ADMIN_CONFIG', 'STATE_DIR', 'RUN_DIR', 'URL', 'TOKEN_FILE', 'ROOTS'].map(name => `TOOLGATE_${name}`)
  const known = new Set([...settingNames(), ...others])
  t.same(
    [...named].filter(name => !known.has(name)),
    []
  )
})

t.test('every link and every picture leads somewhere', t => {
  for (const page of [...PAGES, ...globSync('{examples,clients}/**/*.md')]) t.same(deadLinks(page), [], page)
  t.end()
})

t.test('a dead link is found, whatever it is written like', t => {
  const page = path.join(t.testdir({ 'there.md': '# One `a`\n\n## One a\n' }), 'page.md')
  const fine = ['there.md', 'there.md#one-a', 'there.md#one-a-1', '#here', 'https://example.com/#x']
  const dead = ['gone.md', 'there.md#one-a-2', '#nowhere', 'gone.png']
  const written = (link: string) =>
    `[a](${link}) ![b](${link} "c") <a href="${link}">d</a> <img src="${link}"> <source srcset="${link} 2x">\n[e]: ${link}\n`
  writeFileSync(page, `# Here\n\n${[...fine, ...dead].map(written).join('\n')}`)
  t.same(
    deadLinks(page),
    dead.flatMap(link => Array(6).fill(link))
  )
  t.end()
})
