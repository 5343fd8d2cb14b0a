// Fixture: runs the examples of documents in a clone of the project, on a server.
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { isProcessRunning } from '../../../src/host/processes/pids.ts'
import { type Example, matchesShown, parseExamples, runExamples } from '../../markdown.ts'
import { needs } from '../../support/needs.ts'
import { removeFolder } from '../../support/remove-folder.ts'
import { exitOf, once, waitUntil } from '../../support/wait.ts'

/** The documents with most examples. */
export const REFERENCE = ['api', 'approvals', 'commands', 'configuration', 'files', 'rules'].map(
  name => `docs/${name}.md`
)
/** The documents about extending the server and connecting to it. */
export const EXTENDING = ['client', 'coding-agents', 'custom-tools', 'front-ends', 'hooks', 'mcp', 'toolsets'].map(
  name => `docs/${name}.md`
)

/** The document of the Python client, whose examples need that client: test/e2e/python has them. */
export const PYTHON = 'docs/python.md'

export const read = (file: string) => readFileSync(file, 'utf8')

/** Compile cache shared by all pages. */
const XDG_CACHE_HOME = path.resolve('node_modules/.cache/toolgate-docs')

/**
 * Excludes what `git clone` would not include (builds may come and go concurrently), and the tests: thousands of files that no
 * example uses.
 */
const NEVER_COPIED = /^(?:node_modules|\.git|build|dist.*|test)$/

/** The sources, a thousand files: most pages only use files that their examples make. */
const SOURCES = /^(?:bench|clients|examples|scripts|src|tools|web)$/
const SHOWS_SOURCES = /\bsrc\//

/** Returns the exclusions of a page's clone. */
const leftOutFor = (examples: readonly Example[]) =>
  examples.some(({ script, gives }) => SHOWS_SOURCES.test(`${script}\n${gives?.text}`)) ? NEVER_COPIED : SOURCES

/** Clones the project as `npm ci` leaves it, with its own home, except for the exclusions at its root. */
export function clone(t: Test, leftOut = NEVER_COPIED) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tg-clone-')))
  const home = path.join(folder, 'home')
  const cwd = path.join(folder, 'toolgate')
  const prefix = path.join(folder, 'npm')
  mkdirSync(home)
  for (const name of globSync('{*,.*}').filter(name => !NEVER_COPIED.test(name) && !leftOut.test(name)))
    cpSync(name, path.join(cwd, name), { recursive: true, filter: file => path.basename(file) !== 'node_modules' })
  symlinkSync(path.resolve('node_modules'), path.join(cwd, 'node_modules'))
  const TOOLGATE_ADMIN_CONFIG = path.join(folder, 'none')
  const env = {
    PATH: [path.join(prefix, 'bin'), process.env.PATH].join(path.delimiter),
    npm_config_prefix: prefix,
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
    XDG_CACHE_HOME,
    TOOLGATE_ADMIN_CONFIG
  }
  t.teardown(async () => {
    for (const file of globSync(path.join(home, '.local/state/toolgate/run/*.json'))) {
      const { pid } = JSON.parse(read(file)) as { pid: number }
      await endServer(pid)
    }
    removeFolder(folder)
  })
  return { cwd, env }
}

/** Ends a server, and waits until it has removed what it made outside of its folders. */
async function endServer(pid: number) {
  if (!isProcessRunning(pid)) return
  process.kill(pid, 'SIGTERM')
  await waitUntil('the server to end', () => !isProcessRunning(pid))
}

/** Adds the program to PATH, as `npm link` does. */
function linkProgram(cwd: string, { npm_config_prefix }: { npm_config_prefix: string }) {
  const folder = path.join(npm_config_prefix, 'bin')
  mkdirSync(folder, { recursive: true })
  symlinkSync(path.join(cwd, 'bin/toolgate.cjs'), path.join(folder, 'toolgate'))
}

interface StartOptions {
  cwd: string
  env: object
  /** For the first line. */
  limitMs?: number
}

/** Starts a server and waits for its first line. */
export async function start(t: Test, program: string, args: string[], { limitMs, ...options }: StartOptions) {
  const child = spawn(program, args, {
    ...options,
    env: options.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => stop(child))
  const said = text(child.stderr)
  const ended = exitOf(child).then(async () => Promise.reject(new Error(`it ended: ${await said}`)))
  ended.catch(() => {})
  await Promise.race([once(createInterface({ input: child.stdout }), 'line', limitMs), ended])
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/** Or output that appears only inside one. */
const SHOWS_A_SANDBOX = /"isolation": "(?:workspace|strict)"|"server": "/

/** Runs the examples of each of these pages as a subtest, each on a separate server. */
export function testPages(t: Test, pages: readonly string[]) {
  // Pages wait for servers to start, and for each other's commands.
  t.jobs = 3
  for (const page of pages) {
    const markdown = read(page)
    const examples = parseExamples(markdown)
    if (examples.length === 0) continue
    const how = SHOWS_A_SANDBOX.test(markdown) ? needs('sandbox') : {}
    t.test(`the examples of ${page} give the shown output`, how, async t => {
      const { cwd, env } = clone(t, leftOutFor(examples))
      symlinkSync(path.resolve('dist'), path.join(cwd, 'dist'))
      linkProgram(cwd, env)
      await start(t, process.execPath, ['bin/toolgate.cjs', 'serve', '--log-level', 'error'], { cwd, env })
      await checkExamples(t, markdown, { cwd, env })
    })
  }
}

/** Runs the examples of a page, and compares their output with the page. */
export async function checkExamples(
  t: Test,
  markdown: string,
  place: { cwd: string; env: Record<string, string | undefined> }
) {
  const examples = parseExamples(markdown)
  const ran = await runExamples(examples, place)
  for (const [i, { line, script, gives }] of examples.entries()) {
    const { stdout, stderr, code } = ran[i]!
    if (gives === undefined) t.equal(code, 0, `line ${line}: ${stderr}`)
    else t.ok(matchesShown(gives, stdout), `line ${line}`, { script, shown: gives.text, stdout, stderr })
  }
}
