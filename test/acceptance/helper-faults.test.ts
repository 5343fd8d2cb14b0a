// Tests of the built server whose helpers fail: processes and threads that cannot be started, or that end at once. The calls that
// need one fail with the reason, or do without it; all others go on; once the cause is removed, they work again.
// tier: full
// run: waiting (for servers)
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { findBwrap } from '../../src/host/processes/bwrap.ts'
import { findShell } from '../../src/host/processes/find-program.ts'
import { BUILT_PROGRAM } from '../cli/toolgate.ts'
import { needs } from '../support/needs.ts'
import { waitUntil } from '../support/wait.ts'
import { connectWithCurl, createGitProject, type Json } from './fixture.ts'

const LINES = Array.from({ length: 300 }, (_, i) => `line ${i}\n`)
const FILES = { 'a.txt': 'a needle\n', 'large.txt': LINES.join('') }
/** No user of the system, so that a limit of its processes counts those of the server alone. */
const UNUSED_ID = 64_321
const AS_UNUSED = ['setpriv', `--reuid=${UNUSED_ID}`, `--regid=${UNUSED_ID}`, '--clear-groups']
const PIPES = '/pipes/'
const GIT_PIPES = '/git-pipes/'
const WORKERS = path.join(path.dirname(BUILT_PROGRAM), '../dist/lib')

/** For a shell: replaces its name by `a.txt` of the folder, then runs its arguments. */
const REPLACE_AND_RUN = 'mount --bind a.txt "$0" && exec "$@"'

type Project = ReturnType<typeof createGitProject>

type CallName = 'search' | 'edit' | 'question' | 'status' | 'commit'

/** Calls that need a helper each. */
const CALLS: Record<CallName, readonly [string, object]> = {
  search: ['grep', { pattern: 'needle' }],
  /** Its preview is computed in a thread. */
  edit: ['edit_file', { path: 'large.txt', old: 'line 7\n', new: LINES.toReversed().join('') }],
  question: ['search_code', { query: 'needle' }],
  status: ['git_status', {}],
  commit: ['git_commit', { message: 'One more', files: ['b.txt'] }]
}

async function serve({ folder, serveIn, write }: Project) {
  write('b.txt', 'not committed\n')
  const state = path.join(folder, 'state')
  const { pid, ...ready } = await serveIn({ TOOLGATE_STATE_DIR: state, TOOLGATE_SANDBOX_LEVEL: 'none' })
  const server = connectWithCurl({ ...ready })
  let files = 0
  return {
    pid,
    state,
    call: async (name: CallName): Promise<Json> => (await server.call(...CALLS[name])).body,
    async callApproved(name: CallName): Promise<Json> {
      const { body } = await server.call(...CALLS[name])
      if (body.status !== 'awaiting_approval') return body
      const { tool_call_id, approval } = body
      const done = await server.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest: approval.digest })
      return done.body
    },
    async assertServes(t: Test) {
      t.match(await server.get('/health'), { version: String })
      t.match((await server.call('read_file', { path: 'a.txt' })).body, { result: { content: /a needle/ } })
      files += 1
      const written = await server.call('write_file', { path: `new${files}.txt`, content: 'new\n' })
      t.match(written.body, { status: 'success' })
    }
  }
}

/** Starts a server in a mount namespace, in which files can be replaced for this server alone. */
async function serveInNamespace(t: Test) {
  const at = createGitProject(t, FILES, ['unshare', '--mount'])
  for (const [key, value] of [
    ['name', 'T'],
    ['email', 't@localhost']
  ])
    at.git('config', `user.${key}`, value!)
  const server = await serve(at)
  const inside = (...command: string[]) =>
    execaSync('nsenter', ['--mount', '--target', String(server.pid), ...command], { stdio: 'ignore' })
  return {
    ...server,
    replace(file: string, content: string, mode = 0o755) {
      const other = path.join(at.folder, `instead-of-${path.basename(file)}`)
      writeFileSync(other, content, { mode })
      inside('mount', '--bind', other, file)
    },
    restore: (file: string) => inside('umount', '--lazy', file)
  }
}

/** Returns the pids of a server's helper processes, whose FIFOs are in a folder of that name. */
function findHelpers(server: number, folder: string): number[] {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'latin1').trim().split(' ')
  return children.map(Number).filter(pid => pid > 0 && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder))
}

/** Kills the helper; resolves once the server knows. */
async function killHelper(server: number, folder: string) {
  const [pid] = findHelpers(server, folder)
  process.kill(pid!, 'SIGKILL')
  await waitUntil('the server to reap its helper', () => !existsSync(`/proc/${pid}`))
}

interface Fault {
  name: string
  file: string
  content: string
  mode?: number
  call: CallName
  /** The ended call, while the fault lasts. */
  failed: object
  /** The call afterwards. */
  repaired: object
}

const FAULTS: Fault[] = [
  {
    name: 'ripgrep cannot be executed',
    file: rgPath,
    content: '',
    mode: 0o644,
    call: 'search',
    failed: {
      status: 'error',
      error: {
        code: 'EXECUTION_ERROR',
        message: `ripgrep, which searches files, could not be started: ${rgPath}: Permission denied. Check that the user of the server may run it, or reinstall Toolgate, and retry.`
      }
    },
    repaired: { status: 'success', result: { data: { total: 1 } } }
  },
  {
    name: 'ripgrep ends at once',
    file: rgPath,
    content: '#!/bin/sh\necho out of luck >&2\nexit 3\n',
    call: 'search',
    failed: {
      status: 'error',
      error: { code: 'EXECUTION_ERROR', message: 'The search failed: out of luck' }
    },
    repaired: { status: 'success', result: { data: { total: 1 } } }
  },
  {
    name: 'ripgrep prints nonsense',
    file: rgPath,
    content: '#!/bin/sh\nprintf "\\377\\000{}\\n[]\\n"\n',
    call: 'search',
    failed: {
      status: 'error',
      error: {
        code: 'EXECUTION_ERROR',
        message: 'The search failed: unexpected output of ripgrep. Reinstall Toolgate, and retry.'
      }
    },
    repaired: { status: 'success', result: { data: { total: 1 } } }
  },
  {
    name: 'the thread that computes ends at once',
    file: path.join(WORKERS, 'compute-worker.js'),
    content: 'throw new Error("out of luck")\n',
    call: 'edit',
    failed: {
      status: 'error',
      error: {
        code: 'EXECUTION_ERROR',
        message:
          'The worker thread for diffs and edits failed: out of luck. Retry: a new thread is started. If it fails again, check the installation with `toolgate doctor`.'
      }
    },
    repaired: { status: 'awaiting_approval' }
  },
  {
    name: 'the thread of the index ends at once',
    file: path.join(WORKERS, 'index-worker.js'),
    content: 'throw new Error("out of luck")\n',
    call: 'question',
    failed: {
      status: 'success',
      result: { data: { notes: ['The index has failed: out of luck. Files are ranked only by word counts.'] } }
    },
    repaired: { status: 'success' }
  }
]

for (const { name, file, content, mode, call, failed, repaired } of FAULTS)
  t.test(name, needs('mount'), async t => {
    const server = await serveInNamespace(t)
    server.replace(file, content, mode)
    for (let i = 0; i < 2; i += 1) {
      const [body] = await Promise.all([server.call(call), server.assertServes(t)])
      t.match(body, failed)
    }
    server.restore(file)
    t.match(await server.call(call), repaired)
  })

t.test('the helper that starts programs is killed while idle', async t => {
  const server = await serve(createGitProject(t, FILES))
  t.match(await server.call('search'), { status: 'success' })
  await killHelper(server.pid, PIPES)
  t.match(await server.call('search'), { status: 'success', result: { data: { total: 1 } } })
})

t.test("git's helper cannot be started", needs('mount', 'bwrap'), async t => {
  const server = await serveInNamespace(t)
  const bwrap = findBwrap()!
  t.match(await server.call('status'), { status: 'success' })
  server.replace(bwrap, '', 0o644)
  t.same((await server.callApproved('commit')).error, {
    code: 'EXECUTION_ERROR',
    message: `The command could not be started: spawn ${bwrap} EACCES. git runs in a bubblewrap sandbox: check that the user of the server may run ${bwrap}, and retry.`,
    recoverable: false
  })
  await killHelper(server.pid, GIT_PIPES)
  const [status] = await Promise.all([server.call('status'), server.assertServes(t)])
  t.same(status.error, {
    code: 'EXECUTION_ERROR',
    message:
      `No program can be started: the helper process that starts them failed 3 times. Error: spawn ${bwrap} EACCES. ` +
      'Check that the user of the server may run bubblewrap, the shell and Node.js, and retry: each call tries again.',
    recoverable: false
  })
  server.restore(bwrap)
  t.match(await server.call('status'), { status: 'success' })
  t.match(await server.callApproved('commit'), { status: 'success' })
})

for (const [name, mode] of [
  ['cannot be executed', 0o644],
  ['ends at once', 0o755]
] as const)
  t.test(`bubblewrap ${name}: git runs without it until it is repaired`, needs('mount', 'bwrap'), async t => {
    const server = await serveInNamespace(t)
    const bwrap = findBwrap()!
    server.replace(bwrap, '#!/bin/sh\nexit 1\n', mode)
    const [status] = await Promise.all([server.call('status'), server.assertServes(t)])
    t.match(status, { status: 'success' })
    t.same(findHelpers(server.pid, GIT_PIPES), [])
    server.restore(bwrap)
    t.match(await server.call('status'), { status: 'success' })
    t.equal(findHelpers(server.pid, GIT_PIPES).length, 1, 'confined again')
  })

const NO_PROGRAMS = {
  code: 'OVERLOADED',
  message: `No program can be started: the helper process that starts them failed 3 times. Error: spawn ${findShell({ PATH: process.env.PATH ?? '' })} EAGAIN. End processes of the server's user, or increase the limit of its processes (\`ulimit -u\`, or \`pids_limit\` of the container), and retry: each call tries again.`,
  recoverable: true
}
const NO_THREADS = {
  code: 'OVERLOADED',
  message:
    'The worker thread for diffs and edits could not be started: the system is out of threads or memory. Increase the limits of the server (`ulimit -u`, or the limits of its container), and retry.',
  recoverable: true
}

t.test('its user has no processes left', needs('root', 'linux'), async t => {
  const at = createGitProject(t, FILES, AS_UNUSED)
  execaSync('chown', ['--recursive', `${UNUSED_ID}:${UNUSED_ID}`, at.folder])
  if (!isReadableByUnused(BUILT_PROGRAM, at.project)) return t.comment('the checkout cannot be read by another user')
  const server = await serve(at)
  t.match(await server.call('search'), { status: 'success' })
  const hard = execaSync('prlimit', ['--nproc', '--output', 'HARD', '--noheadings']).stdout.trim()
  // Root may lack the right to do so for others.
  const limit = (processes: string, pid = server.pid) =>
    runAsUnused('prlimit', '--pid', String(pid), `--nproc=${processes}:${hard}`)
  const [helper] = findHelpers(server.pid, PIPES)
  limit('1', helper)
  t.match((await server.call('search')).error, {
    code: 'OVERLOADED',
    message:
      /^The command could not be started: spawn .* EAGAIN\. End processes of the server's user, .*, and retry\.$/,
    recoverable: true
  })
  limit('1')
  await killHelper(server.pid, PIPES)
  for (let i = 0; i < 2; i += 1) {
    const [search, edit, question] = await Promise.all([
      server.call('search'),
      server.call('edit'),
      server.call('question'),
      server.assertServes(t)
    ])
    t.same([search.error, question.error], [NO_PROGRAMS, NO_PROGRAMS])
    t.same(edit.error, NO_THREADS)
  }
  limit(hard)
  t.match(await server.call('search'), { status: 'success', result: { data: { total: 1 } } })
  t.match(await server.call('edit'), { status: 'awaiting_approval' })
})

function runAsUnused(...command: string[]) {
  const [file, ...args] = [...AS_UNUSED, ...command]
  execaSync(file!, args, { stdio: 'ignore' })
}

function isReadableByUnused(...files: string[]): boolean {
  try {
    runAsUnused('ls', ...files)
    return true
  } catch {
    return false
  }
}

t.test('a server whose journal cannot be opened ends with the reason', needs('mount'), async t => {
  const worker = path.join(WORKERS, 'store-worker.js')
  const { project, program } = createGitProject(t, FILES, ['unshare', '--mount', 'sh', '-c', REPLACE_AND_RUN, worker])
  const broken = path.join(project, 'a.txt')
  writeFileSync(broken, 'throw new Error("out of luck")\n')
  t.match(await program(['serve']), {
    code: 1,
    stdout: '',
    stderr: /^toolgate: The server cannot use .*journal\.db: .*out of luck/
  })
})
