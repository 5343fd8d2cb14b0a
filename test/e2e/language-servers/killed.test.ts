// Tests of a language server, or its sandbox, killed during a query.
import { readdirSync, readFileSync } from 'node:fs'
import { execa } from 'execa'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { LIMIT_MS, waitUntil } from '../../support/wait.ts'
import { directly } from './directly.ts'
import { LSP_PROJECTS, writeFiles } from './projects.ts'

/** They mostly wait for servers. */
t.jobs = 2

/** Returns a process and its descendants, parents first. */
function tree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap(child => tree(Number(child))))]
}

/** Returns whether a process runs; a zombie has ended. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Stops processes, and resolves once all their threads are stopped. */
async function stop(pids: number[]) {
  for (const pid of pids.filter(isThere)) process.kill(pid, 'SIGSTOP')
  await waitUntil('all threads to stop', () => !pids.flatMap(threads).some(state => /^State:\s+[RS]/m.test(state)))
}

/** Returns the state of each thread of a process that may end at any time. */
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

/** Resolves once a stopped process has unread input. */
const hasUnread = (pid: number) => execa('python3', ['-c', UNREAD, String(pid)], { timeout: LIMIT_MS })

const killed = LSP_PROJECTS.find(({ server }) => server === 'gopls')!

const VICTIMS = { 'the server': (_: number, server: number) => server, 'what is around it': (around: number) => around }

for (const [what, victim] of Object.entries(VICTIMS))
  t.test(`killed during a query: ${what}`, needs('bwrap', 'python3', ...killed.parts), async t => {
    const app = await startApp(t)
    writeFiles(killed, app.root)
    const { asked, definition } = await directly(t, killed)
    const ask = () => app.call('definition', asked)
    const running = async () => (await app.get('/capabilities')).language_servers[0]
    // It has then read the project, and sends no more requests.
    t.equal((await app.call('diagnostics', { path: asked.path })).result.data.status, 'complete')
    t.same((await ask()).result.data.places, definition)

    const before = await running()
    const pids = tree(before.pid)
    const server = pids.find(pid => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'gopls\n')!
    t.not(server, before.pid, 'there is a sandbox around it')
    // It will not respond any more.
    await stop(pids)
    const asking = ask()
    await hasUnread(server)
    process.kill(victim(before.pid, server), 'SIGKILL')
    // Its parents must notice its exit.
    for (const pid of pids) if (pid !== server && isThere(pid)) process.kill(pid, 'SIGCONT')
    const { status, error } = await asking
    t.match({ status, error }, { status: 'error', error: { code: 'LSP_UNAVAILABLE', details: { server: 'gopls' } } })
    t.same(pids.filter(isThere), [], 'nothing of it is left')
    t.same((await ask()).result.data.places, definition, 'the next is answered')
    const after = await running()
    t.equal(after.restarts, before.restarts + 1)
    t.not(after.pid, before.pid)
  })
