// Calls tell what language servers say: each is asked by calls and directly, about the same project, and the answers are
// the same but for how they are put.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { contents } from '../../folder.ts'
import { Client } from '../../lsp/client.ts'
import { missing, PROJECTS, type Project, put } from '../../lsp/projects.ts'
import { truth } from '../../lsp/truth.ts'
import { skip as unkept } from '../../sandbox/world.ts'
import { type Json, startApp } from '../../start-app.ts'

/** Why a server cannot be asked here; never where everything has to be there. */
const skip = (project: Project) => unkept || missing(project)

async function directly(t: Test, project: Project) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'directly-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  put(project, folder)
  const { argv, options, settings } = project
  const client = await Client.start({ argv, folder, options: options?.(folder), settings })
  t.teardown(() => client.stop())
  return truth(client, project)
}

/** A process and all that it started, in the order of that. */
function tree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap(child => tree(Number(child))))]
}

/** A process that is nothing but an entry for its parent has ended. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Stops processes, and resolves once no thread of theirs does anything any more. */
async function stop(pids: number[]) {
  for (const pid of pids.filter(isThere)) process.kill(pid, 'SIGSTOP')
  while (pids.flatMap(threads).some(state => /^State:\s+[RS]/m.test(state))) await setTimeout(5)
}

/** What is known of each thread of a process that may end any moment. */
function threads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(id => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
  } catch {
    return []
  }
}

const UNREAD = `import fcntl, os, struct, sys, termios
pipe = os.open(f'/proc/{sys.argv[1]}/fd/0', os.O_RDONLY | os.O_NONBLOCK)
while struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] == 0: pass`

/** Resolves once there is something that a process, stopped now, has yet to read. */
const hasUnread = (pid: number) => promisify(execFile)('python3', ['-c', UNREAD, String(pid)], { timeout: 30_000 })

const sorted = (found: Json[]) => found.map(one => JSON.stringify(one, Object.keys(one).sort())).sort()

for (const project of PROJECTS)
  t.test(project.server, { skip: skip(project) }, async t => {
    const app = await startApp(t)
    put(project, app.root)
    const before = contents(app.root)
    const { asked, ...wanted } = await directly(t, project)

    const found = await app.call('diagnostics', { path: project.file })
    t.equal(found.status, 'success', JSON.stringify(found.error))
    const { diagnostics, status, answered } = found.result.data
    t.same(sorted(diagnostics), sorted(wanted.diagnostics), 'what it finds')
    t.equal(status, 'complete')
    t.match(answered, [{ server: project.server, root: '.', readiness: 'ready' }])
    t.match(answered[0].version ?? 'unknown', /^[^{}\n]{1,100}$/, 'a version is a few words')

    for (const question of ['definition', 'references'] as const) {
      const { status, error, result } = await app.call(question, asked)
      if (!wanted[question]) {
        t.match({ status, error }, { status: 'error', error: { code: 'LSP_UNAVAILABLE' } }, `no ${question}`)
        continue
      }
      t.equal(status, 'success', JSON.stringify(error))
      t.same(sorted(result.data.places), sorted(wanted[question]), question)
      t.not(result.data.places.length, 0, `it has an answer: ${question}`)
    }
    t.same(contents(app.root), before, 'nothing was written')
  })

/** They take the workspace for their project. */
const HAS_NO_ROOT = new Set(['bash-language-server'])
const COLD = ['typescript-language-server', 'bash-language-server', 'clangd']
const cold = PROJECTS.filter(({ server }) => COLD.includes(server))

t.test('who asks while a project is still being read', { skip: cold.map(skip).find(Boolean) ?? false }, async t => {
  const app = await startApp(t)
  for (const project of cold) put(project, path.join(app.root, project.server))
  const wanted = await Promise.all(cold.map(project => directly(t, project)))
  const answers = await Promise.all(
    wanted.map(({ asked }, i) => app.call('definition', { ...asked, path: `${cold[i]!.server}/${asked.path}` }))
  )
  for (const [i, { server }] of cold.entries()) {
    const { places, answered } = answers[i].result.data
    const here = wanted[i]!.definition!.map(place => ({ ...place, path: `${server}/${place.path}` }))
    t.same(sorted(places), sorted(here), `is told by ${server} what whoever asks later is`)
    t.match(answered, { server, root: HAS_NO_ROOT.has(server) ? '.' : server, readiness: 'ready' })
  }
  const { language_servers } = await app.get('/capabilities')
  t.same(language_servers.map(({ server }: Json) => server).sort(), COLD.toSorted(), 'each runs once')
})

for (const name of ['bash-language-server', 'yaml-language-server']) {
  const project = PROJECTS.find(({ server }) => server === name)!
  t.test(`${name} knows nothing at first, and is not believed`, { skip: skip(project) }, async t => {
    const { asked } = await directly(t, project)
    for (const [question, params] of Object.entries({ hover: asked, symbols: { path: project.file } })) {
      const app = await startApp(t)
      put(project, app.root)
      const told = async () => {
        const { text, symbols = [] } = (await app.call(question, params)).result.data
        return text ?? symbols
      }
      const first = await told()
      await app.call('diagnostics', { path: project.file })
      t.same(first, await told(), question)
      t.not(first.length, 0, `there is something: ${question}`)
    }
  })
}

const killed = PROJECTS.find(({ server }) => server === 'gopls')!

const VICTIMS = { 'the server': (_: number, server: number) => server, 'what is around it': (around: number) => around }

for (const [what, victim] of Object.entries(VICTIMS))
  t.test(`killed while it is asked: ${what}`, { skip: skip(killed) }, async t => {
    const app = await startApp(t)
    put(killed, app.root)
    const { asked, definition } = await directly(t, killed)
    const ask = () => app.call('definition', asked)
    const running = async () => (await app.get('/capabilities')).language_servers[0]
    // Then it has read the project, and has nothing more to ask us.
    t.equal((await app.call('diagnostics', { path: asked.path })).result.data.status, 'complete')
    t.same((await ask()).result.data.places, definition)

    const before = await running()
    const pids = tree(before.pid)
    const server = pids.find(pid => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'gopls\n')!
    t.not(server, before.pid, 'there is a sandbox around it')
    // It will not answer any more.
    await stop(pids)
    const asking = ask()
    await hasUnread(server)
    process.kill(victim(before.pid, server), 'SIGKILL')
    // What is around it must see it go.
    for (const pid of pids) if (pid !== server && isThere(pid)) process.kill(pid, 'SIGCONT')
    const { status, error } = await asking
    t.match({ status, error }, { status: 'error', error: { code: 'LSP_UNAVAILABLE', details: { server: 'gopls' } } })
    t.same(pids.filter(isThere), [], 'nothing of it is left')
    t.same((await ask()).result.data.places, definition, 'the next is answered')
    const after = await running()
    t.equal(after.restarts, before.restarts + 1)
    t.not(after.pid, before.pid)
  })

t.test('a server that is nowhere is named, with how to get it', async t => {
  const { PATH } = process.env
  process.env.PATH = ''
  t.teardown(() => {
    process.env.PATH = PATH
  })
  const app = await startApp(t, { 'a.go': 'package a\n', 'a.unknown': 'text\n' })
  t.match((await app.call('definition', { path: 'a.go', line: 1, col: 1 })).error, {
    code: 'LSP_UNAVAILABLE',
    details: { language: 'go', server: 'gopls', install: 'go install golang.org/x/tools/gopls@latest' }
  })
  t.match((await app.call('definition', { path: 'a.unknown', line: 1, col: 1 })).error, { code: 'LSP_UNAVAILABLE' })
})
